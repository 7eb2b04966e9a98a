#ifndef CATLASS_EPILOGUE_FUSION_OPERATIONS_APPROXIMATION_HPP
#define CATLASS_EPILOGUE_FUSION_OPERATIONS_APPROXIMATION_HPP

#include "catlass/epilogue/fusion/operations/operator.hpp"

namespace Catlass::Epilogue::Fusion {
namespace detail {

using FloatTensor = UbTensor<float>;

/// dst = c0 + c1 * x + c2 * x * x + ... by Horner's rule. Coefficients are arguments, not arrays: they stay in the
/// code.
template <class... Coefficients>
CATLASS_DEVICE void Polynomial(
    FloatTensor const& dst, FloatTensor const& x, int32_t count, float c0, float c1, Coefficients... higher)
{
    if constexpr (sizeof...(higher) == 0) {
        AscendC::Muls(dst, x, c1, count);
    } else {
        Polynomial(dst, x, count, c1, higher...);
        BarrierV();
        AscendC::Mul(dst, dst, x, count);
    }
    BarrierV();
    AscendC::Adds(dst, dst, c0, count);
}

/// tanh(x) = num / den for |x| <= 9, to a relative error of 2.1e-8, with y = x * x; beyond, it is 1 to within an ulp of
/// float. num may be x.
CATLASS_DEVICE void TanhQuotient(
    FloatTensor const& num, FloatTensor const& den, FloatTensor const& x, FloatTensor const& y, int32_t count)
{
    Polynomial(den, y, count, 1.0f, 0.133810297f, 0.00349559239f, 2.06091463e-05f, 1.3354736e-08f);
    BarrierV();
    AscendC::Mul(num, x, den, count);
    BarrierV();
    Polynomial(den, y, count, 1.0f, 0.467143446f, 0.0258769989f, 0.000328564143f, 7.77659125e-07f);
}

/// dst = tanh(x); dst may be x.
CATLASS_DEVICE void Tanh(
    FloatTensor const& dst, FloatTensor const& x, FloatTensor const& tmp, FloatTensor const& tmp2, int32_t count)
{
    AscendC::Mins(dst, x, 9.0f, count);
    BarrierV();
    AscendC::Maxs(dst, dst, -9.0f, count);
    BarrierV();
    AscendC::Mul(tmp, dst, dst, count);
    BarrierV();
    TanhQuotient(dst, tmp2, dst, tmp, count);
    BarrierV();
    AscendC::Div(dst, dst, tmp2, count);
}

/// dst = (exp(y) - 1) / 2 with y = min(x, 0), as t / (1 - t) with t = tanh(y / 2), which does not cancel at small y.
CATLASS_DEVICE void HalfExpm1(
    FloatTensor const& dst, FloatTensor const& x, FloatTensor const& tmp, FloatTensor const& tmp2, int32_t count)
{
    AscendC::Muls(dst, x, 0.5f, count);
    BarrierV();
    AscendC::Mins(dst, dst, 0.0f, count);
    BarrierV();
    AscendC::Maxs(dst, dst, -9.0f, count);
    BarrierV();
    AscendC::Mul(tmp, dst, dst, count);
    BarrierV();
    TanhQuotient(dst, tmp2, dst, tmp, count);
    BarrierV();
    AscendC::Sub(tmp2, tmp2, dst, count);
    BarrierV();
    AscendC::Div(dst, dst, tmp2, count);
}

/// dst = log(1 + x) for 0 <= x <= 1, to a relative error of 9.5e-10: x times one sum by another, which share barriers.
CATLASS_DEVICE void Log1p(FloatTensor const& dst, FloatTensor const& x, FloatTensor const& tmp, int32_t count)
{
    AscendC::Muls(tmp, x, 0.0034172826f, count);
    AscendC::Muls(dst, x, 0.0752872899f, count);
    BarrierV();
    AscendC::Adds(tmp, tmp, 0.238157541f, count);
    AscendC::Adds(dst, dst, 0.687936306f, count);
    BarrierV();
    AscendC::Mul(tmp, tmp, x, count);
    AscendC::Mul(dst, dst, x, count);
    BarrierV();
    AscendC::Adds(tmp, tmp, 1.0662185f, count);
    AscendC::Adds(dst, dst, 1.56621838f, count);
    BarrierV();
    AscendC::Mul(tmp, tmp, x, count);
    AscendC::Mul(dst, dst, x, count);
    BarrierV();
    AscendC::Adds(tmp, tmp, 1.0f, count);
    AscendC::Adds(dst, dst, 1.0f, count);
    BarrierV();
    AscendC::Mul(tmp, x, tmp, count);
    BarrierV();
    AscendC::Div(dst, tmp, dst, count);
}

/// dst = exp(x) / (1 + exp(x)), which is 1 in float from 17 on: 88 is far enough, and its exponential is finite.
CATLASS_DEVICE void Logistic(FloatTensor const& dst, FloatTensor const& x, FloatTensor const& tmp, int32_t count)
{
    AscendC::Mins(dst, x, 88.0f, count);
    BarrierV();
    AscendC::Exp(dst, dst, count);
    BarrierV();
    AscendC::Adds(tmp, dst, 1.0f, count);
    BarrierV();
    AscendC::Div(dst, dst, tmp, count);
}

/// dst = dst * x, where that is 0 in float below -200. The limit keeps -inf from meeting a 0: their product is NaN.
CATLASS_DEVICE void TimesInput(FloatTensor const& dst, FloatTensor const& x, FloatTensor const& tmp, int32_t count)
{
    AscendC::Maxs(tmp, x, -200.0f, count);
    BarrierV();
    AscendC::Mul(dst, dst, tmp, count);
}

} // namespace detail
} // namespace Catlass::Epilogue::Fusion

#endif // CATLASS_EPILOGUE_FUSION_OPERATIONS_APPROXIMATION_HPP
