// Recording comparisons, which write one bit per element, selections by such bits, and block broadcasts.
#pragma once

#include "vector.hpp"

namespace machine {

enum class Comparison : uint8_t { Less, Greater, Equal, LessEqual, GreaterEqual, NotEqual };

/// Bit i of dst = a[i] compared with b[i], or with `scalar` if b has no data. Lanes must be full repeats.
void RecordCompare(
    char const* name, Comparison comparison, ElementType type, Operand const& dst, Operand const& a, Operand const& b,
    uint64_t scalar, Lanes const& lanes, Site site);

/// dst[i] = bit i of mask ? a[i] : b[i], or `scalar` if b has no data. `sameBits`: every repeat uses the first bits.
void RecordSelect(
    char const* name, Operand const& mask, bool sameBits, Operand const& dst, Operand const& a, Operand const& b,
    uint64_t scalar, Lanes const& lanes, Site site);

/// Each of `repeats` times eight elements fills a data block of dst.
void RecordBroadcastBlocks(char const* name, Operand const& dst, Operand const& src, uint32_t repeats, Site site);

}  // namespace machine
