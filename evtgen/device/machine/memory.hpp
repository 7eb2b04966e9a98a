// Global memory: host memory that the machine tracks, with guard zones and one definedness bit per byte.
#pragma once

#include <cstddef>
#include <cstdint>

#include "arch.hpp"

namespace machine {

/// Null if the host does not have so much memory to give.
void* AllocateGlobal(size_t bytes);
void FreeGlobal(void* pointer);
/// Of the allocation that starts at `pointer`; 0 if none does.
size_t BytesFrom(void const* pointer);
/// Host to GM; the bytes become defined.
void WriteGlobal(void* destination, void const* source, size_t bytes);
/// GM to host. Bytes that nothing has written may be copied: using them is the fault.
void ReadGlobal(void* destination, void const* source, size_t bytes);
/// Within GM, definedness included.
void CopyGlobal(void* destination, void const* source, size_t bytes);
/// The host uses what it has at `data`: compares it, writes it to a file, copies it on. A fault if that was copied from
/// GM that nothing has written, and the host has not overwritten it.
void UseHost(void const* data, size_t bytes);
void FillGlobal(void* destination, int value, size_t bytes);
/// Whether the running core's loads from there use the L2 cache from now on; `bytes` 0: to the end of the allocation.
/// Only times depend on it.
void SetCached(void const* base, uint64_t bytes, bool cached);

/// Core-local memory of the running core: the address of byte `offset` of `space`. Marks [offset, offset+bytes)
/// allocated.
void* LocalAddress(Space space, uint64_t offset, uint64_t bytes);

/// Notes that the program's framework uses these bytes of the part of UB that is reserved for it.
void KeepUb(uint64_t first, uint64_t bytes);

/// Notes that the program has a buffer of `bytes` at `address` in the running core's memory; 0: it does not say how many,
/// so the buffer ends where the next one starts. Returns the address; null if that is the whole memory, which programs
/// divide into buffers themselves.
void const* DeclareBuffer(Space space, void const* address, uint64_t bytes);

}  // namespace machine
