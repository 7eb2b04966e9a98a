// The AscendCL calls that Catlass programs make, on the machine's global memory. Tasks of streams have finished when the
// call returns that gives them; the machine notes which the program may take to be over (machine/host.hpp).
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>

#include "machine/half.hpp"
#include "machine/host.hpp"
#include "machine/memory.hpp"
#include "machine/saturation.hpp"
#include "runtime/rt_ffts.h"  // programs declare its function themselves and expect a library to define it

typedef int aclError;
typedef void* aclrtStream;
typedef void* aclrtContext;
typedef void* aclrtEvent;

constexpr aclError ACL_SUCCESS = 0;
constexpr aclError ACL_ERROR_NONE = 0;
constexpr aclError ACL_ERROR_INVALID_PARAM = 100000;
constexpr aclError ACL_ERROR_UNINITIALIZE = 100001;
constexpr aclError ACL_ERROR_REPEAT_INITIALIZE = 100002;
constexpr aclError ACL_ERROR_BAD_ALLOC = 200000;
constexpr aclError ACL_ERROR_RT_MEMORY_ALLOCATION = 207001;

enum aclrtEventRecordedStatus { ACL_EVENT_RECORDED_STATUS_NOT_READY, ACL_EVENT_RECORDED_STATUS_COMPLETE };
enum aclrtFloatOverflowMode {
    ACL_RT_OVERFLOW_MODE_SATURATION,
    ACL_RT_OVERFLOW_MODE_INFNAN,
    ACL_RT_OVERFLOW_MODE_UNDEF
};

constexpr uint32_t ACL_EVENT_TIME_LINE = 0x00000008u;
constexpr uint32_t ACL_EVENT_SYNC = 0x00000001u;
constexpr uint32_t ACL_EVENT_CAPTURE_STREAM_PROGRESS = 0x00000002u;

typedef enum aclrtMemMallocPolicy {
    ACL_MEM_MALLOC_HUGE_FIRST,
    ACL_MEM_MALLOC_HUGE_ONLY,
    ACL_MEM_MALLOC_NORMAL_ONLY
} aclrtMemMallocPolicy;

typedef enum aclrtMemcpyKind {
    ACL_MEMCPY_HOST_TO_HOST,
    ACL_MEMCPY_HOST_TO_DEVICE,
    ACL_MEMCPY_DEVICE_TO_HOST,
    ACL_MEMCPY_DEVICE_TO_DEVICE,
    ACL_MEMCPY_DEFAULT
} aclrtMemcpyKind;

typedef uint16_t aclFloat16;
inline float aclFloat16ToFloat(aclFloat16 value) { return machine::HalfBitsToFloat(value); }
inline aclFloat16 aclFloatToFloat16(float value) { return machine::FloatToHalfBits(value); }

namespace evtgen_acl {

struct State {
    bool initialised = false;
    int32_t device = 0;
};

inline State& Process()
{
    static State state;
    return state;
}

/// A stream or an event that no other call has made.
inline aclError MakeHandle(machine::Handle* made)
{
    static uintptr_t count = 0;
    if (made == nullptr) { return ACL_ERROR_INVALID_PARAM; }
    *made = reinterpret_cast<machine::Handle>(++count);
    return ACL_SUCCESS;
}

}  // namespace evtgen_acl

inline aclError aclInit(char const*)
{
    if (evtgen_acl::Process().initialised) { return ACL_ERROR_REPEAT_INITIALIZE; }
    evtgen_acl::Process().initialised = true;
    return ACL_SUCCESS;
}

/// No error is kept beside its code.
inline char const* aclGetRecentErrMsg() { return ""; }

inline aclError aclFinalize()
{
    if (!evtgen_acl::Process().initialised) { return ACL_ERROR_UNINITIALIZE; }
    evtgen_acl::Process().initialised = false;
    return ACL_SUCCESS;
}

inline aclError aclrtSetDevice(int32_t deviceId)
{
    if (deviceId < 0) { return ACL_ERROR_INVALID_PARAM; }
    evtgen_acl::Process().device = deviceId;
    return ACL_SUCCESS;
}

inline aclError aclrtGetDevice(int32_t* deviceId)
{
    if (deviceId == nullptr) { return ACL_ERROR_INVALID_PARAM; }
    *deviceId = evtgen_acl::Process().device;
    return ACL_SUCCESS;
}

inline aclError aclrtResetDevice(int32_t deviceId) { return deviceId < 0 ? ACL_ERROR_INVALID_PARAM : ACL_SUCCESS; }

inline aclError aclrtCreateContext(aclrtContext* context, int32_t deviceId)
{
    if (context == nullptr || deviceId < 0) { return ACL_ERROR_INVALID_PARAM; }
    static uint8_t handle;
    *context = &handle;
    return ACL_SUCCESS;
}

inline aclError aclrtDestroyContext(aclrtContext) { return ACL_SUCCESS; }

inline aclError aclrtCreateStream(aclrtStream* stream) { return evtgen_acl::MakeHandle(stream); }
inline aclError aclrtDestroyStream(aclrtStream) { return ACL_SUCCESS; }

inline aclError aclrtSynchronizeStream(aclrtStream stream)
{
    machine::SynchronizeStream(stream);
    return ACL_SUCCESS;
}

inline aclError aclrtSynchronizeStreamWithTimeout(aclrtStream stream, int32_t)
{
    return aclrtSynchronizeStream(stream);
}

inline aclError aclrtSynchronizeDevice()
{
    machine::SynchronizeDevice();
    return ACL_SUCCESS;
}

inline aclError aclrtCreateEvent(aclrtEvent* event) { return evtgen_acl::MakeHandle(event); }
inline aclError aclrtCreateEventWithFlag(aclrtEvent* event, uint32_t) { return evtgen_acl::MakeHandle(event); }
inline aclError aclrtCreateEventExWithFlag(aclrtEvent* event, uint32_t) { return evtgen_acl::MakeHandle(event); }
inline aclError aclrtDestroyEvent(aclrtEvent) { return ACL_SUCCESS; }
inline aclError aclrtResetEvent(aclrtEvent, aclrtStream) { return ACL_SUCCESS; }

inline aclError aclrtRecordEvent(aclrtEvent event, aclrtStream stream)
{
    machine::RecordEvent(event, stream);
    return ACL_SUCCESS;
}

inline aclError aclrtStreamWaitEvent(aclrtStream stream, aclrtEvent event)
{
    machine::StreamWaitEvent(stream, event);
    return ACL_SUCCESS;
}

inline aclError aclrtSynchronizeEvent(aclrtEvent event)
{
    machine::SynchronizeEvent(event);
    return ACL_SUCCESS;
}

/// Tasks of streams have run when the call returns that gives them.
inline aclError aclrtQueryEventStatus(aclrtEvent event, aclrtEventRecordedStatus* status)
{
    if (status == nullptr) { return ACL_ERROR_INVALID_PARAM; }
    machine::SynchronizeEvent(event);
    *status = ACL_EVENT_RECORDED_STATUS_COMPLETE;
    return ACL_SUCCESS;
}

/// What floats beyond their type become in kernels that do not say it themselves.
inline aclError aclrtSetDeviceSatMode(aclrtFloatOverflowMode mode)
{
    if (mode != ACL_RT_OVERFLOW_MODE_SATURATION && mode != ACL_RT_OVERFLOW_MODE_INFNAN) {
        return ACL_ERROR_INVALID_PARAM;
    }
    machine::StartsSaturating() = mode == ACL_RT_OVERFLOW_MODE_SATURATION;
    return ACL_SUCCESS;
}

inline aclError aclrtGetDeviceSatMode(aclrtFloatOverflowMode* mode)
{
    if (mode == nullptr) { return ACL_ERROR_INVALID_PARAM; }
    *mode = machine::StartsSaturating() ? ACL_RT_OVERFLOW_MODE_SATURATION : ACL_RT_OVERFLOW_MODE_INFNAN;
    return ACL_SUCCESS;
}

/// Device memory; its contents are undefined until they are written.
inline aclError aclrtMalloc(void** devPtr, size_t size, aclrtMemMallocPolicy)
{
    if (devPtr == nullptr || size == 0) { return ACL_ERROR_INVALID_PARAM; }
    *devPtr = machine::AllocateGlobal(size);
    return *devPtr == nullptr ? ACL_ERROR_RT_MEMORY_ALLOCATION : ACL_SUCCESS;
}

inline aclError aclrtFree(void* devPtr, machine::Site site = machine::Here())
{
    if (devPtr == nullptr) { return ACL_ERROR_INVALID_PARAM; }
    machine::ActAtOnce("aclrtFree", site, {{devPtr, machine::BytesFrom(devPtr), true}});
    machine::FreeGlobal(devPtr);
    return ACL_SUCCESS;
}

inline aclError aclrtMallocHost(void** hostPtr, size_t size)
{
    if (hostPtr == nullptr || size == 0) { return ACL_ERROR_INVALID_PARAM; }
    *hostPtr = std::malloc(size);
    return *hostPtr == nullptr ? ACL_ERROR_RT_MEMORY_ALLOCATION : ACL_SUCCESS;
}

inline aclError aclrtFreeHost(void* hostPtr, machine::Site site = machine::Here())
{
    machine::ActAtOnce("aclrtFreeHost", site, {{hostPtr, 1, true}});  // a copy uses the memory from its start on
    machine::ForgetUses(hostPtr, 1);
    std::free(hostPtr);
    return ACL_SUCCESS;
}

namespace evtgen_acl {

inline aclError Copy(void* dst, void const* src, size_t count, aclrtMemcpyKind kind)
{
    switch (kind) {
        case ACL_MEMCPY_HOST_TO_HOST: std::memcpy(dst, src, count); return ACL_SUCCESS;
        case ACL_MEMCPY_HOST_TO_DEVICE: machine::WriteGlobal(dst, src, count); return ACL_SUCCESS;
        case ACL_MEMCPY_DEVICE_TO_HOST: machine::ReadGlobal(dst, src, count); return ACL_SUCCESS;
        case ACL_MEMCPY_DEVICE_TO_DEVICE: machine::CopyGlobal(dst, src, count); return ACL_SUCCESS;
        default:  // ACL_MEMCPY_DEFAULT asks the runtime to tell host from device pointers; here they look alike
            return ACL_ERROR_INVALID_PARAM;
    }
}

}  // namespace evtgen_acl

inline aclError aclrtMemcpy(
    void* dst, size_t destMax, void const* src, size_t count, aclrtMemcpyKind kind,
    machine::Site site = machine::Here())
{
    if (dst == nullptr || src == nullptr || count > destMax) { return ACL_ERROR_INVALID_PARAM; }
    machine::ActAtOnce("aclrtMemcpy", site, {{dst, count, true}, {src, count, false}});
    return evtgen_acl::Copy(dst, src, count, kind);
}

inline aclError aclrtMemcpyAsync(
    void* dst, size_t destMax, void const* src, size_t count, aclrtMemcpyKind kind, aclrtStream stream,
    machine::Site site = machine::Here())
{
    if (dst == nullptr || src == nullptr || count > destMax) { return ACL_ERROR_INVALID_PARAM; }
    aclError const status = evtgen_acl::Copy(dst, src, count, kind);
    machine::GiveTask(stream, "aclrtMemcpyAsync", site, {{dst, count, true}, {src, count, false}});
    return status;
}

inline aclError aclrtMemset(
    void* devPtr, size_t maxCount, int32_t value, size_t count, machine::Site site = machine::Here())
{
    if (devPtr == nullptr || count > maxCount) { return ACL_ERROR_INVALID_PARAM; }
    machine::ActAtOnce("aclrtMemset", site, {{devPtr, count, true}});
    machine::FillGlobal(devPtr, value, count);
    return ACL_SUCCESS;
}

inline aclError aclrtMemsetAsync(
    void* devPtr, size_t maxCount, int32_t value, size_t count, aclrtStream stream,
    machine::Site site = machine::Here())
{
    if (devPtr == nullptr || count > maxCount) { return ACL_ERROR_INVALID_PARAM; }
    machine::FillGlobal(devPtr, value, count);
    machine::GiveTask(stream, "aclrtMemsetAsync", site, {{devPtr, count, true}});
    return ACL_SUCCESS;
}

/// rtGetC2cCtrlAddr under the name that Catlass v1.6 uses.
inline aclError aclrtGetHardwareSyncAddr(void** addr)
{
    uint64_t address = 0;
    uint32_t length = 0;
    if (addr == nullptr || rtGetC2cCtrlAddr(&address, &length) != RT_ERROR_NONE) { return ACL_ERROR_INVALID_PARAM; }
    *addr = reinterpret_cast<void*>(address);
    return ACL_SUCCESS;
}
