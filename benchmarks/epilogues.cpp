// Epilogues in the words that evtgen's framework and its authors' share: program SUMS M N K [M N K ...]
// Launches each epilogue once per problem, problem after problem. With SUMS = 1, it prints the name of each epilogue,
// the elements of its tile and the sums of its outputs; with 0, the operands have no contents.
// EVT_MOST: the elements of a tile at most, for a framework that does not say what fits.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "catlass/arch/arch.hpp"
#include "catlass/catlass.hpp"
#include "catlass/epilogue/block/block_epilogue.hpp"
#include "catlass/epilogue/dispatch_policy.hpp"
#include "catlass/epilogue/fusion/fusion.hpp"
#include "catlass/gemm/block/block_mmad.hpp"
#include "catlass/gemm/block/block_swizzle.hpp"
#include "catlass/gemm/device/device_gemm.hpp"
#include "catlass/gemm/dispatch_policy.hpp"
#include "catlass/gemm/gemm_type.hpp"
#include "catlass/gemm/kernel/matmul_visitor.hpp"
#include "catlass/layout/layout.hpp"
#include "catlass/status.hpp"

#include "helper.hpp"

using namespace Catlass;
using namespace Catlass::Epilogue::Fusion;

namespace {

using Matrix = layout::RowMajor;

struct Operands {
    uint8_t* x;
    uint8_t* row;
    uint8_t* d;
    uint8_t* sums;
    Matrix matrix;
    Matrix vector;
};

// ---- the epilogues: a name, the graph, bytes per element if each node has a tile of its own, and the arguments

/// D = C
struct Copy {
    static constexpr char const* NAME = "copy";
    static constexpr uint32_t BYTES = 2;
    using EVT = TreeVisitor<VisitorAuxStore<half, Matrix>, VisitorAccLoad<half>>;

    static EVT::Arguments Arguments(Operands const& o) { return {{}, {o.d, o.matrix}}; }
};

/// D = C + X
struct AddX {
    static constexpr char const* NAME = "add";
    static constexpr uint32_t BYTES = 3 * 2;
    using EVT = TreeVisitor<
        VisitorAuxStore<half, Matrix>,
        TreeVisitor<VisitorCompute<Plus, half>, VisitorAccLoad<half>, VisitorAuxLoad<half, Matrix>>>;

    static EVT::Arguments Arguments(Operands const& o) { return {{{}, {o.x, o.matrix}, {}}, {o.d, o.matrix}}; }
};

/// D = half(float(C) + float(X))
struct AddXInFloat {
    static constexpr char const* NAME = "cast";
    static constexpr uint32_t BYTES = 2 + 4 + 2 + 4 + 4 + 2;
    using EVT = TreeVisitor<
        VisitorAuxStore<half, Matrix>,
        TreeVisitor<
            VisitorCast<half, float>,
            TreeVisitor<
                VisitorCompute<Plus, float>, TreeVisitor<VisitorCast<float, half>, VisitorAccLoad<half>>,
                TreeVisitor<VisitorCast<float, half>, VisitorAuxLoad<half, Matrix>>>>>;

    static EVT::Arguments Arguments(Operands const& o)
    {
        return {{{{{}, {}}, {{o.x, o.matrix}, {}}, {}}, {}}, {o.d, o.matrix}};
    }
};

/// D = (C + X) + (C + X)
struct AddXTwice {
    static constexpr char const* NAME = "topo";
    static constexpr uint32_t BYTES = 4 * 2;
    using EVT = TopologicalVisitor<
        tla::tuple<tla::seq<>, tla::seq<>, tla::seq<0, 1>, tla::seq<2, 2>, tla::seq<3>>, VisitorAccLoad<half>,
        VisitorAuxLoad<half, Matrix>, VisitorCompute<Plus, half>, VisitorCompute<Plus, half>,
        VisitorAuxStore<half, Matrix>>;

    static EVT::Arguments Arguments(Operands const& o) { return {{}, {o.x, o.matrix}, {}, {}, {o.d, o.matrix}}; }
};

/// D = C + row; sums += sum of the rows of float(D)
struct AddRow {
    static constexpr char const* NAME = "row reduction";
    static constexpr uint32_t BYTES = 2 + 2 + 2 + 4 + 4;
    using EVT = TreeVisitor<
        VisitorRowReduce<Plus, float, Matrix>,
        TreeVisitor<
            VisitorCast<float, half>,
            TreeVisitor<
                VisitorAuxStore<half, Matrix>,
                TreeVisitor<VisitorCompute<Plus, half>, VisitorAccLoad<half>, VisitorRowBroadcast<half, Matrix>>>>>;

    static EVT::Arguments Arguments(Operands const& o)
    {
        return {{{{{}, {o.row, o.vector}, {}}, {o.d, o.matrix}}, {}}, {o.sums, o.vector, 0.0f}};
    }
};

template <int I>
using Alternating = std::conditional_t<I % 2 == 0, VisitorCompute<Plus, half>, VisitorCompute<Maximum, half>>;

/// D = ...max(max(C + X, X) + X, X), of as many operators as there are indices.
template <class Indices>
struct ChainOf;

template <int... Is>
struct ChainOf<std::integer_sequence<int, Is...>> {
    static constexpr uint32_t BYTES = (2 + sizeof...(Is)) * 2;
    using EVT = TopologicalVisitor<
        tla::tuple<tla::seq<>, tla::seq<>, tla::seq<Is == 0 ? 0 : Is + 1, 1>..., tla::seq<sizeof...(Is) + 1>>,
        VisitorAccLoad<half>, VisitorAuxLoad<half, Matrix>, Alternating<Is>..., VisitorAuxStore<half, Matrix>>;

    static typename EVT::Arguments Arguments(Operands const& o)
    {
        return {{}, {o.x, o.matrix}, typename Alternating<Is>::Arguments{}..., {o.d, o.matrix}};
    }
};

struct Chain3 : ChainOf<std::make_integer_sequence<int, 3>> {
    static constexpr char const* NAME = "chain of 3";
};

struct Chain6 : ChainOf<std::make_integer_sequence<int, 6>> {
    static constexpr char const* NAME = "chain of 6";
};

struct Chain12 : ChainOf<std::make_integer_sequence<int, 12>> {
    static constexpr char const* NAME = "chain of 12";
};

/// Twelve operators: five pairs, each the sum and the maximum of the pair before; then D = max(their sum, X).
struct Dag {
    static constexpr char const* NAME = "DAG of 12";
    static constexpr uint32_t BYTES = 14 * 2;
    using Sum = VisitorCompute<Plus, half>;
    using Larger = VisitorCompute<Maximum, half>;
    using EVT = TopologicalVisitor<
        tla::tuple<
            tla::seq<>, tla::seq<>, tla::seq<0, 1>, tla::seq<0, 1>, tla::seq<2, 3>, tla::seq<2, 3>, tla::seq<4, 5>,
            tla::seq<4, 5>, tla::seq<6, 7>, tla::seq<6, 7>, tla::seq<8, 9>, tla::seq<8, 9>, tla::seq<10, 11>,
            tla::seq<12, 1>, tla::seq<13>>,
        VisitorAccLoad<half>, VisitorAuxLoad<half, Matrix>, Sum, Larger, Sum, Larger, Sum, Larger, Sum, Larger, Sum,
        Larger, Sum, Larger, VisitorAuxStore<half, Matrix>>;

    static EVT::Arguments Arguments(Operands const& o)
    {
        return {{}, {o.x, o.matrix}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {o.d, o.matrix}};
    }
};

// ---- running them

using CType = Gemm::GemmType<half, Matrix>;

template <class Graph, uint32_t LENGTH>
using BlockEpilogueOf = Epilogue::Block::BlockEpilogue<
    Epilogue::EpilogueAtlasA2Visitor, CType, tla::Int<LENGTH>, typename Graph::EVT>;

/// Elements of the longest tile that fits two buffers, in steps of 256, where a framework says what a length takes.
template <class Graph, class = void>
struct Longest : std::integral_constant<uint32_t, 0> {};

template <class Graph>
constexpr uint32_t FindLongest()
{
    uint32_t fits = 1;
    for (uint32_t step = 128; step > 0; step /= 2) {
        uint32_t bytes = 2 * Graph::EVT::UbBytes((fits + step) * 256);
        fits += bytes <= BlockEpilogueOf<Graph, 256>::UB_USABLE ? step : 0;
    }
    return fits * 256;
}

template <class Graph>
struct Longest<Graph, std::void_t<decltype(Graph::EVT::UbBytes(256u))>>
    : std::integral_constant<uint32_t, FindLongest<Graph>()> {};

/// Elements of a tile: as many as the framework finds room for, else as many as fit two buffers with a tile per node, at
/// most EVT_MOST, in whole rows of a block's 256 columns.
template <class Graph>
constexpr uint32_t Length()
{
    constexpr uint32_t row = 256;
    constexpr uint32_t fits = Arch::AtlasA2::UB_SIZE / 2 / Graph::BYTES / row * row;
    return Longest<Graph>::value > 0 ? Longest<Graph>::value : std::min<uint32_t>(EVT_MOST, fits);
}

class Device {
public:
    explicit Device(bool filled) : filled_(filled) {}
    ~Device()
    {
        for (void* address : allocated_) {
            ACL_CHECK(aclrtFree(address));
        }
    }
    Device(Device const&) = delete;
    Device& operator=(Device const&) = delete;

    /// Elements of T with whole values from -modulus / 2 on; of zeros if modulus is 1.
    template <class T>
    uint8_t* Allocate(size_t elements, int modulus)
    {
        void* address = nullptr;
        ACL_CHECK(aclrtMalloc(&address, elements * sizeof(T), ACL_MEM_MALLOC_HUGE_FIRST));
        allocated_.push_back(address);
        if (filled_) {
            std::vector<T> values(elements);
            for (size_t i = 0; i < elements; ++i) {
                values[i] = static_cast<T>(static_cast<float>(static_cast<int>(i * 7 % modulus) - modulus / 2));
            }
            size_t bytes = elements * sizeof(T);
            ACL_CHECK(aclrtMemcpy(address, bytes, values.data(), bytes, ACL_MEMCPY_HOST_TO_DEVICE));
        }
        return static_cast<uint8_t*>(address);
    }

    /// Differs if two outputs do, also if the same values are elsewhere.
    template <class T>
    static double Sum(uint8_t* address, size_t elements)
    {
        std::vector<T> values(elements);
        size_t bytes = elements * sizeof(T);
        ACL_CHECK(aclrtMemcpy(values.data(), bytes, address, bytes, ACL_MEMCPY_DEVICE_TO_HOST));
        double sum = 0;
        for (size_t i = 0; i < elements; ++i) {
            sum += static_cast<double>(static_cast<float>(values[i])) * static_cast<double>(i % 1009 + 1);
        }
        return sum;
    }

private:
    bool filled_;
    std::vector<void*> allocated_;
};

template <class Graph>
void Launch(bool sums, GemmCoord const& shape)
{
    using BlockMmad = Gemm::Block::BlockMmad<
        Gemm::MmadAtlasA2Pingpong<true>, GemmShape<128, 256, 256>, GemmShape<128, 256, 64>, Gemm::GemmType<half, Matrix>,
        Gemm::GemmType<half, Matrix>, CType>;
    using BlockEpilogue = BlockEpilogueOf<Graph, Length<Graph>()>;
    using Kernel = Gemm::Kernel::MatmulVisitor<BlockMmad, BlockEpilogue, Gemm::Block::GemmIdentityBlockSwizzle<3, 0>>;

    Device device(sums);
    size_t const elements = size_t{shape.m()} * shape.n();
    uint8_t* a = device.Allocate<half>(size_t{shape.m()} * shape.k(), 3);
    uint8_t* b = device.Allocate<half>(size_t{shape.k()} * shape.n(), 5);
    Operands operands{
        device.Allocate<half>(elements, 11),     device.Allocate<half>(shape.n(), 9),
        device.Allocate<half>(elements, 1),      device.Allocate<float>(shape.n(), 1),
        Matrix{shape.m(), shape.n()},            Matrix{1u, shape.n()},
    };
    uint64_t fftsAddr{0};
    uint32_t fftsLen{0};
    RT_CHECK(rtGetC2cCtrlAddr(&fftsAddr, &fftsLen));
    aclrtStream stream{nullptr};
    ACL_CHECK(aclrtCreateStream(&stream));
    typename Kernel::Arguments arguments{shape, a, b, Graph::Arguments(operands)};
    Gemm::Device::DeviceGemm<Kernel> kernel;
    kernel.Initialize(arguments, device.Allocate<uint8_t>(kernel.GetWorkspaceSize(arguments), 1));
    kernel(stream, platform_ascendc::PlatformAscendCManager::GetInstance()->GetCoreNumAic(), fftsAddr);
    ACL_CHECK(aclrtSynchronizeStream(stream));
    ACL_CHECK(aclrtDestroyStream(stream));
    if (sums) {
        double const outputs[] = {Device::Sum<half>(operands.d, elements), Device::Sum<float>(operands.sums, shape.n())};
        std::printf("%s: %.17g %.17g, tiles of %u\n", Graph::NAME, outputs[0], outputs[1], BlockEpilogue::COMPUTE_LENGTH);
    }
}

template <class... Graphs>
void LaunchAll(bool sums, GemmCoord const& shape)
{
    (Launch<Graphs>(sums, shape), ...);
}

}  // namespace

int main(int argc, char** argv)
{
    std::vector<uint32_t> sizes;
    for (int i = 2; i < argc; ++i) {
        sizes.push_back(static_cast<uint32_t>(std::stoul(argv[i])));
    }
    for (size_t i = 0; i + 2 < sizes.size(); i += 3) {
        GemmCoord shape{sizes[i], sizes[i + 1], sizes[i + 2]};
        LaunchAll<Copy, AddX, AddXInFloat, AddXTwice, AddRow, Chain3, Chain6, Chain12, Dag>(std::stoul(argv[1]) != 0, shape);
    }
    return 0;
}
