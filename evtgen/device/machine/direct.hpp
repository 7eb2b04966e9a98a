// Accesses to device memory through plain pointers, as the scalar unit does them: code that is compiled with
// instrumentation of its memory accesses says before each which bytes it is about to read or write.
#pragma once

#include <cstdint>

namespace machine {

/// The running core reads these bytes next: runs its stream until they hold what the scalar unit would see. `next`: where
/// the program goes on. On the host's memory a kernel may do as it likes, but for a stack deeper than a device's; the host
/// must leave alone what an open task uses. Accesses by an instruction that runs are no matter of the model.
void BeforeRead(void const* at, uint64_t bytes, void const* next);
/// Likewise, writes them next. The write becomes an instruction at the next call of the machine, when the value is there.
void BeforeWrite(void* at, uint64_t bytes, void const* next);
/// Makes an instruction of a write that is announced and has happened.
void SettleWrite();
/// The stack of the fiber that runs next grows down from `end`.
void WatchStack(char const* end);

/// The program accesses this element of a tensor next, by a reference: as GetValue and SetValue do.
void ReferToElement(void const* at);

}  // namespace machine
