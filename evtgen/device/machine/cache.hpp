// The L2 cache, as simply as measurements allow: which lines of global memory it holds.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <unordered_map>

namespace machine {

/// Bytes of an access, in whole lines.
struct CacheAccess {
    uint64_t missing;  // were not there
    uint64_t changed;  // are written, and go to global memory by and by: not those that had to go there already
};

/// A line that was read or written stays until as many bytes have come in after the last access to its sector as there is
/// room for.
class Cache {
public:
    /// A sector has at most 32 lines; both are powers of two.
    Cache(uint64_t sector, uint64_t line, uint64_t bytes)
        : sector_(__builtin_ctzll(sector)), line_(__builtin_ctzll(line)), room_(bytes / line)
    {}

    /// Notes an access to [address, address + bytes). What was not there is now if `keeps`.
    CacheAccess Touch(uint64_t address, uint64_t bytes, bool keeps, bool writes)
    {
        uint64_t missing = 0;
        uint64_t changed = 0;
        uint64_t const last = address + bytes;
        for (uint64_t at = address; at < last;) {
            uint64_t const sector = at >> sector_;
            uint64_t const end = std::min(last, (sector + 1) << sector_);
            uint64_t const first = (at - (sector << sector_)) >> line_;
            uint64_t const count = ((end - 1 - (sector << sector_)) >> line_) - first + 1;
            auto const wanted = static_cast<uint32_t>(((uint64_t{1} << count) - 1) << first);
            Entry& entry = EntryOf(sector);
            if (entry.lines != 0 && filled_ - entry.at >= room_) { entry.lines = entry.changed = 0; }
            auto const absent = static_cast<uint64_t>(__builtin_popcount(wanted & ~entry.lines));
            missing += absent;
            if (writes) {
                changed += static_cast<uint64_t>(__builtin_popcount(wanted & ~entry.changed));
                entry.changed |= wanted;
            }
            if (keeps) {
                entry.lines |= wanted;
                filled_ += absent;
            }
            entry.at = filled_;
            at = end;
        }
        return {missing << line_, changed << line_};
    }

private:
    struct Entry {
        uint64_t at = 0;  // lines that had come in at the last access
        uint32_t lines = 0;
        uint32_t changed = 0;  // of them, that differ from global memory
    };
    static constexpr uint64_t kPage = 4096;  // sectors
    using Page = std::array<Entry, kPage>;

    Entry& EntryOf(uint64_t sector)
    {
        uint64_t const number = sector / kPage;
        if (page_ == nullptr || number != number_) {
            std::unique_ptr<Page>& page = pages_[number];
            if (page == nullptr) { page = std::make_unique<Page>(); }
            page_ = page.get();
            number_ = number;
        }
        return (*page_)[sector % kPage];
    }

    int sector_;  // as powers of two
    int line_;
    uint64_t room_;        // lines
    uint64_t filled_ = 0;  // lines that have come in so far
    std::unordered_map<uint64_t, std::unique_ptr<Page>> pages_;
    Page* page_ = nullptr;  // the one of the last access
    uint64_t number_ = 0;
};

}  // namespace machine
