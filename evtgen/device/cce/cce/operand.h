// Operands of vector instructions: pointers into UB with their strides, and the lanes that the core's mask chooses.
#pragma once

#include "../../machine/memory.hpp"
#include "../../machine/scalar.hpp"
#include "../../machine/vector.hpp"
#include "types.h"

namespace cce {

using machine::Here;
using machine::Lanes;
using machine::Operand;
using machine::Site;

/// `pointer` with its strides, in data blocks.
template <class T> Operand Ub(T* pointer, uint64_t blockStride = 1, uint64_t repeatStride = 8)
{
    return {
        const_cast<std::remove_const_t<T>*>(pointer), sizeof(T), static_cast<uint16_t>(blockStride),
        static_cast<uint16_t>(repeatStride)};
}

/// The lanes of an instruction whose widest elements have this many bytes.
inline Lanes Chosen(uint64_t repeat, size_t elementBytes)
{
    return Lanes::OfCore(static_cast<uint32_t>(repeat), static_cast<uint32_t>(elementBytes));
}

}  // namespace cce
