// Definedness. Local memory has one state byte per byte, global memory one bit; both are worked on in ranges.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "record.hpp"

namespace machine {

/// State of a local byte: its undefined bits, so that the bits of a comparison mask have states of their own. Undefined
/// bytes are padding or computed from padding. NeverWritten is reported only if a whole operand has it; its bit pattern
/// cannot come from a mask of rows, in which the undefined bits are at the end of a byte.
enum State : uint8_t { kDefined = 0, kUndefined = 0xff, kNeverWritten = 0x55 };

inline uint8_t UndefinedBits(uint8_t state) { return state == kNeverWritten ? uint8_t{kUndefined} : state; }

/// True if every byte of [p, p+n) is zero; vectorises.
bool AllZero(uint8_t const* p, size_t n);

/// One bit per byte, set where defined.
class BitShadow {
public:
    explicit BitShadow(size_t bytes) : words_((bytes + 63) / 64, 0) {}
    void Set(size_t first, size_t count, bool defined);
    /// Takes the bits of `count` bytes of another, from `otherFirst` on.
    void CopyFrom(size_t first, BitShadow const& other, size_t otherFirst, size_t count);
    bool AllSet(size_t first, size_t count) const;
    bool NoneSet(size_t first, size_t count) const;
    bool Get(size_t at) const { return (words_[at / 64] >> (at % 64) & 1u) != 0; }
    /// Writes kDefined or kUndefined for each byte.
    void Expand(size_t first, size_t count, uint8_t* states) const;
    /// First undefined byte at or after `first`, or `first + count`.
    size_t FindUndefined(size_t first, size_t count) const;

private:
    template <class F> bool EachWord(size_t first, size_t count, F&& f) const;
    std::vector<uint64_t> words_;
};

/// Address of the state byte of a local byte of the core whose instruction runs.
uint8_t* StateOf(void const* local);

/// Shadow of a copy: for each destination byte the state of its source byte. Either side may be GM. Reports undefined
/// bytes that reach GM. The instruction whose shadow runs is CurrentInstruction().
void ShadowCopy(void* dst, Space dstSpace, void const* src, Space srcSpace, size_t bytes);
void ShadowFill(void* dst, size_t bytes, State state);

/// The shadow of an instruction that has none of its own: what it writes is undefined if any byte that it reads is.
void ShadowAllOrNothing();

/// A dst element is undefined if any byte of the source elements is. Sources may be null. Sizes are of one element.
void ShadowLanes(
    void* dst, size_t dstSize, void const* a, size_t aSize, void const* b, size_t bSize, size_t count, bool readsDst);

/// A dst bit is undefined if that bit of a source is; b may be null.
void ShadowBits(void* dst, void const* a, void const* b, size_t bytes);

/// True if no byte of [local, local+bytes) is undefined.
bool LocalDefined(void const* local, size_t bytes);

}  // namespace machine
