// Core-local memory: made when a kernel first asks for it, filled when it is first touched.
#include <cstring>

#include "core.hpp"
#include "scalar.hpp"

namespace machine {

LocalMemory::LocalMemory(Space space, uint64_t bytes)
    : space(space)
    , bytes(bytes)
    , data(new uint8_t[bytes])
    , states(new uint8_t[bytes])
    , history(bytes)
{
}

void LocalMemory::Prepare(uint64_t end)
{
    if (end > prepared) {
        std::memset(data.get() + prepared, 0xcd, end - prepared);  // earlier contents must not look like a result
        std::memset(states.get() + prepared, kNeverWritten, end - prepared);
        prepared = end;
    }
}

LocalMemory* Core::Local(Space space)
{
    auto& memory = locals_[static_cast<size_t>(space)];
    if (memory == nullptr) {
        memory = std::make_unique<LocalMemory>(space, Arch().SizeOf(space));
    }
    return memory.get();
}

LocalMemory* Core::LocalOf(void const* address)
{
    for (auto const& memory : locals_) {
        if (memory != nullptr && memory->Contains(address)) {
            return memory.get();
        }
    }
    return nullptr;
}

Space SpaceAt(void const* local)
{
    Core* const core = CurrentCore();
    LocalMemory const* const memory = core == nullptr ? nullptr : core->LocalOf(local);
    return memory == nullptr ? Space::UB : memory->space;
}

void Core::ReleaseAll()
{
    taken_.fill(0);
    for (auto const& memory : locals_) {
        if (memory != nullptr) {
            memory->buffers.clear();
        }
    }
}

uint64_t Core::Take(Space space, uint64_t bytes)
{
    constexpr uint64_t block = 32;
    uint64_t& taken = taken_[static_cast<size_t>(space)];
    uint64_t const offset = taken;
    taken += (bytes + block - 1) / block * block;
    return offset;
}

}  // namespace machine
