// The type in which a matrix product is summed, and the alignment that the cube requires of tile shapes.
#ifndef CATLASS_GEMM_HELPER_HPP
#define CATLASS_GEMM_HELPER_HPP

#include "catlass/catlass.hpp"
#include "catlass/gemm/gemm_type.hpp"
#include "catlass/layout/layout.hpp"
#include "catlass/numeric_size.hpp"

namespace Catlass::Gemm::helper {

template <class ElementA, class ElementB>
struct ElementAccumulatorSelector {
    static_assert(DEPENDENT_FALSE<ElementA>, "no accumulator type for these element types");
};

template <>
struct ElementAccumulatorSelector<half, half> {
    using ElementAccumulator = float;
};
template <>
struct ElementAccumulatorSelector<bfloat16_t, bfloat16_t> {
    using ElementAccumulator = float;
};
template <>
struct ElementAccumulatorSelector<float, float> {
    using ElementAccumulator = float;
};
template <>
struct ElementAccumulatorSelector<int8_t, int8_t> {
    using ElementAccumulator = int32_t;
};

}  // namespace Catlass::Gemm::helper

#endif  // CATLASS_GEMM_HELPER_HPP
