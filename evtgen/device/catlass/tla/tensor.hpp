// A tensor: memory with a layout, and where in it the tensor's first element is. A tile of a tensor has the same memory
// and another coordinate. As in Catlass v1.6, without its slices.
#ifndef TLA_TENSOR_HPP
#define TLA_TENSOR_HPP

#include "catlass/arch/arch.hpp"
#include "catlass/catlass.hpp"
#include "tla/int_tuple.hpp"
#include "tla/layout.hpp"

namespace tla {

template <class BuiltinTensor, class Layout_, class Coord_, AscendC::TPosition Position> struct Tensor {
    using Element = typename BuiltinTensor::PrimType;
    using Layout = Layout_;
    using Coord = Coord_;
    static constexpr AscendC::TPosition position = Position;
    static constexpr int rank = Layout::rank;
    static_assert(rank_v<Coord> == rank, "the coordinate has another rank than the layout");

    CATLASS_HOST_DEVICE constexpr Tensor() {}
    CATLASS_HOST_DEVICE constexpr Tensor(BuiltinTensor const &builtinTensor, Layout const &layout,
                                         Coord const &coord = {})
        : data_(builtinTensor), layout_(layout), coord_(coord)
    {}

    /// The whole memory: this tensor starts `layout()(coord())` elements behind its start.
    CATLASS_HOST_DEVICE constexpr BuiltinTensor const &data() const { return data_; }
    CATLASS_HOST_DEVICE constexpr BuiltinTensor &data() { return data_; }
    CATLASS_HOST_DEVICE constexpr Layout const &layout() const { return layout_; }
    CATLASS_HOST_DEVICE constexpr Coord const &coord() const { return coord_; }
    CATLASS_HOST_DEVICE constexpr decltype(auto) shape() const { return layout_.shape(); }
    CATLASS_HOST_DEVICE constexpr decltype(auto) stride() const { return layout_.stride(); }
    CATLASS_HOST_DEVICE constexpr decltype(auto) originShape() const { return layout_.originShape(); }

private:
    BuiltinTensor data_;
    Layout layout_;
    Coord coord_;
};

template <class BuiltinTensor, class Layout, class PositionType>
CATLASS_HOST_DEVICE constexpr auto MakeTensor(BuiltinTensor const &builtinTensor, Layout const &layout, PositionType)
{
    return Tensor<BuiltinTensor, Layout, detail::ZerosOf<Layout::rank>, PositionType::value>(builtinTensor, layout);
}

template <class BuiltinTensor, class Layout, class Coord, class PositionType>
CATLASS_HOST_DEVICE constexpr auto MakeTensor(BuiltinTensor const &builtinTensor, Layout const &layout,
                                              Coord const &coord, PositionType)
{
    return Tensor<BuiltinTensor, Layout, Coord, PositionType::value>(builtinTensor, layout, coord);
}

namespace detail {

template <class A, class B, int... I> CATLASS_HOST_DEVICE constexpr auto Sum(A const &a, B const &b, seq<I...>)
{
    return MakeCoord(static_cast<uint32_t>(static_cast<uint32_t>(get<I>(a)) + static_cast<uint32_t>(get<I>(b)))...);
}

}  // namespace detail

/// The tile of `shape` whose first element is the tensor's at `coord`.
template <class Tensor, class Coord, class Shape>
CATLASS_DEVICE constexpr auto GetTile(Tensor const &tensor, Coord const &coord, Shape const &shape)
{
    static_assert(rank_v<Coord> == Tensor::rank && rank_v<Shape> == Tensor::rank,
                  "a tile has a length and a coordinate per dimension of its tensor");
    return MakeTensor(tensor.data(), GetTileLayout(tensor.layout(), shape, coord),
                      detail::Sum(tensor.coord(), coord, make_seq<Tensor::rank>{}),
                      Catlass::Arch::PositionType<Tensor::position>{});
}

}  // namespace tla

#endif  // TLA_TENSOR_HPP
