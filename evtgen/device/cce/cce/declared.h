// What AscendC's headers for NPU architecture 3510 expect of the device's compiler. Its vector instructions work on
// registers, which the model does not have: declared.def names the intrinsics, which take anything and do nothing. So a
// program compiles, as far as the signatures of AscendC's calls, their templates and their assertions go, but cannot be
// linked. An intrinsic that is not declared is a compile error that names it.
#pragma once

#include <cstdint>

#include "absent.h"
#include "language.h"
#include "registers.h"
#include "sync.h"
#include "system.h"
#include "types.h"

namespace cce {

/// What an intrinsic returns: a register, or nothing.
struct Returned {
    template <class T> operator T() const;
};

/// Three extents of a launch of threads.
struct Threads {
    uint32_t x, y, z;
};

}  // namespace cce

using float8_e4m3_t = machine::Float8E4M3;
using float8_e5m2_t = machine::Float8E5M2;

// Enumerations whose members the headers name.
// clang-format off
enum class ROUND {
    CAST_RINT, CAST_ROUND, CAST_FLOOR, CAST_CEIL, CAST_TRUNC, CAST_ODD, CAST_HYBRID, R, A, F, C, Z, O, H
};
// clang-format on
enum class QuantMode_post { NoConv };
enum class L1CacheType { NON_CACHEABLE };
enum class LD_L2CacheType { L2_CACHE_HINT_NORMAL_FV };

#define REGISTER(name) \
    struct name {};
#define ELEMENT(name) \
    struct name {     \
        uint8_t bits; \
    };
#define MODE(name) enum class name : uint64_t {};
#define CONSTANT(name) inline constexpr int name{};
#define NUMBER(name) template <class... Operands> int64_t name(Operands&&...);
#define INTRINSIC(name) template <class... Operands> cce::Returned name(Operands&&...);
#include "declared.def"
#undef REGISTER
#undef ELEMENT
#undef MODE
#undef CONSTANT
#undef NUMBER
#undef INTRINSIC

// Threads and marks for tools, which AscendC's functions for printing name.
inline constexpr cce::Threads threadIdx{};
inline constexpr cce::Threads blockIdx{};
inline constexpr uint32_t warpSize = 32;
template <auto level2, auto level1, class T> T __ldg(T*);
template <pipe_t pipe, uint16_t index> void asc_mark_stamp();
template <pipe_t pipe> void asc_mark_stamp(uint16_t index);
namespace bisheng::cce {
template <pipe_t pipe, class... Operands> void mark_stamp(Operands&&...);
}  // namespace bisheng::cce
namespace __cce_scalar {
template <class... Operands> void copy_ubuf_to_ubuf(Operands&&...);
}  // namespace __cce_scalar
