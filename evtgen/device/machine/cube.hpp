// Matrix multiplication on the CPU, in place of the cube unit.
//
// Each sum starts from its bias and takes its products in ascending k; each product is rounded, then each sum. Nothing
// else reaches it, so the instructions and the blocking that a CPU is given change the time and no bit of the result.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <vector>

#include "half.hpp"
#include "record.hpp"

namespace machine {

/// A matrix in memory; strides in elements.
template <class T> struct Matrix {
    using Element = T;

    T* data;
    int64_t rowStride;
    int64_t columnStride;

    /// Elements before one.
    int64_t Index(int64_t row, int64_t column) const { return row * rowStride + column * columnStride; }
    T& At(int64_t row, int64_t column) const { return data[Index(row, column)]; }

    /// The row, or column, that starts so many elements after the first one.
    int64_t RowAt(int64_t offset) const { return offset / rowStride; }
    int64_t ColumnAt(int64_t offset) const { return offset / columnStride; }
};

/// A matrix of blocks of 32 bytes. If BY_ROWS, a block is a part of a row, those of a column follow one another, and
/// `stride` elements later comes the next column of blocks; else it is that of the transposed matrix.
template <class T, bool BY_ROWS> struct BlockedMatrix {
    using Element = T;
    static constexpr int64_t kBlock = 32 / sizeof(T) * kPacked<T>;

    T* data;
    int64_t stride;

    int64_t Index(int64_t row, int64_t column) const
    {
        int64_t const along = BY_ROWS ? column : row;
        return along / kBlock * stride + (BY_ROWS ? row : column) * kBlock + along % kBlock;
    }

    int64_t RowAt(int64_t offset) const { return BY_ROWS ? offset / kBlock : offset / stride * kBlock; }
    int64_t ColumnAt(int64_t offset) const { return BY_ROWS ? offset / stride * kBlock : offset / kBlock; }
};

/// The type in which elements of a matrix are multiplied: of 4 bits, as if they had 8.
template <class T> using Multiplied = std::conditional_t<kPacked<T> == 1, std::remove_const_t<T>, int8_t>;

/// A matrix as one with strides; if it is none yet, or its elements lie packed, as a copy in `space`.
template <class T, class Stored>
Matrix<T const> Plain(Stored const& matrix, uint32_t rows, uint32_t columns, std::vector<T>& space)
{
    if constexpr (std::is_same_v<Stored, Matrix<T const>>) {
        return matrix;
    } else {
        space.resize(size_t{rows} * columns);
        for (uint32_t row = 0; row < rows; ++row) {
            for (uint32_t column = 0; column < columns; ++column) {
                space[size_t{row} * columns + column] = ElementAt(matrix.data, matrix.Index(row, column));
            }
        }
        return {space.data(), columns, 1};
    }
}

/// A matrix of an MX format: 32 elements along K share a scale, a power of two whose exponent is its byte less 127, or NaN.
/// K is along the rows of A, and the columns of B. Its values are floats: exact, or infinite beyond their range.
template <class T, bool IS_B> struct ScaledMatrix {
    using Element = float const;
    static constexpr int64_t kGroup = 32;

    Matrix<T> stored;
    uint8_t const* scales;
    int64_t scaleStride;  // from one row of A, or column of B, to the next
    int64_t pairStride;   // along K: two are neighbours, and so far apart from the next two

    float At(int64_t row, int64_t column) const
    {
        int64_t const group = (IS_B ? row : column) / kGroup;
        uint8_t const byte = scales[(IS_B ? column : row) * scaleStride + group / 2 * pairStride + group % 2];
        float const scale = byte == 0xff ? BitsToFloat(0x7fc00000u) : std::ldexp(1.0F, byte - 127);
        return static_cast<float>(ElementAt(stored.data, stored.Index(row, column))) * scale;
    }
};

template <class T, bool IS_B>
Matrix<float const> Plain(
    ScaledMatrix<T, IS_B> const& matrix, uint32_t rows, uint32_t columns, std::vector<float>& space)
{
    space.resize(size_t{rows} * columns);
    for (uint32_t row = 0; row < rows; ++row) {
        for (uint32_t column = 0; column < columns; ++column) {
            space[size_t{row} * columns + column] = matrix.At(row, column);
        }
    }
    return {space.data(), columns, 1};
}

/// A matrix as it lies in memory.
template <class Stored> Stored const& StoredIn(Stored const& matrix) { return matrix; }
template <class T, bool IS_B> Matrix<T> const& StoredIn(ScaledMatrix<T, IS_B> const& matrix) { return matrix.stored; }

/// The type in which the cube sums products of two Elements.
template <class Element> using SumOf = std::conditional_t<std::is_integral_v<Element>, int32_t, float>;

/// The fractals of a product, 16 rows by 16 columns by 32 bytes of K, those at the edges whole (AscendC, theoretical
/// performance of cube instructions).
template <class ElementA, class ElementB = ElementA> constexpr uint64_t FractalsOf(uint64_t m, uint64_t n, uint64_t k)
{
    constexpr uint64_t depthA = 32 / sizeof(ElementA) * kPacked<ElementA>;
    constexpr uint64_t depthB = 32 / sizeof(ElementB) * kPacked<ElementB>;
    constexpr uint64_t depth = depthA < depthB ? depthA : depthB;
    return (m + 15) / 16 * ((n + 15) / 16) * ((k + depth - 1) / depth);
}

/// The way in which a set of the CPU's instructions multiplies; see cube.def.
template <class ElementA, class ElementB = ElementA> struct Multiplier {
    using Sum = SumOf<ElementA>;

    char const* name;
    uint32_t rows;     // of a tile of sums
    uint32_t columns;  // of a tile of sums
    bool supported;    // by this CPU

    /// sums[m][n] += a[m][k] * b[k][n]; rows of sums are `stride` apart. There are sums up to whole tiles, those beyond
    /// m and n without a meaning.
    void (*multiply)(
        Matrix<ElementA const> a, Matrix<ElementB const> b, uint32_t m, uint32_t n, uint32_t k, Sum* sums,
        size_t stride);
};

/// Those that were compiled, the fastest first; the last is supported everywhere. Both operands are of Half, Bfloat16,
/// float or int8_t, or each is a Float8.
template <class ElementA, class ElementB = ElementA> std::vector<Multiplier<ElementA, ElementB>> const& Multipliers();

/// Rounds a row of sums to the type of the result. To float and int32_t they stay as they are.
void RoundSums(float const* sums, Half* results, uint32_t count);
void RoundSums(float const* sums, Bfloat16* results, uint32_t count);
void RoundSums(float const* sums, float* results, uint32_t count);
void RoundSums(int32_t const* sums, int32_t* results, uint32_t count);

/// Elements of 16 bits without infinities and NaN, as the cube core leaves them where floats saturate (Fixpipe page).
template <class C> void BoundBlock(Matrix<C> c, uint32_t m, uint32_t n)
{
    if constexpr (std::is_same_v<C, Half> || std::is_same_v<C, Bfloat16>) {
        for (uint32_t row = 0; row < m; ++row) {
            for (uint32_t column = 0; column < n; ++column) { c.At(row, column) = Bound(c.At(row, column)); }
        }
    }
}

/// c = a * b + bias, combined with what c holds; c is row-major. Without a bias, it is null.
template <class ElementA, class ElementB, class C, class Bias>
inline void Multiply(
    Multiplier<ElementA, ElementB> const& multiplier, Matrix<ElementA const> a, Matrix<ElementB const> b, Matrix<C> c,
    Bias const* bias, uint32_t m, uint32_t n, uint32_t k, Combine combine)
{
    using Sum = SumOf<ElementA>;
    uint32_t const rows = (m + multiplier.rows - 1) / multiplier.rows * multiplier.rows;
    uint32_t const columns = (n + multiplier.columns - 1) / multiplier.columns * multiplier.columns;
    std::vector<Sum> sums(size_t{rows} * columns, Sum{});
    if (bias != nullptr) {
        for (uint32_t row = 0; row < m; ++row) {
            for (uint32_t column = 0; column < n; ++column) {
                sums[size_t{row} * columns + column] = static_cast<Sum>(bias[column]);
            }
        }
    }
    multiplier.multiply(a, b, m, n, k, sums.data(), columns);

    std::vector<C> rounded(n);
    for (uint32_t row = 0; row < m; ++row) {
        C* const target = &c.At(row, 0);
        bool const stored = combine == Combine::Store;
        RoundSums(&sums[size_t{row} * columns], stored ? target : rounded.data(), n);
        for (uint32_t column = 0; !stored && column < n; ++column) {
            C const value = rounded[column];
            C const before = target[column];
            if (combine == Combine::Add) {
                target[column] = static_cast<C>(before + value);
            } else if (combine == Combine::Max ? before < value : value < before) {
                target[column] = value;
            }
        }
    }
}

/// The same, as fast as this CPU can.
template <class ElementA, class ElementB, class C, class Bias>
inline void Multiply(
    Matrix<ElementA const> a, Matrix<ElementB const> b, Matrix<C> c, Bias const* bias, uint32_t m, uint32_t n,
    uint32_t k, Combine combine)
{
    static Multiplier<ElementA, ElementB> const fastest = [] {
        for (Multiplier<ElementA, ElementB> const& multiplier : Multipliers<ElementA, ElementB>()) {
            if (multiplier.supported) { return multiplier; }
        }
        return Multipliers<ElementA, ElementB>().back();
    }();
    Multiply(fastest, a, b, c, bias, m, n, k, combine);
}

/// An integer sum as the cube core stores it with a scale, VDEQF16: as a float, times the scale, rounded to half. Of the scale's
/// bits there count 31 to 13, a sign, an exponent and 10 bits of mantissa (AscendC's guide, quantisation on the way out).
inline Half Dequantised(int32_t sum, uint64_t scale)
{
    return Half(static_cast<float>(sum) * BitsToFloat(static_cast<uint32_t>(scale) & 0xffffe000u));
}

/// c = a * b of integers, each column times its scale.
template <class ElementA, class ElementB>
inline void MultiplyDequantised(
    Matrix<ElementA const> a, Matrix<ElementB const> b, Matrix<Half> c, uint64_t const* scales, uint32_t m, uint32_t n,
    uint32_t k)
{
    std::vector<int32_t> sums(size_t{m} * n);
    Matrix<int32_t> const whole{sums.data(), n, 1};
    Multiply(a, b, whole, static_cast<int32_t const*>(nullptr), m, n, k, Combine::Store);
    for (uint32_t row = 0; row < m; ++row) {
        for (uint32_t column = 0; column < n; ++column) {
            c.At(row, column) = Dequantised(whole.At(row, column), scales[column]);
        }
    }
}

}  // namespace machine
