// What a kernel asks of the core itself: its state at the start, its time, and text.
#ifndef EVTGEN_ASCENDC_SYSTEM_H
#define EVTGEN_ASCENDC_SYSTEM_H

#include <chrono>
#include <cstdio>
#include <string>
#include <type_traits>

#include "assertion.h"
#include "atomic.h"
#include "mask.h"
#include "sync.h"
#include "tensor.h"

namespace AscendC {

enum class CacheLine : uint64_t { SINGLE_CACHE_LINE = 0, ENTIRE_DATA_CACHE };
enum class DcciDst : uint64_t { CACHELINE_ALL = 0, CACHELINE_UB, CACHELINE_OUT, CACHELINE_ATOMIC };

/// What S reads there next comes from global memory, not from its cache (DataCacheCleanAndInvalid page).
template <typename T, CacheLine entireType, DcciDst dcciDst>
inline void DataCacheCleanAndInvalid(GlobalTensor<T> const& dst, Site site = Here())
{
    machine::RefreshCache(detail::AddressOf(dst), entireType == CacheLine::ENTIRE_DATA_CACHE, site);
}
template <typename T, CacheLine entireType>
inline void DataCacheCleanAndInvalid(GlobalTensor<T> const& dst, Site site = Here())
{
    DataCacheCleanAndInvalid<T, entireType, DcciDst::CACHELINE_ALL>(dst, site);
}

/// The modes that an earlier kernel may have left behind, as they are at a core's start (InitSocState page).
inline void InitSocState(Site site = Here())
{
    SetAtomicNone(site);
    SetMaskNorm();
    ResetMask();
}

/// Ticks of 20 ns. They are the host's: the core's own time is known only when the kernel is over.
inline int64_t GetSystemCycle()
{
    using Ticks = std::chrono::duration<int64_t, std::ratio<1, 50'000'000>>;
    return std::chrono::duration_cast<Ticks>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

/// On the standard output; halves and bfloat16s print as floats.
template <class... Arguments>
inline void PRINTF(char const* format, Arguments... arguments)
{
    if constexpr (sizeof...(Arguments) == 0) {
        std::fputs(format, stdout);
    } else {
        std::printf(format, evtgen_assert::Printable(arguments)...);
    }
}
template <class... Arguments>
inline void printf(char const* format, Arguments... arguments)
{
    PRINTF(format, arguments...);
}

namespace detail {

template <class T>
std::string DumpedType()
{
    std::string const bits = std::to_string(8 * sizeof(T));
    if constexpr (std::is_same_v<T, bfloat16_t>) {
        return "bfloat16";
    } else if constexpr (std::is_integral_v<T>) {
        return (std::is_signed_v<T> ? "int" : "uint") + bits;
    } else {
        return "float" + bits;
    }
}

}  // namespace detail

/// Waits for all pipes, and prints the first elements (DumpTensor page), in one piece: cores print at the same time.
template <typename T>
inline void DumpTensor(LocalTensor<T> const& tensor, uint32_t desc, uint32_t dumpSize, Site site = Here())
{
    PipeBarrier<PIPE_ALL>(site);
    std::string text = "DumpTensor: desc=" + std::to_string(desc) + ", addr=" + std::to_string(tensor.GetPhyAddr())
                       + ", data_type=" + detail::DumpedType<T>()
                       + ", position=UB, dump_size=" + std::to_string(dumpSize) + "\n[";
    for (uint32_t i = 0; i < dumpSize; ++i) {
        text += (i > 0 ? ", " : "") + std::to_string(evtgen_assert::Printable(tensor.GetValue(i, site)));
    }
    std::fputs((text + "]\n").c_str(), stdout);
}

}  // namespace AscendC

/// assert by its AscendC name.
#define ascendc_assert(...) EVTGEN_ASSERT(__VA_ARGS__, "")

#endif  // EVTGEN_ASCENDC_SYSTEM_H
