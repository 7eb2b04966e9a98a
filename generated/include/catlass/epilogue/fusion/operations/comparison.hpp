#ifndef CATLASS_EPILOGUE_FUSION_OPERATIONS_COMPARISON_HPP
#define CATLASS_EPILOGUE_FUSION_OPERATIONS_COMPARISON_HPP

#include "catlass/epilogue/fusion/operations/operator.hpp"

namespace Catlass::Epilogue::Fusion {

// A mask has one bit for each element. Comparisons work on whole repeats, and their buffers have room for those.

/// A mask in words of 16 bits, as And, Or and Not take it.
CATLASS_DEVICE UbTensor<uint16_t> MaskWords(UbTensor<Mask> const& mask)
{
    return mask.ReinterpretCast<uint16_t>();
}

/// The words that hold the mask of count elements.
CATLASS_DEVICE int32_t CountMaskWords(int32_t count)
{
    constexpr uint32_t ELE_NUM_PER_WORD = 16;
    return static_cast<int32_t>(CeilDiv<ELE_NUM_PER_WORD>(static_cast<uint32_t>(count)));
}

/// The elements of the repeats that count elements take, the last of them counted whole.
template <class Element>
CATLASS_DEVICE uint32_t WholeRepeats(int32_t count)
{
    return RoundUp<BYTE_PER_REPEAT / static_cast<uint32_t>(sizeof(Element))>(static_cast<uint32_t>(count));
}

/// dst = a MODE b
template <class Element, AscendC::CMPMODE MODE>
struct Comparison : traits::InPlace<0b11>, traits::MakesMask {
    CATLASS_DEVICE void operator()(
        UbTensor<Mask> const& dst, int32_t count, UbTensor<Element> const& a, UbTensor<Element> const& b) const
    {
        AscendC::Compare(dst, a, b, MODE, WholeRepeats<Element>(count));
    }
};

/// dst = a MODE scalar
template <class Element, AscendC::CMPMODE MODE>
struct ScalarComparison {
    static constexpr uint32_t SCRATCH_TILES = 1;
    static constexpr bool HAS_BARRIER = true;
    static constexpr uint32_t IN_PLACE = 0b1;
    static constexpr bool MAKES_MASK = true;

    Element scalar;

    CATLASS_DEVICE void operator()(
        UbTensor<Mask> const& dst, int32_t count, UbTensor<Element> const& a, UbTensor<Element> const& tmp) const
    {
        AscendC::Duplicate(tmp, scalar, count);
        BarrierV();
        AscendC::Compare(dst, a, tmp, MODE, WholeRepeats<Element>(count));
    }
};

template <class Element>
using Greater = Comparison<Element, AscendC::CMPMODE::GT>;
template <class Element>
using GreaterScalar = ScalarComparison<Element, AscendC::CMPMODE::GT>;
template <class Element>
using GreaterEqual = Comparison<Element, AscendC::CMPMODE::GE>;
template <class Element>
using GreaterEqualScalar = ScalarComparison<Element, AscendC::CMPMODE::GE>;
template <class Element>
using Less = Comparison<Element, AscendC::CMPMODE::LT>;
template <class Element>
using LessScalar = ScalarComparison<Element, AscendC::CMPMODE::LT>;
template <class Element>
using LessEqual = Comparison<Element, AscendC::CMPMODE::LE>;
template <class Element>
using LessEqualScalar = ScalarComparison<Element, AscendC::CMPMODE::LE>;
template <class Element>
using EqualTo = Comparison<Element, AscendC::CMPMODE::EQ>;
template <class Element>
using EqualToScalar = ScalarComparison<Element, AscendC::CMPMODE::EQ>;
template <class Element>
using NotEqualTo = Comparison<Element, AscendC::CMPMODE::NE>;
template <class Element>
using NotEqualToScalar = ScalarComparison<Element, AscendC::CMPMODE::NE>;

/// dst = a && b, and so on for more inputs
template <class Element>
struct LogicalAnd : traits::InPlace<0b11>, traits::MakesMask {
    template <class... More>
    CATLASS_DEVICE void operator()(
        UbTensor<Mask> const& dst, int32_t count, UbTensor<Mask> const& a, UbTensor<Mask> const& b,
        More const&... more) const
    {
        AscendC::And(MaskWords(dst), MaskWords(a), MaskWords(b), CountMaskWords(count));
        ((BarrierV(), AscendC::And(MaskWords(dst), MaskWords(dst), MaskWords(more), CountMaskWords(count))), ...);
    }
};

/// dst = a || b, and so on for more inputs
template <class Element>
struct LogicalOr : traits::InPlace<0b11>, traits::MakesMask {
    template <class... More>
    CATLASS_DEVICE void operator()(
        UbTensor<Mask> const& dst, int32_t count, UbTensor<Mask> const& a, UbTensor<Mask> const& b,
        More const&... more) const
    {
        AscendC::Or(MaskWords(dst), MaskWords(a), MaskWords(b), CountMaskWords(count));
        ((BarrierV(), AscendC::Or(MaskWords(dst), MaskWords(dst), MaskWords(more), CountMaskWords(count))), ...);
    }
};

/// dst = !a
template <class Element>
struct LogicalNot : traits::InPlace<0b1>, traits::MakesMask {
    CATLASS_DEVICE void operator()(UbTensor<Mask> const& dst, int32_t count, UbTensor<Mask> const& a) const
    {
        AscendC::Not(MaskWords(dst), MaskWords(a), CountMaskWords(count));
    }
};

/// dst = a ? b : c
template <class Element>
struct Where : traits::InPlace<0b111> {
    CATLASS_DEVICE void operator()(
        UbTensor<Element> const& dst, int32_t count, UbTensor<Mask> const& a, UbTensor<Element> const& b,
        UbTensor<Element> const& c) const
    {
        AscendC::Select(dst, a, b, c, AscendC::SELMODE::VSEL_TENSOR_TENSOR_MODE, static_cast<uint32_t>(count));
    }
};

/// dst = a ? b : scalar
template <class Element>
struct WhereScalar {
    static constexpr uint32_t IN_PLACE = 0b11;

    Element scalar;

    CATLASS_DEVICE void operator()(
        UbTensor<Element> const& dst, int32_t count, UbTensor<Mask> const& a, UbTensor<Element> const& b) const
    {
        AscendC::Select(dst, a, b, scalar, AscendC::SELMODE::VSEL_TENSOR_SCALAR_MODE, static_cast<uint32_t>(count));
    }
};

/// dst = a ? one : other
template <class Element>
struct WhereScalars {
    static constexpr bool HAS_BARRIER = true;

    Element one;
    Element other;

    CATLASS_DEVICE void operator()(UbTensor<Element> const& dst, int32_t count, UbTensor<Mask> const& a) const
    {
        AscendC::Duplicate(dst, one, count);
        BarrierV();
        AscendC::Select(dst, a, dst, other, AscendC::SELMODE::VSEL_TENSOR_SCALAR_MODE, static_cast<uint32_t>(count));
    }
};

} // namespace Catlass::Epilogue::Fusion

#endif // CATLASS_EPILOGUE_FUSION_OPERATIONS_COMPARISON_HPP
