// The headers that a program of `evtgen verify` includes before those of its epilogues; model/toolchain.py precompiles them.
// No header of an epilogue can have this path.
#ifndef EVTGEN_HARNESS_HEADERS_HPP
#define EVTGEN_HARNESS_HEADERS_HPP

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <iterator>
#include <map>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include <acl/acl.h>
#include <tiling/platform/platform_ascendc.h>

// From Catlass v1.2 on the headers include this for device compilers only
#include "kernel_operator.h"

#include "catlass/arch/arch.hpp"
#include "catlass/catlass.hpp"
#include "catlass/gemm/block/block_mmad.hpp"
#include "catlass/gemm/block/block_swizzle.hpp"
#include "catlass/gemm/device/device_gemm.hpp"
#include "catlass/gemm/dispatch_policy.hpp"
#include "catlass/gemm/gemm_type.hpp"
#include "catlass/gemm_coord.hpp"
#include "catlass/layout/layout.hpp"
#include "catlass/status.hpp"
#include "harness/matrices.hpp"
#include "harness/operand.hpp"
#include "harness/problem.hpp"
#include "harness/tensors.hpp"
#include "machine/keep.hpp"
#include "machine/memory.hpp"
#include "machine/names.hpp"

#endif  // EVTGEN_HARNESS_HEADERS_HPP
