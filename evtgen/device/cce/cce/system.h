// What a core says about itself, and its caches: of that of data, the model knows which lines S has fetched since when.
#pragma once

#include "registers.h"

enum class cache_line_t : uint64_t { SINGLE_CACHE_LINE = 0, ENTIRE_DATA_CACHE };
enum class dcci_dst_t : uint64_t { CACHELINE_ALL = 0, CACHELINE_UB, CACHELINE_OUT, CACHELINE_ATOMIC };
enum mem_dsb_t { DSB_ALL = 0, DSB_DDR, DSB_UB, DSB_SEQ };

/// Writes a line of the data cache back and forgets it, or all of it.
template <class Line> inline void dcci(void const* address, Line line, cce::Site site = cce::Here())
{
    machine::RefreshCache(
        address, static_cast<uint64_t>(line) == static_cast<uint64_t>(cache_line_t::ENTIRE_DATA_CACHE), site);
}
template <class Line, class Destination>
inline void dcci(void const* address, Line line, Destination, cce::Site site = cce::Here())
{
    machine::RefreshCache(
        address, static_cast<uint64_t>(line) == static_cast<uint64_t>(cache_line_t::ENTIRE_DATA_CACHE), site);
}
inline void dsb(mem_dsb_t) {}
/// Where the program is; for fetching what comes next into the instruction cache.
inline int64_t get_pc() { return 0; }
inline void preload(void const*, int64_t = 0) {}

/// A byte of UB.
inline uint64_t get_imm(uint64_t offset)
{
    return reinterpret_cast<uint64_t>(
        machine::LocalAddress(machine::Space::UB, offset, cce::kArch.SizeOf(machine::Space::UB)));
}

/// Zeros or ones of a word, and the first of them.
inline int64_t bcnt0(uint64_t value) { return __builtin_popcountll(~value); }
inline int64_t bcnt1(uint64_t value) { return __builtin_popcountll(value); }
inline int64_t sff0(uint64_t value)
{
    int64_t const found = ~value == 0 ? -1 : __builtin_ctzll(~value);
    cce::registers.pooledIds |= found < 0 ? 0 : uint64_t{1} << found;  // see NotePooled
    return found;
}
inline int64_t sff1(uint64_t value) { return value == 0 ? -1 : __builtin_ctzll(value); }
inline int64_t clz(uint64_t value) { return value == 0 ? 64 : __builtin_clzll(value); }

/// A scalar of global memory, past the data cache; `offset` in bytes.
template <class T> inline T ld_dev(T* src, int16_t offset, cce::Site site = cce::Here())
{
    auto const* const from = reinterpret_cast<uint8_t const*>(src) + offset;
    return static_cast<T>(
        machine::ReadScalar(machine::Bytes(machine::Space::GM, from, sizeof(T)), site, machine::By::PastCache));
}
template <class T> inline void st_dev(T value, T* dst, int16_t offset, cce::Site site = cce::Here())
{
    auto const* const to = reinterpret_cast<uint8_t const*>(dst) + offset;
    machine::WriteScalar(
        machine::Bytes(machine::Space::GM, to, sizeof(T)), machine::ScalarBits(value), site, machine::By::PastCache);
}
template <class T> inline void dc_preload(T*, int64_t) {}

/// Registers of the cube core that every kernel sets when it begins; they do not matter without matrices.
inline void set_l1_3d_size(uint64_t) {}
inline void set_padding(uint64_t) {}

/// Marks for tools.
namespace bisheng::cce {
inline void metrics_prof_start() {}
inline void metrics_prof_stop() {}
}  // namespace bisheng::cce
inline void asc_prof_start() {}
inline void asc_prof_stop() {}
template <class... A> inline void __sync_all_stub(A...) {}
template <class... A> inline void __ib_set_stub(A...) {}
template <class... A> inline void __ib_wait_stub(A...) {}

[[noreturn]] inline void trap() { __builtin_trap(); }
