// m, n and k of a matrix product: as a type (tile shapes) and as a value (problem shapes, block coordinates).
#ifndef CATLASS_GEMM_COORD_HPP
#define CATLASS_GEMM_COORD_HPP

#include "catlass/coord.hpp"

namespace Catlass {

template <uint32_t M_ = 1, uint32_t N_ = 1, uint32_t K_ = 1> struct GemmShape {
    static constexpr uint32_t M = M_;
    static constexpr uint32_t N = N_;
    static constexpr uint32_t K = K_;

    static constexpr int64_t MN = int64_t{M} * N;
    static constexpr int64_t MK = int64_t{M} * K;
    static constexpr int64_t KN = int64_t{K} * N;
    static constexpr int64_t MNK = MN * K;
    static constexpr int64_t COUNT = MNK;

    CATLASS_HOST_DEVICE static Coord<3> ToCoord() { return MakeCoord(M, N, K); }
    CATLASS_HOST_DEVICE static Coord<2> ToCoordMN() { return MakeCoord(M, N); }
    CATLASS_HOST_DEVICE static Coord<2> ToCoordMK() { return MakeCoord(M, K); }
    CATLASS_HOST_DEVICE static Coord<2> ToCoordKN() { return MakeCoord(K, N); }
};

struct GemmCoord : public Coord<3, uint32_t> {
    using Index = uint32_t;
    using Base = Coord<3, Index>;

    static constexpr int M_INDEX = 0;
    static constexpr int N_INDEX = 1;
    static constexpr int K_INDEX = 2;

    CATLASS_HOST_DEVICE GemmCoord() {}
    CATLASS_HOST_DEVICE GemmCoord(Base const &coord) : Base(coord) {}
    CATLASS_HOST_DEVICE GemmCoord(Index m, Index n, Index k) : Base(MakeCoord(m, n, k)) {}

    CATLASS_HOST_DEVICE Index const &m() const { return At(M_INDEX); }
    CATLASS_HOST_DEVICE Index &m() { return At(M_INDEX); }
    CATLASS_HOST_DEVICE Index const &n() const { return At(N_INDEX); }
    CATLASS_HOST_DEVICE Index &n() { return At(N_INDEX); }
    CATLASS_HOST_DEVICE Index const &k() const { return At(K_INDEX); }
    CATLASS_HOST_DEVICE Index &k() { return At(K_INDEX); }

    CATLASS_HOST_DEVICE auto GetCoordMN() const { return GetCoordByAxis<M_INDEX, N_INDEX>(); }
    CATLASS_HOST_DEVICE auto GetCoordMK() const { return GetCoordByAxis<M_INDEX, K_INDEX>(); }
    CATLASS_HOST_DEVICE auto GetCoordKN() const { return GetCoordByAxis<K_INDEX, N_INDEX>(); }
};

}  // namespace Catlass

#endif  // CATLASS_GEMM_COORD_HPP
