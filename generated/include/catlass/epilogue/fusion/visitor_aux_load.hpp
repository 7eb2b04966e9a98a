#ifndef CATLASS_EPILOGUE_FUSION_VISITOR_AUX_LOAD_HPP
#define CATLASS_EPILOGUE_FUSION_VISITOR_AUX_LOAD_HPP

#include "catlass/epilogue/tile/copy_gm_to_ub.hpp"
#include "catlass/gemm/gemm_type.hpp"
#include "catlass/layout/layout.hpp"
#include "catlass/epilogue/fusion/transpose.hpp"
#include "catlass/epilogue/fusion/visitor_impl.hpp"

namespace Catlass::Epilogue::Fusion {

/// A user's M x N tensor: LOAD copies the tile by global coordinates.
///
/// With NULL_DEFAULT a null pointer stands for a tensor full of Arguments::null_default. COMPUTE fills the tile then,
/// since LOAD belongs to MTE2 alone. Without it can_implement refuses a null pointer.
template <class Element_, class Layout_ = layout::RowMajor, bool NULL_DEFAULT = false>
struct VisitorAuxLoad : VisitorImpl<> {
    using Element = Element_;
    using Layout = Layout_;
    using ElementOutput = Element;

    static_assert(std::is_same_v<Layout, layout::RowMajor>, "VisitorAuxLoad reads row-major and column-major tensors");

    static constexpr bool LOADED = true;
    static constexpr bool PENDING = NULL_DEFAULT;
    static constexpr uint32_t STRIDE_ALIGN = BYTE_PER_BLK / sizeof(Element);

    static constexpr bool HAS_ROWS = true;
    static constexpr bool HAS_COLUMNS = true;

    struct Arguments {
        GM_ADDR ptr_aux{nullptr};
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
        if (args.ptr_aux == nullptr) {
            return {NULL_DEFAULT ? nullptr : "ptr_aux is null"};
        }
        return {detail::RefusalOf<VisitorAuxLoad>(problemShape, args, detail::Access::READS)};
    }

    CATLASS_HOST_DEVICE static constexpr UbParts UbNeed(uint32_t computeLength)
    {
        UbParts need;
        need.tile = computeLength * sizeof(Element);
        return need;
    }

    CATLASS_HOST_DEVICE
    VisitorAuxLoad()
    {}

    CATLASS_HOST_DEVICE
    VisitorAuxLoad(Params const& params_) : params(params_)
    {}

    template <class ArchTag>
    struct Callbacks : EmptyCallbacks {
        AscendC::LocalTensor<Element> ubAux;
        AscendC::GlobalTensor<CopiedAs<Element>> gmAux;
        Params params;

        CATLASS_DEVICE
        Callbacks(AscendC::LocalTensor<Element> const& ubAux_, Params const& params_) : ubAux(ubAux_), params(params_)
        {
            gmAux.SetGlobalBuffer(reinterpret_cast<__gm__ CopiedAs<Element>*>(params.ptr_aux));
        }

        CATLASS_DEVICE
        void begin_problem(Problem const& problem)
        {
            detail::MoveTo(gmAux, params.ptr_aux, params.problem_stride, problem);
        }

        template <VisitStage STAGE>
        CATLASS_DEVICE AscendC::LocalTensor<Element> const& visit(
            MatrixCoord const& globalTileOffset, MatrixCoord const& /*localTileOffset*/, MatrixCoord const& tileShape,
            uint32_t calCount)
        {
            if constexpr (NULL_DEFAULT) {
                if (params.ptr_aux == nullptr) {
                    FillDefault<STAGE>(ubAux, params.null_default, calCount);
                    return ubAux;
                }
            }
            if constexpr (HasStage(STAGE, VisitStage::LOAD)) {
                layout::RowMajor layoutUb{tileShape.row(), tileShape.column(), TileStride(tileShape, calCount)};
                CopyGmToUb{}(
                    ubAux.template ReinterpretCast<CopiedAs<Element>>(),
                    gmAux[OffsetOf(params.layout, globalTileOffset)], layoutUb, params.layout.GetTileLayout(tileShape));
                SynchronizeIfAll<STAGE>();
            }
            return ubAux;
        }

    private:
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

/// A user's M x N tensor by columns, which is the transposed one by rows: LOAD copies a column at a time, COMPUTE
/// transposes the tile.
template <class Element_, bool NULL_DEFAULT>
struct VisitorAuxLoad<Element_, layout::ColumnMajor, NULL_DEFAULT> : VisitorImpl<> {
    using Element = Element_;
    using Layout = layout::ColumnMajor;
    using ElementOutput = Element;

    static constexpr bool PENDING = true;
    static constexpr uint32_t STRIDE_ALIGN = detail::Transposition<Element>::LINES;
    static constexpr uint32_t ROW_ALIGN = BYTE_PER_BLK / sizeof(Element);

    static constexpr bool HAS_ROWS = true;
    static constexpr bool HAS_COLUMNS = true;

    struct Arguments {
        GM_ADDR ptr_aux{nullptr};
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
        if (args.ptr_aux == nullptr) {
            return {NULL_DEFAULT ? nullptr : "ptr_aux is null"};
        }
        return {detail::RefusalOf<VisitorAuxLoad>(problemShape, args, detail::Access::READS)};
    }

    CATLASS_HOST_DEVICE static constexpr UbParts UbNeed(uint32_t computeLength)
    {
        UbParts need;
        need.tile = computeLength * sizeof(Element);
        need.loaded = computeLength * sizeof(Element);
        return need;
    }

    CATLASS_HOST_DEVICE
    VisitorAuxLoad()
    {}

    CATLASS_HOST_DEVICE
    VisitorAuxLoad(Params const& params_) : params(params_)
    {}

    template <class ArchTag>
    struct Callbacks : EmptyCallbacks {
        AscendC::LocalTensor<Element> ubAux;
        AscendC::LocalTensor<Element> ubColumns;
        AscendC::GlobalTensor<CopiedAs<Element>> gmAux;
        Params params;

        CATLASS_DEVICE
        Callbacks(
            AscendC::LocalTensor<Element> const& ubAux_, AscendC::LocalTensor<Element> const& ubColumns_,
            Params const& params_)
            : ubAux(ubAux_), ubColumns(ubColumns_), params(params_)
        {
            gmAux.SetGlobalBuffer(reinterpret_cast<__gm__ CopiedAs<Element>*>(params.ptr_aux));
        }

        CATLASS_DEVICE
        void begin_problem(Problem const& problem)
        {
            detail::MoveTo(gmAux, params.ptr_aux, params.problem_stride, problem);
        }

        template <VisitStage STAGE>
        CATLASS_DEVICE AscendC::LocalTensor<Element> const& visit(
            MatrixCoord const& globalTileOffset, MatrixCoord const& /*localTileOffset*/, MatrixCoord const& tileShape,
            uint32_t calCount)
        {
            if constexpr (NULL_DEFAULT) {
                if (params.ptr_aux == nullptr) {
                    FillDefault<STAGE>(ubAux, params.null_default, calCount);
                    return ubAux;
                }
            }
            uint32_t columnStride = RoundUp<ROW_ALIGN>(tileShape.row());
            if constexpr (HasStage(STAGE, VisitStage::LOAD)) {
                layout::RowMajor layoutUb{tileShape.column(), tileShape.row(), columnStride};
                layout::RowMajor layoutGm{tileShape.column(), tileShape.row(), params.layout.stride(1)};
                CopyGmToUb{}(
                    ubColumns.template ReinterpretCast<CopiedAs<Element>>(),
                    gmAux[OffsetOf(params.layout, globalTileOffset)], layoutUb, layoutGm);
                SynchronizeIfAll<STAGE>();
            }
            if constexpr (HasStage(STAGE, VisitStage::COMPUTE)) {
                detail::Transposition<Element>::Run(
                    ubAux, TileStride(tileShape, calCount), ubColumns, tileShape.column(), tileShape.row(),
                    columnStride);
                SynchronizeIfAll<STAGE>();
            }
            return ubAux;
        }

    private:
        using CopyGmToUb = Epilogue::Tile::CopyGm2Ub<ArchTag, Gemm::GemmType<CopiedAs<Element>, layout::RowMajor>>;
    };

    template <class ArchTag, class ComputeLength>
    CATLASS_DEVICE auto get_callbacks(Arch::Resource<ArchTag>& resource, UbParts const& ub, ComputeLength)
    {
        auto ubAux = resource.ubBuf.template GetBufferByByte<Element>(ub.tile);
        auto ubColumns = resource.ubBuf.template GetBufferByByte<Element>(ub.loaded);
        return Callbacks<ArchTag>{ubAux, ubColumns, params};
    }

private:
    Params params;
};

} // namespace Catlass::Epilogue::Fusion

#endif // CATLASS_EPILOGUE_FUSION_VISITOR_AUX_LOAD_HPP
