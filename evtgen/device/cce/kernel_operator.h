// AscendC's public header, for programs that are compiled against an asc-devkit checkout: the checkout's own basic API,
// over intrinsics that record on the CPU model, or for NPU architecture 3510 over intrinsics that are only declared.
#pragma once

#if CATLASS_ARCH == 3510
#include "cce/declared.h"
#else
#include "cce/absent.h"
#include "cce/arith.h"
#include "cce/convert.h"
#include "cce/copy.h"
#include "cce/gather.h"
#include "cce/language.h"
#include "cce/reduce.h"
#include "cce/registers.h"
#include "cce/select.h"
#include "cce/sort.h"
#include "cce/sync.h"
#include "cce/system.h"
#include "cce/transpose.h"
#include "cce/types.h"
#endif

// clang-format off: the order matters
// Functions that print tensors differ in the memory of a pointer alone, which is no part of a type here.
#define EVTGEN_CCE_JOIN(name, number) name##number
#define EVTGEN_CCE_NAME(name, number) EVTGEN_CCE_JOIN(name, number)
#define asc_dump(...) EVTGEN_CCE_NAME(asc_dump, __COUNTER__)(__VA_ARGS__)
#include "impl/utils/sys_macros.h"
#include "cce/roles.h"
#include "basic_api/kernel_tensor.h"
#if CATLASS_ARCH == 3510
#include "utils/debug/asc_dump.h"
#undef asc_dump
#include "cce/printing.h"
#else
#include "cce/address.h"
#endif
#include "basic_api/kernel_basic_intf.h"
#undef asc_dump
#if CATLASS_ARCH == 3510
// Of the advanced API, what Catlass's visitor framework calls.
#include "adv_api/activation/silu.h"
#endif
// clang-format on
