// Atomic stores to global memory: a mode of the core that the hardware orders against its pipes.
#pragma once

#include "types.h"

namespace AscendC {

namespace detail {

template <typename T> constexpr machine::ElementType AtomicTypeOf()
{
    static_assert(
        machine::Holds<T>::In(kArch.atomics), "atomics take int8_t, int16_t, half, bfloat16_t, int32_t and float");
    return machine::kElementTypeOf<T>;
}

}  // namespace detail

template <typename T> inline void SetAtomicAdd(Site site = Here())
{
    machine::SetAtomic(machine::Combine::Add, detail::AtomicTypeOf<T>(), site);
}

template <typename T> inline void SetAtomicMax(Site site = Here())
{
    machine::SetAtomic(machine::Combine::Max, detail::AtomicTypeOf<T>(), site);
}

template <typename T> inline void SetAtomicMin(Site site = Here())
{
    machine::SetAtomic(machine::Combine::Min, detail::AtomicTypeOf<T>(), site);
}

inline void SetAtomicNone(Site site = Here()) { machine::ResetAtomic(site); }
/// The newer name of SetAtomicNone.
inline void DisableDmaAtomic(Site site = Here()) { machine::ResetAtomic(site); }

}  // namespace AscendC
