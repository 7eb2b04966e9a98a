// op::fp16_t, the host's half: built from numbers rounding to nearest even, read back as float.
#ifndef EVTGEN_OPDEV_FP16_T_H
#define EVTGEN_OPDEV_FP16_T_H

#include "machine/half.hpp"

namespace op {

using fp16_t = machine::Half;

}  // namespace op

#endif  // EVTGEN_OPDEV_FP16_T_H
