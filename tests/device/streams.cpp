// What a host may touch, and what two streams may, before the tasks that use it are known to be over: programs that must
// be flagged, and near misses that must not.
#include <acl/acl.h>

#include "cases.hpp"
#include "machine/kernel_launch.hpp"

namespace {

constexpr size_t kBytes = kCount * sizeof(float);

/// A host with two streams, and an event.
struct Streams {
    aclrtStream one = nullptr;
    aclrtStream two = nullptr;
    aclrtEvent event = nullptr;
    std::vector<float> host = std::vector<float>(kCount, 0.0f);
    uint8_t* device = nullptr;

    Streams()
    {
        aclrtCreateStream(&one);
        aclrtCreateStream(&two);
        aclrtCreateEvent(&event);
        aclrtMalloc(reinterpret_cast<void**>(&device), kBytes, ACL_MEM_MALLOC_HUGE_FIRST);
    }
    /// A kernel that stores `count` ones.
    void Store(aclrtStream stream, uint8_t* to, uint32_t count = kCount) const
    {
        auto const kernel = [](uint8_t* gm, uint32_t ones) {
            if ASCEND_IS_AIC { return; }
            Tile t;
            if (GetBlockIdx() != 0) { return; }
            t.gd.SetGlobalBuffer(reinterpret_cast<float*>(gm));
            Duplicate(t.a, 1.0f, kCount);
            Sync<K::V_MTE3>();
            DataCopy(t.gd, t.a, ones);
        };
        machine::KernelLaunch<0>("Store", 1, machine::StreamOf(nullptr, stream))(kernel, to, count);
    }
    void Copy(void const* from, aclrtStream stream)
    {
        aclrtMemcpyAsync(host.data(), kBytes, from, kBytes, ACL_MEMCPY_DEVICE_TO_HOST, stream);
    }
    void CopyNow(void const* from) { aclrtMemcpy(host.data(), kBytes, from, kBytes, ACL_MEMCPY_DEVICE_TO_HOST); }
};

#define HOST(name, code) CASE_WITH(Streams, s, name, code, 0, AivOnly)

// ---- the host

HOST(copied_back_early, "EVT242")
{
    s.Store(s.one, gmD);
    s.CopyNow(gmD);
}
HOST(copied_back_early_from_the_default_stream, "EVT242")
{
    s.Store(nullptr, gmD);
    s.CopyNow(gmD);
}
HOST(copied_back_when_another_stream_is_over, "EVT242")
{
    s.Store(s.one, gmD);
    aclrtSynchronizeStream(s.two);
    s.CopyNow(gmD);
}
HOST(copied_back_when_the_stream_is_over, "no EVT242")
{
    s.Store(s.one, gmD);
    aclrtSynchronizeStream(s.one);
    s.CopyNow(gmD);
}
HOST(copied_back_when_the_device_is_idle, "no EVT242")
{
    s.Store(s.one, gmD);
    s.Store(s.two, gmB);
    aclrtSynchronizeDevice();
    s.CopyNow(gmD);
    s.CopyNow(gmB);
}
HOST(copied_back_by_the_stream, "no EVT242 EVT243")
{
    s.Store(s.one, gmD);
    s.Copy(gmD, s.one);
    aclrtSynchronizeStream(s.one);
    aclrtMemcpy(s.device, kBytes, s.host.data(), kBytes, ACL_MEMCPY_HOST_TO_DEVICE);
}
HOST(host_copy_used_early, "EVT242")
{
    s.Store(s.one, gmD);
    s.Copy(gmD, s.one);
    aclrtMemcpy(s.device, kBytes, s.host.data(), kBytes, ACL_MEMCPY_HOST_TO_DEVICE);
}
HOST(copied_back_when_the_event_has_come, "no EVT242")
{
    s.Store(s.one, gmD);
    aclrtRecordEvent(s.event, s.one);
    s.Store(s.one, gmB);
    aclrtSynchronizeEvent(s.event);
    s.CopyNow(gmD);
    aclrtSynchronizeStream(s.one);
}
HOST(copied_back_when_an_earlier_event_has_come, "EVT242")
{
    aclrtRecordEvent(s.event, s.one);
    s.Store(s.one, gmD);
    aclrtSynchronizeEvent(s.event);
    s.CopyNow(gmD);
}
HOST(other_memory_copied_back, "no EVT242")
{
    s.Store(s.one, gmD);
    s.CopyNow(gmA);
}
HOST(other_half_written, "no EVT242")
{
    s.Store(s.one, gmD, kCount / 2);
    aclrtMemcpy(gmD + kBytes / 2, kBytes / 2, s.host.data(), kBytes / 2, ACL_MEMCPY_HOST_TO_DEVICE);
}
HOST(freed_early, "EVT242")
{
    s.Store(s.one, s.device);
    aclrtFree(s.device);
}
HOST(freed_when_the_stream_is_over, "no EVT242")
{
    s.Store(s.one, s.device);
    aclrtSynchronizeStream(s.one);
    aclrtFree(s.device);
}
HOST(filled_early, "EVT242")
{
    s.Store(s.one, gmD);
    aclrtMemset(gmD, kBytes, 0, kBytes);
}
HOST(filled_by_the_stream, "no EVT242 EVT243")
{
    s.Store(s.one, gmD);
    aclrtMemsetAsync(gmD, kBytes, 0, kBytes, s.one);
    s.Store(s.one, gmD);
    aclrtSynchronizeStream(s.one);
}

// ---- two streams

HOST(copied_back_by_another_stream, "EVT243")
{
    s.Store(s.one, gmD);
    s.Copy(gmD, s.two);
    aclrtSynchronizeDevice();
}
HOST(copied_back_by_another_stream_after_an_event, "no EVT243")
{
    s.Store(s.one, gmD);
    aclrtRecordEvent(s.event, s.one);
    aclrtStreamWaitEvent(s.two, s.event);
    s.Copy(gmD, s.two);
    aclrtSynchronizeStream(s.two);  // the other stream's task is over too
    s.CopyNow(gmD);
}
HOST(copied_back_by_another_stream_after_an_earlier_event, "EVT243")
{
    aclrtRecordEvent(s.event, s.one);
    s.Store(s.one, gmD);
    aclrtStreamWaitEvent(s.two, s.event);
    s.Copy(gmD, s.two);
    aclrtSynchronizeDevice();
}
HOST(given_to_another_stream_when_the_first_is_over, "no EVT243")
{
    s.Store(s.one, gmD);
    aclrtSynchronizeStream(s.one);
    s.Store(s.two, gmD);
    aclrtSynchronizeStream(s.two);
}
HOST(both_streams_write, "EVT243")
{
    s.Store(s.one, gmD);
    s.Store(s.two, gmD);
    aclrtSynchronizeDevice();
}
HOST(each_stream_writes_its_own, "no EVT243")
{
    s.Store(s.one, gmD);
    s.Store(s.two, gmB);
    s.Store(s.one, gmD);
    aclrtSynchronizeDevice();
}
HOST(both_streams_read, "no EVT243")
{
    s.Copy(gmA, s.one);
    aclrtMemcpyAsync(s.device, kBytes, gmA, kBytes, ACL_MEMCPY_DEVICE_TO_DEVICE, s.two);
    aclrtSynchronizeDevice();
}

}  // namespace
