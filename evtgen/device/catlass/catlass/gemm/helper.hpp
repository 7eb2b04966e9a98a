// The type in which a matrix product is summed, and the alignment that the cube requires of tile shapes.
#ifndef CATLASS_GEMM_HELPER_HPP
#define CATLASS_GEMM_HELPER_HPP

#include "catlass/catlass.hpp"
#include "catlass/gemm/gemm_type.hpp"
#include "catlass/layout/layout.hpp"
#include "catlass/numeric_size.hpp"

namespace Catlass::Gemm::helper {

namespace standin {

template <class T, class... Types> constexpr bool IS_ONE_OF = (std::is_same_v<T, Types> || ...);
#if CATLASS_ARCH == 3510
template <class T> constexpr bool IS_FLOAT8 = IS_ONE_OF<T, float8_e4m3_t, float8_e5m2_t>;
template <class T> constexpr bool IS_FLOAT4 = std::is_same_v<T, float4_e2m1x2_t>;
#else
template <class T> constexpr bool IS_FLOAT8 = false;
template <class T> constexpr bool IS_FLOAT4 = false;
#endif

}  // namespace standin

template <class ElementA, class ElementB> struct ElementAccumulatorSelector {
    static_assert((std::is_same_v<ElementA, ElementB> &&
                   standin::IS_ONE_OF<ElementA, half, bfloat16_t, float, int8_t, AscendC::int4b_t>) ||
                      (standin::IS_FLOAT8<ElementA> && standin::IS_FLOAT8<ElementB>) ||
                      (standin::IS_FLOAT4<ElementA> && standin::IS_FLOAT4<ElementB>),
                  "no accumulator type for these element types");
    using ElementAccumulator =
        std::conditional_t<standin::IS_ONE_OF<ElementA, int8_t, AscendC::int4b_t>, int32_t, float>;
};

}  // namespace Catlass::Gemm::helper

#endif  // CATLASS_GEMM_HELPER_HPP
