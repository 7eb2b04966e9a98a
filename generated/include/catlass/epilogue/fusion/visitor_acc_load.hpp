#ifndef CATLASS_EPILOGUE_FUSION_VISITOR_ACC_LOAD_HPP
#define CATLASS_EPILOGUE_FUSION_VISITOR_ACC_LOAD_HPP

#include "catlass/epilogue/tile/copy_gm_to_ub.hpp"
#include "catlass/gemm/gemm_type.hpp"
#include "catlass/layout/layout.hpp"
#include "catlass/epilogue/fusion/visitor_impl.hpp"

namespace Catlass::Epilogue::Fusion {

/// The accumulator. LOAD copies the tile of C from the GEMM's workspace, by coordinates local to the sub-block; where
/// the cube core stores C in UB, the tile is used where it lies. With INDEX 1 it is the second accumulator, the product
/// with another B, or with the second half of its columns.
template <class Element_, bool USE_UB_WORKSPACE_ = false, uint32_t INDEX_ = 0>
struct VisitorAccLoad : VisitorImpl<> {
    using VisitorImpl<>::VisitorImpl;
    using Element = Element_;
    using ElementOutput = Element;

    static constexpr bool USE_UB_WORKSPACE = USE_UB_WORKSPACE_;
    static constexpr uint32_t INDEX = INDEX_;
    static constexpr uint32_t ACCUMULATORS = INDEX + 1;
    static constexpr bool LOADED = !USE_UB_WORKSPACE;
    static constexpr bool RESIDENT = USE_UB_WORKSPACE;
    static constexpr uint32_t STRIDE_ALIGN = BYTE_PER_BLK / sizeof(Element);

    static_assert(INDEX < 2, "A kernel has at most two accumulators");

    struct Arguments {};

    template <class ProblemShape>
    static Verdict can_implement(ProblemShape const& problemShape, Arguments const&)
    {
        bool reaches = USE_UB_WORKSPACE || detail::CanSkip<Element>(problemShape.m(), problemShape.n());
        return {reaches ? nullptr : "a row of C is more than 2^32 - 1 bytes"};
    }

    CATLASS_HOST_DEVICE static constexpr UbParts UbNeed(uint32_t computeLength)
    {
        UbParts need;
        need.tile = USE_UB_WORKSPACE ? 0 : computeLength * sizeof(Element);
        return need;
    }

    template <class ArchTag>
    struct Callbacks : EmptyCallbacks {
        AscendC::LocalTensor<Element> ubAcc;
        AscendC::GlobalTensor<Element> gmSubblockC;
        layout::RowMajor layoutSubblockC;

        CATLASS_DEVICE
        Callbacks(AscendC::LocalTensor<Element> const& ubAcc_) : ubAcc(ubAcc_)
        {}

        template <class ElementC, class LayoutC>
        CATLASS_DEVICE void begin_block(
            AscendC::GlobalTensor<ElementC> const& gmSubblockC_, LayoutC const& layoutSubblockC_,
            int64_t accumulatorStride)
        {
            static_assert(std::is_same_v<ElementC, Element>, "VisitorAccLoad must have the element type of C");
            static_assert(std::is_same_v<LayoutC, layout::RowMajor>, "VisitorAccLoad reads a row-major C");
            gmSubblockC = gmSubblockC_[INDEX * static_cast<uint64_t>(accumulatorStride)];
            layoutSubblockC = layoutSubblockC_;
        }

        template <VisitStage STAGE>
        CATLASS_DEVICE AscendC::LocalTensor<Element> const& visit(
            MatrixCoord const& /*globalTileOffset*/, MatrixCoord const& localTileOffset, MatrixCoord const& tileShape,
            uint32_t calCount)
        {
            if constexpr (HasStage(STAGE, VisitStage::LOAD)) {
                layout::RowMajor layoutUb{tileShape.row(), tileShape.column(), TileStride(tileShape, calCount)};
                CopyGmToUb{}(
                    ubAcc, gmSubblockC[OffsetOf(layoutSubblockC, localTileOffset)], layoutUb,
                    layoutSubblockC.GetTileLayout(tileShape));
                SynchronizeIfAll<STAGE>();
            }
            return ubAcc;
        }

    private:
        using CopyGmToUb = Epilogue::Tile::CopyGm2Ub<ArchTag, Gemm::GemmType<Element, layout::RowMajor>>;
    };

    /// Of a tile that others have put where its readers find it.
    struct ResidentCallbacks : EmptyCallbacks {
        template <VisitStage STAGE>
        CATLASS_DEVICE AscendC::LocalTensor<Element> visit(
            MatrixCoord const&, MatrixCoord const&, MatrixCoord const&, uint32_t)
        {
            return {};
        }
    };

    template <class ArchTag, class ComputeLength>
    CATLASS_DEVICE auto get_callbacks(Arch::Resource<ArchTag>& resource, UbParts const& ub, ComputeLength)
    {
        if constexpr (USE_UB_WORKSPACE) {
            return ResidentCallbacks{};
        } else {
            return Callbacks<ArchTag>{resource.ubBuf.template GetBufferByByte<Element>(ub.tile)};
        }
    }
};

} // namespace Catlass::Epilogue::Fusion

#endif // CATLASS_EPILOGUE_FUSION_VISITOR_ACC_LOAD_HPP
