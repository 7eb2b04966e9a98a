#ifndef CATLASS_EPILOGUE_FUSION_VISITOR_COMPUTE_HPP
#define CATLASS_EPILOGUE_FUSION_VISITOR_COMPUTE_HPP

#include "catlass/epilogue/fusion/operations/operator.hpp"
#include "catlass/epilogue/fusion/visitor_impl.hpp"

namespace Catlass::Epilogue::Fusion {

/// The constants of an operator, in the order and of the types of its members.
template <class... Scalars>
struct ComputeArguments {
    tla::tuple<Scalars...> scalars;
};

template <>
struct ComputeArguments<> {};

namespace detail {

/// Whether an operator can be called with these inputs, and with its own tiles of scratch.
template <class Application, class Fn, class ElementOutput, class... Inputs, size_t... Is>
CATLASS_HOST_DEVICE constexpr bool CanCall(tla::index_sequence<Is...>)
{
    using Dst = AscendC::LocalTensor<std::conditional_t<Application::CASTS, float, ElementOutput>>;
    using Tile = AscendC::LocalTensor<typename Application::ElementScratch>;
    return std::is_invocable_v<
               Fn const&, Dst&, int32_t, std::conditional_t<Application::CASTS, Dst, Inputs> const&...,
               decltype(static_cast<void>(Is), std::declval<Tile>())...> ||
           std::is_invocable_v<Fn const&, Dst&, Inputs const&..., uint32_t>;
}

} // namespace detail

/// An elementwise operator: COMPUTE applies ComputeFn to the inputs, masks or values of type ElementCompute.
///
/// The operator is ComputeFn<ElementCompute>{scalars...}, with the scalars of the arguments. It computes on the whole
/// tile, including the padding at the end of the rows, which is never read.
template <template <class> class ComputeFn, class ElementCompute, class... Scalars>
struct VisitorCompute : VisitorImpl<> {
    using Fn = ComputeFn<ElementCompute>;
    using Application = detail::Application<Fn, ElementCompute>;

    static_assert(
        std::is_empty_v<Fn> == (sizeof...(Scalars) == 0),
        "VisitorCompute: name the types of the operator's constants as Scalars, and give them with the arguments");

    static constexpr bool MAKES_MASK = detail::MakesMask<Fn>::value;
    using ElementOutput = std::conditional_t<MAKES_MASK, Mask, ElementCompute>;

    static constexpr bool PENDING = true;
    static constexpr bool READS_IN_COMPUTE = true;
    static constexpr bool HAS_BARRIER = Application::HAS_BARRIER;
    static constexpr uint32_t IN_PLACE = Application::IN_PLACE;
    static constexpr uint32_t STRIDE_ALIGN =
        std::is_same_v<ElementCompute, Mask> ? 1 : BYTE_PER_BLK / sizeof(ElementCompute);

    /// The operator can be called with these inputs.
    template <class... ElementInputs>
    struct CheckInputs {
        static_assert(
            (true && ... && (std::is_same_v<ElementInputs, ElementCompute> || std::is_same_v<ElementInputs, Mask>)),
            "VisitorCompute: every input must have the type ElementCompute; insert a VisitorCast");
        static_assert(
            detail::CanCall<Application, Fn, ElementOutput, AscendC::LocalTensor<ElementInputs>...>(
                tla::make_index_sequence<Application::ALL_SCRATCH_TILES - Application::FIRST_SCRATCH_TILE>{}),
            "VisitorCompute: the operator takes other inputs; give the node as many children, or edges, as it has "
            "operands");
    };

    using Scratch = typename Application::Scratch;

    using Arguments = ComputeArguments<Scalars...>;
    using Params = Arguments;

    template <class ProblemShape>
    CATLASS_HOST_DEVICE static Params to_underlying_arguments(ProblemShape const&, Arguments const& args, GM_ADDR)
    {
        return args;
    }

    CATLASS_HOST_DEVICE static constexpr UbParts UbNeed(uint32_t computeLength)
    {
        UbParts need;
        need.tile = OutputBytes(computeLength);
        need.scratch = Application::ScratchBytes(computeLength);
        return need;
    }

    CATLASS_HOST_DEVICE
    VisitorCompute()
    {}

    CATLASS_HOST_DEVICE
    VisitorCompute(Params const& params_) : params(params_)
    {}

    template <uint32_t COMPUTE_LENGTH>
    struct Callbacks : EmptyCallbacks {
        AscendC::LocalTensor<ElementOutput> ubOut;
        Scratch ubScratch;
        Params params;

        CATLASS_DEVICE
        Callbacks(AscendC::LocalTensor<ElementOutput> const& ubOut_, Scratch const& ubScratch_, Params const& params_)
            : ubOut(ubOut_), ubScratch(ubScratch_), params(params_)
        {}

        template <VisitStage STAGE, class... ElementInputs>
        CATLASS_DEVICE AscendC::LocalTensor<ElementOutput> const& visit(
            MatrixCoord const& /*globalTileOffset*/, MatrixCoord const& /*localTileOffset*/,
            MatrixCoord const& /*tileShape*/, uint32_t calCount, AscendC::LocalTensor<ElementInputs> const&... inputs)
        {
            if constexpr (HasStage(STAGE, VisitStage::COMPUTE)) {
                Application::template Run<COMPUTE_LENGTH>(
                    MakeFn(tla::make_index_sequence<sizeof...(Scalars)>{}), ubOut, calCount, ubScratch, inputs...);
                SynchronizeIfAll<STAGE>();
            }
            return ubOut;
        }

    private:
        template <size_t... Is>
        CATLASS_DEVICE Fn MakeFn(tla::index_sequence<Is...>) const
        {
            return Fn{tla::get<Is>(params.scalars)...};
        }
    };

    template <class ArchTag, class ComputeLength>
    CATLASS_DEVICE auto get_callbacks(Arch::Resource<ArchTag>& resource, UbParts const& ub, ComputeLength)
    {
        constexpr uint32_t length = ComputeLength::value;
        static_assert(
            !MAKES_MASK || std::is_same_v<ElementCompute, Mask> ||
                length * sizeof(ElementCompute) % BYTE_PER_REPEAT == 0,
            "VisitorCompute: comparisons take whole repeats of 256 bytes");
        auto ubOut = resource.ubBuf.template GetBufferByByte<ElementOutput>(ub.tile);
        if constexpr (Application::ALL_SCRATCH_TILES > 0) {
            using ElementScratch = typename Application::ElementScratch;
            return Callbacks<length>{
                ubOut, resource.ubBuf.template GetBufferByByte<ElementScratch>(ub.scratch), params};
        } else {
            return Callbacks<length>{ubOut, Scratch{}, params};
        }
    }

private:
    Params params;

    CATLASS_HOST_DEVICE static constexpr uint32_t OutputBytes(uint32_t computeLength)
    {
        if constexpr (MAKES_MASK) {
            return RoundUp<BYTE_PER_BLK>(computeLength / ELE_NUM_PER_MASK);
        }
        return computeLength * sizeof(ElementCompute);
    }
};

} // namespace Catlass::Epilogue::Fusion

#endif // CATLASS_EPILOGUE_FUSION_VISITOR_COMPUTE_HPP
