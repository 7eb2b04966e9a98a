#ifndef CATLASS_EPILOGUE_FUSION_OPERATIONS_MATH_HPP
#define CATLASS_EPILOGUE_FUSION_OPERATIONS_MATH_HPP

#include "catlass/epilogue/fusion/operations/approximation.hpp"

namespace Catlass::Epilogue::Fusion {

/// dst = a, rounded to whole numbers
template <class Element, AscendC::RoundMode MODE>
struct Rounding : traits::CastTiles<1>, traits::InPlace<0b1> {
    CATLASS_DEVICE void operator()(UbTensor<float> const& dst, int32_t count, UbTensor<float> const& a) const
    {
        AscendC::Cast(dst, a, MODE, static_cast<uint32_t>(count));
    }
};

/// dst = sqrt(a)
template <class Element>
struct Sqrt : traits::InPlace<0b1> {
    CATLASS_DEVICE void operator()(UbTensor<Element> const& dst, int32_t count, UbTensor<Element> const& a) const
    {
        AscendC::Sqrt(dst, a, count);
    }
};

/// dst = 1 / sqrt(a)
template <class Element>
struct Rsqrt : traits::ScratchTiles<1>, traits::HasBarrier {
    CATLASS_DEVICE void operator()(
        UbTensor<Element> const& dst, int32_t count, UbTensor<Element> const& a, UbTensor<Element> const& tmp) const
    {
        AscendC::Sqrt(tmp, a, count);
        AscendC::Duplicate(dst, static_cast<Element>(1), count);
        BarrierV();
        AscendC::Div(dst, dst, tmp, count);
    }
};

/// dst = 1 / a
template <class Element>
struct Reciprocal : traits::HasBarrier {
    CATLASS_DEVICE void operator()(UbTensor<Element> const& dst, int32_t count, UbTensor<Element> const& a) const
    {
        AscendC::Duplicate(dst, static_cast<Element>(1), count);
        BarrierV();
        AscendC::Div(dst, dst, a, count);
    }
};

/// dst = exp(a)
template <class Element>
struct Exp : traits::InPlace<0b1> {
    CATLASS_DEVICE void operator()(UbTensor<Element> const& dst, int32_t count, UbTensor<Element> const& a) const
    {
        AscendC::Exp(dst, a, count);
    }
};

/// dst = log(a)
template <class Element>
struct Log : traits::InPlace<0b1> {
    CATLASS_DEVICE void operator()(UbTensor<Element> const& dst, int32_t count, UbTensor<Element> const& a) const
    {
        AscendC::Ln(dst, a, count);
    }
};

/// dst = expm1(a)
template <class Element>
struct Expm1 : traits::CastTiles<2>, traits::ScratchTiles<2>, traits::HasBarrier {
    CATLASS_DEVICE void operator()(
        UbTensor<float> const& dst, int32_t count, UbTensor<float> const& a, UbTensor<float> const& tmp,
        UbTensor<float> const& tmp2) const
    {
        AscendC::Muls(dst, a, 0.5f, count);
        BarrierV();
        detail::Tanh(dst, dst, tmp, tmp2, count);
        AscendC::Exp(tmp, a, count);
        BarrierV();
        AscendC::Adds(tmp, tmp, 1.0f, count);
        BarrierV();
        AscendC::Mul(dst, dst, tmp, count);
    }
};

/// dst = log1p(a)
template <class Element>
struct Log1p : traits::CastTiles<2>, traits::ScratchTiles<2>, traits::HasBarrier {
    CATLASS_DEVICE void operator()(
        UbTensor<float> const& dst, int32_t count, UbTensor<float> const& a, UbTensor<float> const& tmp,
        UbTensor<float> const& tmp2) const
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

template <class Element>
using Floor = Rounding<Element, AscendC::RoundMode::CAST_FLOOR>;
template <class Element>
using Ceil = Rounding<Element, AscendC::RoundMode::CAST_CEIL>;
template <class Element>
using Round = Rounding<Element, AscendC::RoundMode::CAST_RINT>;
template <class Element>
using Trunc = Rounding<Element, AscendC::RoundMode::CAST_TRUNC>;

/// dst = (a > 0 ? 1 : a < 0 ? -1 : a)
template <class Element>
struct Sign : traits::CastTiles<1>, traits::HasBarrier, traits::InPlace<0b1> {
    CATLASS_DEVICE void operator()(UbTensor<float> const& dst, int32_t count, UbTensor<float> const& a) const
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

    CATLASS_DEVICE void operator()(UbTensor<float> const& dst, int32_t count, UbTensor<float> const& a) const
    {
        AscendC::Ln(dst, a, count);
        BarrierV();
        AscendC::Muls(dst, dst, exponent, count);
        BarrierV();
        AscendC::Exp(dst, dst, count);
    }
};

} // namespace Catlass::Epilogue::Fusion

#endif // CATLASS_EPILOGUE_FUSION_OPERATIONS_MATH_HPP
