#ifndef CATLASS_EPILOGUE_FUSION_OPERATIONS_ACTIVATION_HPP
#define CATLASS_EPILOGUE_FUSION_OPERATIONS_ACTIVATION_HPP

#include "catlass/epilogue/fusion/operations/approximation.hpp"

namespace Catlass::Epilogue::Fusion {

/// dst = fmax(a, 0)
template <class Element>
struct Relu : traits::InPlace<0b1> {
    CATLASS_DEVICE void operator()(UbTensor<Element> const& dst, int32_t count, UbTensor<Element> const& a) const
    {
        AscendC::Relu(dst, a, count);
    }
};

/// dst = fmin(fmax(a, 0), 6)
template <class Element>
struct Relu6 : traits::HasBarrier, traits::InPlace<0b1> {
    CATLASS_DEVICE void operator()(UbTensor<Element> const& dst, int32_t count, UbTensor<Element> const& a) const
    {
        AscendC::Maxs(dst, a, static_cast<Element>(0), count);
        BarrierV();
        AscendC::Mins(dst, dst, static_cast<Element>(6), count);
    }
};

/// dst = fmin(fmax(a, -1), 1)
template <class Element>
struct HardTanh : traits::HasBarrier, traits::InPlace<0b1> {
    CATLASS_DEVICE void operator()(UbTensor<Element> const& dst, int32_t count, UbTensor<Element> const& a) const
    {
        AscendC::Maxs(dst, a, static_cast<Element>(-1), count);
        BarrierV();
        AscendC::Mins(dst, dst, static_cast<Element>(1), count);
    }
};

/// dst = fmax(a + b, 0)
template <class Element>
struct AddRelu : traits::InPlace<0b11> {
    CATLASS_DEVICE void operator()(
        UbTensor<Element> const& dst, int32_t count, UbTensor<Element> const& a, UbTensor<Element> const& b) const
    {
        AscendC::AddRelu(dst, a, b, count);
    }
};

/// dst = fmax(a - b, 0)
template <class Element>
struct SubRelu : traits::InPlace<0b11> {
    CATLASS_DEVICE void operator()(
        UbTensor<Element> const& dst, int32_t count, UbTensor<Element> const& a, UbTensor<Element> const& b) const
    {
        AscendC::SubRelu(dst, a, b, count);
    }
};

/// dst = (a >= 0 ? a : a * slope)
template <class Element>
struct LeakyRelu {
    static constexpr uint32_t IN_PLACE = 0b1;

    Element slope;

    CATLASS_DEVICE void operator()(UbTensor<Element> const& dst, int32_t count, UbTensor<Element> const& a) const
    {
        AscendC::LeakyRelu(dst, a, slope, count);
    }
};

/// dst = fmax(a, 0) + b * fmin(a, 0)
template <class Element>
struct Prelu : traits::ScratchTiles<1>, traits::HasBarrier, traits::InPlace<0b1> {
    CATLASS_DEVICE void operator()(
        UbTensor<Element> const& dst, int32_t count, UbTensor<Element> const& a, UbTensor<Element> const& b,
        UbTensor<Element> const& tmp) const
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
struct HardSigmoid : traits::HasBarrier, traits::InPlace<0b1> {
    CATLASS_DEVICE void operator()(UbTensor<Element> const& dst, int32_t count, UbTensor<Element> const& a) const
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
struct HardSwish : traits::ScratchTiles<1>, traits::HasBarrier, traits::InPlace<0b1> {
    CATLASS_DEVICE void operator()(
        UbTensor<Element> const& dst, int32_t count, UbTensor<Element> const& a, UbTensor<Element> const& tmp) const
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
struct Sigmoid : traits::CastTiles<1>, traits::ScratchTiles<1>, traits::HasBarrier, traits::InPlace<0b1> {
    CATLASS_DEVICE void operator()(
        UbTensor<float> const& dst, int32_t count, UbTensor<float> const& a, UbTensor<float> const& tmp) const
    {
        detail::Logistic(dst, a, tmp, count);
    }
};

/// dst = tanh(a)
template <class Element>
struct Tanh : traits::CastTiles<2>, traits::ScratchTiles<3>, traits::HasBarrier {
    CATLASS_DEVICE void operator()(
        UbTensor<float> const& dst, int32_t count, UbTensor<float> const& a, UbTensor<float> const& tmp,
        UbTensor<float> const& tmp2, UbTensor<float> const& tmp3) const
    {
        // tanh(x) = x * (C + P1 * y + ... + P4 * y^4) / (C + y + Q2 * y^2 + ... + Q4 * y^4)
        // with y = x * x <= LIMIT, to a relative error of 4.5e-8; from there on, it is 1 to within an ulp of float
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
struct Silu : traits::CastTiles<2>, traits::ScratchTiles<1>, traits::HasBarrier {
    CATLASS_DEVICE void operator()(
        UbTensor<float> const& dst, int32_t count, UbTensor<float> const& a, UbTensor<float> const& tmp) const
    {
        detail::Logistic(dst, a, tmp, count);
        BarrierV();
        detail::TimesInput(dst, a, tmp, count);
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
        UbTensor<float> const& dst, int32_t count, UbTensor<float> const& a, UbTensor<float> const& tmp) const
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
struct GeluTanh : traits::CastTiles<2>, traits::ScratchTiles<1>, traits::HasBarrier {
    CATLASS_DEVICE void operator()(
        UbTensor<float> const& dst, int32_t count, UbTensor<float> const& a, UbTensor<float> const& tmp) const
    {
        // (1 + tanh(y)) / 2 = 1 / (1 + exp(-2 * y)) with y = sqrt(2 / pi) * (a + 0.044715 * a * a * a):
        // 2 * y = a * (G1 + G3 * a * a)
        constexpr float G1 = 1.5957691216057308f;
        constexpr float G3 = 0.07135481627260025f;

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
        detail::TimesInput(dst, a, tmp, count);
    }
};

/// dst = 0.5 * a * erfc(a * -0.7071067811865476)
template <class Element>
struct Gelu : traits::CastTiles<2>, traits::ScratchTiles<3>, traits::HasBarrier {
    CATLASS_DEVICE void operator()(
        UbTensor<float> const& dst, int32_t count, UbTensor<float> const& a, UbTensor<float> const& tmp,
        UbTensor<float> const& tmp2, UbTensor<float> const& tmp3) const
    {
        // x * erfc(x / sqrt(2)) / 2 = exp(-x * x / 2) * (P1 * x + ... + P4 * x^4) / (Q0 + x + Q2 * x^2 + ...)
        // for 0 <= x <= LIMIT, to a relative error of 2.6e-7 below 2 and of 1.8e-6 far out, where exp is off by
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
struct QuickGelu : traits::CastTiles<2>, traits::ScratchTiles<1>, traits::HasBarrier {
    CATLASS_DEVICE void operator()(
        UbTensor<float> const& dst, int32_t count, UbTensor<float> const& a, UbTensor<float> const& tmp) const
    {
        // 1 / (1 + exp(-SLOPE * x)) is close to the normal distribution
        constexpr float SLOPE = 1.702f;

        AscendC::Muls(dst, a, SLOPE, count);
        BarrierV();
        detail::Logistic(dst, dst, tmp, count);
        BarrierV();
        detail::TimesInput(dst, a, tmp, count);
    }
};

/// dst = a * tanh(log1p(exp(a)))
template <class Element>
struct Mish : traits::CastTiles<2>, traits::ScratchTiles<1>, traits::HasBarrier {
    CATLASS_DEVICE void operator()(
        UbTensor<float> const& dst, int32_t count, UbTensor<float> const& a, UbTensor<float> const& tmp) const
    {
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
        detail::TimesInput(dst, a, tmp, count);
    }
};

/// dst = a / (1 + fabs(a))
template <class Element>
struct Softsign : traits::CastTiles<1>, traits::ScratchTiles<1>, traits::HasBarrier, traits::InPlace<0b1> {
    CATLASS_DEVICE void operator()(
        UbTensor<float> const& dst, int32_t count, UbTensor<float> const& a, UbTensor<float> const& tmp) const
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
        UbTensor<float> const& dst, int32_t count, UbTensor<float> const& a, UbTensor<float> const& tmp,
        UbTensor<float> const& tmp2) const
    {
        // tanh(y) is 1 to within an ulp of float from y * y = LIMIT on
        constexpr float LIMIT = 81.0f;

        AscendC::Duplicate(tmp, cap, count);
        BarrierV();
        AscendC::Div(dst, a, tmp, count);
        BarrierV();
        AscendC::Mul(tmp, dst, dst, count);
        BarrierV();
        AscendC::Mins(tmp, tmp, LIMIT, count);
        BarrierV();
        detail::TanhQuotient(dst, tmp2, a, tmp, count);
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
        UbTensor<float> const& dst, int32_t count, UbTensor<float> const& a, UbTensor<float> const& tmp,
        UbTensor<float> const& tmp2) const
    {
        detail::HalfExpm1(dst, a, tmp, tmp2, count);
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
struct Selu : traits::CastTiles<2>, traits::ScratchTiles<2>, traits::HasBarrier {
    CATLASS_DEVICE void operator()(
        UbTensor<float> const& dst, int32_t count, UbTensor<float> const& a, UbTensor<float> const& tmp,
        UbTensor<float> const& tmp2) const
    {
        // SCALE, and 2 * SCALE * ALPHA with the ALPHA that belongs to it
        constexpr float SCALE = 1.0507009873554805f;
        constexpr float BELOW_ZERO = 3.5161986816947532f;

        detail::HalfExpm1(dst, a, tmp, tmp2, count);
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
        UbTensor<float> const& dst, int32_t count, UbTensor<float> const& a, UbTensor<float> const& tmp,
        UbTensor<float> const& tmp2, UbTensor<float> const& tmp3) const
    {
        AscendC::Duplicate(tmp, alpha, count);
        AscendC::Mins(dst, a, 0.0f, count);
        BarrierV();
        AscendC::Div(tmp3, dst, tmp, count);
        BarrierV();
        AscendC::Muls(dst, tmp3, 0.5f, count);
        BarrierV();
        detail::Tanh(dst, dst, tmp, tmp2, count);
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
struct Softplus : traits::CastTiles<2>, traits::ScratchTiles<2>, traits::HasBarrier {
    CATLASS_DEVICE void operator()(
        UbTensor<float> const& dst, int32_t count, UbTensor<float> const& a, UbTensor<float> const& tmp,
        UbTensor<float> const& tmp2) const
    {
        AscendC::Abs(tmp, a, count);
        BarrierV();
        AscendC::Muls(tmp, tmp, -1.0f, count);
        BarrierV();
        AscendC::Exp(tmp, tmp, count);
        BarrierV();
        detail::Log1p(dst, tmp, tmp2, count);
        AscendC::Relu(tmp, a, count);
        BarrierV();
        AscendC::Add(dst, dst, tmp, count);
    }
};

} // namespace Catlass::Epilogue::Fusion

#endif // CATLASS_EPILOGUE_FUSION_OPERATIONS_ACTIVATION_HPP
