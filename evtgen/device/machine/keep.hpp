// A product kept whole, for whoever compares it: a kernel may use the memory that its blocks go through again.
#ifndef EVTGEN_MACHINE_KEEP_HPP
#define EVTGEN_MACHINE_KEEP_HPP

#include <cstdint>
#include <cstring>

#include "cube.hpp"

namespace machine {

/// The product to keep: addresses of A and B, whose blocks say where theirs in C is, and room for C, m rows of n.
struct Kept {
    void const* a = nullptr;
    void const* b = nullptr;
    uint8_t* c = nullptr;
    uint32_t m = 0;
    uint32_t n = 0;
};

inline Kept& TheKept()
{
    static Kept kept;
    return kept;
}

/// From now on the blocks of A * B are kept in `c`, an array of m x n of the elements that the kernel stores.
inline void Keep(void const* a, void const* b, uint8_t* c, uint32_t m, uint32_t n)
{
    TheKept() = {a, b, c, m, n};
}

/// Keeps an m x n block that has just been written, unless it is none of the product's.
template <class MatrixA, class MatrixB, class C>
void KeepBlock(MatrixA const& a, MatrixB const& b, Matrix<C> const& c, uint32_t m, uint32_t n)
{
    Kept const& kept = TheKept();
    if (kept.c == nullptr) {
        return;
    }
    int64_t const row = a.RowAt(a.data - static_cast<typename MatrixA::Element*>(kept.a));
    int64_t const column = b.ColumnAt(b.data - static_cast<typename MatrixB::Element*>(kept.b));
    if (row < 0 || column < 0 || row + m > kept.m || column + n > kept.n) {
        return;
    }
    for (uint32_t i = 0; i < m; ++i) {
        std::memcpy(kept.c + ((row + i) * kept.n + column) * sizeof(C), &c.At(i, 0), n * sizeof(C));
    }
}

}  // namespace machine

#endif  // EVTGEN_MACHINE_KEEP_HPP
