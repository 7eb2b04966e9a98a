// One on-chip memory as a whole, handed out by byte offset. Nothing keeps two users from taking the same bytes.
#ifndef CATLASS_ARCH_LOCAL_TENSOR_BUFFER_HPP
#define CATLASS_ARCH_LOCAL_TENSOR_BUFFER_HPP

#include "catlass/arch/arch.hpp"
#include "catlass/catlass.hpp"

namespace Catlass::Arch {

namespace detail {

/// Bytes of the memory at a position.
template <class ArchTag> constexpr uint32_t SizeOfPosition(AscendC::TPosition position)
{
    switch (position) {
        case AscendC::TPosition::A1:
        case AscendC::TPosition::B1:
        case AscendC::TPosition::C1: return ArchTag::L1_SIZE;
        case AscendC::TPosition::A2: return ArchTag::L0A_SIZE;
        case AscendC::TPosition::B2: return ArchTag::L0B_SIZE;
        case AscendC::TPosition::CO1: return ArchTag::L0C_SIZE;
        case AscendC::TPosition::C2: return ArchTag::BIAS_SIZE;
        case AscendC::TPosition::C2PIPE2GM: return ArchTag::FIXBUF_SIZE;
        case AscendC::TPosition::VECIN:
        case AscendC::TPosition::VECOUT:
        case AscendC::TPosition::VECCALC: return ArchTag::UB_SIZE;
        default: return 0;
    }
}

}  // namespace detail

template <class ArchTag, AscendC::TPosition Position_> struct LocalTensorBuffer {
    static constexpr AscendC::TPosition Position = Position_;
    static_assert(detail::SizeOfPosition<ArchTag>(Position) > 0, "there is no on-chip memory at this position");

    CATLASS_DEVICE LocalTensorBuffer()
    {
        AscendC::TBuf<Position> buffer;
        GetTPipePtr()->InitBuffer(buffer, detail::SizeOfPosition<ArchTag>(Position));
        tensor = buffer.template Get<uint8_t>();
    }

    /// The memory from `offset` (in bytes) on, as elements of the given type.
    template <class Element = half>
    CATLASS_DEVICE AscendC::LocalTensor<Element> GetBufferByByte(uint32_t const offset) const
    {
        return tensor[offset].template ReinterpretCast<Element>();
    }

private:
    AscendC::LocalTensor<uint8_t> tensor;
};

}  // namespace Catlass::Arch

#endif  // CATLASS_ARCH_LOCAL_TENSOR_BUFFER_HPP
