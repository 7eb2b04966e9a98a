#ifndef CATLASS_EPILOGUE_FUSION_VISITOR_ROW_REDUCE_HPP
#define CATLASS_EPILOGUE_FUSION_VISITOR_ROW_REDUCE_HPP

#include "catlass/epilogue/tile/copy_ub_to_gm.hpp"
#include "catlass/gemm/gemm_type.hpp"
#include "catlass/layout/layout.hpp"
#include "catlass/epilogue/fusion/reduce.hpp"
#include "catlass/epilogue/fusion/visitor_impl.hpp"

namespace Catlass::Epilogue::Fusion {

/// A user's 1 x N row: COMPUTE reduces the tile's rows to one, STORE combines that with GM by ReduceFn's atomic.
///
/// The caller fills the output before the launch, with Arguments::identity for a plain reduction. Returns its input.
template <template <class> class ReduceFn, class Element_, class Layout_ = layout::RowMajor>
struct VisitorRowReduce : VisitorImpl<> {
    using Element = Element_;
    using Layout = Layout_;
    using ElementOutput = Element;

    template <class T>
    using Function = ReduceFn<T>;

    static_assert(std::is_same_v<Layout, layout::RowMajor>, "VisitorRowReduce writes a row-major 1 x N tensor");

    static constexpr bool FORWARDS = true;
    static constexpr bool JOINS = true;
    static constexpr bool READS_IN_COMPUTE = true;
    static constexpr bool READS_IN_STORE = !detail::IS_MEAN<ReduceFn>; // a tile of one row is its own reduction
    static constexpr uint32_t STRIDE_ALIGN = BYTE_PER_BLK / sizeof(Element);

    static constexpr bool HAS_ROWS = false;
    static constexpr bool HAS_COLUMNS = true;

    struct Arguments {
        GM_ADDR ptr_row_out{nullptr};
        Layout layout{};
        Element identity{};
        int64_t problem_stride{PACKED};
    };

    using Params = detail::ReduceParams<Arguments, Element>;

    template <class ProblemShape>
    CATLASS_HOST_DEVICE static Params to_underlying_arguments(
        ProblemShape const& problemShape, Arguments const& args, GM_ADDR)
    {
        return Params{
            detail::Resolved(problemShape, args, HAS_ROWS),
            detail::FactorOf<ReduceFn, Element>(static_cast<float>(problemShape.m()))};
    }

    template <class ProblemShape>
    static Verdict can_implement(ProblemShape const& problemShape, Arguments const& args)
    {
        if (args.ptr_row_out == nullptr) {
            return {"ptr_row_out is null"};
        }
        return {detail::RefusalOf<VisitorRowReduce>(problemShape, args, detail::Access::JOINS)};
    }

    /// Half a tile: the first halving of the rows writes here and leaves the input as it is. A mean has one row here.
    CATLASS_HOST_DEVICE static constexpr UbParts UbNeed(uint32_t computeLength)
    {
        UbParts need;
        need.stored = (detail::IS_MEAN<ReduceFn> ? computeLength : computeLength / 2) * sizeof(Element);
        return need;
    }

    /// What its tensor has before the first tile of a plain reduction.
    CATLASS_DEVICE static Element Neutral()
    {
        return detail::NeutralOf<ReduceFn, Element>();
    }

    CATLASS_HOST_DEVICE
    VisitorRowReduce()
    {}

    CATLASS_HOST_DEVICE
    VisitorRowReduce(Params const& params_) : params(params_)
    {}

    template <class ArchTag>
    struct Callbacks : EmptyCallbacks {
        AscendC::LocalTensor<Element> ubRow;
        AscendC::GlobalTensor<Element> gmOut;
        Params params;

        CATLASS_DEVICE
        Callbacks(AscendC::LocalTensor<Element> const& ubRow_, Params const& params_) : ubRow(ubRow_), params(params_)
        {
            gmOut.SetGlobalBuffer(reinterpret_cast<__gm__ Element*>(params.ptr_row_out));
        }

        CATLASS_DEVICE
        void begin_problem(Problem const& problem)
        {
            detail::MoveTo(gmOut, params.ptr_row_out, params.problem_stride, problem);
            params.factor = detail::FactorOf<ReduceFn, Element>(
                static_cast<float>(detail::RowsJoined(params.problem_stride, problem)));
        }

        template <VisitStage STAGE, class ElementInput>
        CATLASS_DEVICE AscendC::LocalTensor<Element> visit(
            MatrixCoord const& globalTileOffset, MatrixCoord const& /*localTileOffset*/, MatrixCoord const& tileShape,
            uint32_t calCount, AscendC::LocalTensor<ElementInput> const& input)
        {
            static_assert(std::is_same_v<ElementInput, Element>, "VisitorRowReduce: insert a VisitorCast");
            bool reduces = tileShape.row() > 1; // a tile of one row is its own reduction
            if constexpr (HasStage(STAGE, VisitStage::COMPUTE)) {
                if (reduces) {
                    detail::ReduceRows<ReduceFn>(ubRow, input, tileShape.row(), TileStride(tileShape, calCount));
                }
                detail::ScaleIfMean<ReduceFn>(ubRow, reduces ? ubRow : input, params.factor, tileShape.column());
                SynchronizeIfAll<STAGE>();
            }
            if constexpr (HasStage(STAGE, VisitStage::STORE)) {
                bool isHere = reduces || detail::IS_MEAN<ReduceFn>;
                Store(isHere ? ubRow : input, globalTileOffset.column(), tileShape.column());
                SynchronizeIfAll<STAGE>();
            }
            return input;
        }

    private:
        using CopyUbToGm = Epilogue::Tile::CopyUb2Gm<ArchTag, Gemm::GemmType<Element, Layout>>;

        CATLASS_DEVICE
        void Store(AscendC::LocalTensor<Element> const& row, uint32_t column, uint32_t columns)
        {
            detail::JoinToGm<ReduceFn, CopyUbToGm>(
                gmOut[OffsetOf(params.layout, MatrixCoord{0u, column})], row, columns);
        }
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

#endif // CATLASS_EPILOGUE_FUSION_VISITOR_ROW_REDUCE_HPP
