// All on-chip memories of one core.
#ifndef CATLASS_ARCH_RESOURCE_HPP
#define CATLASS_ARCH_RESOURCE_HPP

#include "catlass/arch/local_tensor_buffer.hpp"
#include "catlass/catlass.hpp"

namespace Catlass::Arch {

template <class ArchTag> struct Resource {
    AscendC::TPipe pipe;

    LocalTensorBuffer<ArchTag, AscendC::TPosition::A1> l1Buf;
    LocalTensorBuffer<ArchTag, AscendC::TPosition::A2> l0ABuf;
    LocalTensorBuffer<ArchTag, AscendC::TPosition::B2> l0BBuf;
    LocalTensorBuffer<ArchTag, AscendC::TPosition::C2> btBuf;
    LocalTensorBuffer<ArchTag, AscendC::TPosition::CO1> l0CBuf;
    LocalTensorBuffer<ArchTag, AscendC::TPosition::VECCALC> ubBuf;
    LocalTensorBuffer<ArchTag, AscendC::TPosition::C2PIPE2GM> fpBuf;

    /// TPipe holds event ids of its own; give them back, since kernels here manage their flags by hand.
    CATLASS_DEVICE Resource() { pipe.Destroy(); }
};

}  // namespace Catlass::Arch

#endif  // CATLASS_ARCH_RESOURCE_HPP
