// Dequantisation by the DEQSCALE register of a core (SetDeqScale page).
#pragma once

#include "vector.hpp"

namespace machine {

/// The register: each of the forms of SetDeqScale puts another thing there.
struct DeqScale {
    enum class Of : uint8_t { Nothing, Half, Bytes, Lanes } of = Of::Nothing;
    float half = 0;               // the scale of int32_t to half
    uint64_t bytes = 0;           // scale, offset and sign of int16_t to 8 bits
    void const* lanes = nullptr;  // in UB: 16 of those, for the elements of a data block
};

/// Bits 0 to 31 are the scale, 37 to 45 the offset, 46 says that results are signed.
uint64_t DeqBits(float scale, int16_t offset, bool isSigned);

/// dst = src * scale, int32_t to half.
void RecordDequantize(char const* name, Operand const& dst, Operand const& src, Lanes const& lanes, Site site);

/// dst = max(0, (a + b) * scale), int32_t to half.
void RecordAddDeqRelu(Operand const& dst, Operand const& a, Operand const& b, Lanes const& lanes, Site site);

/// dst = src * scale + offset, int16_t to 8 bits, which fill one half of each data block; the other half stays. That and
/// the rounding to the nearest are *assumed*. `dst` has the size of int16_t. `byLane`: each element of a block has its own
/// scale, offset and sign.
void RecordDequantizeBytes(
    Operand const& dst, Operand const& src, bool isSigned, bool byLane, bool upperHalf, Lanes const& lanes, Site site);

}  // namespace machine
