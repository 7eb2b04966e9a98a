// Registers of a core that the scalar unit sets and instructions take when they are issued: control bits, the vector
// mask, the padding value, the scale of a dequantisation, atomic stores.
#pragma once

#include "../../machine/registers.hpp"
#include "operand.h"

namespace cce {

constexpr uint64_t kUnknown = ~uint64_t{0};

/// Each core's own.
struct Registers {
    uint64_t paddingValue = 0;
    uint64_t dequantisation = 0;
    machine::Combine combine = machine::Combine::Store;
    void const* filled = nullptr;  // where vector_dup has written last, and what
    uint64_t filling = 0;
    uint64_t selector = kUnknown;  // what the register of a selection holds, if vector_dup has made it
    uint64_t pooledIds = 0;        // of flags, that TPipe has handed out
    uint32_t sumBytes = 0;         // of the sum that a reduction has left in its register
};
__BLOCK_LOCAL__ inline Registers registers;

inline void BeginAtomic(machine::Combine combine) { registers.combine = combine; }
inline void TypeAtomic(machine::ElementType type, Site site) { machine::SetAtomic(registers.combine, type, site); }

}  // namespace cce

inline uint64_t get_ctrl() { return machine::CurrentRegisters().control; }
inline void set_ctrl(uint64_t value) { machine::CurrentRegisters().control = value; }
constexpr uint64_t sbitset0(uint64_t value, int64_t bit) { return value & ~(uint64_t{1} << bit); }
constexpr uint64_t sbitset1(uint64_t value, int64_t bit) { return value | uint64_t{1} << bit; }

// ---- the vector mask: bits of a repeat's lanes, or in counter mode a number of elements

inline void set_vector_mask(uint64_t high, uint64_t low) { machine::SetMask(high, low); }
inline void set_mask_norm() { machine::SetMaskCounts(false); }
inline void set_mask_count() { machine::SetMaskCounts(true); }

inline void set_mov_pad_val(uint64_t value) { cce::registers.paddingValue = value; }
inline void set_deqscale(uint64_t value) { cce::registers.dequantisation = value; }
inline void set_deqscale(half value) { cce::registers.dequantisation = machine::ScalarBits(value); }

// ---- atomic stores: first how they combine, then the element type

inline void set_atomic_none(cce::Site site = cce::Here()) { machine::ResetAtomic(site); }
inline void set_atomic_add() { cce::BeginAtomic(machine::Combine::Add); }
inline void set_atomic_max() { cce::BeginAtomic(machine::Combine::Max); }
inline void set_atomic_min() { cce::BeginAtomic(machine::Combine::Min); }
#define EVTGEN_CCE_ATOMIC(name, type) \
    inline void set_atomic_##name(cce::Site site = cce::Here()) { cce::TypeAtomic(machine::ElementType::type, site); }
EVTGEN_CCE_ATOMIC(f32, F32)
EVTGEN_CCE_ATOMIC(f16, F16)
EVTGEN_CCE_ATOMIC(bf16, BF16)
EVTGEN_CCE_ATOMIC(s32, I32)
EVTGEN_CCE_ATOMIC(s16, I16)
EVTGEN_CCE_ATOMIC(s8, I8)
#undef EVTGEN_CCE_ATOMIC
