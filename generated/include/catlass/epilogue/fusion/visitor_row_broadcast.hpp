#ifndef CATLASS_EPILOGUE_FUSION_VISITOR_ROW_BROADCAST_HPP
#define CATLASS_EPILOGUE_FUSION_VISITOR_ROW_BROADCAST_HPP

#include "catlass/epilogue/tile/copy_gm_to_ub.hpp"
#include "catlass/gemm/gemm_type.hpp"
#include "catlass/layout/layout.hpp"
#include "catlass/epilogue/fusion/visitor_impl.hpp"

namespace Catlass::Epilogue::Fusion {

/// A user's 1 x N row: LOAD copies its segment into the tile's first row, COMPUTE repeats that over the other rows.
///
/// With NULL_DEFAULT a null pointer stands for a row full of Arguments::null_default.
template <class Element_, class Layout_ = layout::RowMajor, bool NULL_DEFAULT = false>
struct VisitorRowBroadcast : VisitorImpl<> {
    using Element = Element_;
    using Layout = Layout_;
    using ElementOutput = Element;

    static_assert(std::is_same_v<Layout, layout::RowMajor>, "VisitorRowBroadcast reads a row-major 1 x N tensor");

    static constexpr bool LOADED = true;
    static constexpr bool PENDING = true;
    static constexpr uint32_t STRIDE_ALIGN = BYTE_PER_BLK / sizeof(Element);

    static constexpr bool HAS_ROWS = false;
    static constexpr bool HAS_COLUMNS = true;

    struct Arguments {
        GM_ADDR ptr_row{nullptr};
        Layout layout{};
        Element null_default{};
        int64_t problem_stride{PACKED};
    };

    using Params = Arguments;

    template <class ProblemShape>
    CATLASS_HOST_DEVICE static Params to_underlying_arguments(
        ProblemShape const& problemShape, Arguments const& args, GM_ADDR)
    {
        return detail::Resolved(problemShape, args, HAS_ROWS);
    }

    template <class ProblemShape>
    static Verdict can_implement(ProblemShape const& problemShape, Arguments const& args)
    {
        if (args.ptr_row == nullptr) {
            return {NULL_DEFAULT ? nullptr : "ptr_row is null"};
        }
        return {detail::RefusalOf<VisitorRowBroadcast>(problemShape, args, detail::Access::READS)};
    }

    CATLASS_HOST_DEVICE static constexpr UbParts UbNeed(uint32_t computeLength)
    {
        UbParts need;
        need.tile = computeLength * sizeof(Element);
        return need;
    }

    CATLASS_HOST_DEVICE
    VisitorRowBroadcast()
    {}

    CATLASS_HOST_DEVICE
    VisitorRowBroadcast(Params const& params_) : params(params_)
    {}

    template <class ArchTag>
    struct Callbacks : EmptyCallbacks {
        AscendC::LocalTensor<Element> ubTile;
        AscendC::GlobalTensor<Element> gmRow;
        Params params;

        CATLASS_DEVICE
        Callbacks(AscendC::LocalTensor<Element> const& ubTile_, Params const& params_)
            : ubTile(ubTile_), params(params_)
        {
            gmRow.SetGlobalBuffer(reinterpret_cast<__gm__ Element*>(params.ptr_row));
        }

        CATLASS_DEVICE
        void begin_problem(Problem const& problem)
        {
            detail::MoveTo(gmRow, params.ptr_row, params.problem_stride, problem);
        }

        template <VisitStage STAGE>
        CATLASS_DEVICE AscendC::LocalTensor<Element> const& visit(
            MatrixCoord const& globalTileOffset, MatrixCoord const& /*localTileOffset*/, MatrixCoord const& tileShape,
            uint32_t calCount)
        {
            if constexpr (NULL_DEFAULT) {
                if (params.ptr_row == nullptr) {
                    FillDefault<STAGE>(ubTile, params.null_default, calCount);
                    return ubTile;
                }
            }
            uint32_t stride = TileStride(tileShape, calCount);
            if constexpr (HasStage(STAGE, VisitStage::LOAD)) {
                MatrixCoord rowShape{1u, tileShape.column()};
                CopyGmToUb{}(
                    ubTile, gmRow[OffsetOf(params.layout, MatrixCoord{0u, globalTileOffset.column()})],
                    layout::RowMajor{1u, tileShape.column(), stride}, params.layout.GetTileLayout(rowShape));
                SynchronizeIfAll<STAGE>();
            }
            if constexpr (HasStage(STAGE, VisitStage::COMPUTE)) {
                if (tileShape.row() > 1) {
                    RepeatFirstRow(tileShape.row(), stride);
                }
                SynchronizeIfAll<STAGE>();
            }
            return ubTile;
        }

    private:
        using CopyGmToUb = Epilogue::Tile::CopyGm2Ub<ArchTag, Gemm::GemmType<Element, Layout>>;

        static constexpr uint32_t ELE_NUM_PER_REPEAT = BYTE_PER_REPEAT / sizeof(Element);

        /// Copies column by column: one repeat writes one row, the source stays on the first.
        CATLASS_DEVICE
        void RepeatFirstRow(uint32_t rows, uint32_t stride)
        {
            auto blocksPerRow = static_cast<uint16_t>(stride / STRIDE_ALIGN);
            AscendC::CopyRepeatParams repeatParams{1, 1, blocksPerRow, 0};
            for (uint32_t column = 0; column < stride; column += ELE_NUM_PER_REPEAT) {
                uint64_t mask = stride - column < ELE_NUM_PER_REPEAT ? stride - column : ELE_NUM_PER_REPEAT;
                AscendC::Copy(
                    ubTile[stride + column], ubTile[column], mask, static_cast<uint8_t>(rows - 1), repeatParams);
            }
        }
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

#endif // CATLASS_EPILOGUE_FUSION_VISITOR_ROW_BROADCAST_HPP
