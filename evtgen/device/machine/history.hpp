// The last accesses to each byte of one address space, for the happens-before check.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "clock.hpp"

namespace machine {

enum class Touch : uint8_t { Read, Write, Atomic };

/// Of a write of S to global memory: its line of the data cache is still to be written back, or has been.
enum class Line : uint8_t { None, Dirty, Clean };

/// Bytes of a line of the data cache (DataCacheCleanAndInvalid page).
constexpr uint64_t kCacheLine = 64;

/// One instruction's access, as later accesses are compared with it.
struct Access {
    uint32_t index = 0;  // position on its pipe, from 1; 0: no access
    uint32_t call = 0;   // which call (an interned name and site)
    uint16_t core = 0;
    Pipe pipe = Pipe::S;
    Touch touch = Touch::Read;
    Line line = Line::None;
    bool autoSync = false;      // Instruction::autoSync
    bool inTurn = false;        // an atomic whose place among those of other cores shows in the result, and must not
    uint32_t bytes = 0;         // all bytes that the instruction writes, to recognise an output overwritten as a whole
    uint32_t declarations = 0;  // of buffers, before it
    uint32_t buffer = 0;        // one more than the offset of the buffer that it should lie in; 0: unknown
};

/// Two accesses to the same bytes that nothing orders; or one that reads, through its buffer, what another has written
/// through a different one.
struct Conflict {
    Access earlier;
    uint64_t first;
    uint64_t last;
    bool ordered;
};

class History {
public:
    explicit History(uint64_t bytes) : pages_((bytes + kPage - 1) / kPage) {}

    /// Notes that `access` touches [first, first + count). `ordered(earlier)` says whether an access is known to be
    /// over; one that is not is added to `conflicts`. `lost` counts bytes overwritten unread, for the writer seen last.
    /// If it begins to use bytes again, that is, overwrites what another pipe was the last to use, returns the buffer of the
    /// write before it, as Access has it; else 0.
    struct LostWrite {
        Access writer;
        uint64_t bytes = 0;
        uint64_t first = 0;
    };
    template <class Ordered>
    uint32_t Note(
        uint64_t first, uint64_t count, Access const& access, Ordered const& ordered, std::vector<Conflict>& conflicts,
        std::vector<LostWrite>& lost)
    {
        uint64_t const end = first + count;
        lines_ = lines_ || access.line == Line::Dirty;
        uint32_t again = 0;
        while (first < end) {
            uint64_t const page = first / kPage;
            uint64_t const stop = std::min(end, (page + 1) * kPage);
            if (page < pages_.size()) {
                auto const begin = static_cast<uint32_t>(first - page * kPage);
                auto const finish = static_cast<uint32_t>(stop - page * kPage);
                again = std::max(
                    again, NotePage(pages_[page], page * kPage, begin, finish, access, ordered, conflicts, lost));
                used_ = true;
            }
            first = stop;
        }
        return again;
    }

    /// Calls f(first, bytes, written) for each run of bytes that something touched, in order.
    template <class F> void ForEachTouched(F const& f) const
    {
        for (size_t page = 0; used_ && page < pages_.size(); ++page) {
            for (Segment const& s : pages_[page]) {
                auto const writes = [](Access const& access) { return access.touch != Touch::Read; };
                bool const written = s.write.index != 0 || std::any_of(s.shared.begin(), s.shared.end(), writes);
                f(page * kPage + s.begin, s.end - s.begin, written);
            }
        }
    }

    /// Calls f(access) for each write of one line of the data cache since the launch began, of those not overwritten.
    template <class F> void ForEachWrite(uint64_t line, F const& f)
    {
        Page& page = pages_[line / kPage];
        auto const begin = static_cast<uint32_t>(line % kPage);
        for (auto s = FirstAfter(page, begin); s != page.end() && s->begin < begin + kCacheLine; ++s) {
            if (s->write.index != 0) { f(s->write); }
            for (Access& other : s->shared) {
                if (other.touch == Touch::Atomic) { f(other); }
            }
        }
    }
    /// Whether S of any core has written through its data cache.
    bool HasLines() const { return lines_; }

    /// Forgets everything: accesses of different launches are always ordered.
    void Clear()
    {
        lines_ = false;
        if (used_) {
            for (auto& page : pages_) { page.clear(); }
        }
        used_ = false;
    }

private:
    static constexpr uint64_t kPage = 4096;

    struct Segment {
        uint32_t begin;
        uint32_t end;
        Access write;                // the last plain write
        bool unread;                 // nothing has read the bytes that it wrote
        std::vector<Access> shared;  // reads and atomics since then, the latest per core and pipe
    };
    using Page = std::vector<Segment>;

    /// The first segment that ends after `begin`.
    static Page::iterator FirstAfter(Page& page, uint32_t begin)
    {
        return std::partition_point(page.begin(), page.end(), [begin](Segment const& s) { return s.end <= begin; });
    }

    /// Makes `at` a boundary between segments.
    static void Split(Page& page, size_t i, uint32_t at)
    {
        page.insert(page.begin() + static_cast<std::ptrdiff_t>(i) + 1, page[i]);
        page[i].end = at;
        page[i + 1].begin = at;
    }

    template <class Ordered>
    static uint32_t NoteSegment(
        Segment& s, uint64_t base, Access const& access, Ordered const& ordered, std::vector<Conflict>& conflicts,
        std::vector<LostWrite>& lost)
    {
        if (s.write.index != 0 && !ordered(s.write)) {
            conflicts.push_back({s.write, base + s.begin, base + s.end - 1, false});
        } else if (access.touch == Touch::Read && s.write.buffer != access.buffer && s.write.buffer != 0) {
            conflicts.push_back({s.write, base + s.begin, base + s.end - 1, true});
        }
        for (Access const& other : s.shared) {
            bool const samePipe = other.core == access.core && other.pipe == access.pipe;
            bool const bothAtomic = other.touch == Touch::Atomic && access.touch == Touch::Atomic;
            bool const inTurn = other.core != access.core && (other.inTurn || access.inTurn);
            if (other.touch == access.touch && !(bothAtomic && (samePipe || inTurn))) {
                continue;  // reads do not disturb reads, nor atomics those of other pipes and cores
            }
            if (!ordered(other)) { conflicts.push_back({other, base + s.begin, base + s.end - 1, false}); }
        }
        if (access.touch == Touch::Write) {
            uint32_t const again = UsedByOther(s, access.pipe) ? s.write.buffer : 0;
            if (s.unread && s.write.index != 0) { NoteLost(s, base, lost); }
            s.write = access;
            s.unread = true;
            s.shared.clear();
            return again;
        }
        s.unread = false;
        for (Access& other : s.shared) {
            if (other.core == access.core && other.pipe == access.pipe && other.touch == access.touch) {
                other = access;
                return 0;
            }
        }
        s.shared.push_back(access);
        return 0;
    }

    static bool UsedByOther(Segment const& s, Pipe pipe)
    {
        auto const other = [pipe](Access const& access) { return access.pipe != pipe; };
        return s.shared.empty() ? s.write.index != 0 && other(s.write)
                                : std::any_of(s.shared.begin(), s.shared.end(), other);
    }

    static void NoteLost(Segment const& s, uint64_t base, std::vector<LostWrite>& lost)
    {
        for (LostWrite& known : lost) {
            if (known.writer.index == s.write.index && known.writer.pipe == s.write.pipe
                && known.writer.core == s.write.core) {
                known.bytes += s.end - s.begin;
                return;
            }
        }
        lost.push_back({s.write, s.end - s.begin, base + s.begin});
    }

    template <class Ordered>
    static uint32_t NotePage(
        Page& page, uint64_t base, uint32_t begin, uint32_t end, Access const& access, Ordered const& ordered,
        std::vector<Conflict>& conflicts, std::vector<LostWrite>& lost)
    {
        if (page.size() == 1 && page[0].begin == begin && page[0].end == end) {
            return NoteSegment(page[0], base, access, ordered, conflicts, lost);
        }
        auto i = static_cast<size_t>(FirstAfter(page, begin) - page.begin());
        if (i < page.size() && page[i].begin < begin) {
            Split(page, i, begin);
            ++i;
        }
        size_t const firstTouched = i;
        uint32_t at = begin;
        uint32_t again = 0;
        while (at < end) {
            if (i == page.size() || page[i].begin > at) {
                uint32_t const stop = i == page.size() ? end : std::min(end, page[i].begin);
                page.insert(page.begin() + static_cast<std::ptrdiff_t>(i), Segment{at, stop, {}, false, {}});
            } else if (page[i].end > end) {
                Split(page, i, end);
            }
            again = std::max(again, NoteSegment(page[i], base, access, ordered, conflicts, lost));
            at = page[i].end;
            ++i;
        }
        if (access.touch == Touch::Write && i - firstTouched > 1) {  // the segments are equal now
            page[firstTouched].end = end;
            page.erase(
                page.begin() + static_cast<std::ptrdiff_t>(firstTouched) + 1,
                page.begin() + static_cast<std::ptrdiff_t>(i));
        }
        return again;
    }

    std::vector<Page> pages_;
    bool used_ = false;
    bool lines_ = false;
};

}  // namespace machine
