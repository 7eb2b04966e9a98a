#ifndef CATLASS_EPILOGUE_FUSION_OPERATIONS_ARITHMETIC_HPP
#define CATLASS_EPILOGUE_FUSION_OPERATIONS_ARITHMETIC_HPP

#include "catlass/epilogue/fusion/operations/operator.hpp"

namespace Catlass::Epilogue::Fusion {

/// dst = a + b, and so on for more inputs
template <class Element>
struct Plus : traits::InPlace<0b11> {
    CATLASS_DEVICE static void SetAtomic()
    {
        AscendC::SetAtomicAdd<Element>();
    }

    CATLASS_DEVICE static void ReduceLanes(
        UbTensor<Element> const& dst, UbTensor<Element> const& src, int32_t lanes, int32_t repeats, int32_t stride)
    {
        AscendC::WholeReduceSum<Element>(dst, src, lanes, repeats, 1, 1, stride);
    }

    template <class... More>
    CATLASS_DEVICE void operator()(
        UbTensor<Element> const& dst, int32_t count, UbTensor<Element> const& a, UbTensor<Element> const& b,
        More const&... more) const
    {
        AscendC::Add(dst, a, b, count);
        ((BarrierV(), AscendC::Add(dst, dst, more, count)), ...);
    }
};

/// dst = a - b
template <class Element>
struct Minus : traits::InPlace<0b11> {
    CATLASS_DEVICE void operator()(
        UbTensor<Element> const& dst, int32_t count, UbTensor<Element> const& a, UbTensor<Element> const& b) const
    {
        AscendC::Sub(dst, a, b, count);
    }
};

/// dst = a * b, and so on for more inputs
template <class Element>
struct Multiplies : traits::InPlace<0b11> {
    template <class... More>
    CATLASS_DEVICE void operator()(
        UbTensor<Element> const& dst, int32_t count, UbTensor<Element> const& a, UbTensor<Element> const& b,
        More const&... more) const
    {
        AscendC::Mul(dst, a, b, count);
        ((BarrierV(), AscendC::Mul(dst, dst, more, count)), ...);
    }
};

/// dst = a / b
template <class Element>
struct Divides : traits::InPlace<0b11> {
    CATLASS_DEVICE void operator()(
        UbTensor<Element> const& dst, int32_t count, UbTensor<Element> const& a, UbTensor<Element> const& b) const
    {
        AscendC::Div(dst, a, b, count);
    }
};

/// dst = fmax(a, b), and so on for more inputs
template <class Element>
struct Maximum : traits::InPlace<0b11> {
    CATLASS_DEVICE static void SetAtomic()
    {
        AscendC::SetAtomicMax<Element>();
    }

    CATLASS_DEVICE static void ReduceLanes(
        UbTensor<Element> const& dst, UbTensor<Element> const& src, int32_t lanes, int32_t repeats, int32_t stride)
    {
        AscendC::WholeReduceMax<Element>(
            dst, src, lanes, repeats, 1, 1, stride, AscendC::ReduceOrder::ORDER_ONLY_VALUE);
    }

    template <class... More>
    CATLASS_DEVICE void operator()(
        UbTensor<Element> const& dst, int32_t count, UbTensor<Element> const& a, UbTensor<Element> const& b,
        More const&... more) const
    {
        AscendC::Max(dst, a, b, count);
        ((BarrierV(), AscendC::Max(dst, dst, more, count)), ...);
    }
};

/// dst = fmin(a, b), and so on for more inputs
template <class Element>
struct Minimum : traits::InPlace<0b11> {
    CATLASS_DEVICE static void SetAtomic()
    {
        AscendC::SetAtomicMin<Element>();
    }

    CATLASS_DEVICE static void ReduceLanes(
        UbTensor<Element> const& dst, UbTensor<Element> const& src, int32_t lanes, int32_t repeats, int32_t stride)
    {
        AscendC::WholeReduceMin<Element>(
            dst, src, lanes, repeats, 1, 1, stride, AscendC::ReduceOrder::ORDER_ONLY_VALUE);
    }

    template <class... More>
    CATLASS_DEVICE void operator()(
        UbTensor<Element> const& dst, int32_t count, UbTensor<Element> const& a, UbTensor<Element> const& b,
        More const&... more) const
    {
        AscendC::Min(dst, a, b, count);
        ((BarrierV(), AscendC::Min(dst, dst, more, count)), ...);
    }
};

/// dst = a * b + c
template <class Element>
struct Fma : traits::HasBarrier, traits::InPlace<0b11> {
    CATLASS_DEVICE void operator()(
        UbTensor<Element> const& dst, int32_t count, UbTensor<Element> const& a, UbTensor<Element> const& b,
        UbTensor<Element> const& c) const
    {
        AscendC::Mul(dst, a, b, count);
        BarrierV();
        AscendC::Add(dst, dst, c, count);
    }
};

/// dst = -a
template <class Element>
struct Negate : traits::InPlace<0b1> {
    CATLASS_DEVICE void operator()(UbTensor<Element> const& dst, int32_t count, UbTensor<Element> const& a) const
    {
        AscendC::Muls(dst, a, static_cast<Element>(-1), count);
    }
};

/// dst = fabs(a)
template <class Element>
struct Absolute : traits::InPlace<0b1> {
    CATLASS_DEVICE void operator()(UbTensor<Element> const& dst, int32_t count, UbTensor<Element> const& a) const
    {
        AscendC::Abs(dst, a, count);
    }
};

/// dst = a * a
template <class Element>
struct Square : traits::InPlace<0b1> {
    CATLASS_DEVICE void operator()(UbTensor<Element> const& dst, int32_t count, UbTensor<Element> const& a) const
    {
        AscendC::Mul(dst, a, a, count);
    }
};

/// dst = a + scalar
template <class Element>
struct Adds {
    static constexpr uint32_t IN_PLACE = 0b1;

    Element scalar;

    CATLASS_DEVICE void operator()(UbTensor<Element> const& dst, int32_t count, UbTensor<Element> const& a) const
    {
        AscendC::Adds(dst, a, scalar, count);
    }
};

/// dst = a * scalar
template <class Element>
struct Muls {
    static constexpr uint32_t IN_PLACE = 0b1;

    Element scalar;

    CATLASS_DEVICE void operator()(UbTensor<Element> const& dst, int32_t count, UbTensor<Element> const& a) const
    {
        AscendC::Muls(dst, a, scalar, count);
    }
};

/// dst = fmax(a, scalar)
template <class Element>
struct Maxs {
    static constexpr uint32_t IN_PLACE = 0b1;

    Element scalar;

    CATLASS_DEVICE void operator()(UbTensor<Element> const& dst, int32_t count, UbTensor<Element> const& a) const
    {
        AscendC::Maxs(dst, a, scalar, count);
    }
};

/// dst = fmin(a, scalar)
template <class Element>
struct Mins {
    static constexpr uint32_t IN_PLACE = 0b1;

    Element scalar;

    CATLASS_DEVICE void operator()(UbTensor<Element> const& dst, int32_t count, UbTensor<Element> const& a) const
    {
        AscendC::Mins(dst, a, scalar, count);
    }
};

/// dst = a / scalar
template <class Element>
struct Divs {
    static constexpr bool HAS_BARRIER = true;

    Element scalar;

    CATLASS_DEVICE void operator()(UbTensor<Element> const& dst, int32_t count, UbTensor<Element> const& a) const
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

    CATLASS_DEVICE void operator()(UbTensor<Element> const& dst, int32_t count, UbTensor<Element> const& a) const
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
        UbTensor<Element> const& dst, int32_t count, UbTensor<Element> const& a, UbTensor<Element> const& b) const
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

    CATLASS_DEVICE void operator()(UbTensor<Element> const& dst, int32_t count, UbTensor<Element> const& a) const
    {
        AscendC::Maxs(dst, a, low, count);
        BarrierV();
        AscendC::Mins(dst, dst, high, count);
    }
};

} // namespace Catlass::Epilogue::Fusion

#endif // CATLASS_EPILOGUE_FUSION_OPERATIONS_ARITHMETIC_HPP
