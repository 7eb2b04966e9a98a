// Operands of the GEMM, whatever their elements and layouts.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <vector>

#include "problem.hpp"

namespace harness {

/// An operand in device memory: one matrix, or several with a gap behind each.
struct Matrices {
    size_t parts;
    size_t gap;
    Place const* place;
    size_t bits;  // of an element
    uint8_t* data{nullptr};
    std::vector<uint8_t*> each{};  // of a list of addresses, where each matrix is

    Matrices(size_t parts, size_t gap, Place const* place, size_t bits)
        : parts(parts), gap(gap), place(place), bits(bits)
    {}
    virtual ~Matrices() = default;

    /// Elements of a matrix.
    virtual int64_t Size() const = 0;
    /// Elements before one.
    virtual int64_t Offset(uint32_t row, uint32_t column) const = 0;

    size_t BytesOf(int64_t elements) const { return static_cast<size_t>(elements) * bits / 8; }

    /// Elements from one matrix to the next.
    int64_t Stride() const { return place == nullptr ? Size() + static_cast<int64_t>(gap) : place->parts; }

    size_t Bytes() const { return place == nullptr ? parts * BytesOf(Stride()) : place->bytes; }

    /// Where the operand of a matmul begins: in a matrix of its own, or at a row and a column of the only one.
    uint8_t const* At(size_t matmul, uint32_t row, uint32_t column = 0) const;
};

/// From now on the model keeps the blocks of the products of A and each B in `c`, whose rows have n columns of each B side by
/// side; of an empty part of K, 0 is kept.
void KeepProducts(
    Problem const& problem, Matrices const& a, std::initializer_list<Matrices const*> bs, uint32_t n, uint8_t* c);

}  // namespace harness
