// What a kernel asks of the core itself: its state at the start, its time, and text.
#pragma once

#include <type_traits>

#include "../../machine/registers.hpp"
#include "assertion.h"
#include "atomic.h"
#include "builtins.h"
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
    machine::InitRegisters();
}

/// Ticks of 20 ns. They are the host's: the core's own time is known only when the kernel is over.
inline int64_t GetSystemCycle() { return machine::SystemTicks(); }

/// On the standard output; halves and bfloat16s print as floats.
template <class... Arguments> inline void PRINTF(char const* format, Arguments... arguments)
{
    if constexpr (sizeof...(Arguments) == 0) {
        machine::Print("%s", format);
    } else {
        machine::Print(format, evtgen_assert::Printable(arguments)...);
    }
}
template <class... Arguments> inline void printf(char const* format, Arguments... arguments)
{
    PRINTF(format, arguments...);
}

namespace detail {

template <typename T> T DumpedElement(LocalTensor<T> const& tensor, uint32_t i) { return tensor.GetValue(i); }
template <typename T> T DumpedElement(GlobalTensor<T> const& tensor, uint32_t i)
{
    machine::Region const element = machine::Bytes(machine::Space::GM, AddressOf(tensor) + i, sizeof(T));
    return FromBits<T>(machine::ReadScalar(element, Here(), machine::By::PastCache));
}

template <typename T, class Tensor>
void Dump(Tensor const& tensor, char const* position, uint32_t desc, uint32_t dumpSize, Site site)
{
    PipeBarrier<PIPE_ALL>(site);
    constexpr char const* ofWhole = std::is_signed_v<T> ? "int" : "uint";
    constexpr char const* ofFloat = std::is_same_v<T, bfloat16_t> ? "bfloat" : "float";
    constexpr bool isWhole = std::is_integral_v<T>;
    machine::DumpedElements const elements{position, isWhole ? ofWhole : ofFloat, 8 * sizeof(T), isWhole, dumpSize};
    auto const value = [](void const* of, uint32_t i) {
        return static_cast<double>(evtgen_assert::Printable(DumpedElement(*static_cast<Tensor const*>(of), i)));
    };
    machine::PrintDump(desc, reinterpret_cast<uint64_t>(AddressOf(tensor)), elements, value, &tensor);
}

}  // namespace detail

/// Waits for all pipes, and prints the first elements (DumpTensor page), in one piece: cores print at the same time.
template <typename T>
inline void DumpTensor(LocalTensor<T> const& tensor, uint32_t desc, uint32_t dumpSize, Site site = Here())
{
    detail::Dump<T>(tensor, "UB", desc, dumpSize, site);
}
template <typename T>
inline void DumpTensor(GlobalTensor<T> const& tensor, uint32_t desc, uint32_t dumpSize, Site site = Here())
{
    detail::Dump<T>(tensor, "GM", desc, dumpSize, site);
}

}  // namespace AscendC

/// assert by its AscendC name.
#define ascendc_assert(...) EVTGEN_ASSERT(__VA_ARGS__, "")
