#ifndef CATLASS_EPILOGUE_FUSION_VISITOR_SCALAR_REDUCE_HPP
#define CATLASS_EPILOGUE_FUSION_VISITOR_SCALAR_REDUCE_HPP

#include "catlass/epilogue/tile/copy_ub_to_gm.hpp"
#include "catlass/gemm/gemm_type.hpp"
#include "catlass/layout/layout.hpp"
#include "catlass/epilogue/fusion/reduce.hpp"
#include "catlass/epilogue/fusion/visitor_impl.hpp"

namespace Catlass::Epilogue::Fusion {

/// A user's single value: COMPUTE reduces the tile to one value, STORE combines that with GM by ReduceFn's atomic.
///
/// The caller fills the output before the launch, with Arguments::identity for a plain reduction. Returns its input.
template <template <class> class ReduceFn, class Element_, class Layout_ = layout::RowMajor>
struct VisitorScalarReduce : VisitorImpl<> {
    using Element = Element_;
    using Layout = Layout_;
    using ElementOutput = Element;

    template <class T>
    using Function = ReduceFn<T>;

    static_assert(std::is_same_v<Layout, layout::RowMajor>, "VisitorScalarReduce writes a row-major 1 x 1 tensor");

    static constexpr bool FORWARDS = true;
    static constexpr bool JOINS = true;
    static constexpr bool READS_IN_COMPUTE = true;
    static constexpr bool HAS_BARRIER = true;
    static constexpr uint32_t STRIDE_ALIGN = BYTE_PER_BLK / sizeof(Element);

    /// Data blocks in which the rows' values are reduced: one for each repeat of values.
    static constexpr uint32_t BLOCKS = 4;

    static constexpr bool HAS_ROWS = false;
    static constexpr bool HAS_COLUMNS = false;

    struct Arguments {
        GM_ADDR ptr_scalar_out{nullptr};
        Layout layout{};
        Element identity{};
        int64_t problem_stride{PACKED};
    };

    struct Params : detail::ReduceParams<Arguments, Element> {
        float columns{0.0f};
    };

    template <class ProblemShape>
    CATLASS_HOST_DEVICE static Params to_underlying_arguments(
        ProblemShape const& problemShape, Arguments const& args, GM_ADDR)
    {
        auto columns = static_cast<float>(problemShape.n());
        return Params{
            {detail::Resolved(problemShape, args, HAS_ROWS),
             detail::FactorOf<ReduceFn, Element>(static_cast<float>(problemShape.m()) * columns)},
            columns};
    }

    template <class ProblemShape>
    static Verdict can_implement(ProblemShape const& problemShape, Arguments const& args)
    {
        if (args.ptr_scalar_out == nullptr) {
            return {"ptr_scalar_out is null"};
        }
        return {detail::RefusalOf<VisitorScalarReduce>(problemShape, args, detail::Access::JOINS)};
    }

    /// A value per row, and the blocks in which these values are reduced.
    CATLASS_HOST_DEVICE static constexpr UbParts UbNeed(uint32_t computeLength)
    {
        UbParts need;
        need.scratch = detail::ColumnReduction<Element>::UbBytes(computeLength);
        need.stored = BLOCKS * BYTE_PER_BLK;
        return need;
    }

    /// What its tensor has before the first tile of a plain reduction.
    CATLASS_DEVICE static Element Neutral()
    {
        return detail::NeutralOf<ReduceFn, Element>();
    }

    CATLASS_HOST_DEVICE
    VisitorScalarReduce()
    {}

    CATLASS_HOST_DEVICE
    VisitorScalarReduce(Params const& params_) : params(params_)
    {}

    template <class ArchTag>
    struct Callbacks : EmptyCallbacks {
        AscendC::LocalTensor<Element> ubColumn;
        AscendC::LocalTensor<Element> ubScalar;
        AscendC::GlobalTensor<Element> gmOut;
        Params params;

        CATLASS_DEVICE
        Callbacks(
            AscendC::LocalTensor<Element> const& ubColumn_, AscendC::LocalTensor<Element> const& ubScalar_,
            Params const& params_)
            : ubColumn(ubColumn_), ubScalar(ubScalar_), params(params_)
        {
            gmOut.SetGlobalBuffer(reinterpret_cast<__gm__ Element*>(params.ptr_scalar_out));
        }

        CATLASS_DEVICE
        void begin_problem(Problem const& problem)
        {
            detail::MoveTo(gmOut, params.ptr_scalar_out, params.problem_stride, problem);
            params.factor = detail::FactorOf<ReduceFn, Element>(
                static_cast<float>(detail::RowsJoined(params.problem_stride, problem)) * params.columns);
        }

        template <VisitStage STAGE, class ElementInput>
        CATLASS_DEVICE AscendC::LocalTensor<Element> visit(
            MatrixCoord const& /*globalTileOffset*/, MatrixCoord const& /*localTileOffset*/,
            MatrixCoord const& tileShape, uint32_t calCount, AscendC::LocalTensor<ElementInput> const& input)
        {
            static_assert(std::is_same_v<ElementInput, Element>, "VisitorScalarReduce: insert a VisitorCast");
            if constexpr (HasStage(STAGE, VisitStage::COMPUTE)) {
                using Reduction = detail::ColumnReduction<Element>;
                uint32_t rows = tileShape.row();
                uint32_t stride = TileStride(tileShape, calCount);
                Reduction::template Run<ReduceFn>(ubColumn, input, rows, tileShape.column(), stride);
                BarrierV();
                // The rows' values are the columns of one row
                Reduction::template Run<ReduceFn>(ubScalar, ubColumn, 1, rows, rows);
                detail::ScaleIfMean<ReduceFn>(ubScalar, ubScalar, params.factor, 1);
                SynchronizeIfAll<STAGE>();
            }
            if constexpr (HasStage(STAGE, VisitStage::STORE)) {
                detail::JoinToGm<ReduceFn, CopyUbToGm>(gmOut, ubScalar, 1);
                SynchronizeIfAll<STAGE>();
            }
            return input;
        }

    private:
        using CopyUbToGm = Epilogue::Tile::CopyUb2Gm<ArchTag, Gemm::GemmType<Element, Layout>>;
    };

    template <class ArchTag, class ComputeLength>
    CATLASS_DEVICE auto get_callbacks(Arch::Resource<ArchTag>& resource, UbParts const& ub, ComputeLength)
    {
        auto ubColumn = resource.ubBuf.template GetBufferByByte<Element>(ub.scratch);
        auto ubScalar = resource.ubBuf.template GetBufferByByte<Element>(ub.stored);
        return Callbacks<ArchTag>{ubColumn, ubScalar, params};
    }

private:
    Params params;
};

} // namespace Catlass::Epilogue::Fusion

#endif // CATLASS_EPILOGUE_FUSION_VISITOR_SCALAR_REDUCE_HPP
