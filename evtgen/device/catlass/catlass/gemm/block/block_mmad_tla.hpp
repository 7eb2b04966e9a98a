// BlockMmadTla: one block of C = A * B of tensors of tla, to GM or to the UB of the group's vector cores. Recorded as
// that of BlockMmad is. As in Catlass v1.6, of which the stand-in has the policy MmadPingpong.
#ifndef CATLASS_GEMM_BLOCK_BLOCK_MMAD_TLA_HPP
#define CATLASS_GEMM_BLOCK_BLOCK_MMAD_TLA_HPP

#if defined(CATLASS_ARCH) && CATLASS_ARCH == 3510

#include <algorithm>
#include <cstring>
#include <vector>

#include "block_mmad_fed_tla.hpp"  // the one beside this, whatever a checkout has by its name
#include "catlass/gemm/block/block_mmad.hpp"
#include "catlass/gemm/gemm_type.hpp"
#include "machine/shadow.hpp"
#include "tla/layout.hpp"
#include "tla/tensor.hpp"

namespace Catlass::Gemm::Block {

template <class DispatchPolicy, class L1TileShape, class L0TileShape, class ElementA, class ElementB, class ElementC,
          class ElementBias = void,
          class TileCopy =
              Gemm::Tile::PackedTileCopyTla<typename DispatchPolicy::ArchTag, ElementA, layout::RowMajor, ElementB,
                                            layout::RowMajor, ElementC, layout::RowMajor, ElementBias>,
          class TileMmad =
              Gemm::Tile::TileMmadTla<typename DispatchPolicy::ArchTag, ElementA, typename TileCopy::LayoutTagL1A>>
struct BlockMmadTla {
    static_assert(DEPENDENT_FALSE<DispatchPolicy>, "the stand-in has no BlockMmadTla for this dispatch policy");
};

namespace standin {

/// A static tla::tuple of m, n and k as the shape that Block takes.
template <class TileShape> struct ShapeOf {
    static_assert(tla::is_tuple<TileShape>::value && tla::is_static<TileShape>::value,
                  "a tile shape is a tla::tuple of compile-time integers");
    using Type = GemmShape<tla::get<0>(TileShape{}), tla::get<1>(TileShape{}), tla::get<2>(TileShape{})>;
};

template <class ElementBias> struct BiasTypeOf {
    using Type = Gemm::GemmType<ElementBias, layout::VectorLayout>;
};
template <> struct BiasTypeOf<void> {
    using Type = void;
};

/// The first element of a tensor.
template <class Tensor> auto StartOf(Tensor const &tensor)
{
    return tensor.data()[static_cast<uint64_t>(tensor.layout()(tensor.coord()))];
}

/// A vector is a matrix of one row.
template <class LayoutTag>
using MatrixTag = std::conditional_t<std::is_same_v<LayoutTag, layout::VectorLayout>, layout::RowMajor, LayoutTag>;

/// The layout of a tensor as one of its tag.
template <class LayoutTag, class Tensor> MatrixTag<LayoutTag> LayoutOf(Tensor const &tensor)
{
    auto const shape = tensor.originShape();
    if constexpr (std::is_same_v<LayoutTag, layout::VectorLayout>) {
        return layout::RowMajor(1, tla::get<0>(shape));
    } else {
        uint32_t const rows = tla::get<0>(shape);
        uint32_t const columns = tla::get<1>(shape);
        if constexpr (IS_FRACTAL<LayoutTag>) {
            LayoutTag layout = LayoutTag::template MakeLayout<typename Tensor::Element>(rows, columns);
            layout.stride(BY_ROWS<LayoutTag> ? 3 : 1) = tla::get < BY_ROWS<LayoutTag> ? 1 : 0, 1 > (tensor.stride());
            return layout;
        } else {
            return LayoutTag(rows, columns,
                             static_cast<int64_t>(tla::get < BY_ROWS<LayoutTag> ? 0 : 1 > (tensor.stride())));
        }
    }
}

/// A part of a product, and where it goes. Rows and columns may end beyond the product, and are undefined there.
template <class C> struct Part {
    C *data = nullptr;
    uint32_t firstRow = 0;
    uint32_t firstColumn = 0;
    uint32_t rows = 0;
    uint32_t columns = 0;

    /// Calls f(row, defined): the start of each row, and how many elements from there on are the product's.
    template <class F> void ForEachRow(uint32_t m, uint32_t n, uint64_t stride, F f) const
    {
        uint32_t const inside = firstColumn < n ? std::min(columns, n - firstColumn) : 0;
        for (uint32_t row = 0; row < rows; ++row) { f(data + row * stride, firstRow + row < m ? inside : 0); }
    }
};

/// A product in parts: at most one for each vector core of the group.
template <class C> struct Parts {
    Part<C> part[2];
    uint64_t stride = 0;  // from row to row in UB
    uint32_t m = 0;
    uint32_t n = 0;

    /// As a Fixpipe to UB splits the m x n product (Fixpipe page, dualDstCtrl): rows are whole data blocks, halves of
    /// rows have as many rows each, and halves of columns as many whole fractals.
    Parts(C *own, uint64_t stride, uint32_t m, uint32_t n, Tile::CopyL0CToUBMode mode) : stride(stride), m(m), n(n)
    {
        auto const in = [own](uint32_t core) { return static_cast<C *>(machine::UbOfVectorCore(core, own)); };
        uint32_t const columns = RoundUp<BYTE_PER_BLK / sizeof(C)>(n);
        if (mode == Tile::CopyL0CToUBMode::NO_SPLIT) {
            part[0] = {in(0), 0, 0, m, columns};
        } else if (mode == Tile::CopyL0CToUBMode::SPLIT_M) {
            uint32_t const half = CeilDiv<2>(m);
            part[0] = {in(0), 0, 0, half, columns};
            part[1] = {in(1), half, 0, half, columns};
        } else {
            uint32_t const half = RoundUp<32>(n) / 2;
            part[0] = {in(0), 0, 0, m, half};
            part[1] = {in(1), 0, half, m, half};
        }
    }

    machine::Region RegionOf(Part<C> const &p) const
    {
        machine::Region region =
            machine::Rows(machine::Space::UB, p.data, p.rows, p.columns * sizeof(C), stride * sizeof(C));
        region.scratch = p.firstRow >= m || p.firstColumn >= n;  // nobody will read what is all beyond the product
        return region;
    }

    void Shadow() const
    {
        machine::ShadowAllOrNothing();
        for (Part<C> const &p : part) {
            p.ForEachRow(m, n, stride, [&](C *row, uint32_t defined) {
                machine::ShadowFill(row + defined, (p.columns - defined) * sizeof(C), machine::kUndefined);
            });
        }
    }
};

/// The HF32 mode while a block matmul lives: as it starts, it is set either way, and in the end it is off.
template <bool ON, class ElementA, class ElementB> struct Hf32Mode {
    static_assert(!ON || (std::is_same_v<ElementA, float> && std::is_same_v<ElementB, float>),
                  "the HF32 mode is for floats");
    Hf32Mode() { AscendC::SetHF32Mode(ON); }
    ~Hf32Mode()
    {
        if constexpr (ON) { AscendC::SetHF32Mode(false); }
    }
};

template <class MatrixA, class MatrixB, class C, class Bias> struct ProductInParts {
    MatrixA a;
    MatrixB b;
    Parts<C> parts;
    Bias const *bias;
    uint32_t k;
    bool bounds;
    machine::Hf32 hf32;
    uint32_t numberInTurn;

    void operator()() const
    {
        uint32_t const m = parts.m;
        uint32_t const n = parts.n;
        std::vector<C> block(size_t{m} * n);
        machine::Matrix<C> const c{block.data(), n, 1};
        std::vector<std::remove_const_t<typename MatrixA::Element>> spaceA;
        std::vector<std::remove_const_t<typename MatrixB::Element>> spaceB;
        machine::Multiply(machine::Rounded(machine::Plain(a, m, k, spaceA), m, k, spaceA, hf32),
                          machine::Rounded(machine::Plain(b, k, n, spaceB), k, n, spaceB, hf32), c, bias, m, n, k,
                          machine::Combine::Store);
        if (bounds) { machine::BoundBlock(c, m, n); }
        machine::KeepBlock(machine::StoredIn(a), machine::StoredIn(b), c, m, n, machine::Combine::Store, numberInTurn);
        for (Part<C> const &part : parts.part) {
            uint32_t at = part.firstRow;
            part.ForEachRow(m, n, parts.stride, [&](C *row, uint32_t defined) {
                if (defined != 0) { std::memcpy(row, &c.At(at, part.firstColumn), defined * sizeof(C)); }
                // Whatever the cube computed from what surrounds A and B in its memories.
                std::memset(static_cast<void *>(row + defined), 0xcd, (part.columns - defined) * sizeof(C));
                ++at;
            });
        }
    }
};

/// Where a block's product goes by its copies.
template <class TileCopy, class = void> struct UbModeOf {
    static constexpr bool TO_UB = false;
    static constexpr bool SPLITS = false;
};
template <class TileCopy> struct UbModeOf<TileCopy, std::void_t<decltype(TileCopy::CopyMode)>> {
    static constexpr bool TO_UB = true;
    static constexpr Tile::CopyL0CToUBMode MODE = TileCopy::CopyMode;
    static constexpr bool SPLITS = MODE != Tile::CopyL0CToUBMode::NO_SPLIT;
    static_assert(MODE != Tile::CopyL0CToUBMode::RESERVED, "no such mode");
};

template <class DispatchPolicy, class L1TileShape, class L0TileShape, class ElementA, class ElementB, class ElementC,
          class ElementBias, class TileCopy, class TileMmad>
using TlaBlock = Block<DispatchPolicy, typename ShapeOf<L1TileShape>::Type, typename ShapeOf<L0TileShape>::Type,
                       Gemm::GemmType<ElementA, MatrixTag<typename TileCopy::LayoutTagA>>,
                       Gemm::GemmType<ElementB, typename TileCopy::LayoutTagB>,
                       Gemm::GemmType<ElementC, typename TileCopy::LayoutTagC>, typename BiasTypeOf<ElementBias>::Type,
                       TileMmad, TileCopy::HAS_QUANT_TENSOR>;

/// A block whose product goes to GM or to UB, by its copies.
template <class DispatchPolicy, class L1TileShape, class L0TileShape, class ElementA, class ElementB, class ElementC,
          class ElementBias, class TileCopy, class TileMmad>
struct TlaBase : TlaBlock<DispatchPolicy, L1TileShape, L0TileShape, ElementA, ElementB, ElementC, ElementBias, TileCopy,
                          TileMmad> {
    using Own = TlaBlock<DispatchPolicy, L1TileShape, L0TileShape, ElementA, ElementB, ElementC, ElementBias, TileCopy,
                         TileMmad>;
    using Own::Own;

    // Fixpipe page, dualDstCtrl: not together with anything that is done to the elements on their way.
    static_assert(!UbModeOf<TileCopy>::SPLITS || std::is_same_v<ElementC, typename Own::ElementAccumulator>,
                  "a product that is split between two vector cores is stored as it is summed up");

protected:
    /// Records an instruction that reads A and B, and stores their product.
    template <class MatrixA, class MatrixB, class TensorC>
    static void Store(machine::Instruction product, MatrixA const &a, MatrixB const &b, TensorC const &tensorC,
                      typename Own::Bias const *bias, GemmCoord const &actualShape, uint64_t const *scales = nullptr)
    {
        using To = UbModeOf<TileCopy>;
        constexpr AscendC::TPosition TO = To::TO_UB ? AscendC::TPosition::VECCALC : AscendC::TPosition::GM;
        static_assert(TensorC::position == TO, "C is not where the copies put it");
        static_assert(tla::detail::isRowMajor<typename TensorC::Layout>::value, "C must be row-major");
        auto const layoutC = LayoutOf<layout::RowMajor>(tensorC);
        if constexpr (To::TO_UB) {
            auto *const own = reinterpret_cast<ElementC *>(AddressOf(StartOf(tensorC)));
            Parts<ElementC> const parts(own, layoutC.stride(0), actualShape.m(), actualShape.n(), To::MODE);
            for (auto const &part : parts.part) { product.Writes(parts.RegionOf(part)); }
            product.Shadow([parts] { parts.Shadow(); })
                .Act(ProductInParts<MatrixA, MatrixB, ElementC, typename Own::Bias>{
                    a, b, parts, bias, actualShape.k(), machine::CurrentSaturation().casts, machine::CurrentHf32(),
                    machine::NumberInTurn(machine::Combine::Store, static_cast<uint32_t>(AscendC::GetBlockIdx()))});
            machine::Record(std::move(product));
        } else {
            machine::Record(
                Own::Stored(std::move(product), a, b, StartOf(tensorC), layoutC, bias, actualShape, scales));
        }
    }
};

template <class DispatchPolicy, class L1TileShape, class L0TileShape, class ElementA, class ElementB, class ElementC,
          class TileCopy, class TileMmad>
using AsyncTlaBase =
    AsyncBlock<DispatchPolicy, typename ShapeOf<L1TileShape>::Type, typename ShapeOf<L0TileShape>::Type,
               Gemm::GemmType<ElementA, typename TileCopy::LayoutTagA>,
               Gemm::GemmType<ElementB, typename TileCopy::LayoutTagB>,
               Gemm::GemmType<ElementC, typename TileCopy::LayoutTagC>, void, TileMmad>;

}  // namespace standin

template <class ArchTag_, bool ENABLE_UNIT_FLAG_, bool USE_HF32_MODE_, uint32_t L0C_STAGES_, bool ENABLE_L1_RESIDENT_,
          uint32_t L1A_STAGES_, uint32_t L1B_STAGES_, uint32_t L0A_STAGES_, uint32_t L0B_STAGES_, class L1TileShape_,
          class L0TileShape_, class ElementA_, class ElementB_, class ElementC_, class ElementBias_, class TileCopy_,
          class TileMmad_>
struct BlockMmadTla<MmadPingpong<ArchTag_, ENABLE_UNIT_FLAG_, USE_HF32_MODE_, L0C_STAGES_, ENABLE_L1_RESIDENT_,
                                 L1A_STAGES_, L1B_STAGES_, L0A_STAGES_, L0B_STAGES_>,
                    L1TileShape_, L0TileShape_, ElementA_, ElementB_, ElementC_, ElementBias_, TileCopy_, TileMmad_>
    : standin::TlaBase<MmadPingpong<ArchTag_, ENABLE_UNIT_FLAG_, USE_HF32_MODE_, L0C_STAGES_, ENABLE_L1_RESIDENT_,
                                    L1A_STAGES_, L1B_STAGES_, L0A_STAGES_, L0B_STAGES_>,
                       L1TileShape_, L0TileShape_, ElementA_, ElementB_, ElementC_, ElementBias_, TileCopy_,
                       TileMmad_> {
    using Base = standin::TlaBase<MmadPingpong<ArchTag_, ENABLE_UNIT_FLAG_, USE_HF32_MODE_, L0C_STAGES_,
                                               ENABLE_L1_RESIDENT_, L1A_STAGES_, L1B_STAGES_, L0A_STAGES_, L0B_STAGES_>,
                                  L1TileShape_, L0TileShape_, ElementA_, ElementB_, ElementC_, ElementBias_, TileCopy_,
                                  TileMmad_>;
    using typename Base::ArchTag;
    using typename Base::Bias;
    using typename Base::ElementA;
    using typename Base::ElementAccumulator;
    using typename Base::ElementB;
    using typename Base::ElementBias;
    using typename Base::ElementC;
    using TileCopy = TileCopy_;
    using L1TileShape = L1TileShape_;
    using L0TileShape = L0TileShape_;
    using LayoutA = typename TileCopy::LayoutA;
    using LayoutB = typename TileCopy::LayoutB;
    using LayoutC = typename TileCopy::LayoutC;

    static constexpr bool HAS_BIAS = TileCopy::HAS_BIAS;
    static constexpr bool USE_HF32_MODE = USE_HF32_MODE_;
    static constexpr uint32_t L1A_STAGES = L1A_STAGES_;
    static constexpr uint32_t L1B_STAGES = L1B_STAGES_;
    static constexpr uint32_t L0A_STAGES = L0A_STAGES_;
    static constexpr uint32_t L0B_STAGES = L0B_STAGES_;
    static constexpr uint32_t L0C_STAGES = L0C_STAGES_;
    static constexpr uint32_t L1_TILE_M = tla::get<0>(L1TileShape{});
    static constexpr uint32_t L1_TILE_N = tla::get<1>(L1TileShape{});
    static constexpr uint32_t L1_TILE_K = tla::get<2>(L1TileShape{});

    static constexpr uint32_t L1A_TILE_SIZE = Base::L1A_SIZE;
    static constexpr uint32_t L1B_TILE_SIZE = Base::L1B_SIZE;

    static_assert(!ENABLE_L1_RESIDENT_, "the CPU model does not have tiles that stay in L1 from block to block");
    static_assert(!(ENABLE_UNIT_FLAG_ && L0C_STAGES != 1), "with the unit flag, L0C holds one tile");
    static_assert(HAS_BIAS == !std::is_void_v<ElementBias>,
                  "the copies and the block differ in whether there is a bias");
    // One flag of a pair of pipes per tile in L1 or L0, and one for the bias.
    static_assert(L1A_STAGES + L1B_STAGES + HAS_BIAS <= 8 && L0A_STAGES + L0B_STAGES + HAS_BIAS <= 8,
                  "more tiles than flags");
    static_assert(!HAS_BIAS || L1_TILE_N * sizeof(ElementAccumulator) <= ArchTag::BIAS_SIZE,
                  "the bias of a tile does not fit its table");
    static_assert(!HAS_BIAS || Base::L1A_SIZE * L1A_STAGES + Base::L1B_SIZE * L1B_STAGES + L1_TILE_N * sizeof(Bias) <=
                                   ArchTag::L1_SIZE,
                  "the L1 tiles and the bias do not fit L1");

    CATLASS_DEVICE BlockMmadTla(Arch::Resource<ArchTag> &resource, uint32_t l1BufAddrStart = 0)
        : Base(resource, l1BufAddrStart),
          l1Tiles_(resource.l1Buf.template GetBufferByByte<ElementB>(l1BufAddrStart + L1A_TILE_SIZE * L1A_STAGES))
    {}

    BlockMmadTla(BlockMmadTla const &) = delete;
    BlockMmadTla &operator=(BlockMmadTla const &) = delete;

    CATLASS_DEVICE ~BlockMmadTla()
    {
        standin::FedFlags const flags{machine::Here()};
        for (uint32_t stage = 0; isFed_ && stage < L1B_STAGES; ++stage) {
            flags.Wait(machine::Pipe::MTE1, machine::Pipe::MTE2, stage);
            flags.Wait(machine::Pipe::M, machine::Pipe::MTE1, stage);
        }
    }

    /// C's tensor lies in GM, or for TileCopy = PackedTileCopyTlaToUB in UB. This core's own UB stands for those of its
    /// vector cores: parts of the product lie there as the tensor would here.
    template <class TensorA, class TensorB, class TensorC, class TensorBias = EmptyClass>
    CATLASS_DEVICE void operator()(TensorA &tensorA, TensorB &tensorB, TensorC &tensorC, GemmCoord const &actualShape,
                                   TensorBias const &tensorBias = {}, machine::Site site = machine::Here())
    {
        Bias const *bias = nullptr;
        if constexpr (HAS_BIAS && !std::is_same_v<TensorBias, EmptyClass>) {
            bias = standin::AddressOf(standin::StartOf(tensorBias));
        }
        Scaled(tensorA, tensorB, tensorC, actualShape, bias, nullptr, site);
    }

protected:
    /// The same with scales of columns; null: none.
    template <class TensorA, class TensorB, class TensorC>
    CATLASS_DEVICE void Scaled(TensorA &tensorA, TensorB &tensorB, TensorC &tensorC, GemmCoord const &actualShape,
                               Bias const *bias, uint64_t const *scales, machine::Site site)
    {
        static_assert(TensorA::position == AscendC::TPosition::GM && TensorB::position == AscendC::TPosition::GM,
                      "A and B are in GM");

        auto const layoutA = standin::LayoutOf<typename TileCopy::LayoutTagA>(tensorA);
        auto const layoutB = standin::LayoutOf<typename TileCopy::LayoutTagB>(tensorB);
        auto const a = standin::StartOf(tensorA);
        if constexpr (standin::MayBeFed<TileCopy>::value) {
            if (tensorB.data().GetPhyAddr() == nullptr) {
                Fed(tensorB, tensorC, a, layoutA, actualShape, site);
                return;
            }
        }
        auto const b = standin::StartOf(tensorB);
        Base::Store(Base::ReadsOf(a, layoutA, b, layoutB, bias, actualShape, site),
                    standin::MatrixOf<ElementA const>(standin::AddressOf(a), layoutA),
                    standin::MatrixOf<ElementB const>(standin::AddressOf(b), layoutB), tensorC, bias, actualShape,
                    scales);
    }

private:
    /// A block of a B that vector cores write to L1: the tiles of A and of B take turns there, as many as there are stages of B.
    template <class TensorB, class TensorC, class LayoutOfA>
    void Fed(TensorB &tensorB, TensorC &tensorC, AscendC::GlobalTensor<ElementA> const &gmA, LayoutOfA const &layoutA,
             GemmCoord const &actualShape, machine::Site site)
    {
        using machine::Pipe;
        using Tiles = standin::TilesInL1<ElementB, typename TileCopy::LayoutTagB, L1_TILE_N, L1_TILE_K>;
        static_assert(!HAS_BIAS && L1B_STAGES > 1, "the CPU model feeds blocks without a bias");
        standin::FedFlags const flags{site};
        uint32_t const m = actualShape.m();
        uint32_t const n = actualShape.n();
        uint32_t const k = actualShape.k();
        standin::CollectedMatrix<ElementB> const b(k, n);
        typename TileCopy::template CopyGmToL1B<TensorB> copyB;
        for (uint32_t stage = 0; !isFed_ && stage < L1B_STAGES; ++stage) {
            flags.Set(Pipe::MTE1, Pipe::MTE2, stage);
            flags.Set(Pipe::M, Pipe::MTE1, stage);
        }
        isFed_ = true;
        auto const load = [&](uint32_t first, uint32_t stage) {
            uint32_t const depth = std::min<uint32_t>(L1_TILE_K, k - first);
            auto const tileA = gmA[layoutA.GetOffset(MatrixCoord{0, first})];
            machine::Instruction loads(Pipe::MTE2, "BlockMmad", site);
            loads.part = machine::BlockPart::Load;
            loads.Reads(standin::RegionOf(standin::AddressOf(tileA), layoutA, m, depth));
            flags.Wait(Pipe::MTE1, Pipe::MTE2, stage);
            machine::Record(std::move(loads));
            copyB(tensorB, tensorB);  // its tile in L1 is where the vector cores write
            flags.Set(Pipe::MTE2, Pipe::MTE1, stage);
        };
        load(0, stage_);
        for (uint32_t first = 0; first < k; first += L1_TILE_K) {
            uint32_t const next = (stage_ + 1) % L1B_STAGES;
            if (first + L1_TILE_K < k) { load(first + L1_TILE_K, next); }
            uint32_t const depth = std::min<uint32_t>(L1_TILE_K, k - first);
            flags.Wait(Pipe::MTE2, Pipe::MTE1, stage_);
            flags.Wait(Pipe::M, Pipe::MTE1, stage_);
            auto *const tile = standin::AddressOf(l1Tiles_) + size_t{stage_} * L1B_TILE_SIZE / sizeof(ElementB);
            machine::Record(Tiles::Taking(tile, b, first, depth, n, site));
            flags.Set(Pipe::MTE1, Pipe::MTE2, stage_);
            flags.Order(Pipe::MTE1, Pipe::M, stage_);
            machine::Instruction products(Pipe::M, "BlockMmad", site);
            products.part = machine::BlockPart::Multiply;
            products.Work(machine::MacsOfHalf<ElementA, ElementB>(m, n, depth));
            machine::Record(std::move(products));
            flags.Set(Pipe::M, Pipe::MTE1, stage_);
            stage_ = next;
        }
        flags.Order(Pipe::M, Pipe::FIX, 0);
        machine::Instruction product(Pipe::FIX, "BlockMmad", site);
        product.part = machine::BlockPart::Store;
        product.Reads(standin::RegionOf(standin::AddressOf(gmA), layoutA, m, k))
            .Work(machine::MacsOfHalf<ElementA, ElementB>(m, n, k));
        Base::Store(std::move(product), standin::MatrixOf<ElementA const>(standin::AddressOf(gmA), layoutA), b, tensorC,
                    nullptr, actualShape);
        flags.Order(Pipe::FIX, Pipe::M, 0);
    }

    standin::Hf32Mode<USE_HF32_MODE_, ElementA, ElementB> hf32Mode_;
    AscendC::LocalTensor<ElementB> l1Tiles_;
    uint32_t stage_ = 0;
    bool isFed_ = false;
};

/// C's tensor lies in GM; the unit flag, the HF32 mode and the rest as above, and no bias.
template <class ArchTag_, uint32_t PRELOAD_STAGES_, uint32_t L1A_STAGES_, uint32_t L1B_STAGES_, uint32_t L0A_STAGES_,
          uint32_t L0B_STAGES_, uint32_t L0C_STAGES_, bool ENABLE_UNIT_FLAG_, bool ENABLE_SHUFFLE_K_,
          bool USE_HF32_MODE_, bool ENABLE_L1_RESIDENT_, class L1TileShape_, class L0TileShape_, class ElementA_,
          class ElementB_, class ElementC_, class TileCopy_, class TileMmad_>
struct BlockMmadTla<MmadPreloadAsyncWithCallback<ArchTag_, PRELOAD_STAGES_, L1A_STAGES_, L1B_STAGES_, L0A_STAGES_,
                                                 L0B_STAGES_, L0C_STAGES_, ENABLE_UNIT_FLAG_, ENABLE_SHUFFLE_K_,
                                                 USE_HF32_MODE_, ENABLE_L1_RESIDENT_>,
                    L1TileShape_, L0TileShape_, ElementA_, ElementB_, ElementC_, void, TileCopy_, TileMmad_>
    : standin::AsyncTlaBase<MmadPreloadAsyncWithCallback<ArchTag_, PRELOAD_STAGES_, L1A_STAGES_, L1B_STAGES_,
                                                         L0A_STAGES_, L0B_STAGES_, L0C_STAGES_, ENABLE_UNIT_FLAG_,
                                                         ENABLE_SHUFFLE_K_, USE_HF32_MODE_, ENABLE_L1_RESIDENT_>,
                            L1TileShape_, L0TileShape_, ElementA_, ElementB_, ElementC_, TileCopy_, TileMmad_> {
    using Base =
        standin::AsyncTlaBase<MmadPreloadAsyncWithCallback<ArchTag_, PRELOAD_STAGES_, L1A_STAGES_, L1B_STAGES_,
                                                           L0A_STAGES_, L0B_STAGES_, L0C_STAGES_, ENABLE_UNIT_FLAG_,
                                                           ENABLE_SHUFFLE_K_, USE_HF32_MODE_, ENABLE_L1_RESIDENT_>,
                              L1TileShape_, L0TileShape_, ElementA_, ElementB_, ElementC_, TileCopy_, TileMmad_>;
    using Base::Base;
    using typename Base::ArchTag;
    using typename Base::ElementA;
    using typename Base::ElementAccumulator;
    using typename Base::ElementB;
    using typename Base::ElementC;
    using TileCopy = TileCopy_;
    using L1TileShape = L1TileShape_;
    using L0TileShape = L0TileShape_;
    using LayoutA = typename TileCopy::LayoutA;
    using LayoutB = typename TileCopy::LayoutB;
    using LayoutC = typename TileCopy::LayoutC;

    static constexpr uint32_t L1A_STAGES = L1A_STAGES_;
    static constexpr uint32_t L1B_STAGES = L1B_STAGES_;
    static constexpr uint32_t L1_TILE_M = tla::get<0>(L1TileShape{});
    static constexpr uint32_t L1_TILE_N = tla::get<1>(L1TileShape{});
    static constexpr uint32_t L1_TILE_K = tla::get<2>(L1TileShape{});

    static_assert(!ENABLE_L1_RESIDENT_, "the CPU model does not have tiles that stay in L1 from block to block");
    static_assert(!(ENABLE_UNIT_FLAG_ && L0C_STAGES_ != 1), "with the unit flag, L0C holds one tile");
    static_assert(L1A_STAGES + L1B_STAGES <= 8 && L0A_STAGES_ + L0B_STAGES_ <= 8, "more tiles than flags");
    static_assert(!standin::UbModeOf<TileCopy>::TO_UB, "this policy stores to GM");

    template <class TensorA, class TensorB, class TensorC>
    CATLASS_DEVICE void operator()(TensorA &tensorA, TensorB &tensorB, TensorC &tensorC, GemmCoord const &actualShape,
                                   EmptyClass const & = {}, Callback const &beforeFixpipe = {},
                                   Callback const &afterFixpipe = {}, machine::Site site = machine::Here())
    {
        static_assert(TensorA::position == AscendC::TPosition::GM && TensorB::position == AscendC::TPosition::GM &&
                          TensorC::position == AscendC::TPosition::GM,
                      "A, B and C are in GM");
        static_assert(tla::detail::isRowMajor<typename TensorC::Layout>::value, "C must be row-major");
        static_assert(std::is_assignable_v<tla::tuple<uint32_t, uint32_t> &, typename TensorC::Coord const &>,
                      "C's coordinate is kept until C is stored, as two uint32_t");
        this->Load(standin::StartOf(tensorA), standin::LayoutOf<typename TileCopy::LayoutTagA>(tensorA),
                   standin::StartOf(tensorB), standin::LayoutOf<typename TileCopy::LayoutTagB>(tensorB),
                   standin::StartOf(tensorC), standin::LayoutOf<layout::RowMajor>(tensorC), actualShape, beforeFixpipe,
                   afterFixpipe, site);
    }

    /// Catlass's does not store what is left, and waits for L1 that nothing frees.
    CATLASS_DEVICE ~BlockMmadTla() { this->Drop(); }

    /// TensorC: as in the calls before.
    template <class TensorC> CATLASS_DEVICE void SynchronizeBlock() { Base::SynchronizeBlock(); }

private:
    standin::Hf32Mode<USE_HF32_MODE_, ElementA, ElementB> hf32Mode_;
};

}  // namespace Catlass::Gemm::Block

#endif  // CATLASS_ARCH == 3510

#endif  // CATLASS_GEMM_BLOCK_BLOCK_MMAD_TLA_HPP
