#ifndef CATLASS_EPILOGUE_FUSION_EXTENDED_VISITOR_SCALAR_BROADCAST_HPP
#define CATLASS_EPILOGUE_FUSION_EXTENDED_VISITOR_SCALAR_BROADCAST_HPP

#include "catlass/epilogue/fusion/extended/visitor_impl.hpp"

namespace Catlass::Epilogue::Fusion::Extended {

/// A single value in GM, in every place of the tile: COMPUTE fills the tile with it, once in each block, since nothing
/// else writes there. The layout is that of a 1 x 1 tensor.
template <class Element, class Layout>
struct VisitorScalarBroadcast : VisitorImpl<> {
    using VisitorImpl<>::VisitorImpl;

    using ElementOutput = Element;

    struct Arguments {
        GM_ADDR ptr_scalar = nullptr;
        Layout layout = {};
    };

    struct Params {
        GM_ADDR ptrScalar{nullptr};
    };

    template <class ProblemShape>
    static constexpr Params to_underlying_arguments(ProblemShape const&, Arguments const& args, void*)
    {
        return Params{args.ptr_scalar};
    }

    template <class ProblemShape>
    static size_t get_workspace_size(ProblemShape const&, Arguments const&)
    {
        return 0;
    }

    template <class ProblemShape>
    static bool can_implement(ProblemShape const&, Arguments const& args)
    {
        return args.ptr_scalar != nullptr;
    }

    CATLASS_HOST_DEVICE
    VisitorScalarBroadcast()
    {}

    CATLASS_HOST_DEVICE
    VisitorScalarBroadcast(Params const& params_) : params(params_)
    {}

    struct Callbacks : EmptyCallbacks {
        AscendC::LocalTensor<Element> ubTile;
        Params params;
        uint32_t computeLength;
        bool isFilled{false};

        CATLASS_DEVICE
        Callbacks(AscendC::LocalTensor<Element> const& ubTile_, Params const& params_, uint32_t computeLength_)
            : ubTile(ubTile_), params(params_), computeLength(computeLength_)
        {}

        template <VisitStage Stage, class ArchTag, class TensorC>
        CATLASS_DEVICE AscendC::LocalTensor<Element> const& visit(
            TensorC const& /*tensorTile*/, MatrixCoord const& /*alignedTileShape*/, MatrixCoord const& /*globalOffset*/)
        {
            if constexpr (Stage == VisitStage::COMPUTE) {
                if (!isFilled) {
                    AscendC::GlobalTensor<Element> gmScalar;
                    gmScalar.SetGlobalBuffer((__gm__ Element*)(params.ptrScalar));
                    AscendC::Duplicate(ubTile, gmScalar.GetValue(0), computeLength);
                    isFilled = true;
                }
            }
            return ubTile;
        }
    };

    template <class ArchTag>
    CATLASS_DEVICE auto get_callbacks(Arch::Resource<ArchTag>& resource, uint32_t& ub_offset, uint32_t compute_length)
    {
        auto ubTile = detail::TakeUb<Element>(resource, ub_offset, compute_length * sizeof(Element));
        return Callbacks(ubTile, params, compute_length);
    }

    Params params;
};

} // namespace Catlass::Epilogue::Fusion::Extended

#endif // CATLASS_EPILOGUE_FUSION_EXTENDED_VISITOR_SCALAR_BROADCAST_HPP
