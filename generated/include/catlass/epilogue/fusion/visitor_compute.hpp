#ifndef CATLASS_EPILOGUE_FUSION_VISITOR_COMPUTE_HPP
#define CATLASS_EPILOGUE_FUSION_VISITOR_COMPUTE_HPP

#include "catlass/epilogue/fusion/operations.hpp"
#include "catlass/epilogue/fusion/visitor_impl.hpp"

namespace Catlass::Epilogue::Fusion {

/// The scratch of an operator, in bytes for each element of its result; none unless it says so.
template <class Fn, class = void>
struct ScratchOf : std::false_type {
    using Element = uint8_t;
    static constexpr uint32_t BYTES = 0;
};

template <class Fn>
struct ScratchOf<Fn, std::void_t<typename Fn::ElementScratch>> : std::true_type {
    using Element = typename Fn::ElementScratch;
    static constexpr uint32_t BYTES = Fn::SCRATCH_BYTES;
};

/// Whether a barrier stands among an operator's calls.
template <class Fn, class = void>
struct HasBarrier : std::false_type {};

template <class Fn>
struct HasBarrier<Fn, std::void_t<decltype(Fn::HAS_BARRIER)>> : std::bool_constant<Fn::HAS_BARRIER> {};

/// Whether an operator makes a mask.
template <class Fn, class = void>
struct MakesMask : std::false_type {};

template <class Fn>
struct MakesMask<Fn, std::void_t<decltype(Fn::MAKES_MASK)>> : std::bool_constant<Fn::MAKES_MASK> {};

/// The constants of an operator that the caller gives at run time.
template <class Element, uint32_t COUNT>
struct ComputeArguments {
    Element constants[COUNT];
};

template <class Element>
struct ComputeArguments<Element, 0> {};

/// An elementwise operator: COMPUTE applies ComputeFn to the inputs, masks or values of type ElementCompute.
///
/// The whole tile is computed on, the padding at the end of its rows included; nobody reads that.
/// CONSTANTS are given with the arguments; a ComputeFn that has its constants bound takes none.
template <template <class> class ComputeFn, class ElementCompute, uint32_t CONSTANTS = 0>
struct VisitorCompute : VisitorImpl<> {
    using Fn = ComputeFn<ElementCompute>;

    static constexpr bool MAKES_MASK = MakesMask<Fn>::value;
    using ElementOutput = std::conditional_t<MAKES_MASK, Mask, ElementCompute>;

    static constexpr bool PENDING = true;
    static constexpr bool READS_IN_COMPUTE = true;
    static constexpr bool HAS_BARRIER = HasBarrier<Fn>::value;
    static constexpr uint32_t STRIDE_ALIGN =
        std::is_same_v<ElementCompute, Mask> ? 1 : BYTE_PER_BLK / sizeof(ElementCompute);

    using ElementScratch = typename ScratchOf<Fn>::Element;
    static constexpr uint32_t SCRATCH_BYTES = ScratchOf<Fn>::BYTES;

    using Arguments =
        ComputeArguments<std::conditional_t<std::is_integral_v<ElementCompute>, int32_t, float>, CONSTANTS>;
    using Params = Arguments;

    template <class ProblemShape>
    CATLASS_HOST_DEVICE static Params to_underlying_arguments(ProblemShape const&, Arguments const& args, uint8_t*)
    {
        return args;
    }

    CATLASS_HOST_DEVICE static constexpr uint32_t UbBytes(uint32_t computeLength)
    {
        return OutputBytes(computeLength) + computeLength * SCRATCH_BYTES;
    }

    CATLASS_HOST_DEVICE
    VisitorCompute()
    {}

    CATLASS_HOST_DEVICE
    VisitorCompute(Params const& params_) : params(params_)
    {}

    struct Callbacks : EmptyCallbacks {
        AscendC::LocalTensor<ElementOutput> ubOut;
        AscendC::LocalTensor<ElementScratch> ubScratch;
        Params params;

        CATLASS_DEVICE
        Callbacks(
            AscendC::LocalTensor<ElementOutput> const& ubOut_, AscendC::LocalTensor<ElementScratch> const& ubScratch_,
            Params const& params_)
            : ubOut(ubOut_), ubScratch(ubScratch_), params(params_)
        {}

        template <class... ElementInputs>
        CATLASS_DEVICE AscendC::LocalTensor<ElementOutput> const& visit(
            MatrixCoord const& /*globalTileOffset*/, MatrixCoord const& /*localTileOffset*/,
            MatrixCoord const& /*tileShape*/, uint32_t calCount, VisitStage stage,
            AscendC::LocalTensor<ElementInputs> const&... inputs)
        {
            static_assert(
                (true && ... && (std::is_same_v<ElementInputs, ElementCompute> || std::is_same_v<ElementInputs, Mask>)),
                "VisitorCompute: every input must have the type ElementCompute; insert a VisitorCast");
            if (HasStage(stage, VisitStage::COMPUTE)) {
                Compute(calCount, tla::make_index_sequence<CONSTANTS>{}, inputs...);
                SynchronizeIfAll(stage);
            }
            return ubOut;
        }

    private:
        template <size_t... Is, class... Inputs>
        CATLASS_DEVICE void Compute(uint32_t count, tla::index_sequence<Is...>, Inputs const&... inputs)
        {
            if constexpr (ScratchOf<Fn>::value) {
                Fn{}(
                    ubOut, count, ubScratch, inputs...,
                    static_cast<typename Fn::ElementConstant>(params.constants[Is])...);
            } else {
                Fn{}(ubOut, count, inputs..., static_cast<typename Fn::ElementConstant>(params.constants[Is])...);
            }
        }
    };

    template <class ArchTag, class ComputeLength>
    CATLASS_DEVICE auto get_callbacks(Arch::Resource<ArchTag>& resource, uint32_t& ubOffset, ComputeLength)
    {
        constexpr uint32_t length = ComputeLength::value;
        static_assert(
            !MAKES_MASK || std::is_same_v<ElementCompute, Mask> || length * sizeof(ElementCompute) % 256 == 0,
            "VisitorCompute: comparisons take whole repeats of 256 bytes");
        auto ubOut = TakeUb<ElementOutput>(resource, ubOffset, OutputBytes(length));
        auto ubScratch = TakeUb<ElementScratch>(resource, ubOffset, length * SCRATCH_BYTES);
        return Callbacks{ubOut, ubScratch, params};
    }

private:
    Params params;

    CATLASS_HOST_DEVICE static constexpr uint32_t OutputBytes(uint32_t computeLength)
    {
        if constexpr (MAKES_MASK) {
            return RoundUp<BYTE_PER_BLK>(computeLength / 8);
        }
        return computeLength * sizeof(ElementCompute);
    }
};

} // namespace Catlass::Epilogue::Fusion

#endif // CATLASS_EPILOGUE_FUSION_VISITOR_COMPUTE_HPP
