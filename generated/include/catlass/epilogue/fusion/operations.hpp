#ifndef CATLASS_EPILOGUE_FUSION_OPERATIONS_HPP
#define CATLASS_EPILOGUE_FUSION_OPERATIONS_HPP

#include "catlass/epilogue/fusion/operations/arithmetic.hpp"
#include "catlass/epilogue/fusion/operations/math.hpp"
#include "catlass/epilogue/fusion/operations/comparison.hpp"
#include "catlass/epilogue/fusion/operations/activation.hpp"

namespace Catlass::Epilogue::Fusion {

// The names of other visitor frameworks for these operators

template <class Element>
using Add = Plus<Element>;
template <class Element>
using Sub = Minus<Element>;
template <class Element>
using SubOp = Minus<Element>;
template <class Element>
using Mul = Multiplies<Element>;
template <class Element>
using Div = Divides<Element>;
template <class Element>
using DivOp = Divides<Element>;
template <class Element>
using Max = Maximum<Element>;
template <class Element>
using Min = Minimum<Element>;
template <class Element>
using ExpOp = Exp<Element>;
template <class Element>
using RsqrtFast = Rsqrt<Element>;
template <class Element>
using PlusRelu = AddRelu<Element>;

} // namespace Catlass::Epilogue::Fusion

#endif // CATLASS_EPILOGUE_FUSION_OPERATIONS_HPP
