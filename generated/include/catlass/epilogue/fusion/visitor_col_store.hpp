#ifndef CATLASS_EPILOGUE_FUSION_VISITOR_COL_STORE_HPP
#define CATLASS_EPILOGUE_FUSION_VISITOR_COL_STORE_HPP

#include "catlass/epilogue/tile/copy_ub_to_gm.hpp"
#include "catlass/gemm/gemm_type.hpp"
#include "catlass/layout/layout.hpp"
#include "catlass/epilogue/fusion/visitor_impl.hpp"

namespace Catlass::Epilogue::Fusion {

/// A user's M x 1 column: STORE writes the first column of the input there, straight from the input's buffer. Returns
/// its input.
///
/// The values lie packed in GM, one after the other.
template <class Element_, class Layout_ = layout::RowMajor>
struct VisitorColStore : VisitorImpl<> {
    using Element = Element_;
    using Layout = Layout_;
    using ElementOutput = Element;

    static_assert(std::is_same_v<Layout, layout::RowMajor>, "VisitorColStore writes a row-major M x 1 tensor");

    static constexpr bool FORWARDS = true;
    static constexpr bool READS_IN_STORE = true;
    static constexpr uint32_t SKIPS = RIGHT_TILES;
    static constexpr uint32_t STRIDE_ALIGN = BYTE_PER_BLK / sizeof(Element);

    static constexpr bool HAS_ROWS = true;
    static constexpr bool HAS_COLUMNS = false;

    struct Arguments {
        GM_ADDR ptr_col_out{nullptr};
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
        if (args.ptr_col_out == nullptr) {
            return {"ptr_col_out is null"};
        }
        return {detail::RefusalOf<VisitorColStore>(problemShape, args, detail::Access::WRITES)};
    }

    CATLASS_HOST_DEVICE
    VisitorColStore()
    {}

    CATLASS_HOST_DEVICE
    VisitorColStore(Params const& params_) : params(params_)
    {}

    template <class ArchTag>
    struct Callbacks : EmptyCallbacks {
        AscendC::GlobalTensor<CopiedAs<Element>> gmColumn;
        Params params;

        CATLASS_DEVICE
        Callbacks(Params const& params_) : params(params_)
        {
            gmColumn.SetGlobalBuffer(reinterpret_cast<__gm__ CopiedAs<Element>*>(params.ptr_col_out));
        }

        CATLASS_DEVICE
        void begin_problem(Problem const& problem)
        {
            detail::MoveTo(gmColumn, params.ptr_col_out, params.problem_stride, problem);
        }

        template <VisitStage STAGE, class ElementInput>
        CATLASS_DEVICE AscendC::LocalTensor<Element> visit(
            MatrixCoord const& globalTileOffset, MatrixCoord const& /*localTileOffset*/, MatrixCoord const& tileShape,
            uint32_t calCount, AscendC::LocalTensor<ElementInput> const& input)
        {
            static_assert(std::is_same_v<ElementInput, Element>, "VisitorColStore: insert a VisitorCast");
            if constexpr (HasStage(STAGE, VisitStage::STORE)) {
                layout::RowMajor layoutUb{tileShape.row(), 1u, TileStride(tileShape, calCount)};
                CopyUbToGm{}(
                    gmColumn[OffsetOf(params.layout, globalTileOffset)],
                    input.template ReinterpretCast<CopiedAs<Element>>(),
                    params.layout.GetTileLayout(MatrixCoord{tileShape.row(), 1u}), layoutUb);
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

} // namespace Catlass::Epilogue::Fusion

#endif // CATLASS_EPILOGUE_FUSION_VISITOR_COL_STORE_HPP
