// Scalar accesses to tensors, and core-local buffers.
#pragma once

#include <cstdint>

#include "record.hpp"

namespace machine {

/// By a tensor's GetValue or SetValue, by a pointer, or past the data cache, which the other two use for global memory.
enum class By : uint8_t { Tensor, Pointer, PastCache };

/// Reads 1, 2, 4 or 8 bytes on S. Runs the stream until the value is known.
uint64_t ReadScalar(Region const& from, Site site, By by = By::Tensor);
void WriteScalar(Region const& to, uint64_t value, Site site, By by = By::Tensor);

/// Writes back and forgets the line of the data cache at an address of global memory, or all of the cache.
void RefreshCache(void const* address, bool entire, Site site);

/// The local space that holds this byte of the running core; UB if none does.
Space SpaceAt(void const* local);

/// Takes the next `bytes` of a local space; reports when the space is full.
void* AllocateLocal(Space space, uint64_t bytes, Site site);

}  // namespace machine
