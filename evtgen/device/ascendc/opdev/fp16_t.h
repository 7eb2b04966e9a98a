// op::fp16_t, the host's half: a number converts to it with rounding to nearest even, and back to float.
#ifndef EVTGEN_OPDEV_FP16_T_H
#define EVTGEN_OPDEV_FP16_T_H

#include "machine/half.hpp"

namespace op {

using fp16_t = machine::Half;

}  // namespace op

#endif  // EVTGEN_OPDEV_FP16_T_H
