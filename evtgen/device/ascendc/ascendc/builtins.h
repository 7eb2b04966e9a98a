// What the device's compiler knows of the core without a header.
#pragma once

#include <cstdint>

#include "../../machine/launch.hpp"

/// The block that a core belongs to; of a vector core in a block of both kinds, its group's.
inline int64_t get_block_idx() { return machine::BlockIdx() / machine::SubBlockNum(); }
inline int64_t get_block_num() { return machine::BlockNum(); }
inline int64_t get_subblockid() { return machine::SubBlockIdx(); }
inline int64_t get_subblockdim() { return machine::SubBlockNum(); }

/// A hint to fetch instructions.
inline void icache_preload(int64_t) {}

/// A variable that the compiler knows: a value that only the running core can tell.
template <int64_t (*Value)()> struct EvtgenBuiltin {
    operator int64_t() const { return Value(); }
};
inline constexpr EvtgenBuiltin<get_block_idx> block_idx{};
inline constexpr EvtgenBuiltin<get_block_num> block_num{};
