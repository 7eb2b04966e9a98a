// Sizes in bits and bytes (Catlass v1.2 and later).
#ifndef CATLASS_NUMERIC_SIZE_HPP
#define CATLASS_NUMERIC_SIZE_HPP

#include <cstddef>
#include <type_traits>

#include "catlass/catlass.hpp"

namespace Catlass {

template <typename T> struct SizeOfBits {
    static constexpr size_t value = 8 * sizeof(T) / machine::kPacked<T>;
};

/// Bytes that hold `bits`, rounded up.
template <typename ReturnType = size_t, typename T> CATLASS_HOST_DEVICE constexpr ReturnType BitsToBytes(T bits)
{
    return (static_cast<ReturnType>(bits) + 7) / 8;
}

template <typename ReturnType = size_t, typename T> CATLASS_HOST_DEVICE constexpr ReturnType BytesToBits(T bytes)
{
    return static_cast<ReturnType>(bytes) * 8;
}

}  // namespace Catlass

#endif  // CATLASS_NUMERIC_SIZE_HPP
