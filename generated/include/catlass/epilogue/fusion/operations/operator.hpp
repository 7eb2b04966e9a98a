#ifndef CATLASS_EPILOGUE_FUSION_OPERATIONS_OPERATOR_HPP
#define CATLASS_EPILOGUE_FUSION_OPERATIONS_OPERATOR_HPP

#include <type_traits>

#include "catlass/catlass.hpp"
#include "catlass/epilogue/fusion/visitor_impl_base.hpp"

namespace Catlass::Epilogue::Fusion {

// Elementwise operators on count elements of UB: fn(dst, count, inputs..., scratch...), where count is an int32_t as
// AscendC takes it. One without scratch may also be fn(dst, inputs..., count), where it is a uint32_t.
//
// An operator's constants are its members, as in LeakyRelu<half>{slope}. It writes dst and its scratch, never an input.
// A barrier comes before a call that touches a tile that an earlier call wrote, or overwrites one that it read.
//
// The other facts that VisitorCompute needs are static members, which an operator without constants takes from the
// traits below; where they are missing they are 0 and false.

template <class Element>
using UbTensor = AscendC::LocalTensor<Element>;

/// The bytes of a mask: bit i of them is element i. Compare writes it, Select reads it.
using Mask = uint8_t;

constexpr uint32_t ELE_NUM_PER_MASK = 8;

namespace traits {

/// The operator computes in float, whatever Element is: one rounding rather than one per step. If Element is not float,
/// VisitorCompute casts the inputs and the result. This many tiles of scratch hold them: one for each input, and one
/// for dst unless dst can share that of the first input.
template <uint32_t N>
struct CastTiles {
    static constexpr uint32_t CAST_TILES = N;
};

/// Tiles of scratch that the operator itself takes, of the type that it computes in.
template <uint32_t N>
struct ScratchTiles {
    static constexpr uint32_t SCRATCH_TILES = N;
};

/// There is a BarrierV among its calls.
struct HasBarrier {
    static constexpr bool HAS_BARRIER = true;
};

/// Bit i: dst may be the tile of input i. No call behind the first that writes dst reads that input, and a barrier
/// stands before that one if an earlier call has read it.
template <uint32_t INPUTS>
struct InPlace {
    static constexpr uint32_t IN_PLACE = INPUTS;
};

/// dst is a mask.
struct MakesMask {
    static constexpr bool MAKES_MASK = true;
};

} // namespace traits

namespace detail {

template <class Fn, class = void>
struct CastTiles : std::integral_constant<uint32_t, 0> {};

template <class Fn>
struct CastTiles<Fn, std::void_t<decltype(Fn::CAST_TILES)>> : std::integral_constant<uint32_t, Fn::CAST_TILES> {};

template <class Fn, class = void>
struct ScratchTiles : std::integral_constant<uint32_t, 0> {};

template <class Fn>
struct ScratchTiles<Fn, std::void_t<decltype(Fn::SCRATCH_TILES)>>
    : std::integral_constant<uint32_t, Fn::SCRATCH_TILES> {};

template <class Fn, class = void>
struct HasBarrier : std::false_type {};

template <class Fn>
struct HasBarrier<Fn, std::void_t<decltype(Fn::HAS_BARRIER)>> : std::bool_constant<Fn::HAS_BARRIER> {};

template <class Fn, class = void>
struct InPlace : std::integral_constant<uint32_t, 0> {};

template <class Fn>
struct InPlace<Fn, std::void_t<decltype(Fn::IN_PLACE)>> : std::integral_constant<uint32_t, Fn::IN_PLACE> {};

template <class Fn, class = void>
struct MakesMask : std::false_type {};

template <class Fn>
struct MakesMask<Fn, std::void_t<decltype(Fn::MAKES_MASK)>> : std::bool_constant<Fn::MAKES_MASK> {};

/// In place of a tensor, for an operator without scratch.
struct NoScratch {};

/// An operator applied to values of type Element: its casts, and its tiles of scratch.
template <class Fn, class Element>
struct Application {
    static constexpr uint32_t CAST_TILES = CastTiles<Fn>::value;
    static constexpr bool CASTS = CAST_TILES > 0 && !std::is_same_v<Element, float>;
    static constexpr bool HAS_BARRIER = CASTS || HasBarrier<Fn>::value;

    /// With casts, dst is written when no input is read any more.
    static constexpr uint32_t ALL_INPUTS = ~0u;
    static constexpr uint32_t IN_PLACE = CASTS ? ALL_INPUTS : InPlace<Fn>::value;

    using ElementScratch = std::conditional_t<(CAST_TILES > 0), float, Element>;

    /// The tiles of the casts come first.
    static constexpr uint32_t FIRST_SCRATCH_TILE = CASTS ? CAST_TILES : 0;

    /// Elements from one tile of scratch to the next: neighbours never meet in a bank.
    CATLASS_HOST_DEVICE static constexpr uint32_t ScratchStep(uint32_t computeLength)
    {
        constexpr auto BYTES = static_cast<uint32_t>(sizeof(ElementScratch));
        return (RoundUp<BANK_PERIOD>(computeLength * BYTES) + BYTE_PER_REPEAT) / BYTES;
    }

    static constexpr uint32_t ALL_SCRATCH_TILES = FIRST_SCRATCH_TILE + ScratchTiles<Fn>::value;

    CATLASS_HOST_DEVICE static constexpr uint32_t ScratchBytes(uint32_t computeLength)
    {
        return ALL_SCRATCH_TILES * ScratchStep(computeLength) * static_cast<uint32_t>(sizeof(ElementScratch));
    }

    using Scratch = std::conditional_t<(ALL_SCRATCH_TILES > 0), UbTensor<ElementScratch>, NoScratch>;

    template <uint32_t COMPUTE_LENGTH, class ElementOutput, class... Inputs>
    CATLASS_DEVICE static void Run(
        Fn const& fn, UbTensor<ElementOutput> const& dst, uint32_t count, Scratch const& scratch,
        Inputs const&... inputs)
    {
        if constexpr (CASTS) {
            RunInFloat<ScratchStep(COMPUTE_LENGTH)>(
                fn, dst, count, scratch, tla::make_index_sequence<sizeof...(Inputs)>{}, inputs...);
        } else {
            Call<ScratchStep(COMPUTE_LENGTH)>(fn, dst, count, scratch, ScratchIndices{}, inputs...);
        }
    }

private:
    using ScratchIndices = tla::make_index_sequence<ScratchTiles<Fn>::value>;

    template <uint32_t STEP, size_t... Is, class... Inputs>
    CATLASS_DEVICE static void RunInFloat(
        Fn const& fn, UbTensor<Element> const& dst, uint32_t count, UbTensor<float> const& scratch,
        tla::index_sequence<Is...>, Inputs const&... inputs)
    {
        constexpr uint32_t DST_TILE = CAST_TILES > sizeof...(Inputs) ? sizeof...(Inputs) : 0;
        UbTensor<float> wideDst = scratch[DST_TILE * STEP];
        (AscendC::Cast(scratch[Is * STEP], inputs, AscendC::RoundMode::CAST_NONE, count), ...);
        BarrierV();
        Call<STEP>(fn, wideDst, count, scratch, ScratchIndices{}, UbTensor<float>(scratch[Is * STEP])...);
        BarrierV();
        AscendC::Cast(dst, wideDst, AscendC::RoundMode::CAST_NONE, count);
    }

    // dst by value: an operator may take it by reference, constant or not
    template <uint32_t STEP, class ElementOutput, size_t... Is, class... Inputs>
    CATLASS_DEVICE static void Call(
        Fn const& fn, UbTensor<ElementOutput> dst, uint32_t count, [[maybe_unused]] Scratch const& scratch,
        tla::index_sequence<Is...>, Inputs const&... inputs)
    {
        using Dst = UbTensor<ElementOutput>;
        if constexpr (sizeof...(Is) == 0 && std::is_invocable_v<Fn const&, Dst&, Inputs const&..., uint32_t>) {
            fn(dst, inputs..., count);
        } else {
            fn(dst, static_cast<int32_t>(count), inputs..., scratch[(FIRST_SCRATCH_TILE + Is) * STEP]...);
        }
    }
};

} // namespace detail
} // namespace Catlass::Epilogue::Fusion

#endif // CATLASS_EPILOGUE_FUSION_OPERATIONS_OPERATOR_HPP
