#ifndef CATLASS_EPILOGUE_FUSION_EXTENDED_VISITOR_COL_REDUCE_HPP
#define CATLASS_EPILOGUE_FUSION_EXTENDED_VISITOR_COL_REDUCE_HPP

#include "catlass/epilogue/tile/copy_ub_to_gm.hpp"
#include "catlass/gemm/gemm_type.hpp"
#include "catlass/epilogue/fusion/extended/reduce.hpp"
#include "catlass/epilogue/fusion/extended/visitor_impl.hpp"

namespace Catlass::Epilogue::Fusion::Extended {

/// An M x 1 column: COMPUTE reduces the tile's columns to one, STORE combines that with GM by ReduceFn's atomic.
///
/// The values lie packed in GM. The caller fills them before the launch, with Arguments::identity for a plain
/// reduction. Returns its input.
template <template <class> class ReduceFn, class Element, class Layout>
struct VisitorColReduce : VisitorImpl<> {
    using VisitorImpl<>::VisitorImpl;

    using ElementOutput = Element;

    struct Arguments {
        GM_ADDR ptr_col_out = nullptr;
        Layout layout = {};
        Element identity{};
    };

    struct Params {
        GM_ADDR ptrCol{nullptr};
        Element factor{};
    };

    template <class ProblemShape>
    static constexpr Params to_underlying_arguments(ProblemShape const& problemShape, Arguments const& args, void*)
    {
        return Params{args.ptr_col_out, detail::FactorOf<ReduceFn, Element>(static_cast<float>(problemShape.n()))};
    }

    template <class ProblemShape>
    static size_t get_workspace_size(ProblemShape const&, Arguments const&)
    {
        return 0;
    }

    template <class ProblemShape>
    static bool can_implement(ProblemShape const&, Arguments const& args)
    {
        return args.ptr_col_out != nullptr && tla::get<0>(args.layout.stride()) == 1;
    }

    CATLASS_HOST_DEVICE
    VisitorColReduce()
    {}

    CATLASS_HOST_DEVICE
    VisitorColReduce(Params const& params_) : params(params_)
    {}

    struct Callbacks : EmptyCallbacks {
        AscendC::LocalTensor<Element> ubColumn;
        Params params;

        CATLASS_DEVICE
        Callbacks(AscendC::LocalTensor<Element> const& ubColumn_, Params const& params_)
            : ubColumn(ubColumn_), params(params_)
        {}

        template <VisitStage Stage, class ArchTag, class TensorC>
        CATLASS_DEVICE AscendC::LocalTensor<Element> const& visit(
            TensorC const& tensorTile, MatrixCoord const& alignedTileShape, MatrixCoord const& globalOffset,
            AscendC::LocalTensor<Element> const& input)
        {
            uint32_t rows = tla::get<0>(tensorTile.shape());
            uint32_t columns = tla::get<1>(tensorTile.shape());
            if constexpr (Stage == VisitStage::COMPUTE) {
                detail::ColumnReduction<Element>::template Run<ReduceFn>(
                    ubColumn, input, rows, columns, alignedTileShape.column());
                detail::ScaleIfMean<ReduceFn>(ubColumn, ubColumn, params.factor, rows);
            }
            if constexpr (Stage == VisitStage::STORE) {
                using CopyUbToGm = Epilogue::Tile::CopyUb2Gm<ArchTag, Gemm::GemmType<Element, layout::RowMajor>>;
                AscendC::GlobalTensor<Element> gmColumn;
                gmColumn.SetGlobalBuffer((__gm__ Element*)(params.ptrCol));
                detail::JoinToGm<ReduceFn, CopyUbToGm>(gmColumn[globalOffset.row()], ubColumn, rows);
            }
            return input;
        }
    };

    template <class ArchTag>
    CATLASS_DEVICE auto get_callbacks(Arch::Resource<ArchTag>& resource, uint32_t& ub_offset, uint32_t compute_length)
    {
        uint32_t bytes = detail::ColumnReduction<Element>::UbBytes(compute_length);
        return Callbacks(detail::TakeUb<Element>(resource, ub_offset, bytes), params);
    }

    Params params;
};

} // namespace Catlass::Epilogue::Fusion::Extended

#endif // CATLASS_EPILOGUE_FUSION_EXTENDED_VISITOR_COL_REDUCE_HPP
