#ifndef CATLASS_EPILOGUE_FUSION_VISITOR_COL_REDUCE_HPP
#define CATLASS_EPILOGUE_FUSION_VISITOR_COL_REDUCE_HPP

#include "catlass/epilogue/tile/copy_ub_to_gm.hpp"
#include "catlass/gemm/gemm_type.hpp"
#include "catlass/layout/layout.hpp"
#include "catlass/epilogue/fusion/reduce.hpp"
#include "catlass/epilogue/fusion/visitor_impl.hpp"

namespace Catlass::Epilogue::Fusion {

/// A user's M x 1 column: COMPUTE reduces the tile's columns to one, STORE combines that with GM by ReduceFn's atomic.
///
/// The values lie packed in GM. The caller fills them before the launch, with Arguments::identity for a plain
/// reduction. Returns its input.
template <template <class> class ReduceFn, class Element_, class Layout_ = layout::RowMajor>
struct VisitorColReduce : VisitorImpl<> {
    using Element = Element_;
    using Layout = Layout_;
    using ElementOutput = Element;

    template <class T>
    using Function = ReduceFn<T>;

    static_assert(std::is_same_v<Layout, layout::RowMajor>, "VisitorColReduce writes a row-major M x 1 tensor");

    static constexpr bool FORWARDS = true;
    static constexpr bool JOINS = true;
    static constexpr bool READS_IN_COMPUTE = true;
    static constexpr uint32_t STRIDE_ALIGN = BYTE_PER_BLK / sizeof(Element);

    static constexpr bool HAS_ROWS = true;
    static constexpr bool HAS_COLUMNS = false;

    struct Arguments {
        GM_ADDR ptr_col_out{nullptr};
        Layout layout{};
        Element identity{};
        int64_t problem_stride{PACKED};
    };

    using Params = detail::ReduceParams<Arguments, Element>;

    template <class ProblemShape>
    CATLASS_HOST_DEVICE static Params to_underlying_arguments(
        ProblemShape const& problemShape, Arguments const& args, GM_ADDR)
    {
        float columns = static_cast<float>(problemShape.n()) *
                        static_cast<float>(detail::CountJoined(problemShape, args, HAS_ROWS));
        return Params{detail::Resolved(problemShape, args, HAS_ROWS), detail::FactorOf<ReduceFn, Element>(columns)};
    }

    template <class ProblemShape>
    static Verdict can_implement(ProblemShape const& problemShape, Arguments const& args)
    {
        if (args.ptr_col_out == nullptr) {
            return {"ptr_col_out is null"};
        }
        return {detail::RefusalOf<VisitorColReduce>(problemShape, args, detail::Access::JOINS)};
    }

    CATLASS_HOST_DEVICE static constexpr UbParts UbNeed(uint32_t computeLength)
    {
        UbParts need;
        need.stored = detail::ColumnReduction<Element>::UbBytes(computeLength);
        return need;
    }

    /// What its tensor has before the first tile of a plain reduction.
    CATLASS_DEVICE static Element Neutral()
    {
        return detail::NeutralOf<ReduceFn, Element>();
    }

    CATLASS_HOST_DEVICE
    VisitorColReduce()
    {}

    CATLASS_HOST_DEVICE
    VisitorColReduce(Params const& params_) : params(params_)
    {}

    template <class ArchTag>
    struct Callbacks : EmptyCallbacks {
        AscendC::LocalTensor<Element> ubColumn;
        AscendC::GlobalTensor<Element> gmOut;
        Params params;

        CATLASS_DEVICE
        Callbacks(AscendC::LocalTensor<Element> const& ubColumn_, Params const& params_)
            : ubColumn(ubColumn_), params(params_)
        {
            gmOut.SetGlobalBuffer(reinterpret_cast<__gm__ Element*>(params.ptr_col_out));
        }

        CATLASS_DEVICE
        void begin_problem(Problem const& problem)
        {
            detail::MoveTo(gmOut, params.ptr_col_out, params.problem_stride, problem);
        }

        template <VisitStage STAGE, class ElementInput>
        CATLASS_DEVICE AscendC::LocalTensor<Element> visit(
            MatrixCoord const& globalTileOffset, MatrixCoord const& /*localTileOffset*/, MatrixCoord const& tileShape,
            uint32_t calCount, AscendC::LocalTensor<ElementInput> const& input)
        {
            static_assert(std::is_same_v<ElementInput, Element>, "VisitorColReduce: insert a VisitorCast");
            if constexpr (HasStage(STAGE, VisitStage::COMPUTE)) {
                detail::ColumnReduction<Element>::template Run<ReduceFn>(
                    ubColumn, input, tileShape.row(), tileShape.column(), TileStride(tileShape, calCount));
                detail::ScaleIfMean<ReduceFn>(ubColumn, ubColumn, params.factor, tileShape.row());
                SynchronizeIfAll<STAGE>();
            }
            if constexpr (HasStage(STAGE, VisitStage::STORE)) {
                detail::JoinToGm<ReduceFn, CopyUbToGm>(
                    gmOut[OffsetOf(params.layout, MatrixCoord{globalTileOffset.row(), 0u})], ubColumn, tileShape.row());
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
        return Callbacks<ArchTag>{resource.ubBuf.template GetBufferByByte<Element>(ub.stored), params};
    }

private:
    Params params;
};

} // namespace Catlass::Epilogue::Fusion

#endif // CATLASS_EPILOGUE_FUSION_VISITOR_COL_REDUCE_HPP
