// Global memory inside the machine: finds the allocation of an address, with its shadow and history.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>

#include "history.hpp"
#include "host.hpp"
#include "report.hpp"
#include "shadow.hpp"

namespace machine {

struct Allocation {
    /// `tracked`: of how many bytes it is known who wrote and read them.
    Allocation(size_t bytes, size_t tracked) : bytes(bytes), shadow(tracked), history(tracked) {}
    uint8_t* raw = nullptr;  // start of the leading guard zone
    uint8_t* base = nullptr;
    size_t bytes;
    uint32_t number = 0;  // counts allocations, for messages
    BitShadow shadow;
    History history;

    bool Contains(void const* p) const { return p >= base && p < base + bytes; }
    size_t Offset(void const* p) const { return static_cast<size_t>(static_cast<uint8_t const*>(p) - base); }
};

/// The allocation that holds `pointer`; null if none does.
Allocation* FindAllocation(void const* pointer);
/// The allocation whose bytes or guard zones hold `pointer`; null if none does.
Allocation* FindAllocationNear(void const* pointer);
/// Whether the program has freed this memory, of late.
bool IsFreed(void const* pointer);
/// Calls f(begin, bytes, written) for each run of bytes that the launch touched, in the order of addresses.
void ForEachTouchedInGlobal(std::function<void(uint8_t const*, size_t, bool)> const& f);
void ClearGlobalHistories();
/// The launch that ends is a task of the stream.
void GiveLaunch(Handle stream, Call const& call);

}  // namespace machine
