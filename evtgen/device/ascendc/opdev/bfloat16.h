// op::bfloat16, the host's bfloat16: built from numbers rounding to nearest even, read back as float.
#ifndef EVTGEN_OPDEV_BFLOAT16_H
#define EVTGEN_OPDEV_BFLOAT16_H

#include "machine/half.hpp"

namespace op {

using bfloat16 = machine::Bfloat16;

}  // namespace op

#endif  // EVTGEN_OPDEV_BFLOAT16_H
