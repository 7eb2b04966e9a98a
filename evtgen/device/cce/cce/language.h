// Keywords of the device's C++, defined away for host compilers, and what AscendC's headers expect the device's compiler
// to say about itself: NPU architecture 2201, vector core.
#pragma once

#include <algorithm>
#include <cassert>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "../../ascendc/ascendc/predefined.h"
#include "../../machine/launch.hpp"

/// What assert of AscendC calls on the host, from the C library.
extern "C" [[noreturn]] void __assert_fail(
    char const* expression, char const* file, unsigned line, char const* function) noexcept;

#if CATLASS_ARCH != 2201 && CATLASS_ARCH != 3510
#error "the model has no intrinsics of this NPU architecture"
#endif

// Where code runs and where data lies. A pointer to a core's memory is an offset in it; see address.h.
#define __host__
#define __simt_callee__
#define __check_sync_alias__
#define __ssbuf__

// Hints for the compiler's own synchronisation, which the model does not have.
#define __inout_pipe__(...)
#define __in_pipe__(...)
#define __out_pipe__(...)
#define __sync_alias__
#define __sync_noalias__

/// A variable that each core has for itself: the machine swaps it when another core goes on.
#define __BLOCK_LOCAL__ [[gnu::section("evtgen_block_local")]]
#define __WORKGROUP_LOCAL__ __BLOCK_LOCAL__

// Device code calls these without a namespace; on the device they also take numbers of two types.
using std::max;
using std::min;
using std::size_t;

#include "../../ascendc/ascendc/keywords.h"
