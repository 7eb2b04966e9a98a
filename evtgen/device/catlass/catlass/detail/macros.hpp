// Function qualifiers of Catlass. The AscendC header of the CPU model defines the underlying keywords.
#ifndef CATLASS_DETAIL_MACROS_HPP
#define CATLASS_DETAIL_MACROS_HPP

#include <kernel_operator.h>

#define CATLASS_DEVICE __forceinline__ __aicore__
#define CATLASS_HOST_DEVICE
#define CATLASS_GLOBAL __global__ __aicore__

#endif  // CATLASS_DETAIL_MACROS_HPP
