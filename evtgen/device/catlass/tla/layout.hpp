// Layouts of tensors: a shape and a stride per dimension, each a compile-time or a run-time integer, and the shape of the
// part that holds elements. As in Catlass v1.6, for tensors of plain dimensions and matrices of fractals in
// GM, where a dimension is a pair: within a fractal, and from fractal to fractal. The layouts of the cube's own memories
// are not here.
#ifndef TLA_LAYOUT_HPP
#define TLA_LAYOUT_HPP

#include "catlass/arch/arch.hpp"
#include "catlass/catlass.hpp"
#include "catlass/layout/layout.hpp"
#include "tla/int_tuple.hpp"
#include "tla/numeric/integral_constant.hpp"
#include "tla/numeric/math.hpp"
#include "tla/tuple.hpp"

namespace tla {

template <class... Shapes> using Shape = tuple<Shapes...>;
template <class... Strides> using Stride = tuple<Strides...>;
template <class... Coords> using Coord = tuple<Coords...>;

template <class... Ts> CATLASS_HOST_DEVICE constexpr Shape<Ts...> MakeShape(Ts const &...t)
{
    return {t...};
}
template <class... Ts> CATLASS_HOST_DEVICE constexpr Stride<Ts...> MakeStride(Ts const &...t)
{
    return {t...};
}
template <class... Ts> CATLASS_HOST_DEVICE constexpr Coord<Ts...> MakeCoord(Ts const &...t)
{
    return {t...};
}

namespace detail {

template <class Indices> struct PerDimension;

template <size_t... I> struct PerDimension<index_sequence<I...>> {
    using Extents = Shape<decltype(I, uint32_t{})...>;
    using Zeros = Coord<Int<0 * static_cast<int>(I)>...>;
};

/// A run-time number, and a zero, per dimension of a tuple.
template <class Tuple> using ExtentsOf = typename PerDimension<make_index_sequence<rank_v<Tuple>>>::Extents;
template <int RANK> using ZerosOf = typename PerDimension<make_index_sequence<RANK>>::Zeros;

/// The offset of a coordinate in one dimension.
template <class Shape, class Stride>
CATLASS_HOST_DEVICE constexpr int64_t OffsetAlong(int64_t at, Shape const &shape, Stride const &stride)
{
    if constexpr (is_tuple<Stride>::value) {
        int64_t const inner = get<0>(shape);
        return inner == 0 ? 0
                          : at % inner * static_cast<int64_t>(get<0>(stride)) +
                                at / inner * static_cast<int64_t>(get<1>(stride));
    } else {
        return at * static_cast<int64_t>(stride);
    }
}

template <class Coord, class Shape, class Stride, int... I>
CATLASS_HOST_DEVICE constexpr int64_t OffsetOf(Coord const &coord, Shape const &shape, Stride const &stride, seq<I...>)
{
    return (int64_t{0} + ... + OffsetAlong(static_cast<int64_t>(get<I>(coord)), get<I>(shape), get<I>(stride)));
}

template <class Shape, int... I> CATLASS_HOST_DEVICE constexpr auto AsExtents(Shape const &shape, seq<I...>)
{
    return MakeShape(static_cast<uint32_t>(get<I>(shape))...);
}

}  // namespace detail

/// `OriginShape`: how much of each dimension of the shape holds elements, which is less at the edge of a matrix.
template <class Shape, class Stride, class OriginShape = detail::ExtentsOf<Stride>> struct Layout {
    static constexpr int rank = rank_v<Stride>;
    static constexpr int depth = depth_v<Stride>;
    static_assert(depth == 1 || (depth == 2 && rank == 2), "the stand-in has plain layouts and matrices of fractals");

    CATLASS_HOST_DEVICE constexpr Layout(Shape const &shape = {}, Stride const &stride = {},
                                         OriginShape const &originShape = {})
        : shape_(shape), stride_(stride), originShape_(originShape)
    {}

    template <int... I> CATLASS_HOST_DEVICE constexpr decltype(auto) shape() const { return At<I...>(shape_); }
    template <int... I> CATLASS_HOST_DEVICE constexpr decltype(auto) stride() const { return At<I...>(stride_); }
    template <int... I> CATLASS_HOST_DEVICE constexpr decltype(auto) originShape() const
    {
        return At<I...>(originShape_);
    }

    /// Elements from the start of the tensor to the one at `coord`.
    template <class Coord> CATLASS_HOST_DEVICE constexpr int64_t operator()(Coord const &coord) const
    {
        static_assert(rank_v<Coord> == rank, "the coordinate has another rank than the layout");
        return detail::OffsetOf(coord, shape_, stride_, make_seq<rank>{});
    }

private:
    template <int... I, class Tuple> CATLASS_HOST_DEVICE static constexpr decltype(auto) At(Tuple const &tuple)
    {
        if constexpr (sizeof...(I) == 0) {
            return (tuple);
        } else {
            return get<I...>(tuple);
        }
    }

    Shape shape_;
    Stride stride_;
    OriginShape originShape_;
};

template <class Layout> struct is_layout : false_type {};
template <class Shape, class Stride, class OriginShape>
struct is_layout<Layout<Shape, Stride, OriginShape>> : true_type {};

template <int... I, class Shape, class Stride, class OriginShape>
CATLASS_HOST_DEVICE constexpr decltype(auto) shape(Layout<Shape, Stride, OriginShape> const &layout)
{
    return layout.template shape<I...>();
}
template <int... I, class Shape, class Stride, class OriginShape>
CATLASS_HOST_DEVICE constexpr decltype(auto) stride(Layout<Shape, Stride, OriginShape> const &layout)
{
    return layout.template stride<I...>();
}
template <int... I, class Shape, class Stride, class OriginShape>
CATLASS_HOST_DEVICE constexpr decltype(auto) originShape(Layout<Shape, Stride, OriginShape> const &layout)
{
    return layout.template originShape<I...>();
}

template <class Shape, class Stride, class OriginShape>
CATLASS_HOST_DEVICE constexpr auto MakeLayout(Shape const &shape, Stride const &stride, OriginShape const &originShape)
{
    static_assert(is_tuple<Shape>::value && is_tuple<Stride>::value && is_tuple<OriginShape>::value);
    static_assert(rank_v<Shape> == rank_v<Stride> && rank_v<OriginShape> == rank_v<Stride>);
    return Layout<Shape, Stride, OriginShape>(shape, stride, originShape);
}

/// All of it holds elements.
template <class Shape, class Stride>
CATLASS_HOST_DEVICE constexpr auto MakeLayout(Shape const &shape, Stride const &stride)
{
    return MakeLayout(shape, stride, detail::AsExtents(shape, tuple_seq<Shape>{}));
}

/// A vector.
template <class T> CATLASS_HOST_DEVICE constexpr auto MakeLayout(T const &length)
{
    return MakeLayout(MakeShape(length), MakeStride(Int<1>{}), MakeShape(length));
}

/// A matrix without gaps, or a vector of `cols`.
template <class Element, class LayoutTag, class T, class U>
CATLASS_HOST_DEVICE constexpr auto MakeLayout(T const &rows, U const &cols)
{
    if constexpr (std::is_same_v<LayoutTag, Catlass::layout::VectorLayout>) {
        return MakeLayout(cols);
    } else if constexpr (std::is_same_v<LayoutTag, Catlass::layout::RowMajor>) {
        return MakeLayout(MakeShape(rows, cols), MakeStride(static_cast<int64_t>(cols), Int<1>{}),
                          MakeShape(rows, cols));
    } else if constexpr (std::is_same_v<LayoutTag, Catlass::layout::ColumnMajor>) {
        return MakeLayout(MakeShape(rows, cols), MakeStride(Int<1>{}, static_cast<int64_t>(rows)),
                          MakeShape(rows, cols));
    } else {
        constexpr uint32_t FRACTAL_ROWS = Catlass::C0_NUM_PER_FRACTAL;
        constexpr uint32_t BLOCK = Catlass::BYTE_PER_C0 / sizeof(Element);
        using Blocks = Int<BLOCK>;
        using Rows = Int<FRACTAL_ROWS>;
        using Fractal = Int<BLOCK * FRACTAL_ROWS>;
        auto const blocked = [](uint32_t length, auto within) {
            return MakeShape(within, CeilDiv<decltype(within)::value>(length));
        };
        auto const stride = [](uint32_t length) { return static_cast<int64_t>(RoundUp<FRACTAL_ROWS>(length)) * BLOCK; };
        if constexpr (std::is_same_v<LayoutTag, Catlass::layout::zN>) {
            return MakeLayout(MakeShape(blocked(rows, Rows{}), blocked(cols, Blocks{})),
                              MakeStride(MakeStride(Blocks{}, Fractal{}), MakeStride(Int<1>{}, stride(rows))),
                              MakeShape(static_cast<uint32_t>(rows), static_cast<uint32_t>(cols)));
        } else {
            static_assert(std::is_same_v<LayoutTag, Catlass::layout::nZ>, "the stand-in has no layout of this tag");
            return MakeLayout(MakeShape(blocked(rows, Blocks{}), blocked(cols, Rows{})),
                              MakeStride(MakeStride(Int<1>{}, stride(cols)), MakeStride(Blocks{}, Fractal{})),
                              MakeShape(static_cast<uint32_t>(rows), static_cast<uint32_t>(cols)));
        }
    }
}

#if CATLASS_ARCH == 3510
/// The scales of an operand of RowMajor or ColumnMajor in an MX format, (M, K / 32) of A or (K / 32, N) of B: two that
/// follow one another along K are neighbours in any case.
template <class Element, class LayoutTag, bool IS_OF_B, class T, class U>
CATLASS_HOST_DEVICE constexpr auto MakeMxScaleLayout(T const &rows, U const &cols)
{
    static_assert(std::is_same_v<Element, float8_e8m0_t>, "the scales of MX formats are of float8_e8m0_t");
    constexpr bool BY_ROWS = std::is_same_v<LayoutTag, Catlass::layout::RowMajor>;
    static_assert(BY_ROWS || std::is_same_v<LayoutTag, Catlass::layout::ColumnMajor>,
                  "the stand-in has no layout of scales of this tag");
    using Pair = Int<2>;
    auto const pairs = [](uint32_t length) { return MakeShape(Pair{}, CeilDiv<2>(length)); };
    auto const origin = MakeShape(static_cast<uint32_t>(rows), static_cast<uint32_t>(cols));
    auto const twice = [](uint32_t length) { return static_cast<int64_t>(length) * 2; };
    if constexpr (IS_OF_B) {
        auto const shape = MakeShape(pairs(rows), static_cast<uint32_t>(cols));
        if constexpr (BY_ROWS) {
            return MakeLayout(shape, MakeStride(MakeStride(Int<1>{}, twice(cols)), Pair{}), origin);
        } else {
            return MakeLayout(shape, MakeStride(MakeStride(Int<1>{}, Pair{}), static_cast<int64_t>(RoundUp<2>(rows))),
                              origin);
        }
    } else {
        auto const shape = MakeShape(static_cast<uint32_t>(rows), pairs(cols));
        if constexpr (BY_ROWS) {
            return MakeLayout(shape, MakeStride(static_cast<int64_t>(RoundUp<2>(cols)), MakeStride(Int<1>{}, Pair{})),
                              origin);
        } else {
            return MakeLayout(shape, MakeStride(Pair{}, MakeStride(Int<1>{}, twice(rows))), origin);
        }
    }
}
#endif

/// The same layout, with its strides.
template <class LayoutTag> CATLASS_HOST_DEVICE constexpr auto MakeLayoutFromTag(LayoutTag const &tag)
{
    if constexpr (std::is_same_v<LayoutTag, Catlass::layout::VectorLayout>) {
        return MakeLayout(MakeShape(tag.shape(0)), MakeStride(tag.stride(0)));
    } else if constexpr (std::is_same_v<LayoutTag, Catlass::layout::RowMajor>) {
        return MakeLayout(MakeShape(tag.shape(0), tag.shape(1)), MakeStride(tag.stride(0), Int<1>{}));
    } else {
        static_assert(std::is_same_v<LayoutTag, Catlass::layout::ColumnMajor>,
                      "the stand-in has no layout of this tag");
        return MakeLayout(MakeShape(tag.shape(0), tag.shape(1)), MakeStride(Int<1>{}, tag.stride(1)));
    }
}

namespace detail {

/// The dimension whose elements must be neighbours by their type, and the rank.
template <class Layout, int RANK, int DIMENSION, class = void> struct IsContiguous : std::false_type {};
template <class Layout, int RANK, int DIMENSION>
struct IsContiguous<Layout, RANK, DIMENSION, std::enable_if_t<(Layout::depth == 1 && Layout::rank == RANK)>>
    : std::bool_constant<
          is_constant<1, remove_cvref_t<decltype(std::declval<Layout>().template stride<DIMENSION>())>>::value> {};

template <class Layout> struct isVector : IsContiguous<Layout, 1, 0> {};
template <class Layout> struct isRowMajor : IsContiguous<Layout, 2, 1> {};
template <class Layout> struct isColumnMajor : IsContiguous<Layout, 2, 0> {};

template <class Origin, class TileShape, class Coord, int... I>
CATLASS_HOST_DEVICE constexpr auto Cropped(Origin const &origin, TileShape const &shape, Coord const &coord, seq<I...>)
{
    constexpr auto LEFT = [](uint32_t whole, uint32_t start, uint32_t length) {
        return start >= whole ? 0 : whole - start < length ? whole - start : length;
    };
    return MakeShape(static_cast<uint32_t>(LEFT(get<I>(origin), get<I>(coord), get<I>(shape)))...);
}

/// The shape of a tile; of a matrix of fractals, with as many as it begins.
template <class Shape, class TileShape, int... I>
CATLASS_HOST_DEVICE constexpr auto TileShapeOf(Shape const &whole, TileShape const &tile, seq<I...>)
{
    constexpr auto ALONG = [](auto const &own, auto const &length) {
        if constexpr (is_tuple<remove_cvref_t<decltype(own)>>::value) {
            auto const within = get<0>(own);
            return MakeShape(within, CeilDiv(static_cast<uint32_t>(length), static_cast<uint32_t>(within)));
        } else {
            return length;
        }
    };
    return MakeShape(ALONG(get<I>(whole), get<I>(tile))...);
}

}  // namespace detail

/// The layout of the tile of `shape` at `coord`, which holds fewer elements where the tensor ends.
template <class Layout, class TileShape, class Coord>
CATLASS_HOST_DEVICE constexpr auto GetTileLayout(Layout const &layout, TileShape const &shape, Coord const &coord)
{
    static_assert(depth_v<TileShape> == 1 && rank_v<TileShape> == Layout::rank && rank_v<Coord> == Layout::rank,
                  "a tile has a length and a coordinate per dimension of its tensor");
    return MakeLayout(detail::TileShapeOf(layout.shape(), shape, tuple_seq<TileShape>{}), layout.stride(),
                      detail::Cropped(layout.originShape(), shape, coord, tuple_seq<TileShape>{}));
}

}  // namespace tla

#endif  // TLA_LAYOUT_HPP
