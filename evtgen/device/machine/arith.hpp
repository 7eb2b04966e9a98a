// The arithmetic of vector instructions on contiguous elements, by operation and element type.
#pragma once

#include <cstddef>

#include "calls.hpp"
#include "elements.hpp"

namespace machine {

/// `scalar` points to one element of the type; operands an operation does not have are null. Exact for + - * / sqrt,
/// max, min and relu in every type; exp and ln are the C library's in float, rounded once. Max and min follow numpy: a
/// NaN wins. Integers wrap.
using ArithFn = void (*)(void* dst, void const* a, void const* b, void const* scalar, size_t count);

/// Null if the type does not have the operation. Of calls that iterate, it is that of the running architecture, which may
/// flush subnormals.
ArithFn FindArith(Op op, ElementType type);

/// The same of a call that takes a number on either side, with the number first.
ArithFn FindReversed(Op op, ElementType type);

/// dst(float) += a(half) * s(half) and the like: Axpy and MulAddDst with sources narrower than the destination.
ArithFn FindMixed(Op op, ElementType dst, ElementType src);

}  // namespace machine
