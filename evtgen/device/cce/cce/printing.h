// The function that prints tensors, where AscendC's headers call it by its name; see kernel_operator.h.
#pragma once

namespace __asc_aicore {
template <class... Operands> void asc_dump(Operands&&...);
}  // namespace __asc_aicore
