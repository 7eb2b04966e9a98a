// Bulk conversion between element types, in every round mode.
#pragma once

#include <cstddef>
#include <cstdint>

#include "elements.hpp"

namespace machine {

void HalfToFloat(float* dst, uint16_t const* src, size_t count);
void FloatToHalf(uint16_t* dst, float const* src, size_t count);

using ConvertFn = void (*)(void* dst, void const* src, size_t count, Rounding rounding);

/// The conversion from `src` to `dst` as the running core's modes are now; null if there is none. Of an integer NaN
/// becomes 0.
ConvertFn FindConvert(ElementType dst, ElementType src);

/// One value, for scalars and tests.
uint16_t RoundToHalf(float value, Rounding rounding);
uint16_t RoundToBfloat(float value, Rounding rounding);

}  // namespace machine
