// The HF32 mode of the matrix unit: floats in L0A and L0B are rounded before they are multiplied (pages of SetHF32Mode and
// SetHF32TransMode). A bit of the CTRL register, which an instruction takes when it is issued.
#pragma once

#include <cstdint>
#include <cstring>
#include <type_traits>
#include <vector>

#include "arch.hpp"
#include "cube.hpp"
#include "saturation.hpp"

namespace machine {

/// How floats are rounded before they are multiplied.
struct Hf32 {
    uint32_t dropped = 0;  // bits of the mantissa; 0: they stay as they are

    /// To the nearest number that has the other bits, of two the even one.
    float Round(float value) const
    {
        uint32_t bits;
        std::memcpy(&bits, &value, sizeof(bits));
        if (dropped == 0 || (bits & 0x7f800000u) == 0x7f800000u) { return value; }
        bits += (uint32_t{1} << (dropped - 1)) - 1 + (bits >> dropped & 1);
        bits &= ~uint32_t{0} << dropped;
        std::memcpy(&value, &bits, sizeof(bits));
        return value;
    }
};

/// Of instructions that the running core issues now.
inline Hf32 CurrentHf32()
{
    bool const on = Control(control::kHf32, control::kHf32) != 0;
    return {on ? 23 - static_cast<uint32_t>(Arch().hf32Bits) : 0};
}

/// Multiply-accumulates of half that take the matrix unit as long as a product that is issued now.
template <class ElementA, class ElementB> uint64_t MacsOfHalf(uint64_t m, uint64_t n, uint64_t k)
{
    bool const whole = std::is_same_v<std::remove_cv_t<ElementA>, float> && CurrentHf32().dropped == 0;
    return FractalsOf<ElementA, ElementB>(m, n, k) * 16 * 16 * 16 * (whole ? Arch().costs.floatFractal : 1);
}

/// A matrix as it is multiplied: where floats are rounded, a copy in `space`, in which the matrix itself may be.
template <class T>
Matrix<T const> Rounded(
    Matrix<T const> const& matrix, uint32_t rows, uint32_t columns, std::vector<T>& space, Hf32 mode)
{
    if constexpr (std::is_same_v<T, float>) {
        if (mode.dropped != 0) {
            std::vector<float> rounded(size_t{rows} * columns);
            for (uint32_t row = 0; row < rows; ++row) {
                for (uint32_t column = 0; column < columns; ++column) {
                    rounded[size_t{row} * columns + column] = mode.Round(matrix.At(row, column));
                }
            }
            space.swap(rounded);
            return {space.data(), columns, 1};
        }
    }
    return matrix;
}

}  // namespace machine
