// Products kept whole, for whoever compares them: a kernel may use the memory that their blocks go through again.
#pragma once

#include <cstdint>
#include <cstring>
#include <utility>
#include <vector>

#include "cube.hpp"

namespace machine {

/// A product: addresses of A and B, whose blocks say where theirs in C is, and its rows and columns among those of all
/// products: m from the first on, and n from a column on.
struct KeptProduct {
    void const* a;
    void const* b;
    uint64_t first;
    uint32_t m;
    uint32_t column;
    uint32_t n;
};

/// The products to keep, and room for them: rows of n.
struct Kept {
    std::vector<KeptProduct> products;
    uint8_t* c = nullptr;
    uint32_t n = 0;
};

inline Kept& TheKept()
{
    static Kept kept;
    return kept;
}

/// From now on the blocks of the products are kept in `c`, an array with rows of n of the elements that the kernel stores.
inline void Keep(std::vector<KeptProduct> products, uint8_t* c, uint32_t n) { TheKept() = {std::move(products), c, n}; }

/// Keeps an m x n block that has just been written, in each product that it is a block of.
template <class MatrixA, class MatrixB, class C>
void KeepBlock(MatrixA const& a, MatrixB const& b, Matrix<C> const& c, uint32_t m, uint32_t n)
{
    Kept const& kept = TheKept();
    for (KeptProduct const& product : kept.products) {
        int64_t const inA =
            (a.data - static_cast<typename MatrixA::Element*>(product.a)) * kPacked<typename MatrixA::Element>;
        int64_t const inB =
            (b.data - static_cast<typename MatrixB::Element*>(product.b)) * kPacked<typename MatrixB::Element>;
        int64_t const row = a.RowAt(inA), column = b.ColumnAt(inB);
        if (inA < 0 || inB < 0 || row + m > product.m || column + n > product.n) { continue; }
        if (a.Index(row, 0) != inA) { continue; }  // of another part of K
        for (uint32_t i = 0; i < m; ++i) {
            uint64_t const at = (product.first + row + i) * kept.n + product.column + column;
            std::memcpy(kept.c + at * sizeof(C), &c.At(i, 0), n * sizeof(C));
        }
    }
}

}  // namespace machine
