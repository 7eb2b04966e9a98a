// LocalMemAllocator: hands out core-local memory from its start, without a pipe (LocalMemAllocator page).
#pragma once

#include "tensor.h"

namespace AscendC {

enum class Hardware : uint8_t { GM, UB, L1, L0A, L0B, L0C, BIAS, FIXBUF, MAX };

namespace detail {

/// A position in the memory, for tensors of a program that names none.
constexpr TPosition PositionIn(Hardware hard)
{
    constexpr TPosition positions[] = {
        TPosition::GM, TPosition::VECCALC, TPosition::A1, TPosition::A2,
        TPosition::B2, TPosition::CO1,     TPosition::C2, TPosition::C2PIPE2GM,
    };
    return positions[static_cast<uint8_t>(hard)];
}

}  // namespace detail

template <Hardware hard = Hardware::UB> class LocalMemAllocator {
    static_assert(hard != Hardware::GM && hard != Hardware::MAX, "LocalMemAllocator: not a memory of a core");

public:
    /// At most one per memory in a kernel: each starts at the memory's start.
    LocalMemAllocator() = default;

    /// The first byte that is free.
    uint32_t GetCurAddr() const { return head_; }

    template <TPosition pos, class DataType> LocalTensor<DataType> Alloc(uint32_t tileSize, Site site = Here())
    {
        static_assert(
            detail::SpaceOf(pos) == detail::SpaceOf(detail::PositionIn(hard)),
            "Alloc: the position lies in another memory");
        machine::AllocateLocal(detail::SpaceOf(pos), uint64_t{tileSize} * sizeof(DataType), site);  // reports when full
        LocalTensor<DataType> const tensor(pos, head_, tileSize);
        head_ += (tileSize * static_cast<uint32_t>(sizeof(DataType)) + ONE_BLK_SIZE - 1) / ONE_BLK_SIZE * ONE_BLK_SIZE;
        return tensor;
    }
    template <TPosition pos, class DataType, uint32_t tileSize> LocalTensor<DataType> Alloc(Site site = Here())
    {
        return Alloc<pos, DataType>(tileSize, site);
    }
    template <class DataType> LocalTensor<DataType> Alloc(uint32_t tileSize, Site site = Here())
    {
        return Alloc<detail::PositionIn(hard), DataType>(tileSize, site);
    }
    template <class DataType, uint32_t tileSize> LocalTensor<DataType> Alloc(Site site = Here())
    {
        return Alloc<detail::PositionIn(hard), DataType>(tileSize, site);
    }

private:
    uint32_t head_ = 0;
};

}  // namespace AscendC
