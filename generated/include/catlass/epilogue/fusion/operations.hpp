#ifndef CATLASS_EPILOGUE_FUSION_OPERATIONS_HPP
#define CATLASS_EPILOGUE_FUSION_OPERATIONS_HPP

#include <type_traits>

#include "catlass/catlass.hpp"
#include "catlass/epilogue/fusion/visitor_impl_base.hpp"

namespace Catlass::Epilogue::Fusion {

// Elementwise operators on count elements of UB: fn(dst, count, inputs..., scratch...). One without scratch may also
// be fn(dst, inputs..., count).
//
// An operator's constants are its members, as in LeakyRelu<half>{slope}. It writes dst and its scratch, never an input.
// A barrier comes before a call that touches a tile that an earlier call wrote, or overwrites one that it read.
//
// An operator declares the other facts that VisitorCompute needs; their defaults are 0 and false:
//
//   CAST_TILES     The operator computes in float, whatever Element is: one rounding rather than one per step. If
//                  Element is not float, VisitorCompute casts the inputs and the result. This many tiles of scratch
//                  hold them: one for each input, and one for dst unless dst can share that of the first input.
//   SCRATCH_TILES  Tiles of scratch that the operator itself takes, of the type that it computes in.
//   HAS_BARRIER    There is a BarrierV among its calls.
//   MAKES_MASK     dst is a mask.
//   IN_PLACE       Bit i: dst may be the tile of input i. No call behind the first that writes dst reads that input,
//   and
//                  a barrier stands before that one if an earlier call has read it.
//
// A mask has one bit for each element. Comparisons work on whole repeats, and their buffers have room for those.

/// The bytes of a mask: bit i of them is element i. Compare writes it, Select reads it.
using Mask = uint8_t;

constexpr uint32_t ELE_NUM_PER_MASK = 8;
constexpr uint32_t ELE_NUM_PER_MASK_WORD = 16;

/// A mask in words of 16 bits, as And, Or and Not take it.
CATLASS_DEVICE AscendC::LocalTensor<uint16_t> MaskWords(AscendC::LocalTensor<Mask> const& mask)
{
    return mask.ReinterpretCast<uint16_t>();
}

/// The words that hold the mask of count elements.
CATLASS_DEVICE uint32_t CountMaskWords(uint32_t count)
{
    return CeilDiv<ELE_NUM_PER_MASK_WORD>(count);
}

/// The elements of the repeats that count elements take, the last of them counted whole.
template <class Element>
CATLASS_DEVICE uint32_t WholeRepeats(uint32_t count)
{
    return RoundUp<BYTE_PER_REPEAT / static_cast<uint32_t>(sizeof(Element))>(count);
}

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
        uint32_t bytes = computeLength * sizeof(ElementScratch);
        return (RoundUp<BANK_PERIOD>(bytes) + BYTE_PER_REPEAT) / sizeof(ElementScratch);
    }

    static constexpr uint32_t ALL_SCRATCH_TILES = FIRST_SCRATCH_TILE + ScratchTiles<Fn>::value;

    CATLASS_HOST_DEVICE static constexpr uint32_t ScratchBytes(uint32_t computeLength)
    {
        return ALL_SCRATCH_TILES * ScratchStep(computeLength) * sizeof(ElementScratch);
    }

    using Scratch = std::conditional_t<(ALL_SCRATCH_TILES > 0), AscendC::LocalTensor<ElementScratch>, NoScratch>;

    template <uint32_t COMPUTE_LENGTH, class ElementOutput, class... Inputs>
    CATLASS_DEVICE static void Run(
        Fn const& fn, AscendC::LocalTensor<ElementOutput> const& dst, uint32_t count, Scratch const& scratch,
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
        Fn const& fn, AscendC::LocalTensor<Element> const& dst, uint32_t count,
        AscendC::LocalTensor<float> const& scratch, tla::index_sequence<Is...>, Inputs const&... inputs)
    {
        constexpr uint32_t DST_TILE = CAST_TILES > sizeof...(Inputs) ? sizeof...(Inputs) : 0;
        AscendC::LocalTensor<float> wideDst = scratch[DST_TILE * STEP];
        (AscendC::Cast(scratch[Is * STEP], inputs, AscendC::RoundMode::CAST_NONE, count), ...);
        BarrierV();
        Call<STEP>(fn, wideDst, count, scratch, ScratchIndices{}, AscendC::LocalTensor<float>(scratch[Is * STEP])...);
        BarrierV();
        AscendC::Cast(dst, wideDst, AscendC::RoundMode::CAST_NONE, count);
    }

    // dst by value: an operator may take it by reference, constant or not
    template <uint32_t STEP, class ElementOutput, size_t... Is, class... Inputs>
    CATLASS_DEVICE static void Call(
        Fn const& fn, AscendC::LocalTensor<ElementOutput> dst, uint32_t count, [[maybe_unused]] Scratch const& scratch,
        tla::index_sequence<Is...>, Inputs const&... inputs)
    {
        using Dst = AscendC::LocalTensor<ElementOutput>;
        if constexpr (sizeof...(Is) == 0 && std::is_invocable_v<Fn const&, Dst&, Inputs const&..., uint32_t>) {
            fn(dst, inputs..., count);
        } else {
            fn(dst, count, inputs..., scratch[(FIRST_SCRATCH_TILE + Is) * STEP]...);
        }
    }
};

/// One of the 2 * N - 2 calls of Horner's rule for dst = P(x). The coefficients start with the constant term.
template <uint32_t N>
CATLASS_DEVICE void HornerStep(
    AscendC::LocalTensor<float> const& dst, AscendC::LocalTensor<float> const& x, float const (&coefficients)[N],
    uint32_t step, uint32_t count)
{
    if (step == 0) {
        AscendC::Muls(dst, x, coefficients[N - 1], count);
    } else if (step % 2 != 0) {
        AscendC::Adds(dst, dst, coefficients[N - 1 - (step + 1) / 2], count);
    } else {
        AscendC::Mul(dst, dst, x, count);
    }
}

/// dst = P(x)
template <uint32_t N>
CATLASS_DEVICE void Polynomial(
    AscendC::LocalTensor<float> const& dst, AscendC::LocalTensor<float> const& x, float const (&coefficients)[N],
    uint32_t count)
{
    HornerStep(dst, x, coefficients, 0, count);
    for (uint32_t step = 1; step < 2 * N - 2; ++step) {
        BarrierV();
        HornerStep(dst, x, coefficients, step, count);
    }
}

/// dstP = P(x) and dstQ = Q(x), interleaved to share barriers. The last one comes after all of P if Q is longer.
template <uint32_t NP, uint32_t NQ>
CATLASS_DEVICE void Polynomials(
    AscendC::LocalTensor<float> const& dstP, AscendC::LocalTensor<float> const& dstQ,
    AscendC::LocalTensor<float> const& x, float const (&coefficientsP)[NP], float const (&coefficientsQ)[NQ],
    uint32_t count)
{
    static_assert(NP <= NQ, "Polynomials: Q must not be shorter than P");
    HornerStep(dstP, x, coefficientsP, 0, count);
    HornerStep(dstQ, x, coefficientsQ, 0, count);
    for (uint32_t step = 1; step < 2 * NQ - 2; ++step) {
        BarrierV();
        if (step < 2 * NP - 2) {
            HornerStep(dstP, x, coefficientsP, step, count);
        }
        HornerStep(dstQ, x, coefficientsQ, step, count);
    }
}

/// dst = exp(x) / (1 + exp(x)), which is 1 in float from 17 on.
CATLASS_DEVICE void Logistic(
    AscendC::LocalTensor<float> const& dst, AscendC::LocalTensor<float> const& x,
    AscendC::LocalTensor<float> const& tmp, uint32_t count)
{
    constexpr float MAX_EXPONENT = 88.0f; // exp is finite up to it
    AscendC::Mins(dst, x, MAX_EXPONENT, count);
    BarrierV();
    AscendC::Exp(dst, dst, count);
    BarrierV();
    AscendC::Adds(tmp, dst, 1.0f, count);
    BarrierV();
    AscendC::Div(dst, dst, tmp, count);
}

} // namespace detail

/// dst = a + b, and so on for more inputs
template <class Element>
struct Plus {
    static constexpr uint32_t IN_PLACE = 0b11;

    /// Makes later writes to GM combine with the previous contents by this operation.
    CATLASS_DEVICE static void SetAtomic()
    {
        AscendC::SetAtomicAdd<Element>();
    }

    /// Reduces the first lanes elements of each repeat to one; the repeats of src start stride data blocks apart.
    CATLASS_DEVICE static void ReduceLanes(
        AscendC::LocalTensor<Element> const& dst, AscendC::LocalTensor<Element> const& src, int32_t lanes,
        int32_t repeats, int32_t stride)
    {
        AscendC::WholeReduceSum<Element>(dst, src, lanes, repeats, 1, 1, stride);
    }

    template <class... More>
    CATLASS_DEVICE void operator()(
        AscendC::LocalTensor<Element> const& dst, uint32_t count, AscendC::LocalTensor<Element> const& a,
        AscendC::LocalTensor<Element> const& b, More const&... more) const
    {
        AscendC::Add(dst, a, b, count);
        ((BarrierV(), AscendC::Add(dst, dst, more, count)), ...);
    }
};

/// dst = a - b
template <class Element>
struct Minus {
    static constexpr uint32_t IN_PLACE = 0b11;

    CATLASS_DEVICE void operator()(
        AscendC::LocalTensor<Element> const& dst, uint32_t count, AscendC::LocalTensor<Element> const& a,
        AscendC::LocalTensor<Element> const& b) const
    {
        AscendC::Sub(dst, a, b, count);
    }
};

/// dst = a * b, and so on for more inputs
template <class Element>
struct Multiplies {
    static constexpr uint32_t IN_PLACE = 0b11;

    template <class... More>
    CATLASS_DEVICE void operator()(
        AscendC::LocalTensor<Element> const& dst, uint32_t count, AscendC::LocalTensor<Element> const& a,
        AscendC::LocalTensor<Element> const& b, More const&... more) const
    {
        AscendC::Mul(dst, a, b, count);
        ((BarrierV(), AscendC::Mul(dst, dst, more, count)), ...);
    }
};

/// dst = a / b
template <class Element>
struct Divides {
    static constexpr uint32_t IN_PLACE = 0b11;

    CATLASS_DEVICE void operator()(
        AscendC::LocalTensor<Element> const& dst, uint32_t count, AscendC::LocalTensor<Element> const& a,
        AscendC::LocalTensor<Element> const& b) const
    {
        AscendC::Div(dst, a, b, count);
    }
};

/// dst = fmax(a, b), and so on for more inputs
template <class Element>
struct Maximum {
    static constexpr uint32_t IN_PLACE = 0b11;

    /// Makes later writes to GM combine with the previous contents by this operation.
    CATLASS_DEVICE static void SetAtomic()
    {
        AscendC::SetAtomicMax<Element>();
    }

    /// Reduces the first lanes elements of each repeat to one; the repeats of src start stride data blocks apart.
    CATLASS_DEVICE static void ReduceLanes(
        AscendC::LocalTensor<Element> const& dst, AscendC::LocalTensor<Element> const& src, int32_t lanes,
        int32_t repeats, int32_t stride)
    {
        AscendC::WholeReduceMax<Element>(
            dst, src, lanes, repeats, 1, 1, stride, AscendC::ReduceOrder::ORDER_ONLY_VALUE);
    }

    template <class... More>
    CATLASS_DEVICE void operator()(
        AscendC::LocalTensor<Element> const& dst, uint32_t count, AscendC::LocalTensor<Element> const& a,
        AscendC::LocalTensor<Element> const& b, More const&... more) const
    {
        AscendC::Max(dst, a, b, count);
        ((BarrierV(), AscendC::Max(dst, dst, more, count)), ...);
    }
};

/// dst = fmin(a, b), and so on for more inputs
template <class Element>
struct Minimum {
    static constexpr uint32_t IN_PLACE = 0b11;

    /// Makes later writes to GM combine with the previous contents by this operation.
    CATLASS_DEVICE static void SetAtomic()
    {
        AscendC::SetAtomicMin<Element>();
    }

    /// Reduces the first lanes elements of each repeat to one; the repeats of src start stride data blocks apart.
    CATLASS_DEVICE static void ReduceLanes(
        AscendC::LocalTensor<Element> const& dst, AscendC::LocalTensor<Element> const& src, int32_t lanes,
        int32_t repeats, int32_t stride)
    {
        AscendC::WholeReduceMin<Element>(
            dst, src, lanes, repeats, 1, 1, stride, AscendC::ReduceOrder::ORDER_ONLY_VALUE);
    }

    template <class... More>
    CATLASS_DEVICE void operator()(
        AscendC::LocalTensor<Element> const& dst, uint32_t count, AscendC::LocalTensor<Element> const& a,
        AscendC::LocalTensor<Element> const& b, More const&... more) const
    {
        AscendC::Min(dst, a, b, count);
        ((BarrierV(), AscendC::Min(dst, dst, more, count)), ...);
    }
};

/// dst = a * b + c
template <class Element>
struct Fma {
    static constexpr bool HAS_BARRIER = true;
    static constexpr uint32_t IN_PLACE = 0b11;

    CATLASS_DEVICE void operator()(
        AscendC::LocalTensor<Element> const& dst, uint32_t count, AscendC::LocalTensor<Element> const& a,
        AscendC::LocalTensor<Element> const& b, AscendC::LocalTensor<Element> const& c) const
    {
        AscendC::Mul(dst, a, b, count);
        BarrierV();
        AscendC::Add(dst, dst, c, count);
    }
};

/// dst = -a
template <class Element>
struct Negate {
    static constexpr uint32_t IN_PLACE = 0b1;

    CATLASS_DEVICE void operator()(
        AscendC::LocalTensor<Element> const& dst, uint32_t count, AscendC::LocalTensor<Element> const& a) const
    {
        AscendC::Muls(dst, a, static_cast<Element>(-1), count);
    }
};

/// dst = fabs(a)
template <class Element>
struct Absolute {
    static constexpr uint32_t IN_PLACE = 0b1;

    CATLASS_DEVICE void operator()(
        AscendC::LocalTensor<Element> const& dst, uint32_t count, AscendC::LocalTensor<Element> const& a) const
    {
        AscendC::Abs(dst, a, count);
    }
};

/// dst = a * a
template <class Element>
struct Square {
    static constexpr uint32_t IN_PLACE = 0b1;

    CATLASS_DEVICE void operator()(
        AscendC::LocalTensor<Element> const& dst, uint32_t count, AscendC::LocalTensor<Element> const& a) const
    {
        AscendC::Mul(dst, a, a, count);
    }
};

/// dst = sqrt(a)
template <class Element>
struct Sqrt {
    static constexpr uint32_t IN_PLACE = 0b1;

    CATLASS_DEVICE void operator()(
        AscendC::LocalTensor<Element> const& dst, uint32_t count, AscendC::LocalTensor<Element> const& a) const
    {
        AscendC::Sqrt(dst, a, count);
    }
};

/// dst = 1 / sqrt(a)
template <class Element>
struct Rsqrt {
    static constexpr uint32_t SCRATCH_TILES = 1;
    static constexpr bool HAS_BARRIER = true;

    CATLASS_DEVICE void operator()(
        AscendC::LocalTensor<Element> const& dst, uint32_t count, AscendC::LocalTensor<Element> const& a,
        AscendC::LocalTensor<Element> const& tmp) const
    {
        AscendC::Sqrt(tmp, a, count);
        AscendC::Duplicate(dst, static_cast<Element>(1), count);
        BarrierV();
        AscendC::Div(dst, dst, tmp, count);
    }
};

/// dst = 1 / a
template <class Element>
struct Reciprocal {
    static constexpr bool HAS_BARRIER = true;

    CATLASS_DEVICE void operator()(
        AscendC::LocalTensor<Element> const& dst, uint32_t count, AscendC::LocalTensor<Element> const& a) const
    {
        AscendC::Duplicate(dst, static_cast<Element>(1), count);
        BarrierV();
        AscendC::Div(dst, dst, a, count);
    }
};

/// dst = exp(a)
template <class Element>
struct Exp {
    static constexpr uint32_t IN_PLACE = 0b1;

    CATLASS_DEVICE void operator()(
        AscendC::LocalTensor<Element> const& dst, uint32_t count, AscendC::LocalTensor<Element> const& a) const
    {
        AscendC::Exp(dst, a, count);
    }
};

/// dst = log(a)
template <class Element>
struct Log {
    static constexpr uint32_t IN_PLACE = 0b1;

    CATLASS_DEVICE void operator()(
        AscendC::LocalTensor<Element> const& dst, uint32_t count, AscendC::LocalTensor<Element> const& a) const
    {
        AscendC::Ln(dst, a, count);
    }
};

/// dst = expm1(a)
template <class Element>
struct Expm1 {
    static constexpr uint32_t CAST_TILES = 2;
    static constexpr uint32_t SCRATCH_TILES = 2;
    static constexpr bool HAS_BARRIER = true;

    CATLASS_DEVICE void operator()(
        AscendC::LocalTensor<float> const& dst, uint32_t count, AscendC::LocalTensor<float> const& a,
        AscendC::LocalTensor<float> const& tmp, AscendC::LocalTensor<float> const& tmp2) const
    {
        // tanh(x) = x * P(x * x) / Q(x * x) for |x| <= LIMIT, to a relative error of 2.1e-8;
        // from there on, it is 1 to within an ulp of float
        constexpr float LIMIT = 9.0f;
        constexpr float P[] = {1.0f, 0.133810297f, 0.00349559239f, 2.06091463e-05f, 1.3354736e-08f};
        constexpr float Q[] = {1.0f, 0.467143446f, 0.0258769989f, 0.000328564143f, 7.77659125e-07f};

        AscendC::Muls(dst, a, 0.5f, count);
        BarrierV();
        AscendC::Mins(dst, dst, LIMIT, count);
        BarrierV();
        AscendC::Maxs(dst, dst, -LIMIT, count);
        BarrierV();
        AscendC::Mul(tmp, dst, dst, count);
        BarrierV();
        detail::Polynomial(tmp2, tmp, P, count);
        BarrierV();
        AscendC::Mul(dst, dst, tmp2, count);
        BarrierV();
        detail::Polynomial(tmp2, tmp, Q, count);
        BarrierV();
        AscendC::Div(dst, dst, tmp2, count);
        AscendC::Exp(tmp, a, count);
        BarrierV();
        AscendC::Adds(tmp, tmp, 1.0f, count);
        BarrierV();
        AscendC::Mul(dst, dst, tmp, count);
    }
};

/// dst = log1p(a)
template <class Element>
struct Log1p {
    static constexpr uint32_t CAST_TILES = 2;
    static constexpr uint32_t SCRATCH_TILES = 2;
    static constexpr bool HAS_BARRIER = true;

    CATLASS_DEVICE void operator()(
        AscendC::LocalTensor<float> const& dst, uint32_t count, AscendC::LocalTensor<float> const& a,
        AscendC::LocalTensor<float> const& tmp, AscendC::LocalTensor<float> const& tmp2) const
    {
        AscendC::Maxs(tmp, a, -0.5f, count);
        BarrierV();
        AscendC::Mins(tmp, tmp, 1.0f, count);
        BarrierV();
        AscendC::Adds(tmp2, tmp, 1.0f, count);
        BarrierV();
        AscendC::Adds(dst, tmp2, -1.0f, count);
        BarrierV();
        AscendC::Sub(tmp, tmp, dst, count);
        BarrierV();
        AscendC::Div(tmp, tmp, tmp2, count);
        AscendC::Adds(dst, a, 1.0f, count);
        BarrierV();
        AscendC::Ln(dst, dst, count);
        BarrierV();
        AscendC::Add(dst, dst, tmp, count);
    }
};

/// dst = floor(a)
template <class Element>
struct Floor {
    static constexpr uint32_t CAST_TILES = 1;
    static constexpr uint32_t IN_PLACE = 0b1;

    CATLASS_DEVICE void operator()(
        AscendC::LocalTensor<float> const& dst, uint32_t count, AscendC::LocalTensor<float> const& a) const
    {
        AscendC::Cast(dst, a, AscendC::RoundMode::CAST_FLOOR, count);
    }
};

/// dst = ceil(a)
template <class Element>
struct Ceil {
    static constexpr uint32_t CAST_TILES = 1;
    static constexpr uint32_t IN_PLACE = 0b1;

    CATLASS_DEVICE void operator()(
        AscendC::LocalTensor<float> const& dst, uint32_t count, AscendC::LocalTensor<float> const& a) const
    {
        AscendC::Cast(dst, a, AscendC::RoundMode::CAST_CEIL, count);
    }
};

/// dst = nearbyint(a)
template <class Element>
struct Round {
    static constexpr uint32_t CAST_TILES = 1;
    static constexpr uint32_t IN_PLACE = 0b1;

    CATLASS_DEVICE void operator()(
        AscendC::LocalTensor<float> const& dst, uint32_t count, AscendC::LocalTensor<float> const& a) const
    {
        AscendC::Cast(dst, a, AscendC::RoundMode::CAST_RINT, count);
    }
};

/// dst = trunc(a)
template <class Element>
struct Trunc {
    static constexpr uint32_t CAST_TILES = 1;
    static constexpr uint32_t IN_PLACE = 0b1;

    CATLASS_DEVICE void operator()(
        AscendC::LocalTensor<float> const& dst, uint32_t count, AscendC::LocalTensor<float> const& a) const
    {
        AscendC::Cast(dst, a, AscendC::RoundMode::CAST_TRUNC, count);
    }
};

/// dst = (a > 0 ? 1 : a < 0 ? -1 : a)
template <class Element>
struct Sign {
    static constexpr uint32_t CAST_TILES = 1;
    static constexpr bool HAS_BARRIER = true;
    static constexpr uint32_t IN_PLACE = 0b1;

    CATLASS_DEVICE void operator()(
        AscendC::LocalTensor<float> const& dst, uint32_t count, AscendC::LocalTensor<float> const& a) const
    {
        // 2^100 makes the smallest number as large as LIMIT at least, with room to spare; 2^49 makes LIMIT 1
        constexpr float RAISE = 1.2676506002282294e+30f;
        constexpr float LIMIT = 1.7763568394002505e-15f;
        constexpr float UNIT = 562949953421312.0f;

        AscendC::Muls(dst, a, RAISE, count);
        BarrierV();
        AscendC::Maxs(dst, dst, -LIMIT, count);
        BarrierV();
        AscendC::Mins(dst, dst, LIMIT, count);
        BarrierV();
        AscendC::Muls(dst, dst, UNIT, count);
    }
};

/// dst = exp(exponent * log(a))
template <class Element>
struct Power {
    static constexpr uint32_t CAST_TILES = 1;
    static constexpr bool HAS_BARRIER = true;
    static constexpr uint32_t IN_PLACE = 0b1;

    float exponent;

    CATLASS_DEVICE void operator()(
        AscendC::LocalTensor<float> const& dst, uint32_t count, AscendC::LocalTensor<float> const& a) const
    {
        AscendC::Ln(dst, a, count);
        BarrierV();
        AscendC::Muls(dst, dst, exponent, count);
        BarrierV();
        AscendC::Exp(dst, dst, count);
    }
};

/// dst = a + scalar
template <class Element>
struct Adds {
    static constexpr uint32_t IN_PLACE = 0b1;

    Element scalar;

    CATLASS_DEVICE void operator()(
        AscendC::LocalTensor<Element> const& dst, uint32_t count, AscendC::LocalTensor<Element> const& a) const
    {
        AscendC::Adds(dst, a, scalar, count);
    }
};

/// dst = a * scalar
template <class Element>
struct Muls {
    static constexpr uint32_t IN_PLACE = 0b1;

    Element scalar;

    CATLASS_DEVICE void operator()(
        AscendC::LocalTensor<Element> const& dst, uint32_t count, AscendC::LocalTensor<Element> const& a) const
    {
        AscendC::Muls(dst, a, scalar, count);
    }
};

/// dst = fmax(a, scalar)
template <class Element>
struct Maxs {
    static constexpr uint32_t IN_PLACE = 0b1;

    Element scalar;

    CATLASS_DEVICE void operator()(
        AscendC::LocalTensor<Element> const& dst, uint32_t count, AscendC::LocalTensor<Element> const& a) const
    {
        AscendC::Maxs(dst, a, scalar, count);
    }
};

/// dst = fmin(a, scalar)
template <class Element>
struct Mins {
    static constexpr uint32_t IN_PLACE = 0b1;

    Element scalar;

    CATLASS_DEVICE void operator()(
        AscendC::LocalTensor<Element> const& dst, uint32_t count, AscendC::LocalTensor<Element> const& a) const
    {
        AscendC::Mins(dst, a, scalar, count);
    }
};

/// dst = a / scalar
template <class Element>
struct Divs {
    static constexpr bool HAS_BARRIER = true;

    Element scalar;

    CATLASS_DEVICE void operator()(
        AscendC::LocalTensor<Element> const& dst, uint32_t count, AscendC::LocalTensor<Element> const& a) const
    {
        AscendC::Duplicate(dst, scalar, count);
        BarrierV();
        AscendC::Div(dst, a, dst, count);
    }
};

/// dst = scalar / a
template <class Element>
struct RDivs {
    static constexpr bool HAS_BARRIER = true;

    Element scalar;

    CATLASS_DEVICE void operator()(
        AscendC::LocalTensor<Element> const& dst, uint32_t count, AscendC::LocalTensor<Element> const& a) const
    {
        AscendC::Duplicate(dst, scalar, count);
        BarrierV();
        AscendC::Div(dst, dst, a, count);
    }
};

/// dst = alpha * a + b
template <class Element>
struct Axpy {
    static constexpr bool HAS_BARRIER = true;
    static constexpr uint32_t IN_PLACE = 0b1;

    Element alpha;

    CATLASS_DEVICE void operator()(
        AscendC::LocalTensor<Element> const& dst, uint32_t count, AscendC::LocalTensor<Element> const& a,
        AscendC::LocalTensor<Element> const& b) const
    {
        AscendC::Muls(dst, a, alpha, count);
        BarrierV();
        AscendC::Add(dst, dst, b, count);
    }
};

/// dst = fmin(fmax(a, low), high)
template <class Element>
struct Clamp {
    static constexpr bool HAS_BARRIER = true;
    static constexpr uint32_t IN_PLACE = 0b1;

    Element low;
    Element high;

    CATLASS_DEVICE void operator()(
        AscendC::LocalTensor<Element> const& dst, uint32_t count, AscendC::LocalTensor<Element> const& a) const
    {
        AscendC::Maxs(dst, a, low, count);
        BarrierV();
        AscendC::Mins(dst, dst, high, count);
    }
};

/// dst = a > b
template <class Element>
struct Greater {
    static constexpr uint32_t IN_PLACE = 0b11;
    static constexpr bool MAKES_MASK = true;

    CATLASS_DEVICE void operator()(
        AscendC::LocalTensor<Mask> const& dst, uint32_t count, AscendC::LocalTensor<Element> const& a,
        AscendC::LocalTensor<Element> const& b) const
    {
        AscendC::Compare(dst, a, b, AscendC::CMPMODE::GT, WholeRepeats<Element>(count));
    }
};

/// dst = a > scalar
template <class Element>
struct GreaterScalar {
    static constexpr uint32_t SCRATCH_TILES = 1;
    static constexpr bool HAS_BARRIER = true;
    static constexpr uint32_t IN_PLACE = 0b1;
    static constexpr bool MAKES_MASK = true;

    Element scalar;

    CATLASS_DEVICE void operator()(
        AscendC::LocalTensor<Mask> const& dst, uint32_t count, AscendC::LocalTensor<Element> const& a,
        AscendC::LocalTensor<Element> const& tmp) const
    {
        AscendC::Duplicate(tmp, scalar, count);
        BarrierV();
        AscendC::Compare(dst, a, tmp, AscendC::CMPMODE::GT, WholeRepeats<Element>(count));
    }
};

/// dst = a >= b
template <class Element>
struct GreaterEqual {
    static constexpr uint32_t IN_PLACE = 0b11;
    static constexpr bool MAKES_MASK = true;

    CATLASS_DEVICE void operator()(
        AscendC::LocalTensor<Mask> const& dst, uint32_t count, AscendC::LocalTensor<Element> const& a,
        AscendC::LocalTensor<Element> const& b) const
    {
        AscendC::Compare(dst, a, b, AscendC::CMPMODE::GE, WholeRepeats<Element>(count));
    }
};

/// dst = a >= scalar
template <class Element>
struct GreaterEqualScalar {
    static constexpr uint32_t SCRATCH_TILES = 1;
    static constexpr bool HAS_BARRIER = true;
    static constexpr uint32_t IN_PLACE = 0b1;
    static constexpr bool MAKES_MASK = true;

    Element scalar;

    CATLASS_DEVICE void operator()(
        AscendC::LocalTensor<Mask> const& dst, uint32_t count, AscendC::LocalTensor<Element> const& a,
        AscendC::LocalTensor<Element> const& tmp) const
    {
        AscendC::Duplicate(tmp, scalar, count);
        BarrierV();
        AscendC::Compare(dst, a, tmp, AscendC::CMPMODE::GE, WholeRepeats<Element>(count));
    }
};

/// dst = a < b
template <class Element>
struct Less {
    static constexpr uint32_t IN_PLACE = 0b11;
    static constexpr bool MAKES_MASK = true;

    CATLASS_DEVICE void operator()(
        AscendC::LocalTensor<Mask> const& dst, uint32_t count, AscendC::LocalTensor<Element> const& a,
        AscendC::LocalTensor<Element> const& b) const
    {
        AscendC::Compare(dst, a, b, AscendC::CMPMODE::LT, WholeRepeats<Element>(count));
    }
};

/// dst = a < scalar
template <class Element>
struct LessScalar {
    static constexpr uint32_t SCRATCH_TILES = 1;
    static constexpr bool HAS_BARRIER = true;
    static constexpr uint32_t IN_PLACE = 0b1;
    static constexpr bool MAKES_MASK = true;

    Element scalar;

    CATLASS_DEVICE void operator()(
        AscendC::LocalTensor<Mask> const& dst, uint32_t count, AscendC::LocalTensor<Element> const& a,
        AscendC::LocalTensor<Element> const& tmp) const
    {
        AscendC::Duplicate(tmp, scalar, count);
        BarrierV();
        AscendC::Compare(dst, a, tmp, AscendC::CMPMODE::LT, WholeRepeats<Element>(count));
    }
};

/// dst = a <= b
template <class Element>
struct LessEqual {
    static constexpr uint32_t IN_PLACE = 0b11;
    static constexpr bool MAKES_MASK = true;

    CATLASS_DEVICE void operator()(
        AscendC::LocalTensor<Mask> const& dst, uint32_t count, AscendC::LocalTensor<Element> const& a,
        AscendC::LocalTensor<Element> const& b) const
    {
        AscendC::Compare(dst, a, b, AscendC::CMPMODE::LE, WholeRepeats<Element>(count));
    }
};

/// dst = a <= scalar
template <class Element>
struct LessEqualScalar {
    static constexpr uint32_t SCRATCH_TILES = 1;
    static constexpr bool HAS_BARRIER = true;
    static constexpr uint32_t IN_PLACE = 0b1;
    static constexpr bool MAKES_MASK = true;

    Element scalar;

    CATLASS_DEVICE void operator()(
        AscendC::LocalTensor<Mask> const& dst, uint32_t count, AscendC::LocalTensor<Element> const& a,
        AscendC::LocalTensor<Element> const& tmp) const
    {
        AscendC::Duplicate(tmp, scalar, count);
        BarrierV();
        AscendC::Compare(dst, a, tmp, AscendC::CMPMODE::LE, WholeRepeats<Element>(count));
    }
};

/// dst = a == b
template <class Element>
struct EqualTo {
    static constexpr uint32_t IN_PLACE = 0b11;
    static constexpr bool MAKES_MASK = true;

    CATLASS_DEVICE void operator()(
        AscendC::LocalTensor<Mask> const& dst, uint32_t count, AscendC::LocalTensor<Element> const& a,
        AscendC::LocalTensor<Element> const& b) const
    {
        AscendC::Compare(dst, a, b, AscendC::CMPMODE::EQ, WholeRepeats<Element>(count));
    }
};

/// dst = a == scalar
template <class Element>
struct EqualToScalar {
    static constexpr uint32_t SCRATCH_TILES = 1;
    static constexpr bool HAS_BARRIER = true;
    static constexpr uint32_t IN_PLACE = 0b1;
    static constexpr bool MAKES_MASK = true;

    Element scalar;

    CATLASS_DEVICE void operator()(
        AscendC::LocalTensor<Mask> const& dst, uint32_t count, AscendC::LocalTensor<Element> const& a,
        AscendC::LocalTensor<Element> const& tmp) const
    {
        AscendC::Duplicate(tmp, scalar, count);
        BarrierV();
        AscendC::Compare(dst, a, tmp, AscendC::CMPMODE::EQ, WholeRepeats<Element>(count));
    }
};

/// dst = a != b
template <class Element>
struct NotEqualTo {
    static constexpr uint32_t IN_PLACE = 0b11;
    static constexpr bool MAKES_MASK = true;

    CATLASS_DEVICE void operator()(
        AscendC::LocalTensor<Mask> const& dst, uint32_t count, AscendC::LocalTensor<Element> const& a,
        AscendC::LocalTensor<Element> const& b) const
    {
        AscendC::Compare(dst, a, b, AscendC::CMPMODE::NE, WholeRepeats<Element>(count));
    }
};

/// dst = a != scalar
template <class Element>
struct NotEqualToScalar {
    static constexpr uint32_t SCRATCH_TILES = 1;
    static constexpr bool HAS_BARRIER = true;
    static constexpr uint32_t IN_PLACE = 0b1;
    static constexpr bool MAKES_MASK = true;

    Element scalar;

    CATLASS_DEVICE void operator()(
        AscendC::LocalTensor<Mask> const& dst, uint32_t count, AscendC::LocalTensor<Element> const& a,
        AscendC::LocalTensor<Element> const& tmp) const
    {
        AscendC::Duplicate(tmp, scalar, count);
        BarrierV();
        AscendC::Compare(dst, a, tmp, AscendC::CMPMODE::NE, WholeRepeats<Element>(count));
    }
};

/// dst = a && b, and so on for more inputs
template <class Element>
struct LogicalAnd {
    static constexpr uint32_t IN_PLACE = 0b11;
    static constexpr bool MAKES_MASK = true;

    template <class... More>
    CATLASS_DEVICE void operator()(
        AscendC::LocalTensor<Mask> const& dst, uint32_t count, AscendC::LocalTensor<Mask> const& a,
        AscendC::LocalTensor<Mask> const& b, More const&... more) const
    {
        AscendC::And(MaskWords(dst), MaskWords(a), MaskWords(b), CountMaskWords(count));
        ((BarrierV(), AscendC::And(MaskWords(dst), MaskWords(dst), MaskWords(more), CountMaskWords(count))), ...);
    }
};

/// dst = a || b, and so on for more inputs
template <class Element>
struct LogicalOr {
    static constexpr uint32_t IN_PLACE = 0b11;
    static constexpr bool MAKES_MASK = true;

    template <class... More>
    CATLASS_DEVICE void operator()(
        AscendC::LocalTensor<Mask> const& dst, uint32_t count, AscendC::LocalTensor<Mask> const& a,
        AscendC::LocalTensor<Mask> const& b, More const&... more) const
    {
        AscendC::Or(MaskWords(dst), MaskWords(a), MaskWords(b), CountMaskWords(count));
        ((BarrierV(), AscendC::Or(MaskWords(dst), MaskWords(dst), MaskWords(more), CountMaskWords(count))), ...);
    }
};

/// dst = !a
template <class Element>
struct LogicalNot {
    static constexpr uint32_t IN_PLACE = 0b1;
    static constexpr bool MAKES_MASK = true;

    CATLASS_DEVICE void operator()(
        AscendC::LocalTensor<Mask> const& dst, uint32_t count, AscendC::LocalTensor<Mask> const& a) const
    {
        AscendC::Not(MaskWords(dst), MaskWords(a), CountMaskWords(count));
    }
};

/// dst = a ? b : c
template <class Element>
struct Where {
    static constexpr uint32_t IN_PLACE = 0b111;

    CATLASS_DEVICE void operator()(
        AscendC::LocalTensor<Element> const& dst, uint32_t count, AscendC::LocalTensor<Mask> const& a,
        AscendC::LocalTensor<Element> const& b, AscendC::LocalTensor<Element> const& c) const
    {
        AscendC::Select(dst, a, b, c, AscendC::SELMODE::VSEL_TENSOR_TENSOR_MODE, count);
    }
};

/// dst = a ? b : scalar
template <class Element>
struct WhereScalar {
    static constexpr uint32_t IN_PLACE = 0b11;

    Element scalar;

    CATLASS_DEVICE void operator()(
        AscendC::LocalTensor<Element> const& dst, uint32_t count, AscendC::LocalTensor<Mask> const& a,
        AscendC::LocalTensor<Element> const& b) const
    {
        AscendC::Select(dst, a, b, scalar, AscendC::SELMODE::VSEL_TENSOR_SCALAR_MODE, count);
    }
};

/// dst = a ? one : other
template <class Element>
struct WhereScalars {
    static constexpr bool HAS_BARRIER = true;

    Element one;
    Element other;

    CATLASS_DEVICE void operator()(
        AscendC::LocalTensor<Element> const& dst, uint32_t count, AscendC::LocalTensor<Mask> const& a) const
    {
        AscendC::Duplicate(dst, one, count);
        BarrierV();
        AscendC::Select(dst, a, dst, other, AscendC::SELMODE::VSEL_TENSOR_SCALAR_MODE, count);
    }
};

/// dst = fmax(a, 0)
template <class Element>
struct Relu {
    static constexpr uint32_t IN_PLACE = 0b1;

    CATLASS_DEVICE void operator()(
        AscendC::LocalTensor<Element> const& dst, uint32_t count, AscendC::LocalTensor<Element> const& a) const
    {
        AscendC::Relu(dst, a, count);
    }
};

/// dst = fmin(fmax(a, 0), 6)
template <class Element>
struct Relu6 {
    static constexpr bool HAS_BARRIER = true;
    static constexpr uint32_t IN_PLACE = 0b1;

    CATLASS_DEVICE void operator()(
        AscendC::LocalTensor<Element> const& dst, uint32_t count, AscendC::LocalTensor<Element> const& a) const
    {
        AscendC::Maxs(dst, a, static_cast<Element>(0), count);
        BarrierV();
        AscendC::Mins(dst, dst, static_cast<Element>(6), count);
    }
};

/// dst = fmin(fmax(a, -1), 1)
template <class Element>
struct HardTanh {
    static constexpr bool HAS_BARRIER = true;
    static constexpr uint32_t IN_PLACE = 0b1;

    CATLASS_DEVICE void operator()(
        AscendC::LocalTensor<Element> const& dst, uint32_t count, AscendC::LocalTensor<Element> const& a) const
    {
        AscendC::Maxs(dst, a, static_cast<Element>(-1), count);
        BarrierV();
        AscendC::Mins(dst, dst, static_cast<Element>(1), count);
    }
};

/// dst = fmax(a + b, 0)
template <class Element>
struct AddRelu {
    static constexpr uint32_t IN_PLACE = 0b11;

    CATLASS_DEVICE void operator()(
        AscendC::LocalTensor<Element> const& dst, uint32_t count, AscendC::LocalTensor<Element> const& a,
        AscendC::LocalTensor<Element> const& b) const
    {
        AscendC::AddRelu(dst, a, b, count);
    }
};

/// dst = fmax(a - b, 0)
template <class Element>
struct SubRelu {
    static constexpr uint32_t IN_PLACE = 0b11;

    CATLASS_DEVICE void operator()(
        AscendC::LocalTensor<Element> const& dst, uint32_t count, AscendC::LocalTensor<Element> const& a,
        AscendC::LocalTensor<Element> const& b) const
    {
        AscendC::SubRelu(dst, a, b, count);
    }
};

/// dst = (a >= 0 ? a : a * slope)
template <class Element>
struct LeakyRelu {
    static constexpr uint32_t IN_PLACE = 0b1;

    Element slope;

    CATLASS_DEVICE void operator()(
        AscendC::LocalTensor<Element> const& dst, uint32_t count, AscendC::LocalTensor<Element> const& a) const
    {
        AscendC::LeakyRelu(dst, a, slope, count);
    }
};

/// dst = fmax(a, 0) + b * fmin(a, 0)
template <class Element>
struct Prelu {
    static constexpr uint32_t SCRATCH_TILES = 1;
    static constexpr bool HAS_BARRIER = true;
    static constexpr uint32_t IN_PLACE = 0b1;

    CATLASS_DEVICE void operator()(
        AscendC::LocalTensor<Element> const& dst, uint32_t count, AscendC::LocalTensor<Element> const& a,
        AscendC::LocalTensor<Element> const& b, AscendC::LocalTensor<Element> const& tmp) const
    {
        AscendC::Mins(tmp, a, static_cast<Element>(0), count);
        BarrierV();
        AscendC::Mul(tmp, tmp, b, count);
        AscendC::Maxs(dst, a, static_cast<Element>(0), count);
        BarrierV();
        AscendC::Add(dst, dst, tmp, count);
    }
};

/// dst = fmin(fmax(a + 3, 0), 6) / 6
template <class Element>
struct HardSigmoid {
    static constexpr bool HAS_BARRIER = true;
    static constexpr uint32_t IN_PLACE = 0b1;

    CATLASS_DEVICE void operator()(
        AscendC::LocalTensor<Element> const& dst, uint32_t count, AscendC::LocalTensor<Element> const& a) const
    {
        // A division by 6, as a multiplication
        constexpr float ONE_SIXTH = 0.16666666666666666f;

        AscendC::Adds(dst, a, static_cast<Element>(3), count);
        BarrierV();
        AscendC::Maxs(dst, dst, static_cast<Element>(0), count);
        BarrierV();
        AscendC::Mins(dst, dst, static_cast<Element>(6), count);
        BarrierV();
        AscendC::Muls(dst, dst, static_cast<Element>(ONE_SIXTH), count);
    }
};

/// dst = a * fmin(fmax(a + 3, 0), 6) / 6
template <class Element>
struct HardSwish {
    static constexpr uint32_t SCRATCH_TILES = 1;
    static constexpr bool HAS_BARRIER = true;
    static constexpr uint32_t IN_PLACE = 0b1;

    CATLASS_DEVICE void operator()(
        AscendC::LocalTensor<Element> const& dst, uint32_t count, AscendC::LocalTensor<Element> const& a,
        AscendC::LocalTensor<Element> const& tmp) const
    {
        // A division by 6, as a multiplication
        constexpr float ONE_SIXTH = 0.16666666666666666f;

        AscendC::Maxs(dst, a, static_cast<Element>(-3), count);
        BarrierV();
        AscendC::Adds(tmp, dst, static_cast<Element>(3), count);
        BarrierV();
        AscendC::Mins(tmp, tmp, static_cast<Element>(6), count);
        BarrierV();
        AscendC::Muls(tmp, tmp, static_cast<Element>(ONE_SIXTH), count);
        BarrierV();
        AscendC::Mul(dst, dst, tmp, count);
    }
};

/// dst = 1 / (1 + exp(-a))
template <class Element>
struct Sigmoid {
    static constexpr uint32_t CAST_TILES = 1;
    static constexpr uint32_t SCRATCH_TILES = 1;
    static constexpr bool HAS_BARRIER = true;
    static constexpr uint32_t IN_PLACE = 0b1;

    CATLASS_DEVICE void operator()(
        AscendC::LocalTensor<float> const& dst, uint32_t count, AscendC::LocalTensor<float> const& a,
        AscendC::LocalTensor<float> const& tmp) const
    {
        detail::Logistic(dst, a, tmp, count);
    }
};

/// dst = tanh(a)
template <class Element>
struct Tanh {
    static constexpr uint32_t CAST_TILES = 2;
    static constexpr uint32_t SCRATCH_TILES = 3;
    static constexpr bool HAS_BARRIER = true;

    CATLASS_DEVICE void operator()(
        AscendC::LocalTensor<float> const& dst, uint32_t count, AscendC::LocalTensor<float> const& a,
        AscendC::LocalTensor<float> const& tmp, AscendC::LocalTensor<float> const& tmp2,
        AscendC::LocalTensor<float> const& tmp3) const
    {
        // tanh(x) = x * (C + P1 * y + ... + P4 * y^4) / (C + y + Q2 * y^2 + ... + Q4 * y^4) with y = x * x <= LIMIT,
        // to a relative error of 4.5e-8; from there on, it is 1 to within an ulp of float
        constexpr float LIMIT = 81.0f;
        constexpr float C = 2.14067006f;
        constexpr float P1 = 0.28644371f;
        constexpr float P2 = 0.0074829082f;
        constexpr float P3 = 4.4117387e-05f;
        constexpr float P4 = 2.85880688e-08f;
        constexpr float Q2 = 0.0553941168f;
        constexpr float Q3 = 0.000703347323f;
        constexpr float Q4 = 1.66471136e-06f;

        AscendC::Mul(tmp, a, a, count);
        BarrierV();
        AscendC::Mins(tmp, tmp, LIMIT, count);
        BarrierV();
        AscendC::Mul(tmp2, tmp, tmp, count);
        AscendC::Muls(dst, tmp, P1, count);
        AscendC::Adds(tmp3, tmp, C, count);
        BarrierV();
        AscendC::Axpy(dst, tmp2, P2, count);
        AscendC::Axpy(tmp3, tmp2, Q2, count);
        AscendC::Mul(tmp, tmp, tmp2, count);
        BarrierV();
        AscendC::Axpy(dst, tmp, P3, count);
        AscendC::Axpy(tmp3, tmp, Q3, count);
        AscendC::Mul(tmp2, tmp2, tmp2, count);
        BarrierV();
        AscendC::Axpy(dst, tmp2, P4, count);
        AscendC::Axpy(tmp3, tmp2, Q4, count);
        BarrierV();
        AscendC::Adds(dst, dst, C, count);
        BarrierV();
        AscendC::Mul(dst, dst, a, count);
        BarrierV();
        AscendC::Div(dst, dst, tmp3, count);
        BarrierV();
        AscendC::Mins(dst, dst, 1.0f, count);
        BarrierV();
        AscendC::Maxs(dst, dst, -1.0f, count);
    }
};

/// dst = a / (1 + exp(-a))
template <class Element>
struct Silu {
    static constexpr uint32_t CAST_TILES = 2;
    static constexpr uint32_t SCRATCH_TILES = 1;
    static constexpr bool HAS_BARRIER = true;

    CATLASS_DEVICE void operator()(
        AscendC::LocalTensor<float> const& dst, uint32_t count, AscendC::LocalTensor<float> const& a,
        AscendC::LocalTensor<float> const& tmp) const
    {
        // Below MIN_INPUT the result is 0 in float. The limit keeps -inf from meeting a 0: their product is NaN
        constexpr float MIN_INPUT = -200.0f;

        detail::Logistic(dst, a, tmp, count);
        BarrierV();
        AscendC::Maxs(tmp, a, MIN_INPUT, count);
        BarrierV();
        AscendC::Mul(dst, dst, tmp, count);
    }
};

/// dst = a / (1 + exp(-beta * a))
template <class Element>
struct Swish {
    static constexpr uint32_t CAST_TILES = 2;
    static constexpr uint32_t SCRATCH_TILES = 1;
    static constexpr bool HAS_BARRIER = true;

    float beta;

    CATLASS_DEVICE void operator()(
        AscendC::LocalTensor<float> const& dst, uint32_t count, AscendC::LocalTensor<float> const& a,
        AscendC::LocalTensor<float> const& tmp) const
    {
        // Close to the lowest number of float. The limit keeps -inf from meeting a 0: their product is NaN
        constexpr float LOWEST = -3e+38f;

        AscendC::Muls(dst, a, beta, count);
        BarrierV();
        detail::Logistic(dst, dst, tmp, count);
        BarrierV();
        AscendC::Maxs(tmp, a, LOWEST, count);
        BarrierV();
        AscendC::Mul(dst, dst, tmp, count);
    }
};

/// dst = a / (1 + exp(-a * (G1 + G3 * a * a)))
template <class Element>
struct GeluTanh {
    static constexpr uint32_t CAST_TILES = 2;
    static constexpr uint32_t SCRATCH_TILES = 1;
    static constexpr bool HAS_BARRIER = true;

    CATLASS_DEVICE void operator()(
        AscendC::LocalTensor<float> const& dst, uint32_t count, AscendC::LocalTensor<float> const& a,
        AscendC::LocalTensor<float> const& tmp) const
    {
        // (1 + tanh(y)) / 2 = 1 / (1 + exp(-2 * y)) with y = sqrt(2 / pi) * (a + 0.044715 * a * a * a):
        // 2 * y = a * (G1 + G3 * a * a)
        constexpr float G1 = 1.5957691216057308f;
        constexpr float G3 = 0.07135481627260025f;
        // Below MIN_INPUT the result is 0 in float. The limit keeps -inf from meeting a 0: their product is NaN
        constexpr float MIN_INPUT = -200.0f;

        AscendC::Mul(dst, a, a, count);
        BarrierV();
        AscendC::Muls(dst, dst, G3, count);
        BarrierV();
        AscendC::Adds(dst, dst, G1, count);
        BarrierV();
        AscendC::Mul(dst, dst, a, count);
        BarrierV();
        detail::Logistic(dst, dst, tmp, count);
        BarrierV();
        AscendC::Maxs(tmp, a, MIN_INPUT, count);
        BarrierV();
        AscendC::Mul(dst, dst, tmp, count);
    }
};

/// dst = 0.5 * a * erfc(a * -0.7071067811865476)
template <class Element>
struct Gelu {
    static constexpr uint32_t CAST_TILES = 2;
    static constexpr uint32_t SCRATCH_TILES = 3;
    static constexpr bool HAS_BARRIER = true;

    CATLASS_DEVICE void operator()(
        AscendC::LocalTensor<float> const& dst, uint32_t count, AscendC::LocalTensor<float> const& a,
        AscendC::LocalTensor<float> const& tmp, AscendC::LocalTensor<float> const& tmp2,
        AscendC::LocalTensor<float> const& tmp3) const
    {
        // x * erfc(x / sqrt(2)) / 2 = exp(-x * x / 2) * (P1 * x + ... + P4 * x^4) / (Q0 + x + Q2 * x^2 + ... + Q4 *
        // x^4) for 0 <= x <= LIMIT, to a relative error of 2.6e-7 below 2 and of 1.8e-6 far out, where exp is off by
        // more; from there on, it is 0 in float
        constexpr float LIMIT = 14.5f;
        constexpr float P1 = 0.331591276f;
        constexpr float P2 = 0.235432256f;
        constexpr float P3 = 0.0765925261f;
        constexpr float P4 = 0.0106650567f;
        constexpr float Q0 = 0.663182698f;
        constexpr float Q2 = 0.619543679f;
        constexpr float Q3 = 0.191817357f;
        constexpr float Q4 = 0.0267378865f;

        AscendC::Abs(tmp, a, count);
        BarrierV();
        AscendC::Mins(tmp, tmp, LIMIT, count);
        BarrierV();
        AscendC::Mul(tmp3, tmp, tmp, count);
        AscendC::Muls(tmp2, tmp, P1, count);
        AscendC::Adds(dst, tmp, Q0, count);
        BarrierV();
        AscendC::Axpy(tmp2, tmp3, P2, count);
        AscendC::Axpy(dst, tmp3, Q2, count);
        AscendC::Mul(tmp, tmp, tmp3, count);
        BarrierV();
        AscendC::Axpy(tmp2, tmp, P3, count);
        AscendC::Axpy(dst, tmp, Q3, count);
        BarrierV();
        AscendC::Mul(tmp, tmp3, tmp3, count);
        BarrierV();
        AscendC::Axpy(tmp2, tmp, P4, count);
        AscendC::Axpy(dst, tmp, Q4, count);
        AscendC::Muls(tmp3, tmp3, -0.5f, count);
        BarrierV();
        AscendC::Div(dst, tmp2, dst, count);
        AscendC::Exp(tmp3, tmp3, count);
        BarrierV();
        AscendC::Mul(dst, dst, tmp3, count);
        AscendC::Relu(tmp2, a, count);
        BarrierV();
        AscendC::Sub(dst, tmp2, dst, count);
    }
};

/// dst = a / (1 + exp(-SLOPE * a))
template <class Element>
struct QuickGelu {
    static constexpr uint32_t CAST_TILES = 2;
    static constexpr uint32_t SCRATCH_TILES = 1;
    static constexpr bool HAS_BARRIER = true;

    CATLASS_DEVICE void operator()(
        AscendC::LocalTensor<float> const& dst, uint32_t count, AscendC::LocalTensor<float> const& a,
        AscendC::LocalTensor<float> const& tmp) const
    {
        // 1 / (1 + exp(-SLOPE * x)) is close to the normal distribution
        constexpr float SLOPE = 1.702f;
        // Below MIN_INPUT the result is 0 in float. The limit keeps -inf from meeting a 0: their product is NaN
        constexpr float MIN_INPUT = -200.0f;

        AscendC::Muls(dst, a, SLOPE, count);
        BarrierV();
        detail::Logistic(dst, dst, tmp, count);
        BarrierV();
        AscendC::Maxs(tmp, a, MIN_INPUT, count);
        BarrierV();
        AscendC::Mul(dst, dst, tmp, count);
    }
};

/// dst = a * tanh(log1p(exp(a)))
template <class Element>
struct Mish {
    static constexpr uint32_t CAST_TILES = 2;
    static constexpr uint32_t SCRATCH_TILES = 1;
    static constexpr bool HAS_BARRIER = true;

    CATLASS_DEVICE void operator()(
        AscendC::LocalTensor<float> const& dst, uint32_t count, AscendC::LocalTensor<float> const& a,
        AscendC::LocalTensor<float> const& tmp) const
    {
        // Below MIN_INPUT the result is 0 in float. The limit keeps -inf from meeting a 0: their product is NaN
        constexpr float MIN_INPUT = -200.0f;

        AscendC::Mins(dst, a, 9.5f, count);
        BarrierV();
        AscendC::Exp(dst, dst, count);
        BarrierV();
        AscendC::Adds(tmp, dst, 2.0f, count);
        BarrierV();
        AscendC::Mul(dst, dst, tmp, count);
        BarrierV();
        AscendC::Adds(tmp, dst, 2.0f, count);
        BarrierV();
        AscendC::Div(dst, dst, tmp, count);
        BarrierV();
        AscendC::Maxs(tmp, a, MIN_INPUT, count);
        BarrierV();
        AscendC::Mul(dst, dst, tmp, count);
    }
};

/// dst = a / (1 + fabs(a))
template <class Element>
struct Softsign {
    static constexpr uint32_t CAST_TILES = 1;
    static constexpr uint32_t SCRATCH_TILES = 1;
    static constexpr bool HAS_BARRIER = true;
    static constexpr uint32_t IN_PLACE = 0b1;

    CATLASS_DEVICE void operator()(
        AscendC::LocalTensor<float> const& dst, uint32_t count, AscendC::LocalTensor<float> const& a,
        AscendC::LocalTensor<float> const& tmp) const
    {
        // From LIMIT on, the result is 1 in float. The limit keeps inf from being divided by inf
        constexpr float LIMIT = 1000000000.0f;

        AscendC::Mins(dst, a, LIMIT, count);
        BarrierV();
        AscendC::Maxs(dst, dst, -LIMIT, count);
        BarrierV();
        AscendC::Abs(tmp, dst, count);
        BarrierV();
        AscendC::Adds(tmp, tmp, 1.0f, count);
        BarrierV();
        AscendC::Div(dst, dst, tmp, count);
    }
};

/// dst = cap * tanh(a / cap)
template <class Element>
struct Softcap {
    static constexpr uint32_t CAST_TILES = 2;
    static constexpr uint32_t SCRATCH_TILES = 2;
    static constexpr bool HAS_BARRIER = true;

    float cap;

    CATLASS_DEVICE void operator()(
        AscendC::LocalTensor<float> const& dst, uint32_t count, AscendC::LocalTensor<float> const& a,
        AscendC::LocalTensor<float> const& tmp, AscendC::LocalTensor<float> const& tmp2) const
    {
        // tanh(y) = y * P(y * y) / Q(y * y) for y * y <= LIMIT, to a relative error of 2.1e-8
        constexpr float LIMIT = 81.0f;
        constexpr float P[] = {1.0f, 0.133810297f, 0.00349559239f, 2.06091463e-05f, 1.3354736e-08f};
        constexpr float Q[] = {1.0f, 0.467143446f, 0.0258769989f, 0.000328564143f, 7.77659125e-07f};

        AscendC::Duplicate(tmp, cap, count);
        BarrierV();
        AscendC::Div(dst, a, tmp, count);
        BarrierV();
        AscendC::Mul(tmp, dst, dst, count);
        BarrierV();
        AscendC::Mins(tmp, tmp, LIMIT, count);
        BarrierV();
        detail::Polynomial(tmp2, tmp, P, count);
        BarrierV();
        AscendC::Mul(dst, a, tmp2, count);
        BarrierV();
        detail::Polynomial(tmp2, tmp, Q, count);
        BarrierV();
        AscendC::Div(dst, dst, tmp2, count);
        AscendC::Duplicate(tmp, cap, count);
        BarrierV();
        AscendC::Abs(tmp, tmp, count);
        BarrierV();
        AscendC::Min(dst, dst, tmp, count);
        BarrierV();
        AscendC::Muls(tmp, tmp, -1.0f, count);
        BarrierV();
        AscendC::Max(dst, dst, tmp, count);
    }
};

/// dst = fmax(a, 0) + alpha * expm1(fmin(a, 0))
template <class Element>
struct Elu {
    static constexpr uint32_t CAST_TILES = 2;
    static constexpr uint32_t SCRATCH_TILES = 2;
    static constexpr bool HAS_BARRIER = true;

    float alpha;

    CATLASS_DEVICE void operator()(
        AscendC::LocalTensor<float> const& dst, uint32_t count, AscendC::LocalTensor<float> const& a,
        AscendC::LocalTensor<float> const& tmp, AscendC::LocalTensor<float> const& tmp2) const
    {
        // tanh(x) = x * P(x * x) / Q(x * x) for |x| <= LIMIT, to a relative error of 2.1e-8;
        // from there on, it is 1 to within an ulp of float
        constexpr float LIMIT = 9.0f;
        constexpr float P[] = {1.0f, 0.133810297f, 0.00349559239f, 2.06091463e-05f, 1.3354736e-08f};
        constexpr float Q[] = {1.0f, 0.467143446f, 0.0258769989f, 0.000328564143f, 7.77659125e-07f};

        AscendC::Muls(dst, a, 0.5f, count);
        BarrierV();
        AscendC::Mins(dst, dst, 0.0f, count);
        BarrierV();
        AscendC::Maxs(dst, dst, -LIMIT, count);
        BarrierV();
        AscendC::Mul(tmp, dst, dst, count);
        BarrierV();
        detail::Polynomial(tmp2, tmp, P, count);
        BarrierV();
        AscendC::Mul(dst, dst, tmp2, count);
        BarrierV();
        detail::Polynomial(tmp2, tmp, Q, count);
        BarrierV();
        AscendC::Sub(tmp2, tmp2, dst, count);
        BarrierV();
        AscendC::Div(dst, dst, tmp2, count);
        BarrierV();
        AscendC::Muls(dst, dst, 2.0f, count);
        BarrierV();
        AscendC::Muls(dst, dst, alpha, count);
        AscendC::Relu(tmp, a, count);
        BarrierV();
        AscendC::Add(dst, dst, tmp, count);
    }
};

/// dst = SCALE * (fmax(a, 0) + 1.6732632423543772 * expm1(fmin(a, 0)))
template <class Element>
struct Selu {
    static constexpr uint32_t CAST_TILES = 2;
    static constexpr uint32_t SCRATCH_TILES = 2;
    static constexpr bool HAS_BARRIER = true;

    CATLASS_DEVICE void operator()(
        AscendC::LocalTensor<float> const& dst, uint32_t count, AscendC::LocalTensor<float> const& a,
        AscendC::LocalTensor<float> const& tmp, AscendC::LocalTensor<float> const& tmp2) const
    {
        // tanh(x) = x * P(x * x) / Q(x * x) for |x| <= LIMIT, to a relative error of 2.1e-8;
        // from there on, it is 1 to within an ulp of float
        constexpr float LIMIT = 9.0f;
        constexpr float P[] = {1.0f, 0.133810297f, 0.00349559239f, 2.06091463e-05f, 1.3354736e-08f};
        constexpr float Q[] = {1.0f, 0.467143446f, 0.0258769989f, 0.000328564143f, 7.77659125e-07f};
        // SCALE, and 2 * SCALE * ALPHA with the ALPHA that belongs to it
        constexpr float SCALE = 1.0507009873554805f;
        constexpr float BELOW_ZERO = 3.5161986816947532f;

        AscendC::Muls(dst, a, 0.5f, count);
        BarrierV();
        AscendC::Mins(dst, dst, 0.0f, count);
        BarrierV();
        AscendC::Maxs(dst, dst, -LIMIT, count);
        BarrierV();
        AscendC::Mul(tmp, dst, dst, count);
        BarrierV();
        detail::Polynomial(tmp2, tmp, P, count);
        BarrierV();
        AscendC::Mul(dst, dst, tmp2, count);
        BarrierV();
        detail::Polynomial(tmp2, tmp, Q, count);
        BarrierV();
        AscendC::Sub(tmp2, tmp2, dst, count);
        BarrierV();
        AscendC::Div(dst, dst, tmp2, count);
        BarrierV();
        AscendC::Muls(dst, dst, BELOW_ZERO, count);
        AscendC::Relu(tmp, a, count);
        BarrierV();
        AscendC::Muls(tmp, tmp, SCALE, count);
        BarrierV();
        AscendC::Add(dst, dst, tmp, count);
    }
};

/// dst = fmax(a, 0) + alpha * expm1(fmin(a, 0) / alpha)
template <class Element>
struct Celu {
    static constexpr uint32_t CAST_TILES = 2;
    static constexpr uint32_t SCRATCH_TILES = 3;
    static constexpr bool HAS_BARRIER = true;

    float alpha;

    CATLASS_DEVICE void operator()(
        AscendC::LocalTensor<float> const& dst, uint32_t count, AscendC::LocalTensor<float> const& a,
        AscendC::LocalTensor<float> const& tmp, AscendC::LocalTensor<float> const& tmp2,
        AscendC::LocalTensor<float> const& tmp3) const
    {
        // tanh(x) = x * P(x * x) / Q(x * x) for |x| <= LIMIT, to a relative error of 2.1e-8;
        // from there on, it is 1 to within an ulp of float
        constexpr float LIMIT = 9.0f;
        constexpr float P[] = {1.0f, 0.133810297f, 0.00349559239f, 2.06091463e-05f, 1.3354736e-08f};
        constexpr float Q[] = {1.0f, 0.467143446f, 0.0258769989f, 0.000328564143f, 7.77659125e-07f};

        AscendC::Duplicate(tmp, alpha, count);
        AscendC::Mins(dst, a, 0.0f, count);
        BarrierV();
        AscendC::Div(tmp3, dst, tmp, count);
        BarrierV();
        AscendC::Muls(dst, tmp3, 0.5f, count);
        BarrierV();
        AscendC::Mins(dst, dst, LIMIT, count);
        BarrierV();
        AscendC::Maxs(dst, dst, -LIMIT, count);
        BarrierV();
        AscendC::Mul(tmp, dst, dst, count);
        BarrierV();
        detail::Polynomial(tmp2, tmp, P, count);
        BarrierV();
        AscendC::Mul(dst, dst, tmp2, count);
        BarrierV();
        detail::Polynomial(tmp2, tmp, Q, count);
        BarrierV();
        AscendC::Div(dst, dst, tmp2, count);
        AscendC::Exp(tmp3, tmp3, count);
        BarrierV();
        AscendC::Adds(tmp3, tmp3, 1.0f, count);
        BarrierV();
        AscendC::Mul(dst, dst, tmp3, count);
        BarrierV();
        AscendC::Muls(dst, dst, alpha, count);
        AscendC::Relu(tmp, a, count);
        BarrierV();
        AscendC::Add(dst, dst, tmp, count);
    }
};

/// dst = fmax(a, 0) + log1p(exp(-fabs(a)))
template <class Element>
struct Softplus {
    static constexpr uint32_t CAST_TILES = 2;
    static constexpr uint32_t SCRATCH_TILES = 2;
    static constexpr bool HAS_BARRIER = true;

    CATLASS_DEVICE void operator()(
        AscendC::LocalTensor<float> const& dst, uint32_t count, AscendC::LocalTensor<float> const& a,
        AscendC::LocalTensor<float> const& tmp, AscendC::LocalTensor<float> const& tmp2) const
    {
        // log(1 + x) = x * P(x) / Q(x) for 0 <= x <= 1, to a relative error of 9.5e-10
        constexpr float P[] = {1.0f, 1.0662185f, 0.238157541f, 0.0034172826f};
        constexpr float Q[] = {1.0f, 1.56621838f, 0.687936306f, 0.0752872899f};

        AscendC::Abs(tmp, a, count);
        BarrierV();
        AscendC::Muls(tmp, tmp, -1.0f, count);
        BarrierV();
        AscendC::Exp(tmp, tmp, count);
        BarrierV();
        detail::Polynomials(tmp2, dst, tmp, P, Q, count);
        BarrierV();
        AscendC::Mul(tmp2, tmp, tmp2, count);
        BarrierV();
        AscendC::Div(dst, tmp2, dst, count);
        AscendC::Relu(tmp, a, count);
        BarrierV();
        AscendC::Add(dst, dst, tmp, count);
    }
};

// The names of other visitor frameworks for these operators

template <class Element>
using Add = Plus<Element>;

template <class Element>
using Sub = Minus<Element>;

template <class Element>
using SubOp = Minus<Element>;

template <class Element>
using Mul = Multiplies<Element>;

template <class Element>
using Div = Divides<Element>;

template <class Element>
using DivOp = Divides<Element>;

template <class Element>
using Max = Maximum<Element>;

template <class Element>
using Min = Minimum<Element>;

template <class Element>
using ExpOp = Exp<Element>;

template <class Element>
using RsqrtFast = Rsqrt<Element>;

template <class Element>
using PlusRelu = AddRelu<Element>;

} // namespace Catlass::Epilogue::Fusion

#endif // CATLASS_EPILOGUE_FUSION_OPERATIONS_HPP
