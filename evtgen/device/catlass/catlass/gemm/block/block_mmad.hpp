// BlockMmad: one block of C = A * B on the cube core.
//
// The stand-in computes the product on the CPU and records a single instruction on the FIX pipe: it reads the block's
// rows and columns of A and B in GM and writes its part of C. It does not model the inside of the cube core: L1 and
// L0 buffers, the flags between MTE2, MTE1, M and FIX, and the order in which the hardware sums.
#ifndef CATLASS_GEMM_BLOCK_BLOCK_MMAD_HPP
#define CATLASS_GEMM_BLOCK_BLOCK_MMAD_HPP

#include <type_traits>
#include <utility>

#include "catlass/arch/resource.hpp"
#include "catlass/catlass.hpp"
#include "catlass/gemm/dispatch_policy.hpp"
#include "catlass/gemm/helper.hpp"
#include "catlass/gemm/tile/tile_copy.hpp"
#include "catlass/gemm/tile/tile_mmad.hpp"
#include "catlass/gemm_coord.hpp"
#include "catlass/layout/layout.hpp"
#include "machine/cube.hpp"
#include "machine/hf32.hpp"
#include "machine/keep.hpp"
#include "machine/record.hpp"
#include "machine/vector.hpp"

namespace Catlass::Gemm::Block {

template <class DispatchPolicy, class L1TileShape, class L0TileShape, class AType, class BType, class CType,
          class BiasType = void,
          class TileCopy = Gemm::Tile::TileCopy<typename DispatchPolicy::ArchTag, AType, BType, CType, BiasType>,
          class TileMmad = Gemm::Tile::TileMmad<typename DispatchPolicy::ArchTag, AType, BType, BiasType>>
struct BlockMmad {
    static_assert(DEPENDENT_FALSE<DispatchPolicy>, "the stand-in has no BlockMmad for this dispatch policy");
};

namespace standin {

/// Where a tensor begins, in no address space.
template <class Tensor> auto *AddressOf(Tensor const &tensor)
{
    return (typename Tensor::PrimType *)tensor.GetPhyAddr();
}

/// Layouts of fractals, and those whose neighbours are elements of a row.
template <class Layout>
constexpr bool IS_FRACTAL = std::is_same_v<Layout, layout::zN> || std::is_same_v<Layout, layout::nZ>;
template <class Layout>
constexpr bool BY_ROWS = std::is_same_v<Layout, layout::RowMajor> || std::is_same_v<Layout, layout::zN>;

/// A matrix in GM with its strides. For each 32 bytes of a row or a column a fractal one has a run of whole blocks; from
/// run to run there is one stride.
template <class Element, class Layout> auto MatrixOf(Element *data, Layout const &layout)
{
    if constexpr (IS_FRACTAL<Layout>) {
        return machine::BlockedMatrix<Element, BY_ROWS<Layout>>{data, layout.stride(BY_ROWS<Layout> ? 3 : 1)};
    } else {
        static_assert(BY_ROWS<Layout> || std::is_same_v<Layout, layout::ColumnMajor>,
                      "the stand-in multiplies matrices by rows, by columns, and of fractals");
        return machine::Matrix<Element>{data, layout.stride(0), layout.stride(1)};
    }
}

/// The bytes of a rows x columns part of a matrix, as runs along its contiguous dimension. Of a fractal matrix the cube
/// core copies whole blocks, also where the matrix ends within them.
template <class Element, class Layout>
machine::Region RegionOf(Element *data, Layout const &layout, uint32_t rows, uint32_t columns)
{
    uint64_t runs = BY_ROWS<Layout> ? rows : columns;
    uint64_t length = BY_ROWS<Layout> ? columns : rows;
    int64_t stride = 0;
    if constexpr (IS_FRACTAL<Layout>) {
        constexpr uint32_t BLOCK = BYTE_PER_C0 / sizeof(Element) * machine::kPacked<Element>;
        uint64_t const blocks = CeilDiv<BLOCK>(length);
        length = runs * BLOCK;
        runs = blocks;
        stride = layout.stride(BY_ROWS<Layout> ? 3 : 1);
    } else {
        stride = layout.stride(BY_ROWS<Layout> ? 0 : 1);
    }
    return machine::Rows(machine::Space::GM, data, runs, machine::BytesOf<Element>(length),
                         machine::BytesOf<Element>(static_cast<uint64_t>(stride)));
}

/// The scales that a copy out of L0C multiplies columns by; most have none.
template <class Copy, class = void> struct ColumnScalesOf {
    static constexpr bool ANY = false;
    static uint64_t const *In(Copy const &) { return nullptr; }
};
template <class Copy> struct ColumnScalesOf<Copy, std::void_t<decltype(std::declval<Copy &>().gmScales)>> {
    static constexpr bool ANY = true;
    static uint64_t const *In(Copy const &copy) { return reinterpret_cast<uint64_t const *>(AddressOf(copy.gmScales)); }
};

/// The instruction's action; small and trivially copyable, so that recording it allocates nothing.
template <class MatrixA, class MatrixB, class C, class Bias> struct Product {
    MatrixA a;
    MatrixB b;
    machine::Matrix<C> c;
    Bias const *bias;
    uint32_t m;
    uint32_t n;
    uint32_t k;
    machine::Combine combine;
    bool bounds;
    machine::Hf32 hf32;
    uint32_t numberInTurn;
    uint64_t const *scales;  // of its columns; null: none

    void operator()() const
    {
        std::vector<machine::Multiplied<typename MatrixA::Element>> spaceA;
        std::vector<machine::Multiplied<typename MatrixB::Element>> spaceB;
        auto const left = machine::Rounded(machine::Plain(a, m, k, spaceA), m, k, spaceA, hf32);
        auto const right = machine::Rounded(machine::Plain(b, k, n, spaceB), k, n, spaceB, hf32);
        if constexpr (std::is_same_v<Bias, int32_t> && std::is_same_v<C, half>) {
            machine::MultiplyDequantised(left, right, c, scales, m, n, k);
        } else {
            machine::Multiply(left, right, c, bias, m, n, k, combine);
        }
        if (bounds) { machine::BoundBlock(c, m, n); }
        machine::KeepBlock(machine::StoredIn(a), machine::StoredIn(b), c, m, n, combine, numberInTurn);
    }
};

/// The tiles that a policy keeps in each memory at a time. clang takes two specializations over void_t for the same.
template <class DispatchPolicy, class = void> struct Stages {
    static constexpr uint32_t L1A = DispatchPolicy::STAGES;
    static constexpr uint32_t L1B = DispatchPolicy::STAGES;
    static constexpr uint32_t L0A = DispatchPolicy::STAGES;
    static constexpr uint32_t L0B = DispatchPolicy::STAGES;
    static constexpr uint32_t L0C = 1;
};
template <class DispatchPolicy> struct Stages<DispatchPolicy, std::enable_if_t<(DispatchPolicy::L1_STAGES > 0)>> {
    static constexpr uint32_t L1A = DispatchPolicy::L1_STAGES;
    static constexpr uint32_t L1B = DispatchPolicy::L1_STAGES;
    static constexpr uint32_t L0A = DispatchPolicy::L0A_STAGES;
    static constexpr uint32_t L0B = DispatchPolicy::L0B_STAGES;
    static constexpr uint32_t L0C = DispatchPolicy::L0C_STAGES;
};
template <class DispatchPolicy> struct Stages<DispatchPolicy, std::enable_if_t<(DispatchPolicy::L1A_STAGES > 0)>> {
    static constexpr uint32_t L1A = DispatchPolicy::L1A_STAGES;
    static constexpr uint32_t L1B = DispatchPolicy::L1B_STAGES;
    static constexpr uint32_t L0A = DispatchPolicy::L0A_STAGES;
    static constexpr uint32_t L0B = DispatchPolicy::L0B_STAGES;
    static constexpr uint32_t L0C = DispatchPolicy::L0C_STAGES;
};

template <class BiasType> struct BiasElement {
    using Type = typename BiasType::Element;
};
template <> struct BiasElement<void> {
    using Type = void;
};

/// Types, limits and the product of a block; policies differ in when it is recorded.
template <class DispatchPolicy_, class L1TileShape_, class L0TileShape_, class AType_, class BType_, class CType_,
          class BiasType_, class TileMmad_, bool DEQUANTISES = false>
struct Block {
public:
    using DispatchPolicy = DispatchPolicy_;
    using ArchTag = typename DispatchPolicy::ArchTag;
    using L1TileShape = L1TileShape_;
    using L0TileShape = L0TileShape_;
    using ElementA = typename AType_::Element;
    using LayoutA = typename AType_::Layout;
    using ElementB = typename BType_::Element;
    using LayoutB = typename BType_::Layout;
    using ElementC = typename CType_::Element;
    using LayoutC = typename CType_::Layout;
    using ElementBias = typename BiasElement<BiasType_>::Type;
    using TileMmad = TileMmad_;
    using ElementAccumulator =
        typename Gemm::helper::ElementAccumulatorSelector<ElementA, ElementB>::ElementAccumulator;

    static constexpr bool ENABLE_UNIT_FLAG = DispatchPolicy::ENABLE_UNIT_FLAG;
    // As in Catlass, tiles of int4 take as much room as those of 8 bits, and tiles of float4 half of it.
    template <class Element>
    static constexpr uint32_t TOGETHER = std::is_same_v<Element, AscendC::int4b_t> ? 1 : machine::kPacked<Element>;
    static constexpr uint32_t L1A_SIZE = L1TileShape::M * L1TileShape::K * sizeof(ElementA) / TOGETHER<ElementA>;
    static constexpr uint32_t L1B_SIZE = L1TileShape::N * L1TileShape::K * sizeof(ElementB) / TOGETHER<ElementB>;
    static constexpr uint32_t L0A_TILE_SIZE = L0TileShape::M * L0TileShape::K * sizeof(ElementA) / TOGETHER<ElementA>;
    static constexpr uint32_t L0B_TILE_SIZE = L0TileShape::K * L0TileShape::N * sizeof(ElementB) / TOGETHER<ElementB>;
    static constexpr uint32_t L0C_TILE_SIZE = L0TileShape::M * L0TileShape::N * sizeof(ElementAccumulator);

    static_assert(std::is_same_v<LayoutC, layout::RowMajor>, "C must be row-major");
    static_assert(L1A_SIZE * Stages<DispatchPolicy>::L1A + L1B_SIZE * Stages<DispatchPolicy>::L1B <= ArchTag::L1_SIZE,
                  "the L1 tiles do not fit L1");
    static_assert(L0A_TILE_SIZE * Stages<DispatchPolicy>::L0A <= ArchTag::L0A_SIZE,
                  "the L0 tile of A does not fit L0A");
    static_assert(L0B_TILE_SIZE * Stages<DispatchPolicy>::L0B <= ArchTag::L0B_SIZE,
                  "the L0 tile of B does not fit L0B");
    static_assert(L0C_TILE_SIZE * Stages<DispatchPolicy>::L0C <= ArchTag::L0C_SIZE,
                  "the L0 tile of C does not fit L0C");
    static_assert(L1TileShape::M == L0TileShape::M && L1TileShape::N == L0TileShape::N,
                  "the L1 and L0 tiles must agree in m and n");
    static_assert(L0TileShape::K <= L1TileShape::K, "the L0 tile must not be deeper than the L1 tile");

    /// On Atlas A2 tiles are whole 32-byte blocks in every dimension.
    template <class Element> static constexpr bool IsBlockAligned(uint32_t elements)
    {
        return !std::is_same_v<ArchTag, Arch::AtlasA2> || machine::BytesOf<Element>(elements) % BYTE_PER_C0 == 0;
    }
    static_assert(IsBlockAligned<ElementA>(L1TileShape::M), "the tile's m is not a multiple of 32 bytes");
    static_assert(IsBlockAligned<ElementB>(L1TileShape::N), "the tile's n is not a multiple of 32 bytes");
    static_assert(IsBlockAligned<ElementA>(L1TileShape::K) && IsBlockAligned<ElementB>(L1TileShape::K) &&
                      IsBlockAligned<ElementA>(L0TileShape::K) && IsBlockAligned<ElementB>(L0TileShape::K),
                  "the tile's k is not a multiple of 32 bytes");

    // The accumulator leaves the cube as it is, or rounded to half or bfloat16; anything else needs a dequantisation.
    static_assert(std::is_same_v<ElementC, ElementAccumulator> ||
                      (DEQUANTISES && std::is_same_v<ElementAccumulator, int32_t> && std::is_same_v<ElementC, half>) ||
                      (std::is_same_v<ElementAccumulator, float> &&
                       (std::is_same_v<ElementC, half> || std::is_same_v<ElementC, bfloat16_t>)),
                  "the accumulator cannot be stored as ElementC");
    static_assert(!(ENABLE_UNIT_FLAG && std::is_same_v<ElementAccumulator, int32_t> &&
                    std::is_same_v<ArchTag, Arch::AtlasA2>),
                  "no unit flag with integers");

    CATLASS_DEVICE Block(Arch::Resource<ArchTag> &, uint32_t = 0) {}

protected:
    using Bias = std::conditional_t<std::is_void_v<ElementBias>, ElementAccumulator, ElementBias>;
    static_assert(!std::is_same_v<Bias, bfloat16_t>, "no bias of bfloat16_t");

    /// What a block reads and how long it takes: all of its instruction but the result.
    static machine::Instruction ReadsOf(AscendC::GlobalTensor<ElementA> const &gmA, LayoutA const &layoutA,
                                        AscendC::GlobalTensor<ElementB> const &gmB, LayoutB const &layoutB,
                                        Bias const *bias, GemmCoord const &actualShape, machine::Site site)
    {
        uint32_t const m = actualShape.m();
        uint32_t const n = actualShape.n();
        uint32_t const k = actualShape.k();

        // It loads nothing, multiplies nothing, and waits for a product to store
        if (k == 0) { machine::RefuseParameter("BlockMmad", "there is no product without K", site); }
        machine::Instruction instruction(machine::Pipe::FIX, "BlockMmad", site);
        instruction.Reads(RegionOf(AddressOf(gmA), layoutA, m, k))
            .Reads(RegionOf(AddressOf(gmB), layoutB, k, n))
            .Work(machine::MacsOfHalf<ElementA, ElementB>(m, n, k));
        if (bias != nullptr) {
            instruction.Reads(machine::Bytes(machine::Space::GM, bias, uint64_t{n} * sizeof(Bias)));
        }
        return instruction;
    }

    /// C = A * B + bias for one block; without a bias, it is null. The tensors start at the block; the layouts are those
    /// of the whole matrices.
    static machine::Instruction ProductOf(AscendC::GlobalTensor<ElementA> const &gmA, LayoutA const &layoutA,
                                          AscendC::GlobalTensor<ElementB> const &gmB, LayoutB const &layoutB,
                                          AscendC::GlobalTensor<ElementC> const &gmC, LayoutC const &layoutC,
                                          Bias const *bias, GemmCoord const &actualShape, machine::Site site,
                                          uint64_t const *scales = nullptr)
    {
        return Stored(ReadsOf(gmA, layoutA, gmB, layoutB, bias, actualShape, site),
                      MatrixOf<ElementA const>(AddressOf(gmA), layoutA),
                      MatrixOf<ElementB const>(AddressOf(gmB), layoutB), gmC, layoutC, bias, actualShape, scales);
    }

    /// An instruction that reads A and B, and stores their product.
    template <class MatrixA, class MatrixB>
    static machine::Instruction Stored(machine::Instruction instruction, MatrixA const &a, MatrixB const &b,
                                       AscendC::GlobalTensor<ElementC> const &gmC, LayoutC const &layoutC,
                                       Bias const *bias, GemmCoord const &actualShape, uint64_t const *scales = nullptr)
    {
        ElementC *c = AddressOf(gmC);
        uint32_t const m = actualShape.m();
        uint32_t const n = actualShape.n();

        if (scales != nullptr) {
            instruction.Reads(machine::Bytes(machine::Space::GM, scales, uint64_t{n} * sizeof(uint64_t)));
        }
        machine::AtomicMode const atomic = machine::CurrentAtomic();
        instruction.combine = atomic.combine;
        instruction.rounds = atomic.Rounds();
        instruction.Writes(RegionOf(c, layoutC, m, n))
            .Act(Product<MatrixA, MatrixB, ElementC, Bias>{
                a, b, MatrixOf(c, layoutC), bias, m, n, actualShape.k(), atomic.combine,
                machine::CurrentSaturation().casts, machine::CurrentHf32(),
                machine::NumberInTurn(atomic.combine, static_cast<uint32_t>(AscendC::GetBlockIdx())), scales});
        return instruction;
    }
};

}  // namespace standin

template <bool ENABLE_UNIT_FLAG_, class L1TileShape_, class L0TileShape_, class AType_, class BType_, class CType_,
          class BiasType_, class TileCopy_, class TileMmad_>
struct BlockMmad<MmadAtlasA2Pingpong<ENABLE_UNIT_FLAG_>, L1TileShape_, L0TileShape_, AType_, BType_, CType_, BiasType_,
                 TileCopy_, TileMmad_>
    : standin::Block<MmadAtlasA2Pingpong<ENABLE_UNIT_FLAG_>, L1TileShape_, L0TileShape_, AType_, BType_, CType_,
                     BiasType_, TileMmad_, standin::ColumnScalesOf<typename TileCopy_::CopyL0CToGm>::ANY> {
    using Scales = standin::ColumnScalesOf<typename TileCopy_::CopyL0CToGm>;
    using Base = standin::Block<MmadAtlasA2Pingpong<ENABLE_UNIT_FLAG_>, L1TileShape_, L0TileShape_, AType_, BType_,
                                CType_, BiasType_, TileMmad_, Scales::ANY>;
    using Base::Base;
    using typename Base::ElementA;
    using typename Base::ElementB;
    using typename Base::ElementC;
    using typename Base::LayoutA;
    using typename Base::LayoutB;
    using typename Base::LayoutC;

    static constexpr uint32_t STAGES = MmadAtlasA2Pingpong<ENABLE_UNIT_FLAG_>::STAGES;

    static_assert(std::is_void_v<BiasType_>, "this policy has no bias");

    CATLASS_DEVICE void operator()(AscendC::GlobalTensor<ElementA> const &gmA, LayoutA const &layoutA,
                                   AscendC::GlobalTensor<ElementB> const &gmB, LayoutB const &layoutB,
                                   AscendC::GlobalTensor<ElementC> const &gmC, LayoutC const &layoutC,
                                   GemmCoord const &actualShape, machine::Site site = machine::Here())
    {
        machine::Record(Base::ProductOf(gmA, layoutA, gmB, layoutB, gmC, layoutC, nullptr, actualShape, site,
                                        Scales::In(copyL0CToGm)));
    }

protected:
    /// As in Catlass. The stand-in copies nothing with it, and multiplies columns by its gmScales, if it has any.
    typename TileCopy_::CopyL0CToGm copyL0CToGm;
};

}  // namespace Catlass::Gemm::Block

// The files beside this one, whatever a checkout has by their names
#include "block_mmad_preload_async.hpp"
#if defined(CATLASS_ARCH) && CATLASS_ARCH == 3510
#include "block_mmad_dequant_tla.hpp"
#include "block_mmad_mx_tla.hpp"
#include "block_mmad_tla.hpp"
#endif

#endif  // CATLASS_GEMM_BLOCK_BLOCK_MMAD_HPP
