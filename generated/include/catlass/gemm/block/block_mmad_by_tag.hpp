#ifndef CATLASS_GEMM_BLOCK_BLOCK_MMAD_BY_TAG_HPP
#define CATLASS_GEMM_BLOCK_BLOCK_MMAD_BY_TAG_HPP

#if defined(CATLASS_ARCH) && CATLASS_ARCH == 3510

#include <type_traits>

#include "catlass/arch/arch.hpp"
#include "catlass/arch/resource.hpp"
#include "catlass/catlass.hpp"
#include "catlass/gemm/block/block_mmad.hpp"
#include "catlass/gemm_coord.hpp"
#include "catlass/layout/layout.hpp"
#include "tla/layout.hpp"
#include "tla/tensor.hpp"

namespace Catlass::Gemm::Block {

/// A BlockMmadTla behind the interface of BlockMmad: its matrices are addresses with layout tags, which it makes TLA
/// tensors of. It stores C in GM, or in the UB of both AIVs, whichever its TileCopy is for.
template <class BlockMmadTla_>
class BlockMmadByTag {
public:
    using BlockMmadTla = BlockMmadTla_;
    using DispatchPolicy = typename BlockMmadTla::DispatchPolicy;
    using ArchTag = typename BlockMmadTla::ArchTag;
    using TileCopy = typename BlockMmadTla::TileCopy;
    using ElementA = typename BlockMmadTla::ElementA;
    using LayoutA = typename TileCopy::LayoutTagA;
    using ElementB = typename BlockMmadTla::ElementB;
    using LayoutB = typename TileCopy::LayoutTagB;
    using ElementC = typename BlockMmadTla::ElementC;
    using LayoutC = typename TileCopy::LayoutTagC;
    using L1TileShape = GemmShape<BlockMmadTla::L1_TILE_M, BlockMmadTla::L1_TILE_N, BlockMmadTla::L1_TILE_K>;

    static_assert(std::is_same_v<LayoutC, layout::RowMajor>, "C must be row-major");

    CATLASS_DEVICE
    BlockMmadByTag(Arch::Resource<ArchTag>& resource) : blockMmad(resource)
    {}

    /// C in GM. callbacks: of an asynchronous BlockMmadTla, before and after it stores C.
    template <class... Callbacks>
    CATLASS_DEVICE void operator()(
        AscendC::GlobalTensor<ElementA> const& gmA, LayoutA const& layoutA, AscendC::GlobalTensor<ElementB> const& gmB,
        LayoutB const& layoutB, AscendC::GlobalTensor<ElementC> const& gmC, LayoutC const& layoutC,
        GemmCoord const& actualShape, Callbacks const&... callbacks)
    {
        auto tensorC = InGm(gmC, actualShape.m(), actualShape.n(), layoutC.stride(0));
        Multiply(gmA, layoutA, gmB, layoutB, tensorC, actualShape, callbacks...);
    }

    /// Stores what an asynchronous BlockMmadTla has not stored in GM.
    CATLASS_DEVICE
    void SynchronizeBlock()
    {
        blockMmad.template SynchronizeBlock<decltype(InGm(AscendC::GlobalTensor<ElementC>{}, 0, 0, 0))>();
    }

    /// C in UB, at the same place in both AIVs: the first half of the rows in one, the second in the other. Its rows
    /// are strideC elements apart.
    CATLASS_DEVICE
    void operator()(
        AscendC::GlobalTensor<ElementA> const& gmA, LayoutA const& layoutA, AscendC::GlobalTensor<ElementB> const& gmB,
        LayoutB const& layoutB, AscendC::LocalTensor<ElementC> const& ubC, uint32_t strideC,
        GemmCoord const& actualShape)
    {
        static_assert(
            std::is_same_v<ElementC, typename BlockMmadTla::ElementAccumulator>,
            "Fixpipe splits C between the AIVs only as it is, without a conversion");
        auto tensorC = tla::MakeTensor(ubC, RowsOf(actualShape.m(), actualShape.n(), strideC), Arch::PositionUB{});
        Multiply(gmA, layoutA, gmB, layoutB, tensorC, actualShape);
    }

private:
    BlockMmadTla blockMmad;

    CATLASS_DEVICE static auto RowsOf(uint32_t rows, uint32_t columns, int64_t stride)
    {
        return tla::MakeLayout(tla::MakeShape(rows, columns), tla::MakeStride(stride, tla::Int<1>{}));
    }

    CATLASS_DEVICE static auto InGm(
        AscendC::GlobalTensor<ElementC> const& gmC, uint32_t rows, uint32_t columns, int64_t stride)
    {
        // An asynchronous BlockMmadTla keeps the coordinate in variables of these types
        auto coord = tla::MakeCoord(uint32_t{0}, uint32_t{0});
        return tla::MakeTensor(gmC, RowsOf(rows, columns, stride), coord, Arch::PositionGM{});
    }

    /// The layout of a block of an operand.
    template <class Element, class LayoutTag>
    CATLASS_DEVICE static auto LayoutOf(LayoutTag const& tag, uint32_t rows, uint32_t columns)
    {
        if constexpr (std::is_same_v<LayoutTag, layout::RowMajor>) {
            return RowsOf(rows, columns, tag.stride(0));
        } else if constexpr (std::is_same_v<LayoutTag, layout::ColumnMajor>) {
            return tla::MakeLayout(tla::MakeShape(rows, columns), tla::MakeStride(tla::Int<1>{}, tag.stride(1)));
        } else {
            auto packed = tla::MakeLayout<Element, LayoutTag>(rows, columns);
            auto stride = packed.stride();
            if constexpr (std::is_same_v<LayoutTag, layout::zN>) {
                tla::get<1>(tla::get<1>(stride)) = tag.stride(3);
            } else {
                tla::get<1>(tla::get<0>(stride)) = tag.stride(1);
            }
            return tla::MakeLayout(packed.shape(), stride, packed.originShape());
        }
    }

    template <class TensorC, class... Callbacks>
    CATLASS_DEVICE void Multiply(
        AscendC::GlobalTensor<ElementA> const& gmA, LayoutA const& layoutA, AscendC::GlobalTensor<ElementB> const& gmB,
        LayoutB const& layoutB, TensorC& tensorC, GemmCoord const& actualShape, Callbacks const&... callbacks)
    {
        auto tensorA =
            tla::MakeTensor(gmA, LayoutOf<ElementA>(layoutA, actualShape.m(), actualShape.k()), Arch::PositionGM{});
        auto tensorB =
            tla::MakeTensor(gmB, LayoutOf<ElementB>(layoutB, actualShape.k(), actualShape.n()), Arch::PositionGM{});
        if constexpr (DispatchPolicy::ASYNC) {
            blockMmad(tensorA, tensorB, tensorC, actualShape, EmptyClass{}, callbacks...);
        } else {
            blockMmad(tensorA, tensorB, tensorC, actualShape);
        }
    }
};

} // namespace Catlass::Gemm::Block

#endif // CATLASS_ARCH == 3510

#endif // CATLASS_GEMM_BLOCK_BLOCK_MMAD_BY_TAG_HPP
