#ifndef CATLASS_EPILOGUE_FUSION_EXTENDED_VISITOR_ROW_REDUCE_HPP
#define CATLASS_EPILOGUE_FUSION_EXTENDED_VISITOR_ROW_REDUCE_HPP

#include "catlass/epilogue/tile/copy_ub_to_gm.hpp"
#include "catlass/gemm/gemm_type.hpp"
#include "catlass/epilogue/fusion/extended/reduce.hpp"
#include "catlass/epilogue/fusion/extended/visitor_impl.hpp"

namespace Catlass::Epilogue::Fusion::Extended {

/// A 1 x N row: COMPUTE reduces the tile's rows to one, STORE combines that with GM by ReduceFn's atomic.
///
/// The caller fills the output before the launch, with Arguments::identity for a plain reduction. Returns its input.
template <template <class> class ReduceFn, class Element, class Layout>
struct VisitorRowReduce : VisitorImpl<> {
    using VisitorImpl<>::VisitorImpl;

    using ElementOutput = Element;

    struct Arguments {
        GM_ADDR ptr_row_out = nullptr;
        Layout layout = {};
        Element identity{};
    };

    struct Params {
        GM_ADDR ptrRow{nullptr};
        Element factor{};
    };

    template <class ProblemShape>
    static constexpr Params to_underlying_arguments(ProblemShape const& problemShape, Arguments const& args, void*)
    {
        return Params{args.ptr_row_out, detail::FactorOf<ReduceFn, Element>(static_cast<float>(problemShape.m()))};
    }

    template <class ProblemShape>
    static size_t get_workspace_size(ProblemShape const&, Arguments const&)
    {
        return 0;
    }

    template <class ProblemShape>
    static bool can_implement(ProblemShape const&, Arguments const& args)
    {
        return args.ptr_row_out != nullptr;
    }

    CATLASS_HOST_DEVICE
    VisitorRowReduce()
    {}

    CATLASS_HOST_DEVICE
    VisitorRowReduce(Params const& params_) : params(params_)
    {}

    struct Callbacks : EmptyCallbacks {
        AscendC::LocalTensor<Element> ubRow;
        Params params;

        CATLASS_DEVICE
        Callbacks(AscendC::LocalTensor<Element> const& ubRow_, Params const& params_) : ubRow(ubRow_), params(params_)
        {}

        template <VisitStage Stage, class ArchTag, class TensorC>
        CATLASS_DEVICE AscendC::LocalTensor<Element> const& visit(
            TensorC const& tensorTile, MatrixCoord const& alignedTileShape, MatrixCoord const& globalOffset,
            AscendC::LocalTensor<Element> const& input)
        {
            uint32_t rows = tla::get<0>(tensorTile.shape());
            uint32_t columns = tla::get<1>(tensorTile.shape());
            if constexpr (Stage == VisitStage::COMPUTE) {
                if (rows > 1) {
                    detail::ReduceRows<ReduceFn>(ubRow, input, rows, alignedTileShape.column());
                } else {
                    // Never stored from the input itself, which may be what LOAD has written
                    AscendC::DataCopy(ubRow, input, alignedTileShape.column());
                }
                detail::ScaleIfMean<ReduceFn>(ubRow, ubRow, params.factor, columns);
            }
            if constexpr (Stage == VisitStage::STORE) {
                using CopyUbToGm = Epilogue::Tile::CopyUb2Gm<ArchTag, Gemm::GemmType<Element, layout::RowMajor>>;
                AscendC::GlobalTensor<Element> gmRow;
                gmRow.SetGlobalBuffer((__gm__ Element*)(params.ptrRow));
                detail::JoinToGm<ReduceFn, CopyUbToGm>(gmRow[globalOffset.column()], ubRow, columns);
            }
            return input;
        }
    };

    template <class ArchTag>
    CATLASS_DEVICE auto get_callbacks(Arch::Resource<ArchTag>& resource, uint32_t& ub_offset, uint32_t compute_length)
    {
        return Callbacks(detail::TakeUb<Element>(resource, ub_offset, compute_length * sizeof(Element)), params);
    }

    Params params;
};

} // namespace Catlass::Epilogue::Fusion::Extended

#endif // CATLASS_EPILOGUE_FUSION_EXTENDED_VISITOR_ROW_REDUCE_HPP
