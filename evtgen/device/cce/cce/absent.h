// Intrinsics and types that AscendC's headers name and the model does not have: matrices, images, half bytes, printing.
// Code that calls one is a compile error that names it.
#pragma once

#include "../../machine/vector.hpp"
#include "types.h"

// clang-format off
enum class QuantMode_t : uint64_t {
    NoQuant = 0, F322F16, VQF322HIF8_PRE, QF322HIF8_PRE, VREQ8 = 8, REQ8, VDEQF16, DEQF16, F322BF16 = 16,
    VQF322B8_PRE = 23, QF322B8_PRE, VQF322F16_PRE, QF322F16_PRE, VQF322BF16_PRE, QF322BF16_PRE, VQF322F32_PRE,
    QF322F32_PRE, VQF322FP8_PRE, QF322FP8_PRE, VQF322HIF8_PRE_HYBRID, QF322HIF8_PRE_HYBRID, VQS322BF16_PRE,
    QS322BF16_PRE
};
// clang-format on
enum class pad_t : uint64_t { PAD_NONE = 0, PAD_MODE1, PAD_MODE2, PAD_MODE3, PAD_MODE4, PAD_MODE5, PAD_MODE6 };
enum atomic_type_t { ATOMIC_NONE = 0, ATOMIC_F32, ATOMIC_F16, ATOMIC_S16, ATOMIC_S32, ATOMIC_S8, ATOMIC_BF16 };
enum atomic_op_t { ATOMIC_SUM = 0, ATOMIC_MAX, ATOMIC_MIN };
enum mem_t { L0A = 0, L0B, L0C, UB };
enum addr_cal_mode_t { inc = 0, dec };
enum vload_half_t { L128 = 0, H128 };

#define ABSENT(name)             \
    template <class... Operands> \
    [[gnu::error("the CPU model does not have the intrinsic " #name)]] uint64_t name(Operands...);
#define REFUSED(name)                                                                                           \
    template <class... Operands> inline void name(Operands...)                                                  \
    {                                                                                                           \
        machine::RefuseParameter(#name, "the model does not have this copy of the cube core", machine::Here()); \
    }
#include "absent.def"
#undef ABSENT
#undef REFUSED
