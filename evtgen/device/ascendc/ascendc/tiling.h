// Tiling data: a structure in global memory by which an operator's host tells its kernel what to do (pages on Kernel
// Tiling). The framework of operators copies it in before the kernel begins; here the scalar unit reads it.
#pragma once

#include "tensor.h"

namespace evtgen_tiling {

/// The key of the tiling that the host chose. CANN's framework picks the kernel by it.
inline uint64_t key = 0;

template <class T> void Read(T* to, __gm__ void const* from, machine::Site site = machine::Here())
{
    auto* const bytes = reinterpret_cast<uint8_t*>(to);
    auto* const source = (uint8_t*)from;  // from an address space, where __gm__ is one
    for (size_t at = 0; at < sizeof(T); at += sizeof(uint64_t)) {
        size_t const length = sizeof(T) - at < sizeof(uint64_t) ? sizeof(T) - at : sizeof(uint64_t);
        uint64_t const word =
            machine::ReadScalar(machine::Bytes(machine::Space::GM, source + at, length), site, machine::By::Pointer);
        __builtin_memcpy(bytes + at, &word, length);
    }
}

}  // namespace evtgen_tiling

#define REGISTER_NONE_TILING static_cast<void>(0)
#define REGISTER_TILING_DEFAULT(tilingStruct) using EvtgenDefaultTiling [[maybe_unused]] = tilingStruct
#define REGISTER_TILING_FOR_TILINGKEY(expression, tilingStruct) static_cast<void>(sizeof(tilingStruct))
#define GET_TILING_DATA(name, from) GET_TILING_DATA_WITH_STRUCT(EvtgenDefaultTiling, name, from)
#define GET_TILING_DATA_WITH_STRUCT(tilingStruct, name, from) \
    tilingStruct name;                                        \
    ::evtgen_tiling::Read(&name, from)
#define GET_TILING_DATA_MEMBER(tilingStruct, member, name, from) \
    decltype(tilingStruct::member) name;                         \
    ::evtgen_tiling::Read(&name, (from) + offsetof(tilingStruct, member))
#define GET_TILING_DATA_PTR_WITH_STRUCT(tilingStruct, pointer, from) auto pointer = (__gm__ tilingStruct*)(from)
#define COPY_TILING_WITH_STRUCT(tilingStruct, from, pointer) \
    tilingStruct EvtgenCopyOf##pointer;                      \
    ::evtgen_tiling::Read(&EvtgenCopyOf##pointer, &(from));  \
    auto const* const pointer = &EvtgenCopyOf##pointer
#define TILING_KEY_IS(number) (::evtgen_tiling::key == (number))
#define ICPU_SET_TILING_KEY(number) static_cast<void>(::evtgen_tiling::key = (number))
