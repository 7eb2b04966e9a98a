// op::bfloat16, the host's bfloat16: a number converts to it with rounding to nearest even, and back to float.
#pragma once

#include "machine/half.hpp"

namespace op {

using bfloat16 = machine::Bfloat16;

}  // namespace op
