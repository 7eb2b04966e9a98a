// The layout of tla that a matrix of a layout tag has.
#ifndef CATLASS_DETAIL_TAG_TO_LAYOUT_HPP
#define CATLASS_DETAIL_TAG_TO_LAYOUT_HPP

#include "catlass/layout/layout.hpp"
#include "tla/layout.hpp"

namespace Catlass::detail {

template <class Element, class LayoutTag> struct TagToLayout {
    static_assert(DEPENDENT_FALSE<LayoutTag>, "the stand-in has no layout of this tag");
};

template <class Element> struct TagToLayout<Element, layout::RowMajor> {
    using type = tla::Layout<tla::Shape<uint32_t, uint32_t>, tla::Stride<int64_t, tla::Int<1>>>;
};
template <class Element> struct TagToLayout<Element, layout::ColumnMajor> {
    using type = tla::Layout<tla::Shape<uint32_t, uint32_t>, tla::Stride<tla::Int<1>, int64_t>>;
};
template <class Element> struct TagToLayout<Element, layout::VectorLayout> {
    using type = tla::Layout<tla::Shape<uint32_t>, tla::Stride<tla::Int<1>>>;
};

template <class Element> struct TagToLayout<Element, layout::zN> {
    using type = decltype(tla::MakeLayout<Element, layout::zN>(uint32_t{}, uint32_t{}));
};
template <class Element> struct TagToLayout<Element, layout::nZ> {
    using type = decltype(tla::MakeLayout<Element, layout::nZ>(uint32_t{}, uint32_t{}));
};

template <class Element, class LayoutTag> using TagToLayout_t = typename TagToLayout<Element, LayoutTag>::type;

}  // namespace Catlass::detail

#endif  // CATLASS_DETAIL_TAG_TO_LAYOUT_HPP
