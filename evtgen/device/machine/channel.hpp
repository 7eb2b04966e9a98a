// The bandwidth between global memory and one core. Its pipes share it, first come, first served in modelled time.
#ifndef EVTGEN_MACHINE_CHANNEL_HPP
#define EVTGEN_MACHINE_CHANNEL_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace machine {

/// The executor does not run instructions in the order of their start times: a store that waits for V runs before the
/// next load, although that starts earlier. So transfers are booked, and a later booking takes the gaps that are left.
class Channel {
public:
    /// Books `cycles` of transfer from cycle `earliest` on, in pieces where there are gaps. Returns when it is done.
    uint64_t Book(uint64_t earliest, uint64_t cycles)
    {
        uint64_t at = earliest;
        size_t i = 0;
        while (cycles > 0) {
            for (; i < taken_.size() && taken_[i].begin <= at; ++i) {
                at = std::max(at, taken_[i].end);
            }
            uint64_t const step = i < taken_.size() ? std::min(cycles, taken_[i].begin - at) : cycles;
            i = Take(i, at, at + step);
            at += step;
            cycles -= step;
        }
        return at;
    }

private:
    struct Span {
        uint64_t begin;
        uint64_t end;
    };

    /// Marks [begin, end), which lies before span i, as taken; joins spans that touch. Returns the span it is in.
    size_t Take(size_t i, uint64_t begin, uint64_t end)
    {
        if (i > 0 && taken_[i - 1].end == begin) {
            taken_[--i].end = end;
        } else {
            taken_.insert(taken_.begin() + static_cast<std::ptrdiff_t>(i), {begin, end});
        }
        if (i + 1 < taken_.size() && taken_[i + 1].begin == end) {
            taken_[i].end = taken_[i + 1].end;
            taken_.erase(taken_.begin() + static_cast<std::ptrdiff_t>(i) + 1);
        }
        if (taken_.size() > kSpans) {  // no pipe is that far behind the others
            taken_.erase(taken_.begin());
            i -= i > 0 ? 1 : 0;
        }
        return i;
    }

    static constexpr size_t kSpans = 64;

    std::vector<Span> taken_;  // in order, no two touch
};

}  // namespace machine

#endif  // EVTGEN_MACHINE_CHANNEL_HPP
