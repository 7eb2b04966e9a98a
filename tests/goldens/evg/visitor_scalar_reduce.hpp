#ifndef CATLASS_EPILOGUE_FUSION_EXTENDED_VISITOR_SCALAR_REDUCE_HPP
#define CATLASS_EPILOGUE_FUSION_EXTENDED_VISITOR_SCALAR_REDUCE_HPP

#include "catlass/epilogue/tile/copy_ub_to_gm.hpp"
#include "catlass/gemm/gemm_type.hpp"
#include "catlass/epilogue/fusion/extended/reduce.hpp"
#include "catlass/epilogue/fusion/extended/visitor_impl.hpp"

namespace Catlass::Epilogue::Fusion::Extended {

/// A single value: COMPUTE reduces the tile to one value, STORE combines that with GM by ReduceFn's atomic.
///
/// The caller fills the output before the launch, with Arguments::identity for a plain reduction. Returns its input.
template <template <class> class ReduceFn, class Element, class Layout>
struct VisitorScalarReduce : VisitorImpl<> {
    /// Data blocks in which the rows' values are reduced: one for each repeat of values.
    static constexpr uint32_t BLOCKS = 4;

    using VisitorImpl<>::VisitorImpl;

    using ElementOutput = Element;

    struct Arguments {
        GM_ADDR ptr_scalar_out = nullptr;
        Layout layout = {};
        Element identity{};
    };

    struct Params {
        GM_ADDR ptrScalar{nullptr};
        Element factor{};
    };

    template <class ProblemShape>
    static constexpr Params to_underlying_arguments(ProblemShape const& problemShape, Arguments const& args, void*)
    {
        return Params{
            args.ptr_scalar_out, detail::FactorOf<ReduceFn, Element>(
                                     static_cast<float>(problemShape.m()) * static_cast<float>(problemShape.n()))};
    }

    template <class ProblemShape>
    static size_t get_workspace_size(ProblemShape const&, Arguments const&)
    {
        return 0;
    }

    template <class ProblemShape>
    static bool can_implement(ProblemShape const&, Arguments const& args)
    {
        return args.ptr_scalar_out != nullptr;
    }

    CATLASS_HOST_DEVICE
    VisitorScalarReduce()
    {}

    CATLASS_HOST_DEVICE
    VisitorScalarReduce(Params const& params_) : params(params_)
    {}

    struct Callbacks : EmptyCallbacks {
        AscendC::LocalTensor<Element> ubColumn;
        AscendC::LocalTensor<Element> ubScalar;
        Params params;

        CATLASS_DEVICE
        Callbacks(
            AscendC::LocalTensor<Element> const& ubColumn_, AscendC::LocalTensor<Element> const& ubScalar_,
            Params const& params_)
            : ubColumn(ubColumn_), ubScalar(ubScalar_), params(params_)
        {}

        template <VisitStage Stage, class ArchTag, class TensorC>
        CATLASS_DEVICE AscendC::LocalTensor<Element> const& visit(
            TensorC const& tensorTile, MatrixCoord const& alignedTileShape, MatrixCoord const& /*globalOffset*/,
            AscendC::LocalTensor<Element> const& input)
        {
            if constexpr (Stage == VisitStage::COMPUTE) {
                using Reduction = detail::ColumnReduction<Element>;
                uint32_t rows = tla::get<0>(tensorTile.shape());
                uint32_t columns = tla::get<1>(tensorTile.shape());
                Reduction::template Run<ReduceFn>(ubColumn, input, rows, columns, alignedTileShape.column());
                // The rows' values are the columns of one row
                Reduction::template Run<ReduceFn>(ubScalar, ubColumn, 1, rows, rows);
                detail::ScaleIfMean<ReduceFn>(ubScalar, ubScalar, params.factor, 1);
            }
            if constexpr (Stage == VisitStage::STORE) {
                using CopyUbToGm = Epilogue::Tile::CopyUb2Gm<ArchTag, Gemm::GemmType<Element, layout::RowMajor>>;
                AscendC::GlobalTensor<Element> gmScalar;
                gmScalar.SetGlobalBuffer((__gm__ Element*)(params.ptrScalar));
                detail::JoinToGm<ReduceFn, CopyUbToGm>(gmScalar, ubScalar, 1);
            }
            return input;
        }
    };

    template <class ArchTag>
    CATLASS_DEVICE auto get_callbacks(Arch::Resource<ArchTag>& resource, uint32_t& ub_offset, uint32_t compute_length)
    {
        uint32_t bytes = detail::ColumnReduction<Element>::UbBytes(compute_length);
        auto ubColumn = detail::TakeUb<Element>(resource, ub_offset, bytes);
        auto ubScalar = detail::TakeUb<Element>(resource, ub_offset, BLOCKS * BYTE_PER_BLK);
        return Callbacks(ubColumn, ubScalar, params);
    }

    Params params;
};

} // namespace Catlass::Epilogue::Fusion::Extended

#endif // CATLASS_EPILOGUE_FUSION_EXTENDED_VISITOR_SCALAR_REDUCE_HPP
