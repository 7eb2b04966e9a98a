#ifndef CATLASS_EPILOGUE_FUSION_VISITOR_AUX_STORE_HPP
#define CATLASS_EPILOGUE_FUSION_VISITOR_AUX_STORE_HPP

#include "catlass/epilogue/tile/copy_ub_to_gm.hpp"
#include "catlass/gemm/gemm_type.hpp"
#include "catlass/layout/layout.hpp"
#include "catlass/epilogue/fusion/transpose.hpp"
#include "catlass/epilogue/fusion/visitor_impl.hpp"

namespace Catlass::Epilogue::Fusion {

/// A user's M x N tensor: STORE writes the tile there, straight from the input's buffer. Returns its input.
template <class Element_, class Layout_ = layout::RowMajor>
struct VisitorAuxStore : VisitorImpl<> {
    using Element = Element_;
    using Layout = Layout_;
    using ElementOutput = Element;

    static_assert(
        std::is_same_v<Layout, layout::RowMajor>, "VisitorAuxStore writes row-major and column-major tensors");

    static constexpr bool FORWARDS = true;
    static constexpr bool READS_IN_STORE = true;
    static constexpr uint32_t STRIDE_ALIGN = BYTE_PER_BLK / sizeof(Element);

    static constexpr bool HAS_ROWS = true;
    static constexpr bool HAS_COLUMNS = true;

    struct Arguments {
        GM_ADDR ptr_aux{nullptr};
        Layout layout{};
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
            return {"ptr_aux is null"};
        }
        return {detail::RefusalOf<VisitorAuxStore>(problemShape, args, detail::Access::WRITES)};
    }

    CATLASS_HOST_DEVICE
    VisitorAuxStore()
    {}

    CATLASS_HOST_DEVICE
    VisitorAuxStore(Params const& params_) : params(params_)
    {}

    template <class ArchTag>
    struct Callbacks : EmptyCallbacks {
        AscendC::GlobalTensor<CopiedAs<Element>> gmAux;
        Params params;

        CATLASS_DEVICE
        Callbacks(Params const& params_) : params(params_)
        {
            gmAux.SetGlobalBuffer(reinterpret_cast<__gm__ CopiedAs<Element>*>(params.ptr_aux));
        }

        CATLASS_DEVICE
        void begin_problem(Problem const& problem)
        {
            detail::MoveTo(gmAux, params.ptr_aux, params.problem_stride, problem);
        }

        template <VisitStage STAGE, class ElementInput>
        CATLASS_DEVICE AscendC::LocalTensor<Element> visit(
            MatrixCoord const& globalTileOffset, MatrixCoord const& /*localTileOffset*/, MatrixCoord const& tileShape,
            uint32_t calCount, AscendC::LocalTensor<ElementInput> const& input)
        {
            static_assert(std::is_same_v<ElementInput, Element>, "VisitorAuxStore: insert a VisitorCast");
            if constexpr (HasStage(STAGE, VisitStage::STORE)) {
                layout::RowMajor layoutUb{tileShape.row(), tileShape.column(), TileStride(tileShape, calCount)};
                CopyUbToGm{}(
                    gmAux[OffsetOf(params.layout, globalTileOffset)],
                    input.template ReinterpretCast<CopiedAs<Element>>(), params.layout.GetTileLayout(tileShape),
                    layoutUb);
                SynchronizeIfAll<STAGE>();
            }
            return input;
        }

    private:
        using CopyUbToGm = Epilogue::Tile::CopyUb2Gm<ArchTag, Gemm::GemmType<CopiedAs<Element>, Layout>>;
    };

    template <class ArchTag, class ComputeLength>
    CATLASS_DEVICE auto get_callbacks(Arch::Resource<ArchTag>&, UbParts const&, ComputeLength)
    {
        return Callbacks<ArchTag>{params};
    }

private:
    Params params;
};

/// A user's M x N tensor by columns, which is the transposed one by rows: COMPUTE transposes the tile, STORE writes a
/// column at a time. Returns its input.
template <class Element_>
struct VisitorAuxStore<Element_, layout::ColumnMajor> : VisitorImpl<> {
    using Element = Element_;
    using Layout = layout::ColumnMajor;
    using ElementOutput = Element;

    static constexpr bool FORWARDS = true;
    static constexpr bool READS_IN_COMPUTE = true;
    static constexpr uint32_t STRIDE_ALIGN = BYTE_PER_BLK / sizeof(Element);
    static constexpr uint32_t ROW_ALIGN = detail::Transposition<Element>::LINES;

    static constexpr bool HAS_ROWS = true;
    static constexpr bool HAS_COLUMNS = true;

    struct Arguments {
        GM_ADDR ptr_aux{nullptr};
        Layout layout{};
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
            return {"ptr_aux is null"};
        }
        return {detail::RefusalOf<VisitorAuxStore>(problemShape, args, detail::Access::WRITES)};
    }

    CATLASS_HOST_DEVICE static constexpr UbParts UbNeed(uint32_t computeLength)
    {
        UbParts need;
        need.stored = computeLength * sizeof(Element);
        return need;
    }

    CATLASS_HOST_DEVICE
    VisitorAuxStore()
    {}

    CATLASS_HOST_DEVICE
    VisitorAuxStore(Params const& params_) : params(params_)
    {}

    template <class ArchTag>
    struct Callbacks : EmptyCallbacks {
        AscendC::LocalTensor<Element> ubColumns;
        AscendC::GlobalTensor<CopiedAs<Element>> gmAux;
        Params params;

        CATLASS_DEVICE
        Callbacks(AscendC::LocalTensor<Element> const& ubColumns_, Params const& params_)
            : ubColumns(ubColumns_), params(params_)
        {
            gmAux.SetGlobalBuffer(reinterpret_cast<__gm__ CopiedAs<Element>*>(params.ptr_aux));
        }

        CATLASS_DEVICE
        void begin_problem(Problem const& problem)
        {
            detail::MoveTo(gmAux, params.ptr_aux, params.problem_stride, problem);
        }

        template <VisitStage STAGE, class ElementInput>
        CATLASS_DEVICE AscendC::LocalTensor<Element> visit(
            MatrixCoord const& globalTileOffset, MatrixCoord const& /*localTileOffset*/, MatrixCoord const& tileShape,
            uint32_t calCount, AscendC::LocalTensor<ElementInput> const& input)
        {
            static_assert(std::is_same_v<ElementInput, Element>, "VisitorAuxStore: insert a VisitorCast");
            if constexpr (HasStage(STAGE, VisitStage::COMPUTE)) {
                detail::Transposition<Element>::Run(
                    ubColumns, RoundUp<ROW_ALIGN>(tileShape.row()), input, tileShape.row(), tileShape.column(),
                    TileStride(tileShape, calCount));
                SynchronizeIfAll<STAGE>();
            }
            if constexpr (HasStage(STAGE, VisitStage::STORE)) {
                layout::RowMajor layoutUb{tileShape.column(), tileShape.row(), RoundUp<ROW_ALIGN>(tileShape.row())};
                layout::RowMajor layoutGm{tileShape.column(), tileShape.row(), params.layout.stride(1)};
                CopyUbToGm{}(
                    gmAux[OffsetOf(params.layout, globalTileOffset)],
                    ubColumns.template ReinterpretCast<CopiedAs<Element>>(), layoutGm, layoutUb);
                SynchronizeIfAll<STAGE>();
            }
            return input;
        }

    private:
        using CopyUbToGm = Epilogue::Tile::CopyUb2Gm<ArchTag, Gemm::GemmType<CopiedAs<Element>, layout::RowMajor>>;
    };

    template <class ArchTag, class ComputeLength>
    CATLASS_DEVICE auto get_callbacks(Arch::Resource<ArchTag>& resource, UbParts const& ub, ComputeLength)
    {
        return Callbacks<ArchTag>{resource.ubBuf.template GetBufferByByte<Element>(ub.stored), params};
    }

private:
    Params params;
};

} // namespace Catlass::Epilogue::Fusion

#endif // CATLASS_EPILOGUE_FUSION_VISITOR_AUX_STORE_HPP
