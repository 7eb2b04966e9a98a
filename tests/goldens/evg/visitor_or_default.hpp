#ifndef CATLASS_EPILOGUE_FUSION_EXTENDED_VISITOR_OR_DEFAULT_HPP
#define CATLASS_EPILOGUE_FUSION_EXTENDED_VISITOR_OR_DEFAULT_HPP

#include "catlass/epilogue/fusion/extended/visitor_impl.hpp"

namespace Catlass::Epilogue::Fusion::Extended {

/// A load that may be given a null pointer, which stands for a tensor full of Arguments::null_default: COMPUTE fills
/// the tile with it, once in each block, since nothing else writes there.
///
/// LoadOp is a load whose can_implement is false for a null pointer alone.
template <class LoadOp>
struct VisitorOrDefault : VisitorImpl<> {
    using VisitorImpl<>::VisitorImpl;

    using ElementOutput = typename LoadOp::ElementOutput;

    struct Arguments {
        typename LoadOp::Arguments load;
        ElementOutput null_default{};
    };

    struct Params {
        typename LoadOp::Params load;
        ElementOutput nullDefault{};
        bool isNull{false};
    };

    template <class ProblemShape>
    static constexpr Params to_underlying_arguments(
        ProblemShape const& problemShape, Arguments const& args, void* workspace)
    {
        return Params{
            LoadOp::to_underlying_arguments(problemShape, args.load, workspace), args.null_default,
            !LoadOp::can_implement(problemShape, args.load)};
    }

    template <class ProblemShape>
    static size_t get_workspace_size(ProblemShape const& problemShape, Arguments const& args)
    {
        return LoadOp::get_workspace_size(problemShape, args.load);
    }

    template <class ProblemShape>
    static bool can_implement(ProblemShape const&, Arguments const&)
    {
        return true;
    }

    CATLASS_HOST_DEVICE
    VisitorOrDefault()
    {}

    CATLASS_HOST_DEVICE
    VisitorOrDefault(Params const& params_) : params(params_), loadOp(params_.load)
    {}

    template <class LoadCallbacks>
    struct Callbacks : EmptyCallbacks {
        LoadCallbacks load;
        ElementOutput nullDefault;
        uint32_t computeLength;
        bool isNull;
        bool isFilled{false};

        CATLASS_DEVICE
        Callbacks(LoadCallbacks const& load_, Params const& params, uint32_t computeLength_)
            : load(load_), nullDefault(params.nullDefault), computeLength(computeLength_), isNull(params.isNull)
        {}

        template <VisitStage Stage, class ArchTag, class TensorC>
        CATLASS_DEVICE AscendC::LocalTensor<ElementOutput> visit(
            TensorC const& tensorTile, MatrixCoord const& alignedTileShape, MatrixCoord const& globalOffset)
        {
            if (!isNull) {
                return load.template visit<Stage, ArchTag>(tensorTile, alignedTileShape, globalOffset);
            }
            // In STORE a load does no more than return its tile
            AscendC::LocalTensor<ElementOutput> ubTile =
                load.template visit<VisitStage::STORE, ArchTag>(tensorTile, alignedTileShape, globalOffset);
            if constexpr (Stage == VisitStage::COMPUTE) {
                if (!isFilled) {
                    AscendC::Duplicate(ubTile, nullDefault, computeLength);
                    isFilled = true;
                }
            }
            return ubTile;
        }
    };

    template <class ArchTag>
    CATLASS_DEVICE auto get_callbacks(Arch::Resource<ArchTag>& resource, uint32_t& ub_offset, uint32_t compute_length)
    {
        auto load = loadOp.get_callbacks(resource, ub_offset, compute_length);
        return Callbacks<decltype(load)>(load, params, compute_length);
    }

    Params params;
    LoadOp loadOp;
};

} // namespace Catlass::Epilogue::Fusion::Extended

#endif // CATLASS_EPILOGUE_FUSION_EXTENDED_VISITOR_OR_DEFAULT_HPP
