#include "direct.hpp"

#include <cstring>

#include "core.hpp"
#include "global.hpp"
#include "running.hpp"
#include "scalar.hpp"

namespace machine {

namespace {

constexpr uint64_t kMaxBytes = sizeof(uint64_t);

struct Write {
    uint8_t* at = nullptr;
    uint64_t bytes = 0;
    Space space = Space::UB;
    uint8_t before[kMaxBytes];
};
Write announced;

/// Whether the byte is on the running fiber's stack, as most are.
bool OnStack(void const* at)
{
    auto const distance = reinterpret_cast<uintptr_t>(at) - reinterpret_cast<uintptr_t>(__builtin_frame_address(0));
    return distance < Stack::kBytes;
}

/// Whether the byte is in device memory, which the running core accesses itself; and in which.
bool IsDevice(void const* at, Space& space)
{
    Core* const core = CurrentCore();
    if (core == nullptr || CurrentInstruction() != nullptr || OnStack(at)) { return false; }
    if (LocalMemory const* const memory = core->LocalOf(at)) {
        space = memory->space;
        return true;
    }
    if (FindAllocation(at) != nullptr) {
        space = Space::GM;
        return true;
    }
    return false;
}

constexpr Site kSite = {"", 0};

}  // namespace

void BeforeRead(void const* at, uint64_t bytes)
{
    SettleWrite();
    Space space;
    if (!IsDevice(at, space)) { return; }
    for (uint64_t done = 0; done < bytes; done += kMaxBytes) {
        uint64_t const part = bytes - done < kMaxBytes ? bytes - done : kMaxBytes;
        ReadScalar(Bytes(space, static_cast<uint8_t const*>(at) + done, part), kSite, By::Pointer);
    }
}

void BeforeWrite(void* at, uint64_t bytes)
{
    SettleWrite();
    Space space;
    if (!IsDevice(at, space) || bytes > kMaxBytes) { return; }
    announced.at = static_cast<uint8_t*>(at);
    announced.bytes = bytes;
    announced.space = space;
    std::memcpy(announced.before, at, bytes);
}

void SettleWrite()
{
    if (announced.at == nullptr) { return; }
    Write const write = announced;
    announced.at = nullptr;
    uint64_t value = 0;
    std::memcpy(&value, write.at, write.bytes);
    std::memcpy(write.at, write.before, write.bytes);  // what the pipes see until the instruction runs
    WriteScalar(Bytes(write.space, write.at, write.bytes), value, kSite, By::Pointer);
}

}  // namespace machine
