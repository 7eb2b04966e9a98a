// Constants and common includes of the Catlass stand-in, as in Catlass v1.5 `catlass/catlass.hpp`.
#ifndef CATLASS_CATLASS_HPP
#define CATLASS_CATLASS_HPP

#include <cstdint>

#include <kernel_operator.h>

#include "catlass/detail/alignment.hpp"
#include "catlass/detail/dependent_false.hpp"
#include "catlass/detail/macros.hpp"

namespace Catlass {

// One cube block is 32 bytes wide and a cube fractal is 16 such blocks.
constexpr uint32_t BYTE_PER_C0 = 32;
constexpr uint32_t BYTE_PER_C2 = 64;
constexpr uint32_t C0_NUM_PER_FRACTAL = 16;
constexpr uint32_t BYTE_PER_FRACTAL = C0_NUM_PER_FRACTAL * BYTE_PER_C0;

// One vector block is 32 bytes and one vector repeat is eight of them.
constexpr uint32_t BYTE_PER_BLK = 32;
constexpr uint32_t BLK_NUM_PER_VECTOR_FRACTAL = 8;
constexpr uint32_t BYTE_PER_VECTOR_FRACTAL = BLK_NUM_PER_VECTOR_FRACTAL * BYTE_PER_BLK;

constexpr uint64_t L2_OFFSET = 0;
constexpr uint32_t STRIDE_LIMIT = 65536;
constexpr uint32_t BYTE_PER_BLK_FP = 128;

// Of operands in MX formats: elements that share a scale, scales that are copied together, and elements that are.
constexpr uint32_t MX_SCALE_GROUP_NUM = 32;
constexpr uint32_t MX_SCALE_COPY_GROUP_NUM = 2;
constexpr uint32_t MX_BASEK_FACTOR = 64;

class EmptyClass {};

}  // namespace Catlass

#endif  // CATLASS_CATLASS_HPP
