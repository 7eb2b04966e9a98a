// Copies that run at the same time: they share the bandwidth of global memory and of the L2 cache.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "arch.hpp"

namespace machine {

struct Flow {
    uint32_t core;
    uint8_t pipe;
    uint32_t step;
    double began;
    double bytes;
    double global;  // bytes of global memory per byte of it
    double port;    // bytes per cycle at most
    double extra;   // share of its bytes that rows cost which do not begin with a sector
    double left = 0;
    double rate = 0;
};

struct FlowEnd {
    Flow flow;
    double at;
};

/// The copies that work share the bandwidth of global memory evenly; what one cannot use for its port, the others have. The
/// L2 cache writes back what is left over, until it is too far behind: then that comes first.
class Flows {
public:
    explicit Flows(Costs const& costs)
        : global_(static_cast<double>(costs.globalBytes)), reads_(static_cast<double>(costs.readBytes)),
          cache_(static_cast<double>(costs.l2Bytes)), most_(static_cast<double>(costs.writeBehind << 20))
    {}

    void Begin(Flow flow)
    {
        flow.left = flow.bytes;
        flows_.push_back(flow);
        stale_ = true;
    }
    /// The cache has so many bytes more to write back.
    void WriteBack(double bytes)
    {
        behind_ += bytes;
        stale_ = stale_ || bytes > 0;
    }
    /// Bytes that it has yet to write back.
    double Behind() const { return behind_; }
    /// When rates change next if no copy begins before. Never, if there are no copies.
    double NextEnd()
    {
        Share();
        double next = std::numeric_limits<double>::infinity();
        for (Flow const& flow : flows_) { next = std::min(next, now_ + flow.left / flow.rate); }
        if (!flows_.empty() && urgent_) { next = std::min(next, now_ + (behind_ - most_ / 2) / back_); }
        return next;
    }
    void MoveTo(double time)
    {
        Share();
        for (Flow& flow : flows_) { flow.left -= flow.rate * (time - now_); }
        behind_ = std::max(0.0, behind_ - back_ * (time - now_));
        if (urgent_ && behind_ <= most_ / 2 + back_ * kInstant) {
            urgent_ = false;
            stale_ = true;
        }
        now_ = std::max(now_, time);
    }
    std::vector<FlowEnd> TakeEnded()
    {
        std::vector<FlowEnd> ended;
        auto const over = [&](Flow const& flow) {
            bool const ends = flow.left <= flow.rate * kInstant;
            if (ends) { ended.push_back({flow, now_}); }
            return ends;
        };
        flows_.erase(std::remove_if(flows_.begin(), flows_.end(), over), flows_.end());
        stale_ = stale_ || !ended.empty();
        return ended;
    }

private:
    static constexpr double kInstant = 1e-6;  // cycles

    /// Gives each flow whose use of `share` is less than an even share what it asks for, as often as that leaves more for
    /// the others; returns the even share of those. By rounding they may become more again: then that is near enough.
    template <class Use> double EvenShare(double all, Use&& use)
    {
        double left = all;
        double share = all;
        size_t sharers = flows_.size();
        for (size_t before = sharers + 1; before > sharers && sharers > 0;) {
            before = sharers;
            share = left / static_cast<double>(sharers);
            left = all;
            sharers = 0;
            for (Flow const& flow : flows_) {
                double const asked = use(flow);
                left -= asked <= share ? asked : 0;
                sharers += asked <= share ? 0 : 1;
            }
        }
        return share;
    }

    void Share()
    {
        if (!stale_) { return; }
        stale_ = false;
        urgent_ = urgent_ || behind_ > most_;
        double const most = urgent_ ? std::min(reads_, global_ / 2) : reads_;
        double const share = EvenShare(most, [](Flow const& flow) { return flow.port * flow.global; });
        for (Flow& flow : flows_) { flow.rate = flow.port * flow.global <= share ? flow.port : share / flow.global; }
        double const each = EvenShare(cache_, [](Flow const& flow) { return flow.rate; });
        double read = 0;
        for (Flow& flow : flows_) {
            flow.rate = std::min(flow.rate, each);
            read += flow.rate * flow.global;
        }
        back_ = global_ - read;
    }

    double global_;  // bytes per cycle
    double reads_;
    double cache_;
    double most_;        // bytes that the cache may be behind
    double behind_ = 0;  // bytes that it is
    double back_ = 0;    // bytes per cycle that it writes back
    bool urgent_ = false;
    double now_ = 0;
    bool stale_ = false;
    std::vector<Flow> flows_;
};

}  // namespace machine
