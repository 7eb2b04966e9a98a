// Addresses of tensors in a core's memories. On the device a tensor there is an offset; here its address is that of the
// running core's byte, so that code which uses it as a pointer works.
#pragma once

#include <cstring>

#include "../../machine/memory.hpp"
#include "../../machine/scalar.hpp"
#include "../../machine/vector.hpp"
#include "types.h"

namespace cce {

constexpr machine::Space SpaceOf(AscendC::Hardware memory)
{
    switch (memory) {
        case AscendC::Hardware::L1: return machine::Space::L1;
        case AscendC::Hardware::L0A: return machine::Space::L0A;
        case AscendC::Hardware::L0B: return machine::Space::L0B;
        case AscendC::Hardware::L0C: return machine::Space::L0C;
        case AscendC::Hardware::BIAS: return machine::Space::BT;
        case AscendC::Hardware::FIXBUF: return machine::Space::FB;
        default: return machine::Space::UB;
    }
}

inline machine::Space LocalSpaceOf(int32_t position)
{
    return SpaceOf(AscendC::GetPhyType(static_cast<AscendC::TPosition>(position)));
}

template <class T> T Read(T* from, machine::Space space, machine::Site site = machine::Here())
{
    uint64_t const bits = machine::ReadScalar(machine::Bytes(space, from, sizeof(T)), site);
    T value;
    std::memcpy(&value, &bits, sizeof(T));
    return value;
}
template <class T> void Write(T* to, machine::Space space, T value, machine::Site site = machine::Here())
{
    machine::WriteScalar(machine::Bytes(space, to, sizeof(T)), machine::ScalarBits(value), site);
}

/// The running core's byte of the memory of a position.
inline uint64_t AddressOf(int32_t position, uint64_t offset)
{
    machine::Space const space = LocalSpaceOf(position);
    return reinterpret_cast<uint64_t>(machine::LocalAddress(space, 0, kArch.SizeOf(space))) + offset;
}

/// AscendC's scratch for the scalars of instructions that take them from UB.
inline int const scratchIsKept = (machine::KeepUb(AscendC::TMP_UB_OFFSET, 256), 0);

}  // namespace cce

namespace AscendC {

#define EVTGEN_CCE_ADDRESS(type, elementsPerUnit, unitBytes)                                          \
    template <> inline uint64_t LocalTensor<type>::GetPhyAddr(const uint32_t offset) const            \
    {                                                                                                 \
        return cce::AddressOf(                                                                        \
            GetPosition(), address_.bufferAddr + uint64_t{offset} / (elementsPerUnit) * (unitBytes)); \
    }
EVTGEN_CCE_ADDRESS(int4b_t, 2, 1)

// Reading and writing an element: the parameters of the declarations leave no room for the place of a call.
#define EVTGEN_CCE_ELEMENT(type)                                                                                     \
    EVTGEN_CCE_ADDRESS(type, 1, sizeof(type))                                                                        \
    template <> inline type LocalTensor<type>::GetValue(const uint32_t index) const                                  \
    {                                                                                                                \
        return cce::Read(reinterpret_cast<type*>(GetPhyAddr(index)), cce::LocalSpaceOf(GetPosition()));              \
    }                                                                                                                \
    template <>                                                                                                      \
    template <class Value>                                                                                           \
    inline void LocalTensor<type>::SetValue(const uint32_t index, const Value value) const                           \
    {                                                                                                                \
        cce::Write(                                                                                                  \
            reinterpret_cast<type*>(GetPhyAddr(index)), cce::LocalSpaceOf(GetPosition()), static_cast<type>(value)); \
    }                                                                                                                \
    template <> inline type GlobalTensor<type>::GetValue(const uint64_t offset) const                                \
    {                                                                                                                \
        return cce::Read(const_cast<type*>(GetPhyAddr()) + offset, machine::Space::GM);                              \
    }                                                                                                                \
    template <> inline void GlobalTensor<type>::SetValue(const uint64_t offset, type value)                          \
    {                                                                                                                \
        cce::Write(const_cast<type*>(GetPhyAddr()) + offset, machine::Space::GM, value);                             \
    }
#define EVTGEN_CCE_ELEMENT_OF(name, type) EVTGEN_CCE_ELEMENT(type)
using machine::Bfloat16;
using machine::Float4E2M1x2;
using machine::Float8E4M3;
using machine::Float8E5M2;
using machine::Half;
using machine::Int4x2;
EVT_ELEMENT_TYPES(EVTGEN_CCE_ELEMENT_OF)
#undef EVTGEN_CCE_ELEMENT_OF
#undef EVTGEN_CCE_ELEMENT
#undef EVTGEN_CCE_ADDRESS

}  // namespace AscendC
