#ifndef CATLASS_EPILOGUE_FUSION_EXTENDED_VISITOR_COMPUTE_HPP
#define CATLASS_EPILOGUE_FUSION_EXTENDED_VISITOR_COMPUTE_HPP

#include "catlass/epilogue/fusion/extended/operations/operator.hpp"
#include "catlass/epilogue/fusion/extended/visitor_impl.hpp"

namespace Catlass::Epilogue::Fusion::Extended {

/// An operator that Fusion::VisitorCompute cannot apply: one that takes or makes masks, or needs tiles of scratch, or
/// computes in float what is of another type. COMPUTE applies ComputeFn to the inputs.
///
/// COMPUTE_LENGTH is the block epilogue's. The operator works on the rows of the tile alone, with the padding at
/// their ends.
template <template <class> class ComputeFn, class ElementCompute, uint32_t COMPUTE_LENGTH, class... Scalars>
struct VisitorCompute : VisitorImpl<> {
    using VisitorImpl<>::VisitorImpl;

    using Fn = ComputeFn<ElementCompute>;
    using Application = detail::Application<Fn, ElementCompute>;
    using Scratch = typename Application::Scratch;

    static constexpr bool MAKES_MASK = detail::MAKES_MASK_OF<Fn>;
    static_assert(
        !MAKES_MASK || std::is_same_v<ElementCompute, Mask> ||
            COMPUTE_LENGTH * sizeof(ElementCompute) % BYTE_PER_REPEAT == 0,
        "VisitorCompute: comparisons take whole repeats of 256 bytes");

    using ElementOutput = std::conditional_t<MAKES_MASK, Mask, ElementCompute>;
    struct NoScalars {};
    using ScalarsTuple = std::conditional_t<sizeof...(Scalars) == 0, NoScalars, tla::tuple<Scalars...>>;

    struct Arguments {
        ScalarsTuple scalars;
    };

    using Params = Arguments;

    template <class ProblemShape>
    static constexpr Params to_underlying_arguments(ProblemShape const&, Arguments const& args, void*)
    {
        return args;
    }

    template <class ProblemShape>
    static size_t get_workspace_size(ProblemShape const&, Arguments const&)
    {
        return 0;
    }

    template <class ProblemShape>
    static bool can_implement(ProblemShape const&, Arguments const&)
    {
        return true;
    }

    CATLASS_HOST_DEVICE
    VisitorCompute()
    {}

    CATLASS_HOST_DEVICE
    VisitorCompute(Params const& params_) : params(params_)
    {}

    struct Callbacks : EmptyCallbacks {
        AscendC::LocalTensor<ElementOutput> ubOut;
        Scratch ubScratch;
        Params params;

        CATLASS_DEVICE
        Callbacks(AscendC::LocalTensor<ElementOutput> const& ubOut_, Scratch const& ubScratch_, Params const& params_)
            : ubOut(ubOut_), ubScratch(ubScratch_), params(params_)
        {}

        template <VisitStage Stage, class ArchTag, class TensorC, class... ElementInputs>
        CATLASS_DEVICE AscendC::LocalTensor<ElementOutput> const& visit(
            TensorC const& /*tensorTile*/, MatrixCoord const& alignedTileShape, MatrixCoord const& /*globalOffset*/,
            AscendC::LocalTensor<ElementInputs> const&... inputs)
        {
            static_assert(
                (true && ... && (std::is_same_v<ElementInputs, ElementCompute> || std::is_same_v<ElementInputs, Mask>)),
                "VisitorCompute: input element types must equal ElementCompute. Insert VisitorCast if needed.");
            if constexpr (Stage == VisitStage::COMPUTE) {
                Application::template Run<COMPUTE_LENGTH>(
                    MakeFn(tla::make_index_sequence<sizeof...(Scalars)>{}), ubOut,
                    alignedTileShape.row() * alignedTileShape.column(), ubScratch, inputs...);
            }
            return ubOut;
        }

    private:
        template <size_t... Is>
        CATLASS_DEVICE Fn MakeFn(tla::index_sequence<Is...>) const
        {
            return detail::MakeOperator<Fn>(0, tla::get<Is>(params.scalars)...);
        }
    };

    template <class ArchTag>
    CATLASS_DEVICE auto get_callbacks(Arch::Resource<ArchTag>& resource, uint32_t& ub_offset, uint32_t compute_length)
    {
        assert(compute_length == COMPUTE_LENGTH);
        auto ubOut = detail::TakeUb<ElementOutput>(resource, ub_offset, OUTPUT_BYTES);
        if constexpr (Application::ALL_SCRATCH_TILES > 0) {
            auto ubScratch = detail::TakeUb<typename Application::ElementScratch>(
                resource, ub_offset, Application::ScratchBytes(COMPUTE_LENGTH));
            return Callbacks(ubOut, ubScratch, params);
        } else {
            return Callbacks(ubOut, Scratch{}, params);
        }
    }

    Params params;

private:
    static constexpr uint32_t OUTPUT_BYTES =
        MAKES_MASK ? COMPUTE_LENGTH / ELE_NUM_PER_MASK : COMPUTE_LENGTH * sizeof(ElementCompute);
};

} // namespace Catlass::Epilogue::Fusion::Extended

#endif // CATLASS_EPILOGUE_FUSION_EXTENDED_VISITOR_COMPUTE_HPP
