// Catlass, AscendC and the framework for the reader of C++: their types by name, without bodies. The functors come from the
// table of operators; they are declared above this text.

using uint8_t = unsigned char;
using uint16_t = unsigned short;
using uint32_t = unsigned int;
using uint64_t = unsigned long;
using int8_t = signed char;
using int16_t = short;
using int32_t = int;
using int64_t = long;
using size_t = unsigned long;
using ptrdiff_t = long;

#define EVTGEN_FLOAT16(NAME)              \
    struct NAME {                         \
        uint16_t bits;                    \
        template <class From>             \
        constexpr NAME(From);             \
        constexpr NAME() : bits(0) {}     \
        constexpr operator float() const; \
    }
EVTGEN_FLOAT16(half);
EVTGEN_FLOAT16(bfloat16_t);
struct fp8_e4m3fn_t {
    uint8_t bits;
};
struct fp8_e5m2_t {
    uint8_t bits;
};
struct float8_e8m0_t {
    uint8_t bits;
};
struct float4_e2m1x2_t {
    uint8_t bits;
};

#define GM_ADDR uint8_t *
#define __gm__
#define __aicore__
#define __global__
#define __schedmode__(mode)
#define CATLASS_DEVICE inline
#define CATLASS_GLOBAL
#define CATLASS_HOST_DEVICE inline

namespace std {
using ::int16_t;
using ::int32_t;
using ::int64_t;
using ::int8_t;
using ::ptrdiff_t;
using ::size_t;
using ::uint16_t;
using ::uint32_t;
using ::uint64_t;
using ::uint8_t;
template <class T>
struct numeric_limits {
    static constexpr T lowest();
    static constexpr T min();
    static constexpr T max();
    static constexpr T infinity();
};
}  // namespace std

namespace AscendC {
struct int4b_t {
    uint8_t bits;
};
enum class RoundMode { CAST_NONE, CAST_RINT, CAST_FLOOR, CAST_CEIL, CAST_ROUND, CAST_TRUNC, CAST_ODD, CAST_HYBRID };
template <class T>
struct LocalTensor {};
template <class T>
struct GlobalTensor {};
}  // namespace AscendC

#define EVTGEN_ARITHMETIC(NAME, ...)  \
    template <class A, class B>       \
    constexpr A NAME(A value, B step) \
    {                                 \
        return __VA_ARGS__;           \
    }                                 \
    template <auto step, class A>     \
    constexpr A NAME(A value)         \
    {                                 \
        return __VA_ARGS__;           \
    }
EVTGEN_ARITHMETIC(RoundDown, value / step * step)
EVTGEN_ARITHMETIC(RoundUp, (value + step - 1) / step * step)
EVTGEN_ARITHMETIC(CeilDiv, (value + step - 1) / step)

namespace tla {
template <int... Is>
struct seq {};
template <class... Ts>
struct tuple {
    template <class... From>
    constexpr tuple(From const &...);
};
template <auto V>
struct C {
    static constexpr auto value = V;
};
template <int V>
using Int = C<V>;
template <uint32_t V>
using UInt = C<V>;
template <class... Ts>
using Shape = tuple<Ts...>;
template <class... Ts>
using Stride = tuple<Ts...>;
template <class... Ts>
using Coord = tuple<Ts...>;
/// The layout that a tag of Catlass stands for.
template <class Tag>
struct Layout {};
template <class Tag>
constexpr Layout<Tag> MakeLayoutFromTag(Tag const &);
template <class Element, class Tag, class Rows, class Columns>
constexpr Layout<Tag> MakeLayout(Rows, Columns);
}  // namespace tla

namespace Catlass {

constexpr uint32_t BYTE_PER_C0 = 32;
constexpr uint32_t BYTE_PER_BLK = 32;
constexpr uint32_t BYTE_PER_C2 = 64;
constexpr uint32_t BYTE_PER_FRACTAL = 512;

enum class Status { kSuccess, kInvalid };

namespace layout {
#define EVTGEN_LAYOUT(NAME)                                   \
    struct NAME {                                             \
        template <class... From>                              \
        constexpr NAME(From const &...);                      \
        template <class Element>                              \
        static constexpr NAME MakeLayout(uint32_t, uint32_t); \
    }
EVTGEN_LAYOUT(RowMajor);
EVTGEN_LAYOUT(ColumnMajor);
EVTGEN_LAYOUT(zN);
EVTGEN_LAYOUT(nZ);
struct VectorLayout {
    template <class... From>
    constexpr VectorLayout(From const &...);
};
}  // namespace layout

namespace Arch {
struct AtlasA2 {
    static constexpr uint32_t UB_SIZE = 192 * 1024;
    static constexpr uint32_t L1_SIZE = 512 * 1024;
    static constexpr uint32_t L0A_SIZE = 64 * 1024;
    static constexpr uint32_t L0B_SIZE = 64 * 1024;
    static constexpr uint32_t L0C_SIZE = 128 * 1024;
};
struct Ascend950 {
    static constexpr uint32_t UB_SIZE = 248 * 1024;
    static constexpr uint32_t L1_SIZE = 512 * 1024;
    static constexpr uint32_t L0A_SIZE = 64 * 1024;
    static constexpr uint32_t L0B_SIZE = 64 * 1024;
    static constexpr uint32_t L0C_SIZE = 256 * 1024;
};
}  // namespace Arch

struct MatrixCoord {
    constexpr MatrixCoord(uint32_t, uint32_t);
};
struct GemmCoord {
    constexpr GemmCoord();
    constexpr GemmCoord(uint32_t, uint32_t, uint32_t);
    uint32_t m() const;
    uint32_t n() const;
    uint32_t k() const;
};
template <uint32_t M, uint32_t N, uint32_t K>
struct GemmShape {};

namespace Gemm {
template <class Element_, class Layout_, class... More>
struct GemmType {
    using Element = Element_;
    using Layout = Layout_;
};
template <bool ENABLE_UNIT_FLAG = false>
struct MmadAtlasA2Pingpong {};
template <auto... Options>
struct MmadAtlasA2Preload {};
template <auto... Options>
struct MmadAtlasA2PreloadAsync {};
template <auto... Options>
struct MmadAtlasA2PreloadAsyncWithCallback {};
template <class ArchTag, auto... Options>
struct MmadPingpong {};
template <class ArchTag, auto... Options>
struct MmadMx {};
template <class ArchTag, auto... Options>
struct MmadDequant {};
template <class ArchTag, auto... Options>
struct MmadPreloadAsync {};
template <class ArchTag, auto... Options>
struct MmadPreloadAsyncWithCallback {};

namespace Tile {
enum class CopyL0CToUBMode { NO_SPLIT, SPLIT_M, SPLIT_N };
enum class ScaleGranularity { NO_QUANT, PER_TENSOR, PER_CHANNEL };
template <class ArchTag, class ElementA, class LayoutA, class ElementB, class LayoutB, class ElementC, class LayoutC,
          class Bias = void, bool RELU = false, ScaleGranularity GRANULARITY = ScaleGranularity::NO_QUANT>
struct PackedTileCopyTla {};
template <class ArchTag, class ElementA, class LayoutA, class ElementB, class LayoutB, class ElementC, class LayoutC,
          class Bias = void, CopyL0CToUBMode MODE = CopyL0CToUBMode::NO_SPLIT>
struct PackedTileCopyTlaToUB {};
template <class... Ts>
struct PackedMxTileCopyTla {};
template <class ArchTag, class ElementA, class LayoutA, class ElementB, class LayoutB, class ScaleA, class LayoutScaleA,
          class ScaleB, class LayoutScaleB, class ElementC, class LayoutC, class Bias = void,
          CopyL0CToUBMode MODE = CopyL0CToUBMode::NO_SPLIT>
struct PackedMxTileCopyTlaToUB {};
}  // namespace Tile

namespace Block {
template <class Policy, class L1, class L0, class A, class B, class C, class... More>
struct BlockMmad {};
template <class Policy, class L1, class L0, class A, class B, class C, class... More>
struct BlockMmadTla {};
template <class Mmad>
struct BlockMmadByTag {};
template <class Mmad>
struct BlockMmadHf32 {};
template <class Mmad>
struct BlockMmadMx {};
template <class... Ts>
struct BlockMmadDequant {};
template <class TileCopy>
struct TileCopyFed {};
template <class Layout, bool IS_OF_B>
struct MxScaleLayout {};
template <uint32_t OFFSET = 1, uint32_t DIRECTION = 0>
struct GemmIdentityBlockSwizzle {};
template <uint32_t OFFSET = 1, uint32_t DIRECTION = 0>
struct SplitkGemmIdentityBlockSwizzle {};
}  // namespace Block

namespace Kernel {
#define EVTGEN_KERNEL(NAME, ...)                                       \
    template <class Mmad, class Epilogue, class Scheduler __VA_ARGS__> \
    struct NAME {                                                      \
        struct Arguments {};                                           \
        static constexpr int64_t PACKED = -1;                          \
    }
EVTGEN_KERNEL(MatmulVisitor, , uint32_t STAGES = 3);
EVTGEN_KERNEL(BatchedMatmulVisitor, , uint32_t STAGES = 3);
enum class VisitorGroupList : uint8_t { OFFSETS, COUNTS };
enum class VisitorWeights : uint8_t { STACKED, POINTERS };
template <
    class Element = int64_t, VisitorGroupList LIST = VisitorGroupList::OFFSETS,
    VisitorWeights WEIGHTS = VisitorWeights::STACKED, bool HAS_WEIGHT_INDEX = false>
struct VisitorGroups {};
EVTGEN_KERNEL(GroupedMatmulSliceMVisitor, , uint32_t STAGES = 3, class Groups = VisitorGroups<>);
EVTGEN_KERNEL(GroupedMatmulSliceKVisitor, , uint32_t STAGES = 3, class Groups = VisitorGroups<>);
EVTGEN_KERNEL(SplitkMatmulVisitor, , uint32_t SLICES);
EVTGEN_KERNEL(MatmulMultiStageWorkspaceVisitor, , uint32_t STAGES = 2);
EVTGEN_KERNEL(BasicMatmulTlaVisitor);
EVTGEN_KERNEL(BasicMatmulTlaUbVisitor);
}  // namespace Kernel

namespace Device {
template <class Kernel>
struct DeviceGemm {};
}  // namespace Device
}  // namespace Gemm

namespace Epilogue {
struct EpilogueAtlasA2Visitor {
    using ArchTag = Arch::AtlasA2;
};
struct EpilogueAtlasA2PreloadVisitor {
    using ArchTag = Arch::AtlasA2;
};
struct EpilogueAtlasA2PreloadAsyncVisitor {
    using ArchTag = Arch::AtlasA2;
};
template <class Arch, uint32_t STAGES, uint32_t UB_WORKSPACE = 0>
struct EpilogueVisitorMultiStage {
    using ArchTag = Arch;
};
template <bool IN_UB = false>
struct EpilogueVisitor {
    static constexpr bool USE_UB_WORKSPACE = IN_UB;
};

namespace Block {
template <class Policy, class... Ts>
struct BlockEpilogue {};
template <class Policy, class C, class Length, class Graph>
struct BlockEpilogue<Policy, C, Length, Graph> {
    using EVT = Graph;
};
template <class Policy, class Arch, class Length, class Graph, class Element>
struct BlockEpilogue<Policy, Arch, Length, Graph, Element> {
    using EVT = Graph;
};
}  // namespace Block

namespace Fusion {
using Mask = uint8_t;
constexpr int64_t PACKED = -1;

#define EVTGEN_NODE(NAME, ...) \
    template <__VA_ARGS__>     \
    struct NAME {              \
        struct Arguments {};   \
    }
EVTGEN_NODE(TreeVisitor, class NodeOp, class... ChildOps);
EVTGEN_NODE(TopologicalVisitor, class Edges, class... Ops);
struct UbParts {
    uint32_t tile{0}, loaded{0}, scratch{0}, stored{0};
};
struct PlannedVisit {
    uint32_t node;
    bool waits;
    UbParts begins, bytes;
};
template <class Plan, class Graph>
using Planned = Graph;
template <class... BlockEpilogues>
struct Phases {
    struct EVT {
        struct Arguments {};
    };
};
template <class Widening, class BlockEpilogue>
struct Widened {
    struct EVT {
        struct Arguments {};
    };
};
template <uint32_t SLICE, uint32_t COLUMNS, class Adding, class BlockEpilogue>
struct ScaledSlices {
    struct EVT {
        struct Arguments {};
    };
};
template <class BlockEpilogue>
struct Dequantised {
    struct EVT {
        struct Arguments {};
    };
};
template <class BlockEpilogue>
struct Scaled {
    struct EVT {
        struct Arguments {};
    };
};
EVTGEN_NODE(VisitorInWorkspace, uint32_t NUMBER, class Node);
EVTGEN_NODE(VisitorInOrder, uint32_t ROWS, uint32_t COLUMNS, class Node);
EVTGEN_NODE(VisitorScatterInOrder, class Node);
EVTGEN_NODE(VisitorOnColumns, uint32_t FIRST, uint32_t END, class Node);
EVTGEN_NODE(VisitorOnHalf, class Node);
EVTGEN_NODE(VisitorAlternate, class Element, uint32_t FIRST);
EVTGEN_NODE(VisitorOnFirst, uint32_t COUNT, class Node);
EVTGEN_NODE(VisitorTopK, class Element, uint32_t K, bool LONG_ROWS = false);
EVTGEN_NODE(VisitorTopKResult, class Element);
EVTGEN_NODE(VisitorPart, class Element, uint32_t FIRST, uint32_t END);
EVTGEN_NODE(VisitorOnRow, class Node, bool SPREADS = true);
EVTGEN_NODE(VisitorOnColumn, class Node, bool SPREADS = true);
enum class Held : uint8_t { TILE, ROW, COLUMN };
EVTGEN_NODE(VisitorByRepeats, class Node, Held A, Held B);
EVTGEN_NODE(VisitorAccLoad, class Element, bool USE_UB_WORKSPACE = false, uint32_t INDEX = 0);
EVTGEN_NODE(VisitorAccDigits, class Element);
EVTGEN_NODE(VisitorCompute, template <class> class ComputeFn, class Element, class... Scalars);
EVTGEN_NODE(VisitorBand, class Element, int32_t ROW, int32_t COLUMN, int32_t LOWER, int32_t UPPER);
EVTGEN_NODE(VisitorCast, class To, class From, AscendC::RoundMode MODE = AscendC::RoundMode::CAST_NONE);
EVTGEN_NODE(VisitorAuxLoad, class Element, class Layout = layout::RowMajor, bool NULL_DEFAULT = false);
EVTGEN_NODE(VisitorRowBroadcast, class Element, class Layout = layout::RowMajor, bool NULL_DEFAULT = false,
    bool SPREADS = true);
EVTGEN_NODE(VisitorColBroadcast, class Element, class Layout = layout::RowMajor, bool NULL_DEFAULT = false,
    bool SPREADS = true);
enum class AStatistic : uint8_t { SUM, SUM_OF_SQUARES };
EVTGEN_NODE(VisitorAStatistic, AStatistic STATISTIC, bool SPREADS = true);
EVTGEN_NODE(VisitorScalarBroadcast, class Element, class Layout = layout::RowMajor, bool NULL_DEFAULT = false);
EVTGEN_NODE(VisitorOrDefault, class Load);
EVTGEN_NODE(VisitorAuxGather, class Element, class Layout = layout::RowMajor);
EVTGEN_NODE(VisitorAuxScatter, class Element, class Layout = layout::RowMajor, bool ADDS = false);
EVTGEN_NODE(VisitorRankScatter, class Element, class Layout = layout::RowMajor, bool ADDS = false);
EVTGEN_NODE(VisitorAuxStore, class Element, class Layout = layout::RowMajor);
EVTGEN_NODE(VisitorRowStore, class Element, class Layout = layout::RowMajor);
EVTGEN_NODE(VisitorColStore, class Element, class Layout = layout::RowMajor, bool PACKED_INPUT = false);
EVTGEN_NODE(VisitorScalarStore, class Element, class Layout = layout::RowMajor);
EVTGEN_NODE(VisitorRowReduce, template <class> class ReduceFn, class Element, class Layout = layout::RowMajor);
EVTGEN_NODE(VisitorColReduce, template <class> class ReduceFn, class Element, class Layout = layout::RowMajor);
EVTGEN_NODE(VisitorColReduced, template <class> class ReduceFn, class Element, bool SPREADS = true);
EVTGEN_NODE(VisitorBlockReduced, template <class> class ReduceFn, class Element, uint32_t BLOCK, bool SPREADS = true);
EVTGEN_NODE(VisitorBlockStore, class Element, class Layout, uint32_t BLOCK);
EVTGEN_NODE(VisitorBlockBroadcast, class Element, class Layout, uint32_t ROWS, uint32_t COLUMNS);
template <uint32_t EXPONENT_BITS>
struct VisitorDecodeFloat8 {
    struct Arguments {};
};
EVTGEN_NODE(VisitorWideStore, class Element, uint32_t LINES, uint32_t LENGTH);
EVTGEN_NODE(VisitorHeadBroadcast, class Element, class Layout, uint32_t HEAD);
EVTGEN_NODE(VisitorRotate, class Element, uint32_t HEAD, bool INTERLEAVED = false);
EVTGEN_NODE(VisitorScalarReduce, template <class> class ReduceFn, class Element, class Layout = layout::RowMajor);
struct VisitorRowIndex {
    struct Arguments {};
};
struct VisitorColIndex {
    struct Arguments {};
};
struct VisitorOutputs {
    struct Arguments {};
};
EVTGEN_NODE(VisitorCopy, class... Copies);

namespace Extended {
using namespace Fusion;
}  // namespace Extended
}  // namespace Fusion
}  // namespace Epilogue
}  // namespace Catlass
