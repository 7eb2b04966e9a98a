// Products kept whole, for whoever compares them: a kernel may use the memory that their blocks go through again.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <map>
#include <type_traits>
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

/// A block of a product, and its first row and column there.
struct KeptBlock {
    KeptProduct const* product;
    uint32_t row;
    uint32_t column;
};

/// The products to keep, and room for them: rows of n.
struct Kept {
    static constexpr uint32_t kDigits = 3;  // DIGITS of visitor_impl_base.hpp

    std::vector<KeptProduct> products;
    uint8_t* c = nullptr;
    uint32_t n = 0;
    std::map<void const*, std::vector<uint8_t*>> places;  // of the last block that was stored at each address
    std::vector<KeptBlock> blocks;  // where B does not say which it is of: cores take them in turn
    std::vector<uint32_t> taken;    // by each core
    bool digits = false;            // of int4 are the rows of A: kDigits for each row of C
};

Kept& TheKept();

/// From now on the blocks of the products are kept in `c`, an array with rows of n of the elements that the kernel stores.
void Keep(std::vector<KeptProduct> products, uint8_t* c, uint32_t n);

/// Of the blocks that the cores take in turn, the number of the one that a core is at: another if it stores.
uint32_t NumberInTurn(Combine combine, uint32_t core);

/// Where the block at an address is kept, of each product that it is a block of: nowhere yet if one is stored there.
std::vector<uint8_t*>& PlacesOf(void const* block, Combine combine);

/// Keeps an m x n block that has just been written, in each product that it is a block of. A block of another part of K
/// that was added to one is kept where that is.
template <class MatrixA, class MatrixB, class C>
void KeepBlock(
    MatrixA const& a, MatrixB const& b, Matrix<C> const& c, uint32_t m, uint32_t n, Combine combine,
    uint32_t numberInTurn)
{
    Kept& kept = TheKept();
    if (kept.products.empty()) { return; }
    std::vector<uint8_t*>& places = PlacesOf(c.data, combine);
    uint32_t const rowsOfA = kept.digits ? Kept::kDigits : 1, rows = m / rowsOfA;
    auto const keepIn = [&](KeptProduct const& product, uint64_t row, uint64_t column) {
        places.push_back(kept.c + ((product.first + row) * kept.n + product.column + column) * sizeof(C));
    };
    if (!kept.blocks.empty()) {
        KeptBlock const& block = kept.blocks.at(numberInTurn);
        KeptProduct const& product = *block.product;
        bool const fits = block.row + m <= product.m && block.column + n <= product.n;  // a wrong one may not
        if (combine == Combine::Store && fits) { keepIn(product, block.row, block.column); }
    }
    for (KeptProduct const& product : kept.products) {
        if (!kept.blocks.empty()) { break; }
        int64_t const inA =
            (a.data - static_cast<typename MatrixA::Element*>(product.a)) * kPacked<typename MatrixA::Element>;
        int64_t const inB =
            (b.data - static_cast<typename MatrixB::Element*>(product.b)) * kPacked<typename MatrixB::Element>;
        int64_t const rowOfA = a.RowAt(inA), row = rowOfA / rowsOfA, column = b.ColumnAt(inB);
        if (combine != Combine::Store || inA < 0 || inB < 0 || row + rows > product.m || column + n > product.n) {
            continue;
        }
        if (a.Index(rowOfA, 0) != inA) { continue; }  // of another part of K
        keepIn(product, row, column);
    }
    for (uint8_t* place : places) {
        for (uint32_t i = 0; i < rows; ++i) {
            uint8_t* const keptRow = place + size_t{i} * kept.n * sizeof(C);
            if (!kept.digits) {
                std::memcpy(keptRow, &c.At(i, 0), n * sizeof(C));
                continue;
            }
            if constexpr (std::is_same_v<C, int32_t>) {
                for (uint32_t j = 0; j < n; ++j) {
                    uint32_t const row = Kept::kDigits * i;
                    int32_t const whole = 16 * c.At(row, j) + c.At(row + 1, j) - c.At(row + 2, j);
                    std::memcpy(keptRow + j * sizeof(C), &whole, sizeof(C));
                }
            } else {
                std::abort();  // products of digits are of int32_t; headers of counted runs throw nothing
            }
        }
    }
}

}  // namespace machine
