#include "memory.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <map>
#include <memory>
#include <new>
#include <optional>
#include <string>
#include <vector>

#include "config.hpp"
#include "global.hpp"
#include "report.hpp"

namespace machine {

namespace {

constexpr size_t kGuard = 4096;
constexpr size_t kAlign = 512;
constexpr size_t kMost = size_t{1} << 46;      // more than any host has, and far from where sizes wrap around
constexpr size_t kReserve = size_t{64} << 20;  // left to the rest of the host
constexpr size_t kSmall = size_t{1} << 20;     // not worth a question
constexpr size_t kKept = size_t{16} << 20;     // of freed memory, in so many pieces
constexpr size_t kKeptPieces = 64;
constexpr int kPoison = 0x7B;  // fills every byte that nothing has written: a large finite number in every type

/// Host memory that was copied from GM, of which nothing has written some bytes.
struct HostCopy {
    uint8_t const* begin;
    std::vector<uint8_t> data;  // as it was copied: the host may have put something else there since
    BitShadow shadow;
    uint32_t allocation;
    size_t offset;

    bool Meets(void const* other, size_t bytes) const
    {
        auto const* const first = static_cast<uint8_t const*>(other);
        return begin < first + bytes && first < begin + data.size();
    }
};

std::vector<HostCopy>& HostCopies()
{
    static std::vector<HostCopy>* copies = new std::vector<HostCopy>;  // never destroyed, as the registry
    return *copies;
}

struct Freed {
    uint8_t* raw;
    size_t bytes;
};

struct Registry {
    std::map<uint8_t const*, std::unique_ptr<Allocation>> byBase;
    Allocation* last = nullptr;
    uint32_t count = 0;
    std::deque<Freed> freed;  // the last ones, whose memory is no one else's yet
    size_t freedBytes = 0;
};

Registry& TheRegistry()
{
    static Registry* registry = new Registry;  // never destroyed: programs free memory in their own destructors
    return *registry;
}

/// The number in the first line of a file that matches `format`.
std::optional<size_t> NumberIn(char const* path, char const* format)
{
    std::optional<size_t> found;
    if (std::FILE* const file = std::fopen(path, "r")) {
        char line[128];
        size_t number = 0;
        while (!found && std::fgets(line, sizeof(line), file) != nullptr) {
            if (std::sscanf(line, format, &number) == 1) { found = number; }
        }
        std::fclose(file);
    }
    return found;
}

/// Whether the host can give `bytes` now. Without this a system that overcommits gives the address space and kills the
/// process when it fills it.
bool HostHas(size_t bytes)
{
    if (bytes < kReserve + kSmall) { return true; }
    std::optional<size_t> const available = NumberIn("/proc/meminfo", "MemAvailable: %zu kB");
    std::optional<size_t> const limit = NumberIn("/sys/fs/cgroup/memory.max", "%zu");
    std::optional<size_t> const used = NumberIn("/sys/fs/cgroup/memory.current", "%zu");
    bool const fits = !available || bytes / 1024 <= *available;
    return fits && (!limit || !used || (*used <= *limit && bytes <= *limit - *used));
}

Finding HostFinding(Fault fault, char const* call, std::string detail)
{
    return {fault, {{"host", 0}, call}, std::move(detail)};
}

/// The allocation of a host transfer, or null after a report.
Allocation* HostRange(void const* pointer, size_t bytes, char const* call)
{
    Allocation* found = FindAllocation(pointer);
    if (found == nullptr) {
        Report(HostFinding(Fault::GmUnallocated, call, std::to_string(bytes) + " bytes"));
        return nullptr;
    }
    if (bytes > found->bytes - found->Offset(pointer)) {
        Report(HostFinding(
            Fault::GmOutOfBounds, call,
            std::to_string(bytes) + " bytes at offset " + std::to_string(found->Offset(pointer)) + " of "
                + std::to_string(found->bytes)));
        return nullptr;
    }
    return found;
}

}  // namespace

void* AllocateGlobal(size_t bytes)
{
    bool const executes = GetConfig().executes;
    if (bytes > kMost || (executes && !HostHas(bytes + bytes / 8 + kReserve))) { return nullptr; }
    Registry& registry = TheRegistry();
    size_t const total = (bytes + 2 * kGuard + kAlign - 1) / kAlign * kAlign;
    std::unique_ptr<Allocation> allocation;
    try {
        allocation = std::make_unique<Allocation>(bytes, executes ? bytes : 0);
    } catch (std::bad_alloc const&) {
        return nullptr;
    }
    allocation->raw = static_cast<uint8_t*>(std::aligned_alloc(kAlign, total));
    if (allocation->raw == nullptr) { return nullptr; }
    if (executes) { std::memset(allocation->raw, kPoison, total); }
    allocation->base = allocation->raw + kGuard;
    allocation->number = registry.count++;
    void* const base = allocation->base;
    registry.byBase.emplace(allocation->base, std::move(allocation));
    return base;
}

void FreeGlobal(void* pointer)
{
    Registry& registry = TheRegistry();
    auto const found = registry.byBase.find(static_cast<uint8_t*>(pointer));
    if (found == registry.byBase.end()) {
        if (pointer != nullptr) { Report(HostFinding(Fault::GmUnallocated, "free", "")); }
        return;
    }
    Allocation const& allocation = *found->second;
    ForgetUses(pointer, allocation.bytes);
    registry.freed.push_back({allocation.raw, allocation.bytes + 2 * kGuard});
    registry.freedBytes += registry.freed.back().bytes;
    registry.last = nullptr;
    registry.byBase.erase(found);
    while (registry.freedBytes > kKept || registry.freed.size() > kKeptPieces) {
        registry.freedBytes -= registry.freed.front().bytes;
        std::free(registry.freed.front().raw);
        registry.freed.pop_front();
    }
}

bool IsFreed(void const* pointer)
{
    auto const* const p = static_cast<uint8_t const*>(pointer);
    std::deque<Freed> const& freed = TheRegistry().freed;
    return std::any_of(
        freed.begin(), freed.end(), [p](Freed const& one) { return p >= one.raw && p < one.raw + one.bytes; });
}

size_t BytesFrom(void const* pointer)
{
    Allocation const* const found = FindAllocation(pointer);
    return found == nullptr || found->base != pointer ? 0 : found->bytes;
}

void WriteGlobal(void* destination, void const* source, size_t bytes)
{
    if (bytes == 0 || !GetConfig().executes) { return; }
    if (Allocation* const target = HostRange(destination, bytes, "write to device")) {
        UseHost(source, bytes);
        std::memcpy(destination, source, bytes);
        target->shadow.Set(target->Offset(destination), bytes, true);
    }
}

void FillGlobal(void* destination, int value, size_t bytes)
{
    if (bytes == 0 || !GetConfig().executes) { return; }
    if (Allocation* const target = HostRange(destination, bytes, "fill on device")) {
        std::memset(destination, value, bytes);
        target->shadow.Set(target->Offset(destination), bytes, true);
    }
}

void ReadGlobal(void* destination, void const* source, size_t bytes)
{
    if (bytes == 0 || !GetConfig().executes) { return; }
    Allocation* const from = HostRange(source, bytes, "read from device");
    if (from == nullptr) { return; }
    std::memcpy(destination, source, bytes);
    auto& copies = HostCopies();
    copies.erase(
        std::remove_if(
            copies.begin(), copies.end(), [&](HostCopy const& copy) { return copy.Meets(destination, bytes); }),
        copies.end());
    size_t const offset = from->Offset(source);
    if (!GetConfig().checks || from->shadow.AllSet(offset, bytes)) { return; }
    auto const* const host = static_cast<uint8_t const*>(destination);
    HostCopy copy{host, {host, host + bytes}, BitShadow(bytes), from->number, offset};
    copy.shadow.CopyFrom(0, from->shadow, offset, bytes);
    copies.push_back(std::move(copy));
}

void UseHost(void const* data, size_t bytes)
{
    ActAtOnce("read by the host", {"host", 0}, {{data, bytes, false}});
    auto const* const begin = static_cast<uint8_t const*>(data);
    for (HostCopy const& copy : HostCopies()) {
        if (!copy.Meets(data, bytes)) { continue; }
        auto const first = static_cast<size_t>(std::max(begin, copy.begin) - copy.begin);
        auto const last = static_cast<size_t>(std::min(begin + bytes, copy.begin + copy.data.size()) - copy.begin);
        size_t const bad = copy.shadow.FindUndefined(first, last - first);
        if (bad == last || std::memcmp(copy.begin + first, copy.data.data() + first, last - first) != 0) { continue; }
        Finding finding = HostFinding(
            Fault::UndefinedToHost, "read from device",
            "byte " + std::to_string(copy.offset + bad) + " of allocation " + std::to_string(copy.allocation));
        finding.place = {Space::GM, copy.offset + bad, copy.offset + bad};
        Report(finding);
    }
}

void CopyGlobal(void* destination, void const* source, size_t bytes)
{
    if (bytes == 0 || !GetConfig().executes) { return; }
    Allocation const* const from = HostRange(source, bytes, "copy on device");
    Allocation* const to = HostRange(destination, bytes, "copy on device");
    if (from == nullptr || to == nullptr) { return; }
    std::memmove(destination, source, bytes);
    to->shadow.CopyFrom(to->Offset(destination), from->shadow, from->Offset(source), bytes);
}

Allocation* FindAllocation(void const* pointer)
{
    Registry& registry = TheRegistry();
    if (registry.last != nullptr && registry.last->Contains(pointer)) { return registry.last; }
    Allocation* const near = FindAllocationNear(pointer);
    if (near == nullptr || !near->Contains(pointer)) { return nullptr; }
    registry.last = near;
    return near;
}

Allocation* FindAllocationNear(void const* pointer)
{
    auto const* const p = static_cast<uint8_t const*>(pointer);
    Registry& registry = TheRegistry();
    auto after = registry.byBase.upper_bound(p);
    if (after != registry.byBase.begin()) {
        Allocation& before = *std::prev(after)->second;
        if (p < before.base + before.bytes + kGuard) { return &before; }
    }
    if (after != registry.byBase.end() && p >= after->second->raw) { return after->second.get(); }
    return nullptr;
}

void ForEachTouchedInGlobal(std::function<void(uint8_t const*, size_t, bool)> const& f)
{
    for (auto const& [base, allocation] : TheRegistry().byBase) {
        allocation->history.ForEachTouched(
            [&f, from = base](size_t first, size_t bytes, bool written) { f(from + first, bytes, written); });
    }
}

void ClearGlobalHistories()
{
    for (auto& [base, allocation] : TheRegistry().byBase) { allocation->history.Clear(); }
}

}  // namespace machine
