// Accesses to device memory through plain pointers, as the scalar unit does them: code that is compiled with
// instrumentation of its memory accesses says before each which bytes it is about to read or write.
#pragma once

#include <cstdint>

namespace machine {

/// The running core reads these bytes next: runs its stream until they hold what the scalar unit would see. Other memory
/// than a device's, and accesses outside a kernel or by an instruction that runs, are no matter of the model.
void BeforeRead(void const* at, uint64_t bytes);
/// Likewise, writes them next. The write becomes an instruction at the next call of the machine, when the value is there.
void BeforeWrite(void* at, uint64_t bytes);
/// Makes an instruction of a write that is announced and has happened.
void SettleWrite();

}  // namespace machine
