#ifndef CATLASS_EPILOGUE_FUSION_VISITOR_AUX_GATHER_HPP
#define CATLASS_EPILOGUE_FUSION_VISITOR_AUX_GATHER_HPP

#include "catlass/epilogue/tile/copy_gm_to_ub.hpp"
#include "catlass/gemm/gemm_type.hpp"
#include "catlass/layout/layout.hpp"
#include "catlass/epilogue/fusion/visitor_impl.hpp"

namespace Catlass::Epilogue::Fusion {

/// Rows of a user's tensor: LOAD copies for each row of the tile the one that a list of numbers names. Where a number
/// is negative or that of no row, COMPUTE fills the row with 0, since LOAD belongs to MTE2 alone.
///
/// S reads the numbers of the tile's rows, which lie packed in GM, and each row is copied on its own. A launch has one
/// such tensor: that of a matmul, or of all whose rows it has.
template <class Element_, class Layout_ = layout::RowMajor>
struct VisitorAuxGather : VisitorImpl<> {
    using Element = Element_;
    using Layout = Layout_;
    using ElementOutput = Element;

    static_assert(std::is_same_v<Layout, layout::RowMajor>, "VisitorAuxGather reads row-major tensors");

    static constexpr bool LOADED = true;
    static constexpr bool PENDING = true;
    static constexpr uint32_t STRIDE_ALIGN = BYTE_PER_BLK / sizeof(Element);

    struct Arguments {
        GM_ADDR ptr_aux{nullptr};
        Layout layout{};
        GM_ADDR ptr_rows{nullptr};
        layout::RowMajor layout_rows{};
    };

    using Params = Arguments;

    template <class ProblemShape>
    CATLASS_HOST_DEVICE static Params to_underlying_arguments(ProblemShape const&, Arguments const& args, GM_ADDR)
    {
        return args;
    }

    template <class ProblemShape>
    static Verdict can_implement(ProblemShape const& problemShape, Arguments const& args)
    {
        return {detail::RefusalOfRows(problemShape, args)};
    }

    CATLASS_HOST_DEVICE static constexpr UbParts UbNeed(uint32_t computeLength)
    {
        UbParts need;
        need.tile = computeLength * sizeof(Element);
        return need;
    }

    CATLASS_HOST_DEVICE
    VisitorAuxGather()
    {}

    CATLASS_HOST_DEVICE
    VisitorAuxGather(Params const& params_) : params(params_)
    {}

    template <class ArchTag>
    struct Callbacks : EmptyCallbacks {
        AscendC::LocalTensor<Element> ubAux;
        AscendC::GlobalTensor<CopiedAs<Element>> gmAux;
        AscendC::GlobalTensor<int32_t> gmRows;
        Params params;
        bool isComplete{true}; // all rows of the tile are there

        CATLASS_DEVICE
        Callbacks(AscendC::LocalTensor<Element> const& ubAux_, Params const& params_) : ubAux(ubAux_), params(params_)
        {
            gmAux.SetGlobalBuffer(reinterpret_cast<__gm__ CopiedAs<Element>*>(params.ptr_aux));
            gmRows.SetGlobalBuffer(reinterpret_cast<__gm__ int32_t*>(params.ptr_rows));
        }

        template <VisitStage STAGE>
        CATLASS_DEVICE AscendC::LocalTensor<Element> const& visit(
            MatrixCoord const& globalTileOffset, MatrixCoord const& /*localTileOffset*/, MatrixCoord const& tileShape,
            uint32_t calCount)
        {
            if constexpr (HasStage(STAGE, VisitStage::LOAD)) {
                auto ubRows = ubAux.template ReinterpretCast<CopiedAs<Element>>();
                uint32_t stride = TileStride(tileShape, calCount);
                layout::RowMajor layoutRow{1u, tileShape.column()};
                isComplete = true;
                for (uint32_t i = 0; i < tileShape.row(); ++i) {
                    uint32_t row = RowOf(globalTileOffset.row() + i);
                    if (row >= params.layout.shape(0)) {
                        isComplete = false;
                        continue;
                    }
                    CopyGmToUb{}(
                        ubRows[i * stride], gmAux[OffsetOf(params.layout, MatrixCoord{row, globalTileOffset.column()})],
                        layoutRow, layoutRow);
                }
                SynchronizeIfAll<STAGE>();
            }
            if constexpr (HasStage(STAGE, VisitStage::COMPUTE)) {
                if (!isComplete) {
                    FillAbsent(globalTileOffset.row(), tileShape.row(), TileStride(tileShape, calCount));
                    SynchronizeIfAll<STAGE>();
                }
            }
            return ubAux;
        }

    private:
        /// The number of the row that is taken; a negative one is larger than any.
        CATLASS_DEVICE uint32_t RowOf(uint32_t place)
        {
            return static_cast<uint32_t>(gmRows.GetValue(place));
        }

        CATLASS_DEVICE void FillAbsent(uint32_t firstRow, uint32_t rows, uint32_t stride)
        {
            // Rows are whole data blocks, and 0 has the same bits in every type
            auto length = static_cast<uint32_t>(stride * sizeof(Element) / sizeof(int32_t));
            auto ubRows = ubAux.template ReinterpretCast<int32_t>();
            for (uint32_t i = 0; i < rows; ++i) {
                if (RowOf(firstRow + i) >= params.layout.shape(0)) {
                    AscendC::Duplicate(ubRows[i * length], int32_t{0}, static_cast<int32_t>(length));
                }
            }
        }

        using CopyGmToUb = Epilogue::Tile::CopyGm2Ub<ArchTag, Gemm::GemmType<CopiedAs<Element>, Layout>>;
    };

    template <class ArchTag, class ComputeLength>
    CATLASS_DEVICE auto get_callbacks(Arch::Resource<ArchTag>& resource, UbParts const& ub, ComputeLength)
    {
        return Callbacks<ArchTag>{resource.ubBuf.template GetBufferByByte<Element>(ub.tile), params};
    }

private:
    Params params;
};

} // namespace Catlass::Epilogue::Fusion

#endif // CATLASS_EPILOGUE_FUSION_VISITOR_AUX_GATHER_HPP
