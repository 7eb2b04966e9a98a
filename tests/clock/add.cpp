// z = x + y of 8192 x 8192 halfs, as asc-devkit's add_high_performance tunes it: program CASE, 1 to 6.
//
// The cases with two buffers use all of UB, as the measured ones do: their last buffers reach into the 8 KB that the
// framework keeps for itself unless a kernel is built without them.
#include <acl/acl.h>

#include <algorithm>
#include <cstdlib>

#include "kernel_operator.h"
#include "machine/launch.hpp"

using namespace AscendC;

namespace {

constexpr uint32_t kRows = 8192;
constexpr uint32_t kColumns = 8192;

struct Case {
    uint32_t cores;
    uint32_t length;  // of one copy, in halfs
    uint32_t buffers;
    bool cached;                // whether loads use the L2 cache
    uint32_t x[2], y[2], z[2];  // bytes of UB
};

constexpr uint32_t kFull = 16384 * 2;   // bytes of a buffer
constexpr uint32_t kShort = 16256 * 2;  // 256 bytes less: sources then lie in other groups of banks

constexpr Case kCases[] = {
    {1, 4096, 1, true, {0, 0}, {kFull, 0}, {2 * kFull, 0}},
    {48, 4096, 1, true, {0, 0}, {kFull, 0}, {2 * kFull, 0}},
    {48, 16384, 1, true, {0, 0}, {kFull, 0}, {2 * kFull, 0}},
    {48, 16384, 2, true, {0, 3 * kFull}, {kFull, 4 * kFull}, {2 * kFull, 5 * kFull}},
    {48, 16384, 2, false, {0, 3 * kFull}, {kFull, 4 * kFull}, {2 * kFull, 5 * kFull}},
    {48, 16256, 2, false, {0, 2 * kFull}, {kShort, 2 * kFull + kShort}, {4 * kFull, 4 * kFull + kShort}},
};

/// The part of a core, buffer by buffer. With one buffer a load waits for the Add before it, an Add for the store.
void Run(Case const& one, half* x, half* y, half* z)
{
    auto const core = static_cast<uint32_t>(GetBlockIdx());
    uint32_t const more = kRows % one.cores;
    uint32_t const rows = kRows / one.cores + (core < more ? 1 : 0);
    uint64_t const first = (uint64_t{kRows / one.cores} * core + std::min(core, more)) * kColumns;
    uint64_t const count = uint64_t{rows} * kColumns;
    GlobalTensor<half> from[2];
    GlobalTensor<half> to;
    from[0].SetGlobalBuffer(x + first, count);
    from[1].SetGlobalBuffer(y + first, count);
    to.SetGlobalBuffer(z + first, count);
    if (!one.cached) {
        from[0].SetL2CacheHint(CacheMode::CACHE_MODE_DISABLE);
        from[1].SetL2CacheHint(CacheMode::CACHE_MODE_DISABLE);
    }
    for (uint32_t b = 0; b < one.buffers; ++b) {
        SetFlag<HardEvent::V_MTE2>(static_cast<int32_t>(b));
        SetFlag<HardEvent::MTE3_V>(static_cast<int32_t>(b));
    }
    uint32_t tile = 0;
    for (uint64_t at = 0; at < count; at += one.length, ++tile) {
        uint32_t const b = tile % one.buffers;
        auto const event = static_cast<int32_t>(b);
        auto const length = static_cast<uint32_t>(std::min<uint64_t>(one.length, count - at));
        LocalTensor<half> left(TPosition::VECCALC, one.x[b], one.length);
        LocalTensor<half> right(TPosition::VECCALC, one.y[b], one.length);
        LocalTensor<half> sum(TPosition::VECCALC, one.z[b], one.length);
        WaitFlag<HardEvent::V_MTE2>(event);
        DataCopy(left, from[0][at], length);
        DataCopy(right, from[1][at], length);
        SetFlag<HardEvent::MTE2_V>(event);
        WaitFlag<HardEvent::MTE2_V>(event);
        WaitFlag<HardEvent::MTE3_V>(event);
        Add(sum, left, right, length);
        SetFlag<HardEvent::V_MTE2>(event);
        SetFlag<HardEvent::V_MTE3>(event);
        WaitFlag<HardEvent::V_MTE3>(event);
        DataCopy(to[at], sum, length);
        SetFlag<HardEvent::MTE3_V>(event);
    }
    for (uint32_t b = 0; b < one.buffers; ++b) {
        WaitFlag<HardEvent::V_MTE2>(static_cast<int32_t>(b));
        WaitFlag<HardEvent::MTE3_V>(static_cast<int32_t>(b));
    }
}

half* Allocate()
{
    void* device = nullptr;
    aclrtMalloc(&device, size_t{kRows} * kColumns * sizeof(half), ACL_MEM_MALLOC_HUGE_FIRST);
    return static_cast<half*>(device);
}

}  // namespace

int main(int argc, char** argv)
{
    if (argc != 2) { return 2; }
    Case const& one = kCases[std::atoi(argv[1]) - 1];
    half* const x = Allocate();
    half* const y = Allocate();
    half* const z = Allocate();
    machine::Launch("add", one.cores, machine::KernelKind::AivOnly, [&](machine::Role) { Run(one, x, y, z); });
    return 0;
}
