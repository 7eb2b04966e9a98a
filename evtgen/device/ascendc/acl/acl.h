// The AscendCL calls that Catlass programs make, on the machine's global memory. Launches have finished when they
// return, so streams carry nothing and synchronising waits for nothing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>

#include "machine/memory.hpp"
#include "runtime/rt_ffts.h"  // programs declare its function themselves and expect a library to define it

typedef int aclError;
typedef void* aclrtStream;
typedef void* aclrtContext;

constexpr aclError ACL_SUCCESS = 0;
constexpr aclError ACL_ERROR_NONE = 0;
constexpr aclError ACL_ERROR_INVALID_PARAM = 100000;
constexpr aclError ACL_ERROR_UNINITIALIZE = 100001;
constexpr aclError ACL_ERROR_REPEAT_INITIALIZE = 100002;
constexpr aclError ACL_ERROR_BAD_ALLOC = 200000;
constexpr aclError ACL_ERROR_RT_MEMORY_ALLOCATION = 207001;

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

}  // namespace evtgen_acl

inline aclError aclInit(char const*)
{
    if (evtgen_acl::Process().initialised) { return ACL_ERROR_REPEAT_INITIALIZE; }
    evtgen_acl::Process().initialised = true;
    return ACL_SUCCESS;
}

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

inline aclError aclrtCreateStream(aclrtStream* stream)
{
    if (stream == nullptr) { return ACL_ERROR_INVALID_PARAM; }
    static uint8_t handle;
    *stream = &handle;
    return ACL_SUCCESS;
}

inline aclError aclrtDestroyStream(aclrtStream) { return ACL_SUCCESS; }
inline aclError aclrtSynchronizeStream(aclrtStream) { return ACL_SUCCESS; }
inline aclError aclrtSynchronizeDevice() { return ACL_SUCCESS; }

/// Device memory; its contents are undefined until they are written.
inline aclError aclrtMalloc(void** devPtr, size_t size, aclrtMemMallocPolicy)
{
    if (devPtr == nullptr || size == 0) { return ACL_ERROR_INVALID_PARAM; }
    *devPtr = machine::AllocateGlobal(size);
    return *devPtr == nullptr ? ACL_ERROR_RT_MEMORY_ALLOCATION : ACL_SUCCESS;
}

inline aclError aclrtFree(void* devPtr)
{
    if (devPtr == nullptr) { return ACL_ERROR_INVALID_PARAM; }
    machine::FreeGlobal(devPtr);
    return ACL_SUCCESS;
}

inline aclError aclrtMallocHost(void** hostPtr, size_t size)
{
    if (hostPtr == nullptr || size == 0) { return ACL_ERROR_INVALID_PARAM; }
    *hostPtr = std::malloc(size);
    return *hostPtr == nullptr ? ACL_ERROR_RT_MEMORY_ALLOCATION : ACL_SUCCESS;
}

inline aclError aclrtFreeHost(void* hostPtr)
{
    std::free(hostPtr);
    return ACL_SUCCESS;
}

inline aclError aclrtMemcpy(void* dst, size_t destMax, void const* src, size_t count, aclrtMemcpyKind kind)
{
    if (dst == nullptr || src == nullptr || count > destMax) { return ACL_ERROR_INVALID_PARAM; }
    switch (kind) {
        case ACL_MEMCPY_HOST_TO_HOST: std::memcpy(dst, src, count); return ACL_SUCCESS;
        case ACL_MEMCPY_HOST_TO_DEVICE: machine::WriteGlobal(dst, src, count); return ACL_SUCCESS;
        case ACL_MEMCPY_DEVICE_TO_HOST: machine::ReadGlobal(dst, src, count); return ACL_SUCCESS;
        case ACL_MEMCPY_DEVICE_TO_DEVICE: machine::CopyGlobal(dst, src, count); return ACL_SUCCESS;
        default:  // ACL_MEMCPY_DEFAULT asks the runtime to tell host from device pointers; here they look alike
            return ACL_ERROR_INVALID_PARAM;
    }
}

inline aclError aclrtMemcpyAsync(
    void* dst, size_t destMax, void const* src, size_t count, aclrtMemcpyKind kind, aclrtStream)
{
    return aclrtMemcpy(dst, destMax, src, count, kind);
}

inline aclError aclrtMemset(void* devPtr, size_t maxCount, int32_t value, size_t count)
{
    if (devPtr == nullptr || count > maxCount) { return ACL_ERROR_INVALID_PARAM; }
    machine::FillGlobal(devPtr, value, count);
    return ACL_SUCCESS;
}

inline aclError aclrtMemsetAsync(void* devPtr, size_t maxCount, int32_t value, size_t count, aclrtStream)
{
    return aclrtMemset(devPtr, maxCount, value, count);
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
