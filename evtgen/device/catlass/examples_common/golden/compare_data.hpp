// Comparison of a device result with the reference. The functions return the indices that differ.
#ifndef EXAMPLES_COMMON_GOLDEN_COMPARE_DATA_HPP
#define EXAMPLES_COMMON_GOLDEN_COMPARE_DATA_HPP

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "machine/memory.hpp"

namespace Catlass::golden {

namespace detail {

/// Sums of this many terms and more get twice the tolerance.
constexpr uint32_t COMPUTE_NUM_THRESHOLD = 2048;

/// Indices where |result - expect| exceeds tolerance * max(floor, |expect|), or is not a number.
template <class ElementResult, class ElementCompare>
std::vector<uint64_t> FindErrors(std::vector<ElementResult> const &result, std::vector<ElementCompare> const &expect,
                                 float tolerance, float floor)
{
    machine::UseHost(result.data(), result.size() * sizeof(ElementResult));
    std::vector<uint64_t> errorIndices;
    for (uint64_t i = 0; i < result.size(); ++i) {
        auto const difference = std::fabs(static_cast<ElementCompare>(result[i]) - expect[i]);
        if (!(difference <= tolerance * std::max<double>(floor, std::fabs(expect[i])))) { errorIndices.push_back(i); }
    }
    return errorIndices;
}

}  // namespace detail

/// `computeNum`: how many terms were summed for one result.
template <class ElementResult, class ElementCompare>
std::vector<uint64_t> CompareData(std::vector<ElementResult> const &result, std::vector<ElementCompare> const &expect,
                                  uint32_t computeNum)
{
    float const tolerance = computeNum < detail::COMPUTE_NUM_THRESHOLD ? 1.0f / 256 : 1.0f / 128;
    return detail::FindErrors(result, expect, tolerance, 1.0f);
}

/// Integers must be equal.
template <>
inline std::vector<uint64_t> CompareData(std::vector<int32_t> const &result, std::vector<int32_t> const &expect,
                                         uint32_t)
{
    machine::UseHost(result.data(), result.size() * sizeof(int32_t));
    std::vector<uint64_t> errorIndices;
    for (uint64_t i = 0; i < result.size(); ++i) {
        if (result[i] != expect[i]) { errorIndices.push_back(i); }
    }
    return errorIndices;
}

/// bfloat16 has a shorter mantissa: a wider tolerance, relative down to small values.
template <class ElementResult>
std::vector<uint64_t> CompareDataBfloat16(std::vector<ElementResult> const &result, std::vector<float> const &expect,
                                          uint32_t computeNum)
{
    float const tolerance = computeNum < detail::COMPUTE_NUM_THRESHOLD ? 1.0f / 128 : 1.0f / 64;
    return detail::FindErrors(result, expect, tolerance, 1.0f / 256);
}

}  // namespace Catlass::golden

#endif  // EXAMPLES_COMMON_GOLDEN_COMPARE_DATA_HPP
