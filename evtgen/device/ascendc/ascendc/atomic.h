// Atomic stores to global memory: a mode of the core that the hardware orders against its pipes.
#ifndef EVTGEN_ASCENDC_ATOMIC_H
#define EVTGEN_ASCENDC_ATOMIC_H

#include "types.h"

namespace AscendC {

namespace detail {

template <typename T>
constexpr uint8_t AtomicTypeOf()
{
    static_assert(
        IsOneOf<T, int8_t, int16_t, half, bfloat16_t, int32_t, float>,
        "atomics take int8_t, int16_t, half, bfloat16_t, int32_t and float");
    return static_cast<uint8_t>(machine::ElementTypeOf<T>::value);
}

}  // namespace detail

template <typename T>
inline void SetAtomicAdd(Site site = Here())
{
    machine::SetAtomic(machine::Combine::Add, detail::AtomicTypeOf<T>(), site);
}

template <typename T>
inline void SetAtomicMax(Site site = Here())
{
    machine::SetAtomic(machine::Combine::Max, detail::AtomicTypeOf<T>(), site);
}

template <typename T>
inline void SetAtomicMin(Site site = Here())
{
    machine::SetAtomic(machine::Combine::Min, detail::AtomicTypeOf<T>(), site);
}

inline void SetAtomicNone(Site site = Here())
{
    machine::SetAtomic(machine::Combine::Store, 0, site);
}
/// The newer name of SetAtomicNone.
inline void DisableDmaAtomic(Site site = Here())
{
    machine::SetAtomic(machine::Combine::Store, 0, site);
}

}  // namespace AscendC

#endif  // EVTGEN_ASCENDC_ATOMIC_H
