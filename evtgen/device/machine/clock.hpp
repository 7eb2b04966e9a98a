// Vector clocks: for each pipe of each core, how many of its instructions are known to have finished.
#ifndef EVTGEN_MACHINE_CLOCK_HPP
#define EVTGEN_MACHINE_CLOCK_HPP

#include <algorithm>
#include <cstdint>
#include <vector>

#include "arch.hpp"

namespace machine {

class Clock {
public:
    Clock() = default;
    /// Starts out knowing about cores [first, first + count) only; joining widens it.
    Clock(uint32_t first, uint32_t count) : first_(first), known_(count * kPipes, 0) {}

    uint32_t Get(uint32_t core, Pipe pipe) const
    {
        uint32_t const at = (core - first_) * kPipes + static_cast<uint32_t>(pipe);
        return core >= first_ && at < known_.size() ? known_[at] : 0;
    }

    void Set(uint32_t core, Pipe pipe, uint32_t finished)
    {
        known_[(core - first_) * kPipes + static_cast<uint32_t>(pipe)] = finished;
    }

    void Join(Clock const& other)
    {
        if (other.known_.empty()) {
            return;
        }
        if (known_.empty()) {
            *this = other;
            return;
        }
        Cover(other.first_, static_cast<uint32_t>(other.first_ + other.known_.size() / kPipes));
        size_t const offset = (other.first_ - first_) * kPipes;
        for (size_t i = 0; i < other.known_.size(); ++i) {
            known_[offset + i] = std::max(known_[offset + i], other.known_[i]);
        }
    }

private:
    void Cover(uint32_t first, uint32_t end)
    {
        if (first < first_) {
            known_.insert(known_.begin(), (first_ - first) * kPipes, 0);
            first_ = first;
        }
        if (first_ + known_.size() / kPipes < end) {
            known_.resize((end - first_) * kPipes, 0);
        }
    }

    uint32_t first_ = 0;
    std::vector<uint32_t> known_;
};

}  // namespace machine

#endif  // EVTGEN_MACHINE_CLOCK_HPP
