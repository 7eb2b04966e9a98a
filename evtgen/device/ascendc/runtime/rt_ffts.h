// The runtime call that gives a mixed kernel the address of the cross-core flags.
#pragma once

#include <cstdint>

typedef int32_t rtError_t;
#define RT_ERROR_NONE 0
#define RT_ERROR_INVALID_VALUE 107000

// The model keeps its flags elsewhere. A kernel only asks whether the address is zero, so any other value will do.
extern "C" inline int32_t rtGetC2cCtrlAddr(uint64_t* address, uint32_t* length)
{
    if (address == nullptr || length == nullptr) { return RT_ERROR_INVALID_VALUE; }
    static uint8_t flags[64];
    *address = reinterpret_cast<uint64_t>(flags);
    *length = sizeof(flags);
    return RT_ERROR_NONE;
}
