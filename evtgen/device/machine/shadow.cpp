#include "shadow.hpp"

#include <algorithm>
#include <cstring>
#include <string>

#include "core.hpp"
#include "global.hpp"

namespace machine {

namespace {

uint64_t MaskOf(size_t from, size_t to)
{
    uint64_t const upper = to == 64 ? ~uint64_t{0} : (uint64_t{1} << to) - 1;
    return upper & ~((uint64_t{1} << from) - 1);
}

void ReportUndefined(Fault fault, Space space, uint64_t at, char const* detail)
{
    Report({fault, CurrentCore()->MakeCall(*CurrentInstruction()), detail, {}, Place{space, at, at}});
}

/// Undefined bytes in states[0, bytes) are about to reach GM byte `at` on.
void CheckStored(Allocation& target, uint8_t const* states, size_t at, size_t bytes)
{
    size_t bad = 0;
    while (states[bad] == kDefined && bad + 1 < bytes) { ++bad; }
    bool const atomic = CurrentInstruction()->combine != Combine::Store;
    std::string const detail = "allocation " + std::to_string(target.number) + ", byte " + std::to_string(at + bad);
    ReportUndefined(atomic ? Fault::UndefinedAtomic : Fault::UndefinedStored, Space::GM, at + bad, detail.c_str());
}

}  // namespace

bool AllZero(uint8_t const* p, size_t n)
{
    constexpr size_t block = 1024;
    while (n >= block) {
        uint64_t any = 0;
        for (size_t i = 0; i < block; i += 8) {
            uint64_t word;
            std::memcpy(&word, p + i, 8);
            any |= word;
        }
        if (any != 0) { return false; }
        p += block;
        n -= block;
    }
    uint8_t any = 0;
    for (size_t i = 0; i < n; ++i) { any |= p[i]; }
    return any == 0;
}

template <class F> bool BitShadow::EachWord(size_t first, size_t count, F&& f) const
{
    size_t const end = first + count;
    while (first < end) {
        size_t const word = first / 64;
        size_t const stop = std::min(end, (word + 1) * 64);
        if (!f(word, MaskOf(first - word * 64, stop - word * 64))) { return false; }
        first = stop;
    }
    return true;
}

void BitShadow::Set(size_t first, size_t count, bool defined)
{
    size_t const end = first + count;
    size_t const whole = (first + 63) / 64;
    if (whole < end / 64) {  // head, whole words, tail
        std::memset(&words_[whole], defined ? 0xff : 0, (end / 64 - whole) * 8);
    }
    auto const partial = [&](size_t from, size_t to) {
        if (from < to) {
            uint64_t const mask = MaskOf(from % 64, to - from / 64 * 64);
            uint64_t& word = words_[from / 64];
            word = defined ? word | mask : word & ~mask;
        }
    };
    if (whole > end / 64) {
        partial(first, end);
    } else {
        partial(first, whole * 64);
        partial(end / 64 * 64, end);
    }
}

bool BitShadow::AllSet(size_t first, size_t count) const
{
    return EachWord(first, count, [this](size_t w, uint64_t mask) { return (words_[w] & mask) == mask; });
}

bool BitShadow::NoneSet(size_t first, size_t count) const
{
    return EachWord(first, count, [this](size_t w, uint64_t mask) { return (words_[w] & mask) == 0; });
}

void BitShadow::Expand(size_t first, size_t count, uint8_t* states) const
{
    if (AllSet(first, count)) {
        std::memset(states, kDefined, count);
        return;
    }
    for (size_t i = 0; i < count; ++i) { states[i] = Get(first + i) ? kDefined : kUndefined; }
}

void BitShadow::CopyFrom(size_t first, BitShadow const& other, size_t otherFirst, size_t count)
{
    for (size_t at = 0; at < count;) {  // run by run
        bool const defined = other.Get(otherFirst + at);
        size_t end = at + 1;
        while (end < count && other.Get(otherFirst + end) == defined) { ++end; }
        Set(first + at, end - at, defined);
        at = end;
    }
}

size_t BitShadow::FindUndefined(size_t first, size_t count) const
{
    size_t found = first + count;
    EachWord(first, count, [&](size_t w, uint64_t mask) {
        uint64_t const missing = mask & ~words_[w];
        if (missing == 0) { return true; }
        found = w * 64 + static_cast<size_t>(__builtin_ctzll(missing));
        return false;
    });
    return found;
}

uint8_t* StateOf(void const* local)
{
    LocalMemory* const memory = CurrentCore()->LocalOf(local);
    return memory->states.get() + memory->Offset(local);
}

void ShadowCopy(void* dst, Space dstSpace, void const* src, Space srcSpace, size_t bytes)
{
    if (srcSpace == Space::GM && dstSpace == Space::GM) {
        return;  // no instruction does that
    }
    if (srcSpace == Space::GM) {
        Allocation* const from = FindAllocation(src);
        from->shadow.Expand(from->Offset(src), bytes, StateOf(dst));
        return;
    }
    uint8_t const* const states = StateOf(src);
    if (dstSpace != Space::GM) {
        std::memmove(StateOf(dst), states, bytes);
        return;
    }
    Allocation* const target = FindAllocation(dst);
    size_t const at = target->Offset(dst);
    if (!AllZero(states, bytes)) { CheckStored(*target, states, at, bytes); }
    if (CurrentInstruction()->combine != Combine::Store && !target->shadow.AllSet(at, bytes)) {
        ReportUndefined(
            Fault::UndefinedAtomic, Space::GM, target->shadow.FindUndefined(at, bytes),
            "the destination was never initialised");
    }
    target->shadow.Set(at, bytes, true);  // reported once is enough
}

void ShadowFill(void* dst, size_t bytes, State state) { std::memset(StateOf(dst), state, bytes); }

bool LocalDefined(void const* local, size_t bytes) { return AllZero(StateOf(local), bytes); }

void ShadowLanes(
    void* dst, size_t dstSize, void const* a, size_t aSize, void const* b, size_t bSize, size_t count, bool readsDst)
{
    uint8_t* const to = StateOf(dst);
    uint8_t const* const from = a != nullptr ? StateOf(a) : nullptr;
    uint8_t const* const also = b != nullptr ? StateOf(b) : nullptr;
    bool const clean = (from == nullptr || AllZero(from, count * aSize))
                       && (also == nullptr || AllZero(also, count * bSize))
                       && (!readsDst || AllZero(to, count * dstSize));
    if (clean) {
        std::memset(to, kDefined, count * dstSize);
        return;
    }
    for (size_t i = 0; i < count; ++i) {
        bool const defined = (from == nullptr || AllZero(from + i * aSize, aSize))
                             && (also == nullptr || AllZero(also + i * bSize, bSize))
                             && (!readsDst || AllZero(to + i * dstSize, dstSize));
        std::memset(to + i * dstSize, defined ? kDefined : kUndefined, dstSize);
    }
}

void ShadowBits(void* dst, void const* a, void const* b, size_t bytes)
{
    uint8_t* const to = StateOf(dst);
    for (size_t i = 0; i < bytes; ++i) {
        uint8_t const also = b != nullptr ? UndefinedBits(StateOf(b)[i]) : uint8_t{kDefined};
        to[i] = static_cast<uint8_t>(UndefinedBits(StateOf(a)[i]) | also);
    }
}

}  // namespace machine
