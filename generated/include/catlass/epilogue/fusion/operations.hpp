#ifndef CATLASS_EPILOGUE_FUSION_OPERATIONS_HPP
#define CATLASS_EPILOGUE_FUSION_OPERATIONS_HPP

#include <type_traits>

#include "catlass/catlass.hpp"

namespace Catlass::Epilogue::Fusion {

// Elementwise operators on count elements of UB: fn(dst, count, inputs..., constants...).
//
// An operator that needs scratch says how many bytes of it for each element: fn(dst, count, scratch, inputs...).
// Tiles of scratch follow each other, so count is a multiple of a block of 32 bytes.
// Masks have one bit for each element. Comparisons work on whole repeats, so their buffers end on 256 bytes.
// Barriers stand where a call touches what an earlier call of the same operator wrote, or overwrites what one read.

/// The bytes of a mask: bit i of them is element i. Compare writes it, Select reads it.
using Mask = uint8_t;

/// Elements that fill the repeats of 256 bytes which count elements begin.
template <class Element>
CATLASS_DEVICE uint32_t WholeRepeats(uint32_t count)
{
    return RoundUp<256 / static_cast<uint32_t>(sizeof(Element))>(count);
}

/// A mask in words of 16 bits, as And, Or and Not take it.
CATLASS_DEVICE AscendC::LocalTensor<uint16_t> MaskWords(AscendC::LocalTensor<Mask> const& mask)
{
    return mask.ReinterpretCast<uint16_t>();
}

/// dst = a + b, and so on for more inputs
template <class Element>
struct Plus {
    /// Makes the next writes to GM join what is there in the same way.
    CATLASS_DEVICE static void SetAtomic()
    {
        AscendC::SetAtomicAdd<Element>();
    }

    /// Reduces the first lanes elements of each repeat to one; repeats of src are stride blocks of 32 bytes apart.
    CATLASS_DEVICE static void ReduceLanes(
        AscendC::LocalTensor<Element> const& dst, AscendC::LocalTensor<Element> const& src, uint32_t lanes,
        uint32_t repeats, uint32_t stride)
    {
        AscendC::WholeReduceSum<Element>(
            dst, src, static_cast<int32_t>(lanes), static_cast<int32_t>(repeats), 1, 1, static_cast<int32_t>(stride));
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

    /// Reduces the first lanes elements of each repeat to one; repeats of src are stride blocks of 32 bytes apart.
    CATLASS_DEVICE static void ReduceLanes(
        AscendC::LocalTensor<Element> const& dst, AscendC::LocalTensor<Element> const& src, uint32_t lanes,
        uint32_t repeats, uint32_t stride)
    {
        AscendC::WholeReduceMax<Element>(
            dst, src, static_cast<int32_t>(lanes), static_cast<int32_t>(repeats), 1, 1, static_cast<int32_t>(stride),
            AscendC::ReduceOrder::ORDER_ONLY_VALUE);
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

    /// Reduces the first lanes elements of each repeat to one; repeats of src are stride blocks of 32 bytes apart.
    CATLASS_DEVICE static void ReduceLanes(
        AscendC::LocalTensor<Element> const& dst, AscendC::LocalTensor<Element> const& src, uint32_t lanes,
        uint32_t repeats, uint32_t stride)
    {
        AscendC::WholeReduceMin<Element>(
            dst, src, static_cast<int32_t>(lanes), static_cast<int32_t>(repeats), 1, 1, static_cast<int32_t>(stride),
            AscendC::ReduceOrder::ORDER_ONLY_VALUE);
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

/// dst = a * b + c
template <class Element>
struct Fma {
    static constexpr bool HAS_BARRIER = true;

    CATLASS_DEVICE void operator()(
        AscendC::LocalTensor<Element> const& dst, uint32_t count, AscendC::LocalTensor<Element> const& a,
        AscendC::LocalTensor<Element> const& b, AscendC::LocalTensor<Element> const& c) const
    {
        AscendC::Mul(dst, a, b, count);
        AscendC::PipeBarrier<PIPE_V>();
        AscendC::Add(dst, dst, c, count);
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

/// dst = a * a
template <class Element>
struct Square {
    CATLASS_DEVICE void operator()(
        AscendC::LocalTensor<Element> const& dst, uint32_t count, AscendC::LocalTensor<Element> const& a) const
    {
        AscendC::Mul(dst, a, a, count);
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

/// dst = 1 / sqrt(a)
template <class Element>
struct Rsqrt {
    using ElementScratch = Element;
    static constexpr uint32_t SCRATCH_BYTES = 1 * sizeof(Element);
    static constexpr bool HAS_BARRIER = true;

    CATLASS_DEVICE void operator()(
        AscendC::LocalTensor<Element> const& dst, uint32_t count, AscendC::LocalTensor<Element> const& tmp,
        AscendC::LocalTensor<Element> const& a) const
    {
        AscendC::Sqrt(tmp, a, count);
        AscendC::Duplicate(dst, static_cast<Element>(1), count);
        AscendC::PipeBarrier<PIPE_V>();
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
        AscendC::PipeBarrier<PIPE_V>();
        AscendC::Div(dst, dst, a, count);
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

/// dst = a + scalar
template <class Element>
struct Adds {
    using ElementConstant = Element;

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
    using ElementConstant = Element;

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
    using ElementConstant = Element;

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
    using ElementConstant = Element;

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
    static constexpr bool HAS_BARRIER = true;
    using ElementConstant = Element;

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
    static constexpr bool HAS_BARRIER = true;
    using ElementConstant = Element;

    CATLASS_DEVICE void operator()(
        AscendC::LocalTensor<Element> const& dst, uint32_t count, AscendC::LocalTensor<Element> const& a,
        Element scalar) const
    {
        AscendC::Duplicate(dst, scalar, count);
        AscendC::PipeBarrier<PIPE_V>();
        AscendC::Div(dst, dst, a, count);
    }
};

/// dst = alpha * a + b
template <class Element>
struct Axpy {
    static constexpr bool HAS_BARRIER = true;
    using ElementConstant = Element;

    CATLASS_DEVICE void operator()(
        AscendC::LocalTensor<Element> const& dst, uint32_t count, AscendC::LocalTensor<Element> const& a,
        AscendC::LocalTensor<Element> const& b, Element alpha) const
    {
        AscendC::Muls(dst, a, alpha, count);
        AscendC::PipeBarrier<PIPE_V>();
        AscendC::Add(dst, dst, b, count);
    }
};

/// dst = fmin(fmax(a, low), high)
template <class Element>
struct Clamp {
    static constexpr bool HAS_BARRIER = true;
    using ElementConstant = Element;

    CATLASS_DEVICE void operator()(
        AscendC::LocalTensor<Element> const& dst, uint32_t count, AscendC::LocalTensor<Element> const& a, Element low,
        Element high) const
    {
        AscendC::Maxs(dst, a, low, count);
        AscendC::PipeBarrier<PIPE_V>();
        AscendC::Mins(dst, dst, high, count);
    }
};

/// dst = a > b
template <class Element>
struct Greater {
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
    using ElementScratch = Element;
    static constexpr uint32_t SCRATCH_BYTES = 1 * sizeof(Element);
    static constexpr bool HAS_BARRIER = true;
    static constexpr bool MAKES_MASK = true;
    using ElementConstant = Element;

    CATLASS_DEVICE void operator()(
        AscendC::LocalTensor<Mask> const& dst, uint32_t count, AscendC::LocalTensor<Element> const& tmp,
        AscendC::LocalTensor<Element> const& a, Element scalar) const
    {
        AscendC::Duplicate(tmp, scalar, count);
        AscendC::PipeBarrier<PIPE_V>();
        AscendC::Compare(dst, a, tmp, AscendC::CMPMODE::GT, WholeRepeats<Element>(count));
    }
};

/// dst = a >= b
template <class Element>
struct GreaterEqual {
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
    using ElementScratch = Element;
    static constexpr uint32_t SCRATCH_BYTES = 1 * sizeof(Element);
    static constexpr bool HAS_BARRIER = true;
    static constexpr bool MAKES_MASK = true;
    using ElementConstant = Element;

    CATLASS_DEVICE void operator()(
        AscendC::LocalTensor<Mask> const& dst, uint32_t count, AscendC::LocalTensor<Element> const& tmp,
        AscendC::LocalTensor<Element> const& a, Element scalar) const
    {
        AscendC::Duplicate(tmp, scalar, count);
        AscendC::PipeBarrier<PIPE_V>();
        AscendC::Compare(dst, a, tmp, AscendC::CMPMODE::GE, WholeRepeats<Element>(count));
    }
};

/// dst = a < b
template <class Element>
struct Less {
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
    using ElementScratch = Element;
    static constexpr uint32_t SCRATCH_BYTES = 1 * sizeof(Element);
    static constexpr bool HAS_BARRIER = true;
    static constexpr bool MAKES_MASK = true;
    using ElementConstant = Element;

    CATLASS_DEVICE void operator()(
        AscendC::LocalTensor<Mask> const& dst, uint32_t count, AscendC::LocalTensor<Element> const& tmp,
        AscendC::LocalTensor<Element> const& a, Element scalar) const
    {
        AscendC::Duplicate(tmp, scalar, count);
        AscendC::PipeBarrier<PIPE_V>();
        AscendC::Compare(dst, a, tmp, AscendC::CMPMODE::LT, WholeRepeats<Element>(count));
    }
};

/// dst = a <= b
template <class Element>
struct LessEqual {
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
    using ElementScratch = Element;
    static constexpr uint32_t SCRATCH_BYTES = 1 * sizeof(Element);
    static constexpr bool HAS_BARRIER = true;
    static constexpr bool MAKES_MASK = true;
    using ElementConstant = Element;

    CATLASS_DEVICE void operator()(
        AscendC::LocalTensor<Mask> const& dst, uint32_t count, AscendC::LocalTensor<Element> const& tmp,
        AscendC::LocalTensor<Element> const& a, Element scalar) const
    {
        AscendC::Duplicate(tmp, scalar, count);
        AscendC::PipeBarrier<PIPE_V>();
        AscendC::Compare(dst, a, tmp, AscendC::CMPMODE::LE, WholeRepeats<Element>(count));
    }
};

/// dst = a == b
template <class Element>
struct EqualTo {
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
    using ElementScratch = Element;
    static constexpr uint32_t SCRATCH_BYTES = 1 * sizeof(Element);
    static constexpr bool HAS_BARRIER = true;
    static constexpr bool MAKES_MASK = true;
    using ElementConstant = Element;

    CATLASS_DEVICE void operator()(
        AscendC::LocalTensor<Mask> const& dst, uint32_t count, AscendC::LocalTensor<Element> const& tmp,
        AscendC::LocalTensor<Element> const& a, Element scalar) const
    {
        AscendC::Duplicate(tmp, scalar, count);
        AscendC::PipeBarrier<PIPE_V>();
        AscendC::Compare(dst, a, tmp, AscendC::CMPMODE::EQ, WholeRepeats<Element>(count));
    }
};

/// dst = a != b
template <class Element>
struct NotEqualTo {
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
    using ElementScratch = Element;
    static constexpr uint32_t SCRATCH_BYTES = 1 * sizeof(Element);
    static constexpr bool HAS_BARRIER = true;
    static constexpr bool MAKES_MASK = true;
    using ElementConstant = Element;

    CATLASS_DEVICE void operator()(
        AscendC::LocalTensor<Mask> const& dst, uint32_t count, AscendC::LocalTensor<Element> const& tmp,
        AscendC::LocalTensor<Element> const& a, Element scalar) const
    {
        AscendC::Duplicate(tmp, scalar, count);
        AscendC::PipeBarrier<PIPE_V>();
        AscendC::Compare(dst, a, tmp, AscendC::CMPMODE::NE, WholeRepeats<Element>(count));
    }
};

/// dst = a && b, and so on for more inputs
template <class Element>
struct LogicalAnd {
    static constexpr bool MAKES_MASK = true;

    template <class... More>
    CATLASS_DEVICE void operator()(
        AscendC::LocalTensor<Mask> const& dst, uint32_t count, AscendC::LocalTensor<Mask> const& a,
        AscendC::LocalTensor<Mask> const& b, More const&... more) const
    {
        AscendC::And(MaskWords(dst), MaskWords(a), MaskWords(b), CeilDiv<16>(count));
        ((AscendC::PipeBarrier<PIPE_V>(),
          AscendC::And(MaskWords(dst), MaskWords(dst), MaskWords(more), CeilDiv<16>(count))),
         ...);
    }
};

/// dst = a || b, and so on for more inputs
template <class Element>
struct LogicalOr {
    static constexpr bool MAKES_MASK = true;

    template <class... More>
    CATLASS_DEVICE void operator()(
        AscendC::LocalTensor<Mask> const& dst, uint32_t count, AscendC::LocalTensor<Mask> const& a,
        AscendC::LocalTensor<Mask> const& b, More const&... more) const
    {
        AscendC::Or(MaskWords(dst), MaskWords(a), MaskWords(b), CeilDiv<16>(count));
        ((AscendC::PipeBarrier<PIPE_V>(),
          AscendC::Or(MaskWords(dst), MaskWords(dst), MaskWords(more), CeilDiv<16>(count))),
         ...);
    }
};

/// dst = !a
template <class Element>
struct LogicalNot {
    static constexpr bool MAKES_MASK = true;

    CATLASS_DEVICE void operator()(
        AscendC::LocalTensor<Mask> const& dst, uint32_t count, AscendC::LocalTensor<Mask> const& a) const
    {
        AscendC::Not(MaskWords(dst), MaskWords(a), CeilDiv<16>(count));
    }
};

/// dst = a ? b : c
template <class Element>
struct Where {
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
    using ElementConstant = Element;

    CATLASS_DEVICE void operator()(
        AscendC::LocalTensor<Element> const& dst, uint32_t count, AscendC::LocalTensor<Mask> const& a,
        AscendC::LocalTensor<Element> const& b, Element scalar) const
    {
        AscendC::Select(dst, a, b, scalar, AscendC::SELMODE::VSEL_TENSOR_SCALAR_MODE, count);
    }
};

/// dst = a ? one : other
template <class Element>
struct WhereScalars {
    static constexpr bool HAS_BARRIER = true;
    using ElementConstant = Element;

    CATLASS_DEVICE void operator()(
        AscendC::LocalTensor<Element> const& dst, uint32_t count, AscendC::LocalTensor<Mask> const& a, Element one,
        Element other) const
    {
        AscendC::Duplicate(dst, one, count);
        AscendC::PipeBarrier<PIPE_V>();
        AscendC::Select(dst, a, dst, other, AscendC::SELMODE::VSEL_TENSOR_SCALAR_MODE, count);
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

/// dst = fmin(fmax(a, 0), 6)
template <class Element>
struct Relu6 {
    static constexpr bool HAS_BARRIER = true;

    CATLASS_DEVICE void operator()(
        AscendC::LocalTensor<Element> const& dst, uint32_t count, AscendC::LocalTensor<Element> const& a) const
    {
        AscendC::Maxs(dst, a, static_cast<Element>(0), count);
        AscendC::PipeBarrier<PIPE_V>();
        AscendC::Mins(dst, dst, static_cast<Element>(6), count);
    }
};

/// dst = fmin(fmax(a, -1), 1)
template <class Element>
struct HardTanh {
    static constexpr bool HAS_BARRIER = true;

    CATLASS_DEVICE void operator()(
        AscendC::LocalTensor<Element> const& dst, uint32_t count, AscendC::LocalTensor<Element> const& a) const
    {
        AscendC::Maxs(dst, a, static_cast<Element>(-1), count);
        AscendC::PipeBarrier<PIPE_V>();
        AscendC::Mins(dst, dst, static_cast<Element>(1), count);
    }
};

/// dst = fmax(a + b, 0)
template <class Element>
struct AddRelu {
    CATLASS_DEVICE void operator()(
        AscendC::LocalTensor<Element> const& dst, uint32_t count, AscendC::LocalTensor<Element> const& a,
        AscendC::LocalTensor<Element> const& b) const
    {
        AscendC::AddRelu(dst, a, b, count);
    }
};

/// dst = (a >= 0 ? a : a * slope)
template <class Element>
struct LeakyRelu {
    using ElementConstant = Element;

    CATLASS_DEVICE void operator()(
        AscendC::LocalTensor<Element> const& dst, uint32_t count, AscendC::LocalTensor<Element> const& a,
        Element slope) const
    {
        AscendC::LeakyRelu(dst, a, slope, count);
    }
};

/// dst = fmax(a, 0) + b * fmin(a, 0)
template <class Element>
struct Prelu {
    using ElementScratch = Element;
    static constexpr uint32_t SCRATCH_BYTES = 1 * sizeof(Element);
    static constexpr bool HAS_BARRIER = true;

    CATLASS_DEVICE void operator()(
        AscendC::LocalTensor<Element> const& dst, uint32_t count, AscendC::LocalTensor<Element> const& tmp,
        AscendC::LocalTensor<Element> const& a, AscendC::LocalTensor<Element> const& b) const
    {
        AscendC::Mins(tmp, a, static_cast<Element>(0), count);
        AscendC::PipeBarrier<PIPE_V>();
        AscendC::Mul(tmp, tmp, b, count);
        AscendC::Maxs(dst, a, static_cast<Element>(0), count);
        AscendC::PipeBarrier<PIPE_V>();
        AscendC::Add(dst, dst, tmp, count);
    }
};

/// dst = fmin(fmax(a + 3, 0), 6) / 6
template <class Element>
struct HardSigmoid {
    static constexpr bool HAS_BARRIER = true;

    CATLASS_DEVICE void operator()(
        AscendC::LocalTensor<Element> const& dst, uint32_t count, AscendC::LocalTensor<Element> const& a) const
    {
        AscendC::Adds(dst, a, static_cast<Element>(3), count);
        AscendC::PipeBarrier<PIPE_V>();
        AscendC::Maxs(dst, dst, static_cast<Element>(0), count);
        AscendC::PipeBarrier<PIPE_V>();
        AscendC::Mins(dst, dst, static_cast<Element>(6), count);
        AscendC::PipeBarrier<PIPE_V>();
        AscendC::Muls(dst, dst, static_cast<Element>(0.16666666666666666), count);
    }
};

/// dst = a * fmin(fmax(a + 3, 0), 6) / 6
template <class Element>
struct HardSwish {
    using ElementScratch = Element;
    static constexpr uint32_t SCRATCH_BYTES = 1 * sizeof(Element);
    static constexpr bool HAS_BARRIER = true;

    CATLASS_DEVICE void operator()(
        AscendC::LocalTensor<Element> const& dst, uint32_t count, AscendC::LocalTensor<Element> const& tmp,
        AscendC::LocalTensor<Element> const& a) const
    {
        AscendC::Maxs(dst, a, static_cast<Element>(-3), count);
        AscendC::PipeBarrier<PIPE_V>();
        AscendC::Adds(tmp, dst, static_cast<Element>(3), count);
        AscendC::PipeBarrier<PIPE_V>();
        AscendC::Mins(tmp, tmp, static_cast<Element>(6), count);
        AscendC::PipeBarrier<PIPE_V>();
        AscendC::Muls(tmp, tmp, static_cast<Element>(0.16666666666666666), count);
        AscendC::PipeBarrier<PIPE_V>();
        AscendC::Mul(dst, dst, tmp, count);
    }
};

/// dst = 1 / (1 + exp(-a))
template <class Element>
struct Sigmoid {
    using ElementScratch = float;
    static constexpr uint32_t SCRATCH_BYTES = (std::is_same_v<Element, float> ? 1 : 2) * sizeof(float);
    static constexpr bool HAS_BARRIER = true;

    CATLASS_DEVICE void operator()(
        AscendC::LocalTensor<Element> const& dst, uint32_t count, AscendC::LocalTensor<float> const& tmp,
        AscendC::LocalTensor<Element> const& a) const
    {
        if constexpr (std::is_same_v<Element, float>) {
            Compute(dst, count, tmp, a);
        } else {
            // In float: one rounding instead of one for each step.
            AscendC::LocalTensor<float> wideA = tmp;
            AscendC::Cast(wideA, a, AscendC::RoundMode::CAST_NONE, count);
            AscendC::PipeBarrier<PIPE_V>();
            Compute(wideA, count, tmp[count], wideA);
            AscendC::PipeBarrier<PIPE_V>();
            AscendC::Cast(dst, wideA, AscendC::RoundMode::CAST_NONE, count);
        }
    }

private:
    CATLASS_DEVICE static void Compute(
        AscendC::LocalTensor<float> const& dst, uint32_t count, AscendC::LocalTensor<float> const& tmp,
        AscendC::LocalTensor<float> const& a)
    {
        AscendC::Mins(dst, a, 88.0f, count);
        AscendC::PipeBarrier<PIPE_V>();
        AscendC::Exp(dst, dst, count);
        AscendC::PipeBarrier<PIPE_V>();
        AscendC::Adds(tmp, dst, 1.0f, count);
        AscendC::PipeBarrier<PIPE_V>();
        AscendC::Div(dst, dst, tmp, count);
    }
};

/// dst = tanh(a)
template <class Element>
struct Tanh {
    using ElementScratch = float;
    static constexpr uint32_t SCRATCH_BYTES = (std::is_same_v<Element, float> ? 2 : 3) * sizeof(float);
    static constexpr bool HAS_BARRIER = true;

    CATLASS_DEVICE void operator()(
        AscendC::LocalTensor<Element> const& dst, uint32_t count, AscendC::LocalTensor<float> const& tmp,
        AscendC::LocalTensor<Element> const& a) const
    {
        if constexpr (std::is_same_v<Element, float>) {
            Compute(dst, count, tmp, tmp[count], a);
        } else {
            // In float: one rounding instead of one for each step.
            AscendC::LocalTensor<float> wideA = tmp;
            AscendC::Cast(wideA, a, AscendC::RoundMode::CAST_NONE, count);
            AscendC::PipeBarrier<PIPE_V>();
            Compute(wideA, count, tmp[count], tmp[2 * count], wideA);
            AscendC::PipeBarrier<PIPE_V>();
            AscendC::Cast(dst, wideA, AscendC::RoundMode::CAST_NONE, count);
        }
    }

private:
    CATLASS_DEVICE static void Compute(
        AscendC::LocalTensor<float> const& dst, uint32_t count, AscendC::LocalTensor<float> const& tmp,
        AscendC::LocalTensor<float> const& tmp2, AscendC::LocalTensor<float> const& a)
    {
        AscendC::Mins(dst, a, 9.0f, count);
        AscendC::PipeBarrier<PIPE_V>();
        AscendC::Maxs(dst, dst, -9.0f, count);
        AscendC::PipeBarrier<PIPE_V>();
        AscendC::Mul(tmp, dst, dst, count);
        AscendC::PipeBarrier<PIPE_V>();
        AscendC::Muls(tmp2, tmp, 1.3354736e-08f, count);
        AscendC::PipeBarrier<PIPE_V>();
        AscendC::Adds(tmp2, tmp2, 2.06091463e-05f, count);
        AscendC::PipeBarrier<PIPE_V>();
        AscendC::Mul(tmp2, tmp2, tmp, count);
        AscendC::PipeBarrier<PIPE_V>();
        AscendC::Adds(tmp2, tmp2, 0.00349559239f, count);
        AscendC::PipeBarrier<PIPE_V>();
        AscendC::Mul(tmp2, tmp2, tmp, count);
        AscendC::PipeBarrier<PIPE_V>();
        AscendC::Adds(tmp2, tmp2, 0.133810297f, count);
        AscendC::PipeBarrier<PIPE_V>();
        AscendC::Mul(tmp2, tmp2, tmp, count);
        AscendC::PipeBarrier<PIPE_V>();
        AscendC::Adds(tmp2, tmp2, 1.0f, count);
        AscendC::PipeBarrier<PIPE_V>();
        AscendC::Mul(dst, dst, tmp2, count);
        AscendC::PipeBarrier<PIPE_V>();
        AscendC::Muls(tmp2, tmp, 7.77659125e-07f, count);
        AscendC::PipeBarrier<PIPE_V>();
        AscendC::Adds(tmp2, tmp2, 0.000328564143f, count);
        AscendC::PipeBarrier<PIPE_V>();
        AscendC::Mul(tmp2, tmp2, tmp, count);
        AscendC::PipeBarrier<PIPE_V>();
        AscendC::Adds(tmp2, tmp2, 0.0258769989f, count);
        AscendC::PipeBarrier<PIPE_V>();
        AscendC::Mul(tmp2, tmp2, tmp, count);
        AscendC::PipeBarrier<PIPE_V>();
        AscendC::Adds(tmp2, tmp2, 0.467143446f, count);
        AscendC::PipeBarrier<PIPE_V>();
        AscendC::Mul(tmp2, tmp2, tmp, count);
        AscendC::PipeBarrier<PIPE_V>();
        AscendC::Adds(tmp2, tmp2, 1.0f, count);
        AscendC::PipeBarrier<PIPE_V>();
        AscendC::Div(dst, dst, tmp2, count);
    }
};

/// dst = a / (1 + exp(-a))
template <class Element>
struct Silu {
    using ElementScratch = float;
    static constexpr uint32_t SCRATCH_BYTES = (std::is_same_v<Element, float> ? 1 : 3) * sizeof(float);
    static constexpr bool HAS_BARRIER = true;

    CATLASS_DEVICE void operator()(
        AscendC::LocalTensor<Element> const& dst, uint32_t count, AscendC::LocalTensor<float> const& tmp,
        AscendC::LocalTensor<Element> const& a) const
    {
        if constexpr (std::is_same_v<Element, float>) {
            Compute(dst, count, tmp, a);
        } else {
            // In float: one rounding instead of one for each step.
            AscendC::LocalTensor<float> wideA = tmp;
            AscendC::LocalTensor<float> wideDst = tmp[count];
            AscendC::Cast(wideA, a, AscendC::RoundMode::CAST_NONE, count);
            AscendC::PipeBarrier<PIPE_V>();
            Compute(wideDst, count, tmp[2 * count], wideA);
            AscendC::PipeBarrier<PIPE_V>();
            AscendC::Cast(dst, wideDst, AscendC::RoundMode::CAST_NONE, count);
        }
    }

private:
    CATLASS_DEVICE static void Compute(
        AscendC::LocalTensor<float> const& dst, uint32_t count, AscendC::LocalTensor<float> const& tmp,
        AscendC::LocalTensor<float> const& a)
    {
        AscendC::Mins(dst, a, 88.0f, count);
        AscendC::PipeBarrier<PIPE_V>();
        AscendC::Exp(dst, dst, count);
        AscendC::PipeBarrier<PIPE_V>();
        AscendC::Adds(tmp, dst, 1.0f, count);
        AscendC::PipeBarrier<PIPE_V>();
        AscendC::Div(dst, dst, tmp, count);
        AscendC::PipeBarrier<PIPE_V>();
        AscendC::Maxs(tmp, a, -200.0f, count);
        AscendC::PipeBarrier<PIPE_V>();
        AscendC::Mul(dst, dst, tmp, count);
    }
};

/// dst = a / (1 + exp(-beta * a))
template <class Element>
struct Swish {
    using ElementScratch = float;
    static constexpr uint32_t SCRATCH_BYTES = (std::is_same_v<Element, float> ? 1 : 3) * sizeof(float);
    static constexpr bool HAS_BARRIER = true;
    using ElementConstant = float;

    CATLASS_DEVICE void operator()(
        AscendC::LocalTensor<Element> const& dst, uint32_t count, AscendC::LocalTensor<float> const& tmp,
        AscendC::LocalTensor<Element> const& a, float beta) const
    {
        if constexpr (std::is_same_v<Element, float>) {
            Compute(dst, count, tmp, a, beta);
        } else {
            // In float: one rounding instead of one for each step.
            AscendC::LocalTensor<float> wideA = tmp;
            AscendC::LocalTensor<float> wideDst = tmp[count];
            AscendC::Cast(wideA, a, AscendC::RoundMode::CAST_NONE, count);
            AscendC::PipeBarrier<PIPE_V>();
            Compute(wideDst, count, tmp[2 * count], wideA, beta);
            AscendC::PipeBarrier<PIPE_V>();
            AscendC::Cast(dst, wideDst, AscendC::RoundMode::CAST_NONE, count);
        }
    }

private:
    CATLASS_DEVICE static void Compute(
        AscendC::LocalTensor<float> const& dst, uint32_t count, AscendC::LocalTensor<float> const& tmp,
        AscendC::LocalTensor<float> const& a, float beta)
    {
        AscendC::Muls(dst, a, beta, count);
        AscendC::PipeBarrier<PIPE_V>();
        AscendC::Mins(dst, dst, 88.0f, count);
        AscendC::PipeBarrier<PIPE_V>();
        AscendC::Exp(dst, dst, count);
        AscendC::PipeBarrier<PIPE_V>();
        AscendC::Adds(tmp, dst, 1.0f, count);
        AscendC::PipeBarrier<PIPE_V>();
        AscendC::Div(dst, dst, tmp, count);
        AscendC::PipeBarrier<PIPE_V>();
        AscendC::Maxs(tmp, a, -3e38f, count);
        AscendC::PipeBarrier<PIPE_V>();
        AscendC::Mul(dst, dst, tmp, count);
    }
};

/// dst = a / (1 + exp(-a * (1.5957691216057308f + 0.07135481627260025f * a * a)))
template <class Element>
struct Gelu {
    using ElementScratch = float;
    static constexpr uint32_t SCRATCH_BYTES = (std::is_same_v<Element, float> ? 1 : 3) * sizeof(float);
    static constexpr bool HAS_BARRIER = true;

    CATLASS_DEVICE void operator()(
        AscendC::LocalTensor<Element> const& dst, uint32_t count, AscendC::LocalTensor<float> const& tmp,
        AscendC::LocalTensor<Element> const& a) const
    {
        if constexpr (std::is_same_v<Element, float>) {
            Compute(dst, count, tmp, a);
        } else {
            // In float: one rounding instead of one for each step.
            AscendC::LocalTensor<float> wideA = tmp;
            AscendC::LocalTensor<float> wideDst = tmp[count];
            AscendC::Cast(wideA, a, AscendC::RoundMode::CAST_NONE, count);
            AscendC::PipeBarrier<PIPE_V>();
            Compute(wideDst, count, tmp[2 * count], wideA);
            AscendC::PipeBarrier<PIPE_V>();
            AscendC::Cast(dst, wideDst, AscendC::RoundMode::CAST_NONE, count);
        }
    }

private:
    CATLASS_DEVICE static void Compute(
        AscendC::LocalTensor<float> const& dst, uint32_t count, AscendC::LocalTensor<float> const& tmp,
        AscendC::LocalTensor<float> const& a)
    {
        AscendC::Mul(dst, a, a, count);
        AscendC::PipeBarrier<PIPE_V>();
        AscendC::Muls(dst, dst, 0.07135481627260025f, count);
        AscendC::PipeBarrier<PIPE_V>();
        AscendC::Adds(dst, dst, 1.5957691216057308f, count);
        AscendC::PipeBarrier<PIPE_V>();
        AscendC::Mul(dst, dst, a, count);
        AscendC::PipeBarrier<PIPE_V>();
        AscendC::Mins(dst, dst, 88.0f, count);
        AscendC::PipeBarrier<PIPE_V>();
        AscendC::Exp(dst, dst, count);
        AscendC::PipeBarrier<PIPE_V>();
        AscendC::Adds(tmp, dst, 1.0f, count);
        AscendC::PipeBarrier<PIPE_V>();
        AscendC::Div(dst, dst, tmp, count);
        AscendC::PipeBarrier<PIPE_V>();
        AscendC::Maxs(tmp, a, -200.0f, count);
        AscendC::PipeBarrier<PIPE_V>();
        AscendC::Mul(dst, dst, tmp, count);
    }
};

/// dst = 0.5f * a * erfc(a * -0.7071067811865476f)
template <class Element>
struct GeluErf {
    using ElementScratch = float;
    static constexpr uint32_t SCRATCH_BYTES = (std::is_same_v<Element, float> ? 2 : 4) * sizeof(float);
    static constexpr bool HAS_BARRIER = true;

    CATLASS_DEVICE void operator()(
        AscendC::LocalTensor<Element> const& dst, uint32_t count, AscendC::LocalTensor<float> const& tmp,
        AscendC::LocalTensor<Element> const& a) const
    {
        if constexpr (std::is_same_v<Element, float>) {
            Compute(dst, count, tmp, tmp[count], a);
        } else {
            // In float: one rounding instead of one for each step.
            AscendC::LocalTensor<float> wideA = tmp;
            AscendC::LocalTensor<float> wideDst = tmp[count];
            AscendC::Cast(wideA, a, AscendC::RoundMode::CAST_NONE, count);
            AscendC::PipeBarrier<PIPE_V>();
            Compute(wideDst, count, tmp[2 * count], tmp[3 * count], wideA);
            AscendC::PipeBarrier<PIPE_V>();
            AscendC::Cast(dst, wideDst, AscendC::RoundMode::CAST_NONE, count);
        }
    }

private:
    CATLASS_DEVICE static void Compute(
        AscendC::LocalTensor<float> const& dst, uint32_t count, AscendC::LocalTensor<float> const& tmp,
        AscendC::LocalTensor<float> const& tmp2, AscendC::LocalTensor<float> const& a)
    {
        AscendC::Abs(tmp, a, count);
        AscendC::PipeBarrier<PIPE_V>();
        AscendC::Mins(tmp, tmp, 14.5f, count);
        AscendC::PipeBarrier<PIPE_V>();
        AscendC::Muls(tmp2, tmp, 0.00411630608f, count);
        AscendC::Muls(dst, tmp, 0.01031793f, count);
        AscendC::PipeBarrier<PIPE_V>();
        AscendC::Adds(tmp2, tmp2, 0.0406333022f, count);
        AscendC::Adds(dst, dst, 0.101859026f, count);
        AscendC::PipeBarrier<PIPE_V>();
        AscendC::Mul(tmp2, tmp2, tmp, count);
        AscendC::Mul(dst, dst, tmp, count);
        AscendC::PipeBarrier<PIPE_V>();
        AscendC::Adds(tmp2, tmp2, 0.183235511f, count);
        AscendC::Adds(dst, dst, 0.469471544f, count);
        AscendC::PipeBarrier<PIPE_V>();
        AscendC::Mul(tmp2, tmp2, tmp, count);
        AscendC::Mul(dst, dst, tmp, count);
        AscendC::PipeBarrier<PIPE_V>();
        AscendC::Adds(tmp2, tmp2, 0.438295662f, count);
        AscendC::Adds(dst, dst, 1.20250499f, count);
        AscendC::PipeBarrier<PIPE_V>();
        AscendC::Mul(tmp2, tmp2, tmp, count);
        AscendC::Mul(dst, dst, tmp, count);
        AscendC::PipeBarrier<PIPE_V>();
        AscendC::Adds(tmp2, tmp2, 0.5f, count);
        AscendC::Adds(dst, dst, 1.67447627f, count);
        AscendC::PipeBarrier<PIPE_V>();
        AscendC::Mul(dst, dst, tmp, count);
        AscendC::PipeBarrier<PIPE_V>();
        AscendC::Adds(dst, dst, 1.0f, count);
        AscendC::Mul(tmp2, tmp, tmp2, count);
        AscendC::PipeBarrier<PIPE_V>();
        AscendC::Div(dst, tmp2, dst, count);
        AscendC::Mul(tmp, tmp, tmp, count);
        AscendC::PipeBarrier<PIPE_V>();
        AscendC::Muls(tmp, tmp, -0.5f, count);
        AscendC::PipeBarrier<PIPE_V>();
        AscendC::Exp(tmp, tmp, count);
        AscendC::PipeBarrier<PIPE_V>();
        AscendC::Mul(dst, dst, tmp, count);
        AscendC::Relu(tmp2, a, count);
        AscendC::PipeBarrier<PIPE_V>();
        AscendC::Sub(dst, tmp2, dst, count);
    }
};

/// dst = fmax(a, 0) + alpha * expm1(fmin(a, 0))
template <class Element>
struct Elu {
    using ElementScratch = float;
    static constexpr uint32_t SCRATCH_BYTES = (std::is_same_v<Element, float> ? 2 : 4) * sizeof(float);
    static constexpr bool HAS_BARRIER = true;
    using ElementConstant = float;

    CATLASS_DEVICE void operator()(
        AscendC::LocalTensor<Element> const& dst, uint32_t count, AscendC::LocalTensor<float> const& tmp,
        AscendC::LocalTensor<Element> const& a, float alpha) const
    {
        if constexpr (std::is_same_v<Element, float>) {
            Compute(dst, count, tmp, tmp[count], a, alpha);
        } else {
            // In float: one rounding instead of one for each step.
            AscendC::LocalTensor<float> wideA = tmp;
            AscendC::LocalTensor<float> wideDst = tmp[count];
            AscendC::Cast(wideA, a, AscendC::RoundMode::CAST_NONE, count);
            AscendC::PipeBarrier<PIPE_V>();
            Compute(wideDst, count, tmp[2 * count], tmp[3 * count], wideA, alpha);
            AscendC::PipeBarrier<PIPE_V>();
            AscendC::Cast(dst, wideDst, AscendC::RoundMode::CAST_NONE, count);
        }
    }

private:
    CATLASS_DEVICE static void Compute(
        AscendC::LocalTensor<float> const& dst, uint32_t count, AscendC::LocalTensor<float> const& tmp,
        AscendC::LocalTensor<float> const& tmp2, AscendC::LocalTensor<float> const& a, float alpha)
    {
        AscendC::Muls(dst, a, 0.5f, count);
        AscendC::PipeBarrier<PIPE_V>();
        AscendC::Mins(dst, dst, 0.0f, count);
        AscendC::PipeBarrier<PIPE_V>();
        AscendC::Maxs(dst, dst, -9.0f, count);
        AscendC::PipeBarrier<PIPE_V>();
        AscendC::Mul(tmp, dst, dst, count);
        AscendC::PipeBarrier<PIPE_V>();
        AscendC::Muls(tmp2, tmp, 1.3354736e-08f, count);
        AscendC::PipeBarrier<PIPE_V>();
        AscendC::Adds(tmp2, tmp2, 2.06091463e-05f, count);
        AscendC::PipeBarrier<PIPE_V>();
        AscendC::Mul(tmp2, tmp2, tmp, count);
        AscendC::PipeBarrier<PIPE_V>();
        AscendC::Adds(tmp2, tmp2, 0.00349559239f, count);
        AscendC::PipeBarrier<PIPE_V>();
        AscendC::Mul(tmp2, tmp2, tmp, count);
        AscendC::PipeBarrier<PIPE_V>();
        AscendC::Adds(tmp2, tmp2, 0.133810297f, count);
        AscendC::PipeBarrier<PIPE_V>();
        AscendC::Mul(tmp2, tmp2, tmp, count);
        AscendC::PipeBarrier<PIPE_V>();
        AscendC::Adds(tmp2, tmp2, 1.0f, count);
        AscendC::PipeBarrier<PIPE_V>();
        AscendC::Mul(dst, dst, tmp2, count);
        AscendC::PipeBarrier<PIPE_V>();
        AscendC::Muls(tmp2, tmp, 7.77659125e-07f, count);
        AscendC::PipeBarrier<PIPE_V>();
        AscendC::Adds(tmp2, tmp2, 0.000328564143f, count);
        AscendC::PipeBarrier<PIPE_V>();
        AscendC::Mul(tmp2, tmp2, tmp, count);
        AscendC::PipeBarrier<PIPE_V>();
        AscendC::Adds(tmp2, tmp2, 0.0258769989f, count);
        AscendC::PipeBarrier<PIPE_V>();
        AscendC::Mul(tmp2, tmp2, tmp, count);
        AscendC::PipeBarrier<PIPE_V>();
        AscendC::Adds(tmp2, tmp2, 0.467143446f, count);
        AscendC::PipeBarrier<PIPE_V>();
        AscendC::Mul(tmp2, tmp2, tmp, count);
        AscendC::PipeBarrier<PIPE_V>();
        AscendC::Adds(tmp2, tmp2, 1.0f, count);
        AscendC::PipeBarrier<PIPE_V>();
        AscendC::Sub(tmp2, tmp2, dst, count);
        AscendC::PipeBarrier<PIPE_V>();
        AscendC::Div(dst, dst, tmp2, count);
        AscendC::PipeBarrier<PIPE_V>();
        AscendC::Muls(dst, dst, 2.0f, count);
        AscendC::PipeBarrier<PIPE_V>();
        AscendC::Muls(dst, dst, alpha, count);
        AscendC::Relu(tmp, a, count);
        AscendC::PipeBarrier<PIPE_V>();
        AscendC::Add(dst, dst, tmp, count);
    }
};

/// dst = fmax(a, 0) + log1p(exp(-fabs(a)))
template <class Element>
struct Softplus {
    using ElementScratch = float;
    static constexpr uint32_t SCRATCH_BYTES = (std::is_same_v<Element, float> ? 2 : 4) * sizeof(float);
    static constexpr bool HAS_BARRIER = true;

    CATLASS_DEVICE void operator()(
        AscendC::LocalTensor<Element> const& dst, uint32_t count, AscendC::LocalTensor<float> const& tmp,
        AscendC::LocalTensor<Element> const& a) const
    {
        if constexpr (std::is_same_v<Element, float>) {
            Compute(dst, count, tmp, tmp[count], a);
        } else {
            // In float: one rounding instead of one for each step.
            AscendC::LocalTensor<float> wideA = tmp;
            AscendC::LocalTensor<float> wideDst = tmp[count];
            AscendC::Cast(wideA, a, AscendC::RoundMode::CAST_NONE, count);
            AscendC::PipeBarrier<PIPE_V>();
            Compute(wideDst, count, tmp[2 * count], tmp[3 * count], wideA);
            AscendC::PipeBarrier<PIPE_V>();
            AscendC::Cast(dst, wideDst, AscendC::RoundMode::CAST_NONE, count);
        }
    }

private:
    CATLASS_DEVICE static void Compute(
        AscendC::LocalTensor<float> const& dst, uint32_t count, AscendC::LocalTensor<float> const& tmp,
        AscendC::LocalTensor<float> const& tmp2, AscendC::LocalTensor<float> const& a)
    {
        AscendC::Abs(tmp, a, count);
        AscendC::PipeBarrier<PIPE_V>();
        AscendC::Muls(tmp, tmp, -1.0f, count);
        AscendC::PipeBarrier<PIPE_V>();
        AscendC::Exp(tmp, tmp, count);
        AscendC::PipeBarrier<PIPE_V>();
        AscendC::Muls(tmp2, tmp, 0.0034172826f, count);
        AscendC::Muls(dst, tmp, 0.0752872899f, count);
        AscendC::PipeBarrier<PIPE_V>();
        AscendC::Adds(tmp2, tmp2, 0.238157541f, count);
        AscendC::Adds(dst, dst, 0.687936306f, count);
        AscendC::PipeBarrier<PIPE_V>();
        AscendC::Mul(tmp2, tmp2, tmp, count);
        AscendC::Mul(dst, dst, tmp, count);
        AscendC::PipeBarrier<PIPE_V>();
        AscendC::Adds(tmp2, tmp2, 1.0662185f, count);
        AscendC::Adds(dst, dst, 1.56621838f, count);
        AscendC::PipeBarrier<PIPE_V>();
        AscendC::Mul(tmp2, tmp2, tmp, count);
        AscendC::Mul(dst, dst, tmp, count);
        AscendC::PipeBarrier<PIPE_V>();
        AscendC::Adds(tmp2, tmp2, 1.0f, count);
        AscendC::Adds(dst, dst, 1.0f, count);
        AscendC::PipeBarrier<PIPE_V>();
        AscendC::Mul(tmp2, tmp, tmp2, count);
        AscendC::PipeBarrier<PIPE_V>();
        AscendC::Div(dst, tmp2, dst, count);
        AscendC::Relu(tmp, a, count);
        AscendC::PipeBarrier<PIPE_V>();
        AscendC::Add(dst, dst, tmp, count);
    }
};

} // namespace Catlass::Epilogue::Fusion

#endif // CATLASS_EPILOGUE_FUSION_OPERATIONS_HPP
