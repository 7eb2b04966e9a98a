#include "direct.hpp"

#include <link.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <map>
#include <string>
#include <vector>

#include "core.hpp"
#include "global.hpp"
#include "running.hpp"
#include "scalar.hpp"

namespace machine {

namespace {

constexpr uint64_t kMaxBytes = sizeof(uint64_t);
constexpr ptrdiff_t kDeviceStack = 32768;  // Catlass's build files: -cce-aicore-stack-size=0x8000

struct Write {
    uint8_t* at = nullptr;
    Space space = Space::UB;
    Site site = {"", 0};
    std::vector<uint8_t> before;
};
Write announced;

void const* element = nullptr;  // that a program has a reference to by a tensor's operator()

/// The lowest byte of the running fiber's stack that a device has too; null: whether there is one is known.
uint8_t const* stackEnd = nullptr;

/// Whether the byte is on the running fiber's stack, as most are.
bool OnStack(void const* at)
{
    auto const distance = reinterpret_cast<uintptr_t>(at) - reinterpret_cast<uintptr_t>(__builtin_frame_address(0));
    return distance < Stack::kBytes;
}

/// The place of the access before `next`. Its line is in the program's debugging information: `addr2line -e PROGRAM`.
Site SiteBefore(void const* next)
{
    static auto* const names = new std::map<void const*, std::string>;  // the report is written at exit
    static uintptr_t const loaded = [] {
        uintptr_t at = 0;
        auto const first = [](dl_phdr_info* info, size_t, void* to) {
            *static_cast<uintptr_t*>(to) = info->dlpi_addr;
            return 1;
        };
        dl_iterate_phdr(first, &at);
        return at;
    }();
    std::string& name = (*names)[next];
    if (name.empty()) {
        char text[32];
        std::snprintf(
            text, sizeof(text), "program@0x%zx", static_cast<size_t>(reinterpret_cast<uintptr_t>(next) - loaded - 1));
        name = text;
    }
    return {name.c_str(), 0};
}

void ReportStack(Core const& core, void const* at, void const* next)
{
    Stack const& stack = running->current->stack;
    ptrdiff_t const deep = stack.Begin() + Stack::kBytes - static_cast<char const*>(at);
    stackEnd = nullptr;
    Report(
        {Fault::StackTooLarge, core.MakeCall(running->kernel, Pipe::S, SiteBefore(next)),
         std::to_string(deep) + " bytes of " + std::to_string(kDeviceStack)});
}

/// Whether the running core accesses device memory there itself, or memory beside it; and which.
bool IsDevice(void const* at, void const* next, Space& space)
{
    Core* const core = CurrentCore();
    if (core == nullptr || CurrentInstruction() != nullptr) { return false; }
    if (OnStack(at)) {
        if (at < stackEnd) { ReportStack(*core, at, next); }
        return false;
    }
    LocalMemory const* memory = core->LocalNear(at);
    if (memory == nullptr) { memory = core->LocalOf(at); }
    if (memory != nullptr) {
        space = memory->space;
        return true;
    }
    space = Space::GM;
    return FindAllocationNear(at) != nullptr || IsFreed(at);
}

/// The host goes on while tasks of streams run.
void TouchOnHost(void const* at, uint64_t bytes, bool written, void const* next)
{
    if (AnyTaskIsOpen()) { ActAtOnce(written ? "write" : "read", SiteBefore(next), {{at, bytes, written}}); }
}

By MeansOf(void const* at) { return at == element ? By::Tensor : By::Pointer; }

/// Part of an access through a pointer. The buffer that it should lie in is the one that starts last before it.
Region Part(Space space, void const* at, uint64_t bytes)
{
    Region region = Bytes(space, at, bytes);
    LocalMemory const* const memory = space == Space::GM ? nullptr : CurrentCore()->LocalOf(at);
    if (memory != nullptr) {
        auto const after = memory->buffers.upper_bound(memory->Offset(at));
        if (after != memory->buffers.begin()) { region.buffer = memory->data.get() + std::prev(after)->first; }
    }
    return region;
}

/// Calls f(at, bytes) for the parts of an access that the scalar unit makes one by one.
template <class F> void ForEachPart(uint64_t bytes, F const& f)
{
    for (uint64_t done = 0; done < bytes; done += kMaxBytes) { f(done, std::min(bytes - done, kMaxBytes)); }
}

}  // namespace

void WatchStack(char const* end) { stackEnd = reinterpret_cast<uint8_t const*>(end) - kDeviceStack; }

void ReferToElement(void const* at)
{
    SettleWrite();
    element = at;
}

void BeforeRead(void const* at, uint64_t bytes, void const* next)
{
    SettleWrite();
    if (CurrentCore() == nullptr) { return TouchOnHost(at, bytes, false, next); }
    Space space;
    if (!IsDevice(at, next, space)) { return; }
    Site const site = SiteBefore(next);
    ForEachPart(bytes, [&](uint64_t done, uint64_t part) {
        ReadScalar(Part(space, static_cast<uint8_t const*>(at) + done, part), site, MeansOf(at));
    });
}

void BeforeWrite(void* at, uint64_t bytes, void const* next)
{
    SettleWrite();
    if (CurrentCore() == nullptr) { return TouchOnHost(at, bytes, true, next); }
    Space space;
    if (!IsDevice(at, next, space)) { return; }
    auto const* const begin = static_cast<uint8_t const*>(at);
    announced = {static_cast<uint8_t*>(at), space, SiteBefore(next), {begin, begin + bytes}};
}

void SettleWrite()
{
    if (announced.at == nullptr) { return; }
    Write const write = std::exchange(announced, {});
    std::vector<uint8_t> const after(write.at, write.at + write.before.size());
    // What the pipes see until the instruction runs.
    std::memcpy(write.at, write.before.data(), write.before.size());
    ForEachPart(after.size(), [&](uint64_t done, uint64_t part) {
        uint64_t value = 0;
        std::memcpy(&value, after.data() + done, part);
        WriteScalar(Part(write.space, write.at + done, part), value, write.site, MeansOf(write.at));
    });
}

}  // namespace machine
