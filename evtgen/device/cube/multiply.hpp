// Matrix multiplication on the CPU, in place of the cube unit.
//
// Both operands are converted to the accumulator's type and repacked as the inner loop reads them: A in strips
// of four rows, B in strips of eight columns. The inner loop keeps 4x8 sums in registers. Vector types are the
// compilers' own extension, which they lower to the instructions of the target.
#ifndef EVTGEN_CUBE_MULTIPLY_HPP
#define EVTGEN_CUBE_MULTIPLY_HPP

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <vector>

namespace cube {

/// A matrix in memory; strides in elements.
template <class T>
struct Matrix {
    T* data;
    int64_t rowStride;
    int64_t columnStride;

    T& At(int64_t row, int64_t column) const
    {
        return data[row * rowStride + column * columnStride];
    }
};

namespace detail {

constexpr uint32_t kRows = 4;
constexpr uint32_t kLanes = 4;
constexpr uint32_t kColumns = 2 * kLanes;
constexpr uint32_t kDepth = 512;  // of one pass over k: a strip of B then stays in the first-level cache

template <class Acc>
struct Vector {
    typedef Acc Type __attribute__((vector_size(kLanes * sizeof(Acc))));
};

/// sums[4][8] += a[depth][4]^T * b[depth][8]
template <class Acc>
inline void MultiplyStrips(Acc const* a, Acc const* b, uint32_t depth, Acc* sums)
{
    using Lanes = typename Vector<Acc>::Type;
    Lanes sum[kRows][2];
    std::memcpy(sum, sums, sizeof(sum));
    for (uint32_t k = 0; k < depth; ++k, a += kRows, b += kColumns) {
        Lanes left;
        Lanes right;
        std::memcpy(&left, b, sizeof(left));
        std::memcpy(&right, b + kLanes, sizeof(right));
        for (uint32_t row = 0; row < kRows; ++row) {
            Lanes const scale = Lanes{} + a[row];
            sum[row][0] += scale * left;
            sum[row][1] += scale * right;
        }
    }
    std::memcpy(sums, sum, sizeof(sum));
}

/// Writes lines [first, first + WIDTH) of an operand as packed[depth][WIDTH]; lines from `count` on are zero.
template <uint32_t WIDTH, class Acc, class Element>
inline void PackStrip(
    Acc* packed, Element const* data, int64_t lineStride, int64_t depthStride, uint32_t first, uint32_t count,
    uint32_t depth)
{
    uint32_t const lines = std::min(WIDTH, count - first);
    data += first * lineStride;
    for (uint32_t k = 0; k < depth; ++k, packed += WIDTH) {
        for (uint32_t line = 0; line < WIDTH; ++line) {
            packed[line] = line < lines ? static_cast<Acc>(data[k * depthStride + line * lineStride]) : Acc{};
        }
    }
}

}  // namespace detail

/// a * b, summed in Acc in ascending k, from `first(column)` on; `store(target, sum)` puts each sum into its element of c,
/// once, at the end.
template <class Acc, class A, class B, class C, class First, class Store>
inline void Multiply(
    Matrix<A const> a, Matrix<B const> b, Matrix<C> c, uint32_t m, uint32_t n, uint32_t k, First first, Store store)
{
    using namespace detail;
    uint32_t const rowStrips = (m + kRows - 1) / kRows;
    uint32_t const columnStrips = (n + kColumns - 1) / kColumns;
    uint32_t const depthLimit = std::min(k, kDepth);
    constexpr size_t kTile = kRows * kColumns;
    std::vector<Acc> sums(rowStrips * columnStrips * kTile, Acc{});
    for (uint32_t column = 0; column < n; ++column) {
        Acc const initial = first(column);
        for (uint32_t row = 0; row < rowStrips * kRows; ++row) {
            size_t const tile = size_t{column / kColumns} * rowStrips + row / kRows;
            sums[tile * kTile + row % kRows * kColumns + column % kColumns] = initial;
        }
    }
    std::vector<Acc> packedA(size_t{rowStrips} * kRows * depthLimit);
    std::vector<Acc> packedB(size_t{kColumns} * depthLimit);

    for (uint32_t start = 0; start < k; start += kDepth) {
        uint32_t const depth = std::min(kDepth, k - start);
        for (uint32_t i = 0; i < rowStrips; ++i) {
            PackStrip<kRows>(
                &packedA[size_t{i} * kRows * depth], &a.At(0, start), a.rowStride, a.columnStride, i * kRows, m, depth);
        }
        for (uint32_t j = 0; j < columnStrips; ++j) {
            PackStrip<kColumns>(packedB.data(), &b.At(start, 0), b.columnStride, b.rowStride, j * kColumns, n, depth);
            for (uint32_t i = 0; i < rowStrips; ++i) {
                MultiplyStrips(
                    &packedA[size_t{i} * kRows * depth], packedB.data(), depth,
                    &sums[(size_t{j} * rowStrips + i) * kTile]);
            }
        }
    }

    for (uint32_t row = 0; row < m; ++row) {
        for (uint32_t column = 0; column < n; ++column) {
            size_t const tile = size_t{column / kColumns} * rowStrips + row / kRows;
            store(c.At(row, column), sums[tile * kTile + row % kRows * kColumns + column % kColumns]);
        }
    }
}

/// The same from zero on.
template <class Acc, class A, class B, class C, class Store>
inline void Multiply(Matrix<A const> a, Matrix<B const> b, Matrix<C> c, uint32_t m, uint32_t n, uint32_t k, Store store)
{
    Multiply<Acc>(a, b, c, m, n, k, [](uint32_t) { return Acc{}; }, store);
}

}  // namespace cube

#endif  // EVTGEN_CUBE_MULTIPLY_HPP
