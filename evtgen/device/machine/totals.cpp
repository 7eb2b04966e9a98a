// What a launch comes to: bandwidth that its writes take, the bound that bandwidth sets, and its times by cause and call.
#include <cmath>
#include <numeric>
#include <string>

#include "global.hpp"
#include "player.hpp"

namespace machine::replay {

namespace {

#define EVT_CAUSE(name, text) text,
constexpr char const* kCauseNames[] = {EVT_CAUSES(EVT_CAUSE)};
#undef EVT_CAUSE

std::string CauseName(uint32_t cause)
{
    if (cause < kFirstWait) { return kCauseNames[cause]; }
    uint32_t const pipes = cause - kFirstWait;
    return "wait " + EventName(static_cast<Pipe>(pipes / kPipes), static_cast<Pipe>(pipes % kPipes));
}

}  // namespace

/// Whether the launch moves more through the L2 cache than that holds. Then it is full of what has been written, and each
/// write costs bandwidth of global memory; otherwise writes stay in it.
void Player::CountWrites()
{
    struct Span {
        uint8_t const* first;
        uint8_t const* end;
    };
    std::map<uint8_t const*, Span> touched;  // by allocation
    for (CoreState const& core : cores_) {
        for (Transfer const& transfer : core.timeline->transfers) {
            for (uint8_t i = 0; i < transfer.count; ++i) {
                Rectangle const& one = transfer.rectangles[i];
                if (!one.cached || one.rows == 0) { continue; }
                Allocation const* const allocation = FindAllocation(const_cast<uint8_t*>(one.base));
                uint8_t const* const end = one.base + (one.rows - 1) * one.stride + one.length;
                if (allocation != nullptr) {
                    auto const [entry, fresh] = touched.try_emplace(allocation->base, Span{one.base, end});
                    entry->second.first = std::min(entry->second.first, one.base);
                    entry->second.end = std::max(entry->second.end, end);
                }
            }
        }
    }
    uint64_t bytes = 0;
    for (auto const& [base, extent] : touched) { bytes += static_cast<uint64_t>(extent.end - extent.first); }
    writesPass_ = bytes > costs_.l2Size << 20;
}

/// How many blocks run at once: as many as there are cores, or all where they wait for each other.
uint32_t Player::Slots() const
{
    for (CoreState const& core : cores_) {
        for (Step const& step : core.timeline->steps) {
            if (step.kind == StepKind::CrossSet && step.mode == 0) { return UINT32_MAX; }
        }
    }
    return BlocksAtOnce();
}

/// Cycles that the launch's loads take if all cores begin at once and share the bandwidth evenly until each has read its
/// own bytes, and none is faster than its ports; so a last wave of blocks that leaves cores idle counts. Or those that
/// its loads and what the L2 cache has written back take together, or all its copies through the L2 cache, if that is longer.
void Player::Bound()
{
    struct Place {
        double read = 0;
        std::array<double, kPipes> port{};
    };
    std::map<uint32_t, Place> places;  // the cores of the device
    for (CoreState const& core : cores_) {
        Place& place = places[core.slot * running->groupSize + core.id.index % running->groupSize];
        place.read += core.read;
        for (size_t pipe = 0; pipe < kPipes; ++pipe) { place.port[pipe] += core.port[pipe]; }
    }
    std::vector<double> shares;
    double port = 0;
    double fastest = 0;  // bytes per cycle that a core reads at most
    for (auto const& [number, place] : places) {
        double const longest = *std::max_element(place.port.begin(), place.port.end());
        port = std::max(port, longest);
        if (place.read > 0) {
            fastest = std::max(fastest, place.read / longest);
            shares.push_back(place.read);
        }
    }
    std::sort(shares.begin(), shares.end());
    double const total = static_cast<double>(costs_.readBytes);
    double time = 0;
    double before = 0;
    for (size_t i = 0; i < shares.size(); ++i) {
        time += (shares[i] - before) / std::min(fastest, total / static_cast<double>(shares.size() - i));
        before = shares[i];
    }
    double const read = std::accumulate(shares.begin(), shares.end(), 0.0);
    double const both = (read + stored_ - flows_.Behind()) / static_cast<double>(costs_.globalBytes);
    double const cache = copied_ / static_cast<double>(costs_.l2Bytes);
    stats_.bandwidthBound = static_cast<uint64_t>(std::floor(std::max({time, port, both, cache})));
}

/// Puts what has been counted into the launch's numbers.
void Player::Collect(double last)
{
    stats_.makespan = static_cast<uint64_t>(std::llround(last));
    stats_.launch = costs_.launch;
    for (CoreState const& core : cores_) {
        double end = 0;
        for (PipeState const& pipe : core.pipes) { end = std::max(end, pipe.Finished()); }
        for (size_t p = 0; p < kPipes; ++p) {
            if (core.pipes[p].count != 0) {
                Count(core, static_cast<Pipe>(p), kOver, end - core.pipes[p].freeAt);
                Count(core, static_cast<Pipe>(p), kTail, last - end);
            }
        }
    }
    for (Role const role : {Role::AIC, Role::AIV}) {
        auto const of = static_cast<size_t>(role);
        for (size_t p = 0; p < kPipes; ++p) {
            for (uint32_t cause = 0; cause < kCauses; ++cause) {
                auto const cycles = static_cast<uint64_t>(std::llround(causes_[of][p][cause]));
                if (cycles != 0) { stats_.pipes.push_back({role, static_cast<Pipe>(p), CauseName(cause), cycles}); }
            }
        }
        for (uint32_t label = 0; label < calls_[of].size(); ++label) {
            CallTime time = calls_[of][label];
            if (time.count != 0 || time.waits != 0) {
                CallLabel const& call = LabelOf(label);
                time.role = role;
                time.name = call.name;
                time.site = call.site;
                time.node = call.node == nullptr ? "" : call.node->node;
                stats_.calls.push_back(time);
            }
        }
    }
}

}  // namespace machine::replay
