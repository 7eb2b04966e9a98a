// On-chip memory sizes in bytes, and memory positions as types (Catlass v1.5 `catlass/arch/arch.hpp`).
#ifndef CATLASS_ARCH_ARCH_HPP
#define CATLASS_ARCH_ARCH_HPP

#include <type_traits>

#include "catlass/catlass.hpp"

namespace Catlass::Arch {

// One tag per architecture, named and filled by the model's tables.
// clang-format off
#define EVT_ARCH(name, number) struct name {
#define EVT_MEMORY(space, bytes) static constexpr uint32_t EVT_SIZE_##space = bytes;
#define EVT_ARCH_END() };
// clang-format on
#define EVT_SIZE_UB UB_SIZE
#define EVT_SIZE_L1 L1_SIZE
#define EVT_SIZE_L0A L0A_SIZE
#define EVT_SIZE_L0B L0B_SIZE
#define EVT_SIZE_L0C L0C_SIZE
#define EVT_SIZE_BT BIAS_SIZE
#define EVT_SIZE_FB FIXBUF_SIZE
#include "machine/targets.def"
#undef EVT_SIZE_UB
#undef EVT_SIZE_L1
#undef EVT_SIZE_L0A
#undef EVT_SIZE_L0B
#undef EVT_SIZE_L0C
#undef EVT_SIZE_BT
#undef EVT_SIZE_FB

template <AscendC::TPosition POS> using PositionType = std::integral_constant<AscendC::TPosition, POS>;

using PositionGM = PositionType<AscendC::TPosition::GM>;
using PositionL1 = PositionType<AscendC::TPosition::A1>;
using PositionL0A = PositionType<AscendC::TPosition::A2>;
using PositionL0B = PositionType<AscendC::TPosition::B2>;
using PositionL0C = PositionType<AscendC::TPosition::CO1>;
using PositionBias = PositionType<AscendC::TPosition::C2>;
using PositionUB = PositionType<AscendC::TPosition::VECCALC>;

}  // namespace Catlass::Arch

#endif  // CATLASS_ARCH_ARCH_HPP
