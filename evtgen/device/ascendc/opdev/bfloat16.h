// op::bfloat16, the host's bfloat16: a number converts to it with rounding to nearest even, and back to float.
#ifndef EVTGEN_OPDEV_BFLOAT16_H
#define EVTGEN_OPDEV_BFLOAT16_H

#include "machine/half.hpp"

namespace op {

using bfloat16 = machine::Bfloat16;

}  // namespace op

#endif  // EVTGEN_OPDEV_BFLOAT16_H
