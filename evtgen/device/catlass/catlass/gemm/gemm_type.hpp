// An operand of a matrix product: element type, layout, and where it lives.
#ifndef CATLASS_GEMM_GEMM_TYPE_HPP
#define CATLASS_GEMM_GEMM_TYPE_HPP

#include "catlass/catlass.hpp"

namespace Catlass::Gemm {

template <class Element_, class Layout_, AscendC::TPosition POSITION_ = AscendC::TPosition::GM> struct GemmType {
    using Element = Element_;
    using Layout = Layout_;
    static constexpr AscendC::TPosition POSITION = POSITION_;
};

}  // namespace Catlass::Gemm

#endif  // CATLASS_GEMM_GEMM_TYPE_HPP
