#include "host.hpp"

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "config.hpp"
#include "global.hpp"
#include "report.hpp"

namespace machine {

namespace {

/// Of each stream, how many of its tasks are known to be over.
using Progress = std::map<Handle, uint64_t>;

/// What a task touches.
struct Use {
    uint8_t const* begin;
    uint8_t const* end;
    bool written;
    Handle stream;
    uint64_t task;
    Call call;
};

struct Host {
    Progress known;                      // to the host
    std::map<Handle, Progress> streams;  // to what each is given next; of itself: its tasks
    std::map<Handle, Progress> events;
    std::vector<Use> uses;  // those that the host does not know to be over
};

Host& TheHost()
{
    static Host* const host = new Host;  // never destroyed: programs free memory in their own destructors
    return *host;
}

void MergeInto(Progress& into, Progress const& from)
{
    for (auto const& [stream, tasks] : from) { into[stream] = std::max(into[stream], tasks); }
}

bool IsOver(Use const& use, Progress const& known)
{
    auto const found = known.find(use.stream);
    return found != known.end() && found->second >= use.task;
}

void LearnOnHost(Progress const& progress)
{
    Host& host = TheHost();
    MergeInto(host.known, progress);
    auto const over = [&host](Use const& use) { return IsOver(use, host.known); };
    host.uses.erase(std::remove_if(host.uses.begin(), host.uses.end(), over), host.uses.end());
}

Finding ConflictOf(Fault fault, Call const& call, Use const& use, uint8_t const* first, uint8_t const* last)
{
    Finding finding{fault, call, "", use.call, {}};
    if (Allocation const* const allocation = FindAllocation(first)) {
        finding.place =
            Place{Space::GM, allocation->Offset(first), allocation->Offset(first) + static_cast<size_t>(last - first)};
        finding.detail = "bytes " + std::to_string(finding.place->first) + " to " + std::to_string(finding.place->last)
                         + " of allocation " + std::to_string(allocation->number);
    } else {
        finding.detail = std::to_string(last - first + 1) + " bytes of the host's memory";
    }
    return finding;
}

/// Reports each task that is not known to be over and uses the bytes; then it counts as over.
void Check(Fault fault, Progress& known, Call const& call, Touched const& touched)
{
    auto const* const begin = static_cast<uint8_t const*>(touched.begin);
    auto const* const end = begin + touched.bytes;
    for (Use const& use : TheHost().uses) {
        if (use.begin < end && begin < use.end && (use.written || touched.written) && !IsOver(use, known)) {
            Report(ConflictOf(fault, call, use, std::max(begin, use.begin), std::min(end, use.end) - 1));
            MergeInto(known, {{use.stream, use.task}});
        }
    }
}

void Give(Handle stream, Call const& call, std::vector<Touched> const& all)
{
    Progress& progress = TheHost().streams[stream];
    for (Touched const& touched : all) { Check(Fault::StreamsUnordered, progress, call, touched); }
    uint64_t const task = ++progress[stream];
    std::vector<Use>& uses = TheHost().uses;
    for (Touched const& touched : all) {
        auto const* const begin = static_cast<uint8_t const*>(touched.begin);
        Use const next{begin, begin + touched.bytes, touched.written, stream, task, call};
        auto const same = std::find_if(uses.begin(), uses.end(), [&next](Use const& use) {
            return use.stream == next.stream && use.begin == next.begin && use.end == next.end
                   && use.written == next.written;
        });
        if (same == uses.end()) {
            uses.push_back(next);
        } else {
            *same = next;  // over later than the earlier task of its stream
        }
    }
}

Call HostCall(char const* name, Site site) { return {site, name, Pipe::S, -1}; }

}  // namespace

bool AnyTaskIsOpen() { return !TheHost().uses.empty(); }

void ActAtOnce(char const* name, Site site, std::initializer_list<Touched> touched)
{
    if (!AnyTaskIsOpen()) { return; }
    Progress known = TheHost().known;
    for (Touched const& one : touched) { Check(Fault::HostEarly, known, HostCall(name, site), one); }
    LearnOnHost(known);
}

void GiveTask(Handle stream, char const* name, Site site, std::initializer_list<Touched> touched)
{
    if (GetConfig().checks) { Give(stream, HostCall(name, site), touched); }
}

void GiveLaunch(Handle stream, Call const& call)
{
    std::vector<Touched> all;
    ForEachTouchedInGlobal([&all](uint8_t const* begin, size_t bytes, bool written) {
        if (!all.empty() && all.back().written == written
            && static_cast<uint8_t const*>(all.back().begin) + all.back().bytes == begin) {
            all.back().bytes += bytes;
        } else {
            all.push_back({begin, bytes, written});
        }
    });
    Give(stream, call, all);
}

void ForgetUses(void const* memory, size_t bytes)
{
    auto const* const begin = static_cast<uint8_t const*>(memory);
    std::vector<Use>& uses = TheHost().uses;
    auto const inside = [=](Use const& use) { return use.begin < begin + bytes && begin < use.end; };
    uses.erase(std::remove_if(uses.begin(), uses.end(), inside), uses.end());
}

void SynchronizeStream(Handle stream) { LearnOnHost(TheHost().streams[stream]); }

void SynchronizeDevice()
{
    for (auto const& [stream, progress] : TheHost().streams) { LearnOnHost(progress); }
}

void RecordEvent(Handle event, Handle stream) { TheHost().events[event] = TheHost().streams[stream]; }
void StreamWaitEvent(Handle stream, Handle event) { MergeInto(TheHost().streams[stream], TheHost().events[event]); }
void SynchronizeEvent(Handle event) { LearnOnHost(TheHost().events[event]); }

}  // namespace machine
