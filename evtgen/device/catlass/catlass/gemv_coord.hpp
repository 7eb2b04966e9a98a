// m and n of a matrix-vector product: as a type and as a value.
#ifndef CATLASS_GEMV_COORD_HPP
#define CATLASS_GEMV_COORD_HPP

#include "catlass/coord.hpp"

namespace Catlass {

template <uint32_t M_ = 1, uint32_t N_ = 1> struct GemvShape {
    static constexpr uint32_t M = M_;
    static constexpr uint32_t N = N_;
    static constexpr int64_t MN = int64_t{M} * N;
    static constexpr int64_t COUNT = MN;

    CATLASS_HOST_DEVICE static Coord<2> ToCoord() { return MakeCoord(M, N); }
};

struct GemvCoord : public Coord<2, uint32_t> {
    using Index = uint32_t;
    using Base = Coord<2, Index>;

    static constexpr int M_INDEX = 0;
    static constexpr int N_INDEX = 1;

    CATLASS_HOST_DEVICE GemvCoord() {}
    CATLASS_HOST_DEVICE GemvCoord(Base const &coord) : Base(coord) {}
    CATLASS_HOST_DEVICE GemvCoord(Index m, Index n) : Base(MakeCoord(m, n)) {}

    CATLASS_HOST_DEVICE Index const &m() const { return At(M_INDEX); }
    CATLASS_HOST_DEVICE Index &m() { return At(M_INDEX); }
    CATLASS_HOST_DEVICE Index const &n() const { return At(N_INDEX); }
    CATLASS_HOST_DEVICE Index &n() { return At(N_INDEX); }

    CATLASS_HOST_DEVICE auto GetCoordMN() const { return GetCoordByAxis<M_INDEX, N_INDEX>(); }
};

}  // namespace Catlass

#endif  // CATLASS_GEMV_COORD_HPP
