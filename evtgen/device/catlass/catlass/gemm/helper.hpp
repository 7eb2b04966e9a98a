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
#if CATLASS_ARCH == 3510
template <>
struct ElementAccumulatorSelector<float8_e4m3_t, float8_e4m3_t> {
    using ElementAccumulator = float;
};
template <>
struct ElementAccumulatorSelector<float8_e5m2_t, float8_e5m2_t> {
    using ElementAccumulator = float;
};
template <>
struct ElementAccumulatorSelector<float8_e4m3_t, float8_e5m2_t> {
    using ElementAccumulator = float;
};
template <>
struct ElementAccumulatorSelector<float8_e5m2_t, float8_e4m3_t> {
    using ElementAccumulator = float;
};
#endif

}  // namespace Catlass::Gemm::helper

#endif  // CATLASS_GEMM_HELPER_HPP
