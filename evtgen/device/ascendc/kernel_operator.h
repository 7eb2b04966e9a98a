// AscendC's one public header, for host compilers: calls have the documented signatures and record instructions on the
// CPU model. CATLASS_ARCH chooses the architecture: 2201 (Atlas A2/A3, the default) or 3510 (Ascend950).
#ifndef EVTGEN_KERNEL_OPERATOR_H  // not "pragma once": it is precompiled
#define EVTGEN_KERNEL_OPERATOR_H

#include "ascendc/activation.h"
#include "ascendc/allocator.h"
#include "ascendc/arith.h"
#include "ascendc/atomic.h"
#include "ascendc/block_sync.h"
#include "ascendc/cast.h"
#include "ascendc/copy.h"
#include "ascendc/dequant.h"
#include "ascendc/fixpipe.h"
#include "ascendc/fused.h"
#include "ascendc/gather.h"
#include "ascendc/hf32.h"
#include "ascendc/index.h"
#include "ascendc/macros.h"
#include "ascendc/mask.h"
#include "ascendc/pipe.h"
#include "ascendc/queue.h"
#include "ascendc/reduce.h"
#include "ascendc/registers.h"
#include "ascendc/saturation.h"
#include "ascendc/select.h"
#include "ascendc/sort.h"
#include "ascendc/std.h"
#include "ascendc/sync.h"
#include "ascendc/system.h"
#include "ascendc/tensor.h"
#include "ascendc/tiling.h"
#include "ascendc/transpose.h"
#include "ascendc/types.h"

#endif  // EVTGEN_KERNEL_OPERATOR_H
