// The function that prints tensors, where AscendC's headers call it by its name; see kernel_operator.h.
#ifndef EVTGEN_CCE_PRINTING_H
#define EVTGEN_CCE_PRINTING_H

namespace __asc_aicore {
template <class... Operands>
void asc_dump(Operands&&...);
}  // namespace __asc_aicore

#endif  // EVTGEN_CCE_PRINTING_H
