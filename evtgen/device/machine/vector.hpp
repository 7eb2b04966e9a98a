// Recording vector instructions: lanes chosen by a count or by mask and repeats, arithmetic by a function on runs of
// them.
#pragma once

#include <cstdint>

#include "arith.hpp"
#include "convert.hpp"
#include "record.hpp"

namespace machine {

constexpr uint32_t kBlockBytes = 32;    // a data block
constexpr uint32_t kRepeatBytes = 256;  // bytes that one repeat handles

/// A tensor operand: where it starts, bytes per element, and its strides in data blocks (mask form only).
struct Operand {
    void* data = nullptr;
    uint16_t size = 0;
    uint16_t blockStride = 1;
    uint16_t repeatStride = 8;
    void const* buffer = nullptr;  // start of the buffer that it is part of, if the program has one
};

/// The elements that an instruction works on. `repeat` 0 is the count form: `count` contiguous elements. Otherwise
/// `repeat` times the elements whose bit is set in `mask`, of `perRepeat` per repeat; in counter mode `count` is not 0,
/// and they are its first `count`.
struct Lanes {
    uint32_t count = 0;
    uint32_t repeat = 0;
    uint32_t perRepeat = 0;
    uint64_t mask[2] = {0, 0};
    char const* wrong = nullptr;  // the parameter that is out of range, if one is; then nothing is active

    /// `count`: 0 to 2^32 - 1.
    static Lanes Count(int64_t count);
    /// `repeat`: 0 to 255.
    static Lanes Masked(uint64_t const mask[2], uint32_t repeat, uint32_t elementBytes);
    /// The first `mask` elements of each repeat, at most all of them.
    static Lanes First(uint64_t mask, uint32_t repeat, uint32_t elementBytes);
    /// By the mask of the running core; in counter mode the mask is a number of elements and repeats are ignored.
    static Lanes OfCore(uint32_t repeat, uint32_t elementBytes);
    /// Likewise, but in normal mode all elements of each repeat, whatever the mask's bits: comparisons.
    static Lanes AllOfCore(uint32_t repeat, uint32_t elementBytes);
    /// The first `count` elements, of as many repeats as they need: counter mode.
    static Lanes Counted(uint64_t count, uint32_t elementBytes);
    bool Empty() const { return repeat == 0 ? count == 0 : (mask[0] | mask[1]) == 0; }
    /// Whether element `e` of repeat `r` takes part.
    bool Has(uint32_t r, uint32_t e) const
    {
        return (mask[e / 64] >> (e % 64) & 1u) != 0 && (count == 0 || uint64_t{r} * perRepeat + e < count);
    }
    /// The same lanes in the count form if all of these operands lie contiguously; those without data do not count.
    Lanes Of(Operand const& a, Operand const& b = {}, Operand const& c = {}) const;
    /// Each with the next, of which both take part or neither (Cast page, elements of 4 bits).
    Lanes InPairs() const;
    /// Repeats that the hardware takes, for `bytes` per element.
    uint64_t Repeats(uint32_t bytes) const;
};

/// The running core's vector mask.
void SetMask(uint64_t high, uint64_t low);
void SetMaskCounts(bool counts);

/// The bytes of an operand that the lanes touch.
Region RegionOf(Operand const& operand, Lanes const& lanes);

/// One call of calls.def: dst = fn(a, b, scalar); absent operands have null data.
void RecordArith(
    Op op, ArithFn fn, Operand const& dst, Operand const& a, Operand const& b, uint64_t scalar, Lanes const& lanes,
    Site site);

/// dst = src by the lanes. In counter mode the core's mask is the number of elements of each of `repeat` repeats instead,
/// unlike that of every other instruction (Copy page): a repeat may then be longer than 256 bytes, and each is an
/// instruction of its own here.
void RecordMove(
    Op op, ArithFn fn, Operand const& dst, Operand const& src, Lanes const& lanes, uint32_t repeat, Site site);

/// dst = convert(src) under a round mode.
void RecordConvert(
    char const* name, ConvertFn fn, Operand const& dst, Operand const& src, Rounding rounding, Lanes const& lanes,
    Site site);

/// The same of D from S, by the lanes of single elements. Of elements of 4 bits, two are converted at a time.
template <class D, class S> void RecordCast(Operand dst, Operand src, Rounding rounding, Lanes const& lanes, Site site)
{
    constexpr uint32_t together = kPacked<D> > kPacked<S> ? kPacked<D> : kPacked<S>;
    dst.size = static_cast<uint16_t>(dst.size * together / kPacked<D>);
    src.size = static_cast<uint16_t>(src.size * together / kPacked<S>);
    RecordConvert(
        "Cast", FindConvert(kElementTypeOf<D>, kElementTypeOf<S>), dst, src, rounding,
        together == 1 ? lanes : lanes.InPairs(), site);
}

/// Whether there is anything to do; a parameter out of range is reported.
bool Active(Lanes const& lanes, char const* name, Site site);

/// Reports a parameter outside its range at the running core. Always false, so that callers can return it.
bool RefuseParameter(char const* name, char const* detail, Site site);
/// A cast without this round mode.
bool RefuseRounding(char const* name, char const* detail, Site site);

}  // namespace machine
