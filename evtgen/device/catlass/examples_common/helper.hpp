// Included by every example program: AscendCL with its error checks, host element types, options.
#ifndef EXAMPLES_COMMON_HELPER_HPP
#define EXAMPLES_COMMON_HELPER_HPP

#include <cstdio>
#include <fstream>
#include <iostream>
#include <string>
#include <vector>

#include <acl/acl.h>
#include <opdev/bfloat16.h>
#include <opdev/fp16_t.h>
#include <runtime/rt_ffts.h>
#include <tiling/platform/platform_ascendc.h>

#include "catlass/layout/layout.hpp"
#include "options.hpp"

using op::bfloat16;
using op::fp16_t;

// Both report a failure and go on, as they do in Catlass.
#define ACL_CHECK(status)                                                                            \
    do {                                                                                             \
        aclError const aclCheckResult = status;                                                      \
        if (aclCheckResult != ACL_ERROR_NONE) {                                                      \
            std::cerr << __FILE__ << ":" << __LINE__ << " aclError:" << aclCheckResult << std::endl; \
        }                                                                                            \
    } while (0)

#define RT_CHECK(status)                                                                           \
    do {                                                                                           \
        int32_t const rtCheckResult = status;                                                      \
        if (rtCheckResult != 0) {                                                                  \
            std::cerr << __FILE__ << ":" << __LINE__ << " rtError:" << rtCheckResult << std::endl; \
        }                                                                                          \
    } while (0)

/// Reads a whole file into the buffer; false, with the reason printed, if it is missing, empty or too large.
inline bool ReadFile(std::string const &filePath, void *buffer, size_t bufferSize)
{
    std::ifstream file(filePath, std::ios::binary | std::ios::ate);
    auto const size = file ? static_cast<std::streamoff>(file.tellg()) : 0;
    if (buffer == nullptr || size <= 0 || static_cast<size_t>(size) > bufferSize) {
        std::printf("Cannot read %s into a buffer of %zu bytes.\n", filePath.c_str(), bufferSize);
        return false;
    }
    file.seekg(0);
    return static_cast<bool>(file.read(static_cast<char *>(buffer), size));
}

/// Allocates the workspace, runs the kernel once and waits for it.
template <class Adapter>
inline void RunAdapter(Adapter opAdapter, typename Adapter::Arguments args, aclrtStream stream, uint32_t coreNum,
                       uint64_t fftsAddr = 0)
{
    uint8_t *workspace = nullptr;
    size_t const size = opAdapter.GetWorkspaceSize(args);
    if (size > 0) { ACL_CHECK(aclrtMalloc(reinterpret_cast<void **>(&workspace), size, ACL_MEM_MALLOC_HUGE_FIRST)); }
    opAdapter.Initialize(args, workspace);
    opAdapter(stream, coreNum, fftsAddr);
    ACL_CHECK(aclrtSynchronizeStream(stream));
    if (size > 0) { ACL_CHECK(aclrtFree(workspace)); }
}

#endif  // EXAMPLES_COMMON_HELPER_HPP
