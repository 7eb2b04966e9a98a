// Coord: a fixed number of indices with element-wise arithmetic.
#ifndef CATLASS_COORD_HPP
#define CATLASS_COORD_HPP

#include <cstdint>
#include <type_traits>

#include "catlass/catlass.hpp"

namespace Catlass {

template <int RANK_, class Index_ = uint32_t, class LongIndex_ = int64_t> struct Coord {
    static const int RANK = RANK_;
    using Index = Index_;
    using LongIndex = LongIndex_;

    /// All dimensions equal to `value`.
    CATLASS_HOST_DEVICE constexpr explicit Coord(Index value = Index(0)) : idx{}
    {
        for (Index &index : idx) { index = value; }
    }

    CATLASS_HOST_DEVICE constexpr Coord(Index const (&values)[RANK]) : idx{}
    {
        for (int i = 0; i < RANK; ++i) { idx[i] = values[i]; }
    }

    /// Dimension of the smallest, of the largest index; the first of equals.
    CATLASS_HOST_DEVICE int Argmin() const
    {
        int best = 0;
        for (int i = 1; i < RANK; ++i) { best = idx[i] < idx[best] ? i : best; }
        return best;
    }

    CATLASS_HOST_DEVICE int Argmax() const
    {
        int best = 0;
        for (int i = 1; i < RANK; ++i) { best = idx[i] > idx[best] ? i : best; }
        return best;
    }

    /// True when any index is not zero.
    CATLASS_HOST_DEVICE explicit operator bool() const { return !(*this == Index(0)); }
    CATLASS_HOST_DEVICE bool operator!() const { return *this == Index(0); }

    CATLASS_HOST_DEVICE Coord operator+(Coord const &b) const
    {
        return Zip(b, [](Index x, Index y) { return x + y; });
    }
    CATLASS_HOST_DEVICE Coord operator-(Coord const &b) const
    {
        return Zip(b, [](Index x, Index y) { return x - y; });
    }
    CATLASS_HOST_DEVICE Coord operator*(Coord const &b) const
    {
        return Zip(b, [](Index x, Index y) { return x * y; });
    }
    CATLASS_HOST_DEVICE Coord operator/(Coord const &b) const
    {
        return Zip(b, [](Index x, Index y) { return x / y; });
    }
    CATLASS_HOST_DEVICE Coord operator%(Coord const &b) const
    {
        return Zip(b, [](Index x, Index y) { return x % y; });
    }
    CATLASS_HOST_DEVICE Coord operator+(Index const value) const { return *this + Coord(value); }
    CATLASS_HOST_DEVICE Coord operator-(Index const value) const { return *this - Coord(value); }

    CATLASS_HOST_DEVICE Coord &operator+=(Coord const &b) { return *this = *this + b; }

    CATLASS_HOST_DEVICE bool operator==(Coord const &b) const
    {
        for (int i = 0; i < RANK; ++i) {
            if (idx[i] != b.idx[i]) { return false; }
        }
        return true;
    }
    CATLASS_HOST_DEVICE bool operator==(Index const value) const { return *this == Coord(value); }

    CATLASS_HOST_DEVICE Index &operator[](int dim) { return idx[dim]; }
    CATLASS_HOST_DEVICE Index const &operator[](int dim) const { return idx[dim]; }

    template <int DIM> CATLASS_HOST_DEVICE Index &At() { return idx[DIM]; }
    template <int DIM> CATLASS_HOST_DEVICE Index const &At() const { return idx[DIM]; }
    CATLASS_HOST_DEVICE Index &At(int dim) { return idx[dim]; }
    CATLASS_HOST_DEVICE Index const &At(int dim) const { return idx[dim]; }

    /// The chosen dimensions, in the order given.
    template <int... Is> CATLASS_HOST_DEVICE auto GetCoordByAxis() const
    {
        Index const chosen[sizeof...(Is)]{idx[Is]...};
        return Coord<sizeof...(Is), Index, LongIndex>{chosen};
    }

    CATLASS_HOST_DEVICE static Coord Min(Coord const &a, Coord const &b)
    {
        return a.Zip(b, [](Index x, Index y) { return x < y ? x : y; });
    }

private:
    template <class Function> CATLASS_HOST_DEVICE Coord Zip(Coord const &b, Function function) const
    {
        Coord result;
        for (int i = 0; i < RANK; ++i) { result.idx[i] = function(idx[i], b.idx[i]); }
        return result;
    }

    Index idx[RANK];
};

/// Coord of the arguments, which all have one type.
template <class T, class... Ts> CATLASS_HOST_DEVICE constexpr Coord<1 + sizeof...(Ts), T> MakeCoord(T first, Ts... rest)
{
    static_assert((std::is_same_v<T, Ts> && ...), "MakeCoord takes indices of one type");
    T const values[1 + sizeof...(Ts)] = {first, rest...};
    return Coord<1 + sizeof...(Ts), T>(values);
}

}  // namespace Catlass

#endif  // CATLASS_COORD_HPP
