// Vector clocks: for each pipe of each core, how many of its instructions are known to have finished; and how many S is
// known to have issued. S issues in program order: when it issues an instruction, it has read what it had to read before
// and its earlier waits are over, while what it has written may still be on its way.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "arch.hpp"

namespace machine {

class Clock {
public:
    Clock() = default;
    /// Starts out knowing about cores [first, first + count) only; joining widens it.
    Clock(uint32_t first, uint32_t count) : first_(first), known_(count * kEntries, 0) {}

    uint32_t Get(uint32_t core, Pipe pipe) const { return Entry(core, static_cast<size_t>(pipe)); }
    void Set(uint32_t core, Pipe pipe, uint32_t finished) { known_[At(core, static_cast<size_t>(pipe))] = finished; }

    /// Instructions of the core's S that were over, but for what they write, when something after them was issued.
    uint32_t Issued(uint32_t core) const { return Entry(core, kPipes); }
    void SetIssued(uint32_t core, uint32_t issued)
    {
        uint32_t& known = known_[At(core, kPipes)];
        known = std::max(known, issued);
    }

    void Join(Clock const& other)
    {
        if (other.known_.empty()) { return; }
        if (known_.empty()) {
            *this = other;
            return;
        }
        Cover(other.first_, static_cast<uint32_t>(other.first_ + other.known_.size() / kEntries));
        size_t const offset = (other.first_ - first_) * kEntries;
        for (size_t i = 0; i < other.known_.size(); ++i) {
            known_[offset + i] = std::max(known_[offset + i], other.known_[i]);
        }
    }

private:
    static constexpr size_t kEntries = kPipes + 1;  // of one core

    size_t At(uint32_t core, size_t entry) const { return (core - first_) * kEntries + entry; }
    uint32_t Entry(uint32_t core, size_t entry) const
    {
        return core >= first_ && At(core, entry) < known_.size() ? known_[At(core, entry)] : 0;
    }
    void Cover(uint32_t first, uint32_t end)
    {
        if (first < first_) {
            known_.insert(known_.begin(), (first_ - first) * kEntries, 0);
            first_ = first;
        }
        if (first_ + known_.size() / kEntries < end) { known_.resize((end - first_) * kEntries, 0); }
    }

    uint32_t first_ = 0;
    std::vector<uint32_t> known_;
};

}  // namespace machine
