// Scalar accesses to tensors, and core-local buffers.
#pragma once

#include <cstdint>

#include "record.hpp"

namespace machine {

/// Reads 1, 2, 4 or 8 bytes on S. Runs the stream until the value is known.
/// From global memory, through the data cache unless told otherwise.
uint64_t ReadScalar(Region const& from, Site site, bool cached = true);
void WriteScalar(Region const& to, uint64_t value, Site site);

/// Writes back and forgets the line of the data cache at an address of global memory, or all of the cache.
void RefreshCache(void const* address, bool entire, Site site);

/// The local space that holds this byte of the running core; UB if none does.
Space SpaceAt(void const* local);

/// Takes the next `bytes` of a local space; reports when the space is full.
void* AllocateLocal(Space space, uint64_t bytes, Site site);

}  // namespace machine
