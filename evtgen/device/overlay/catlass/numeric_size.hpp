// A checkout's sizes in bits, and of elements of 4 bits, which it takes from AscendC where __CCE__ is defined.
#pragma once

#include_next "catlass/numeric_size.hpp"

#ifndef __CCE__
namespace Catlass {

template <> struct SizeOfBits<AscendC::int4b_t> {
    static constexpr size_t value = 4;
};

}  // namespace Catlass
#endif
