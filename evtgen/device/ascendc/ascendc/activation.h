// Activation functions: calls over a whole tensor, which the library puts together from others. Here each is one
// instruction.
#pragma once

#include "arith.h"

namespace AscendC {

/// x / (1 + exp(-x)). Source and destination must not overlap (Silu page).
template <typename T, bool isReuseSource = false>
inline void Silu(const LocalTensor<T>& dstLocal, const LocalTensor<T>& srcLocal, uint32_t dataSize, Site site = Here())
{
    constexpr detail::Op op = detail::Op::Silu;
    ASCENDC_TAKES(Silu, T, detail::Form::Count);
    static_assert(!isReuseSource, "Silu leaves its source as it is");
    auto const to = reinterpret_cast<uintptr_t>(detail::AddressOf(dstLocal));
    auto const from = reinterpret_cast<uintptr_t>(detail::AddressOf(srcLocal));
    uint64_t const bytes = uint64_t{dataSize} * sizeof(T);
    if (to < from + bytes && from < to + bytes) {
        machine::RefuseParameter("Silu", "its source and its destination overlap", site);
        return;
    }
    detail::Arith<op, T>(detail::In(dstLocal), detail::In(srcLocal), {}, 0, detail::Lanes::Count(dataSize), site);
}

}  // namespace AscendC
