#ifndef CATLASS_EPILOGUE_FUSION_OPERATIONS_HPP
#define CATLASS_EPILOGUE_FUSION_OPERATIONS_HPP

#include "catlass/catlass.hpp"

namespace Catlass::Epilogue::Fusion {

// Elementwise operators on count elements of UB: fn(dst, count, inputs...).
// Barriers stand where a call reads what an earlier call of the same operator wrote.

/// dst = a + b, and so on for more inputs
template <class Element>
struct Plus {
    /// Makes the next writes to GM join what is there in the same way.
    CATLASS_DEVICE static void SetAtomic()
    {
        AscendC::SetAtomicAdd<Element>();
    }

    template <class... More>
    CATLASS_DEVICE void operator()(
        AscendC::LocalTensor<Element> const& dst, uint32_t count, AscendC::LocalTensor<Element> const& a,
        AscendC::LocalTensor<Element> const& b, More const&... more) const
    {
        AscendC::Add(dst, a, b, count);
        ((AscendC::PipeBarrier<PIPE_V>(), AscendC::Add(dst, dst, more, count)), ...);
    }
};

/// dst = a - b
template <class Element>
struct Minus {
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
    template <class... More>
    CATLASS_DEVICE void operator()(
        AscendC::LocalTensor<Element> const& dst, uint32_t count, AscendC::LocalTensor<Element> const& a,
        AscendC::LocalTensor<Element> const& b, More const&... more) const
    {
        AscendC::Mul(dst, a, b, count);
        ((AscendC::PipeBarrier<PIPE_V>(), AscendC::Mul(dst, dst, more, count)), ...);
    }
};

/// dst = a / b
template <class Element>
struct Divides {
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
    /// Makes the next writes to GM join what is there in the same way.
    CATLASS_DEVICE static void SetAtomic()
    {
        AscendC::SetAtomicMax<Element>();
    }

    template <class... More>
    CATLASS_DEVICE void operator()(
        AscendC::LocalTensor<Element> const& dst, uint32_t count, AscendC::LocalTensor<Element> const& a,
        AscendC::LocalTensor<Element> const& b, More const&... more) const
    {
        AscendC::Max(dst, a, b, count);
        ((AscendC::PipeBarrier<PIPE_V>(), AscendC::Max(dst, dst, more, count)), ...);
    }
};

/// dst = fmin(a, b), and so on for more inputs
template <class Element>
struct Minimum {
    /// Makes the next writes to GM join what is there in the same way.
    CATLASS_DEVICE static void SetAtomic()
    {
        AscendC::SetAtomicMin<Element>();
    }

    template <class... More>
    CATLASS_DEVICE void operator()(
        AscendC::LocalTensor<Element> const& dst, uint32_t count, AscendC::LocalTensor<Element> const& a,
        AscendC::LocalTensor<Element> const& b, More const&... more) const
    {
        AscendC::Min(dst, a, b, count);
        ((AscendC::PipeBarrier<PIPE_V>(), AscendC::Min(dst, dst, more, count)), ...);
    }
};

/// dst = -a
template <class Element>
struct Negate {
    CATLASS_DEVICE void operator()(
        AscendC::LocalTensor<Element> const& dst, uint32_t count, AscendC::LocalTensor<Element> const& a) const
    {
        AscendC::Muls(dst, a, static_cast<Element>(-1), count);
    }
};

/// dst = fabs(a)
template <class Element>
struct Absolute {
    CATLASS_DEVICE void operator()(
        AscendC::LocalTensor<Element> const& dst, uint32_t count, AscendC::LocalTensor<Element> const& a) const
    {
        AscendC::Abs(dst, a, count);
    }
};

/// dst = fmax(a, 0)
template <class Element>
struct Relu {
    CATLASS_DEVICE void operator()(
        AscendC::LocalTensor<Element> const& dst, uint32_t count, AscendC::LocalTensor<Element> const& a) const
    {
        AscendC::Relu(dst, a, count);
    }
};

/// dst = exp(a)
template <class Element>
struct Exp {
    CATLASS_DEVICE void operator()(
        AscendC::LocalTensor<Element> const& dst, uint32_t count, AscendC::LocalTensor<Element> const& a) const
    {
        AscendC::Exp(dst, a, count);
    }
};

/// dst = log(a)
template <class Element>
struct Log {
    CATLASS_DEVICE void operator()(
        AscendC::LocalTensor<Element> const& dst, uint32_t count, AscendC::LocalTensor<Element> const& a) const
    {
        AscendC::Ln(dst, a, count);
    }
};

/// dst = sqrt(a)
template <class Element>
struct Sqrt {
    CATLASS_DEVICE void operator()(
        AscendC::LocalTensor<Element> const& dst, uint32_t count, AscendC::LocalTensor<Element> const& a) const
    {
        AscendC::Sqrt(dst, a, count);
    }
};

/// dst = 1 / a
template <class Element>
struct Reciprocal {
    CATLASS_DEVICE void operator()(
        AscendC::LocalTensor<Element> const& dst, uint32_t count, AscendC::LocalTensor<Element> const& a) const
    {
        AscendC::Reciprocal(dst, a, count);
    }
};

/// dst = a + scalar
template <class Element>
struct Adds {
    CATLASS_DEVICE void operator()(
        AscendC::LocalTensor<Element> const& dst, uint32_t count, AscendC::LocalTensor<Element> const& a,
        Element scalar) const
    {
        AscendC::Adds(dst, a, scalar, count);
    }
};

/// dst = a * scalar
template <class Element>
struct Muls {
    CATLASS_DEVICE void operator()(
        AscendC::LocalTensor<Element> const& dst, uint32_t count, AscendC::LocalTensor<Element> const& a,
        Element scalar) const
    {
        AscendC::Muls(dst, a, scalar, count);
    }
};

/// dst = fmax(a, scalar)
template <class Element>
struct Maxs {
    CATLASS_DEVICE void operator()(
        AscendC::LocalTensor<Element> const& dst, uint32_t count, AscendC::LocalTensor<Element> const& a,
        Element scalar) const
    {
        AscendC::Maxs(dst, a, scalar, count);
    }
};

/// dst = fmin(a, scalar)
template <class Element>
struct Mins {
    CATLASS_DEVICE void operator()(
        AscendC::LocalTensor<Element> const& dst, uint32_t count, AscendC::LocalTensor<Element> const& a,
        Element scalar) const
    {
        AscendC::Mins(dst, a, scalar, count);
    }
};

/// dst = a / scalar
template <class Element>
struct Divs {
    CATLASS_DEVICE void operator()(
        AscendC::LocalTensor<Element> const& dst, uint32_t count, AscendC::LocalTensor<Element> const& a,
        Element scalar) const
    {
        AscendC::Duplicate(dst, scalar, count);
        AscendC::PipeBarrier<PIPE_V>();
        AscendC::Div(dst, a, dst, count);
    }
};

/// dst = scalar / a
template <class Element>
struct RDivs {
    CATLASS_DEVICE void operator()(
        AscendC::LocalTensor<Element> const& dst, uint32_t count, AscendC::LocalTensor<Element> const& a,
        Element scalar) const
    {
        AscendC::Duplicate(dst, scalar, count);
        AscendC::PipeBarrier<PIPE_V>();
        AscendC::Div(dst, dst, a, count);
    }
};

}  // namespace Catlass::Epilogue::Fusion

#endif  // CATLASS_EPILOGUE_FUSION_OPERATIONS_HPP
