#include "report.hpp"

#include <sys/stat.h>

#include <cerrno>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <map>
#include <tuple>

#include "config.hpp"
#include "ending.hpp"
#include "json.hpp"
#include "running.hpp"
#include "timeline.hpp"

namespace machine {

namespace {

enum class Severity : uint8_t { error, warning };

char const* SeverityName(Severity severity) { return severity == Severity::error ? "error" : "warning"; }

struct FaultInfo {
    char const* code;
    char const* name;
    Severity severity;
    char const* title;
    char const* advice;
};

FaultInfo const kFaults[] = {
#define EVT_FAULT(code, name, severity, title, advice) {#code, #name, Severity::severity, title, advice},
#include "faults.def"
#undef EVT_FAULT
};

struct Entry {
    Finding finding;
    uint64_t count = 0;
    std::string core;
    std::string otherCore;
};

/// The fault, the sites, the name of the other call, and the nodes that made the two.
using Key = std::tuple<Fault, std::string, uint32_t, std::string, uint32_t, std::string, char const*, char const*>;

struct Findings {
    std::vector<Entry> entries;
    std::map<Key, size_t> index;
    std::vector<LaunchStats> launches;
    std::vector<std::string> coreNames;
};

Findings& TheFindings()
{
    static Findings* all = new Findings;  // never destroyed: the report is written at exit
    return *all;
}

std::string SiteText(Call const& call) { return std::string(call.site.file) + ":" + std::to_string(call.site.line); }

FaultInfo const& InfoOf(Fault fault) { return kFaults[static_cast<size_t>(fault)]; }

/// A warning because the compiler may insert what is missing.
bool IsInserted(Fault fault)
{
    return fault == Fault::BarrierRaw || fault == Fault::BarrierWar || fault == Fault::BarrierWaw
           || fault == Fault::ScalarOrder;
}

Severity SeverityOf(Fault fault)
{
    bool const missing = !GetConfig().autoSync && IsInserted(fault);
    return GetConfig().strict || missing ? Severity::error : InfoOf(fault).severity;
}

std::string Message(Entry const& entry)
{
    Finding const& finding = entry.finding;
    FaultInfo const& info = InfoOf(finding.fault);
    std::string text = std::string(finding.call.name) + ": " + info.title;
    if (!finding.detail.empty()) { text += " (" + finding.detail + ")"; }
    if (finding.other) {
        text += finding.fault == Fault::EndsInKernel ? "; the last call before is " : "; the other call is ";
        text += std::string(finding.other->name) + " on " + PipeName(finding.other->pipe) + " of " + entry.otherCore
                + " at " + SiteText(*finding.other);
    }
    return text;
}

void PrintEntry(Entry const& entry)
{
    Finding const& finding = entry.finding;
    FaultInfo const& info = InfoOf(finding.fault);
    std::fprintf(
        stderr, "%s[%s]: %s\n  --> %s    %s on %s of %s, %llu times\n  help: %s\n",
        SeverityName(SeverityOf(finding.fault)), info.code, Message(entry).c_str(), SiteText(finding.call).c_str(),
        finding.call.name, PipeName(finding.call.pipe), entry.core.c_str(),
        static_cast<unsigned long long>(entry.count), info.advice);
}

void WriteSite(JsonWriter& json, Call const& call)
{
    json.BeginObject();
    json.Member("file", call.site.file).Member("line", call.site.line);
    json.Member("call", call.name).Member("pipe", PipeName(call.pipe));
    if (call.node != nullptr) { json.Member("node", call.node->node).Member("buffer", call.node->buffer); }
    json.EndObject();
}

void WriteEntry(JsonWriter& json, Entry const& entry)
{
    Finding const& finding = entry.finding;
    FaultInfo const& info = InfoOf(finding.fault);
    json.BeginObject();
    json.Member("code", info.code)
        .Member("name", info.name)
        .Member("severity", SeverityName(SeverityOf(finding.fault)));
    json.Member("message", Message(entry)).Member("advice", info.advice);
    json.Member("pipe", PipeName(finding.call.pipe)).Member("core", entry.core).Member("count", entry.count);
    json.Key("sites").BeginArray();
    WriteSite(json, finding.call);
    if (finding.other) { WriteSite(json, *finding.other); }
    json.EndArray();
    if (finding.place) {
        json.Member("space", SpaceName(finding.place->space));
        json.Member("first_byte", finding.place->first).Member("last_byte", finding.place->last);
    }
    json.EndObject();
}

uint64_t Whole(double cycles) { return static_cast<uint64_t>(std::llround(cycles)); }
uint64_t Whole(uint64_t count) { return count; }

template <class Number> void WritePerPipe(JsonWriter& json, char const* key, Number const (&values)[kPipes])
{
    json.Key(key).BeginObject();
    for (size_t p = 0; p < kPipes; ++p) { json.Member(PipeName(static_cast<Pipe>(p)), Whole(values[p])); }
    json.EndObject();
}

char const* RoleName(Role role) { return role == Role::AIC ? "AIC" : "AIV"; }

void WriteTimes(JsonWriter& json, LaunchStats const& launch)
{
    json.Member("makespan", launch.makespan).Member("launch", launch.launch);
    json.Member("bandwidth_bound", launch.bandwidthBound).Member("mhz", Arch().costs.mhz);
    WritePerPipe(json, "busy", launch.busy);
    json.Key("causes").BeginArray(JsonWriter::Layout::Lines);
    for (PipeTime const& time : launch.pipes) {
        json.BeginObject();
        json.Member("core", RoleName(time.role)).Member("pipe", PipeName(time.pipe)).Member("cause", time.cause);
        json.Member("cycles", time.cycles).EndObject();
    }
    json.EndArray();
    json.Key("calls").BeginArray(JsonWriter::Layout::Lines);
    for (CallTime const& call : launch.calls) {
        json.BeginObject();
        json.Member("core", RoleName(call.role)).Member("pipe", PipeName(call.pipe)).Member("call", call.name);
        json.Member("file", call.site.file).Member("line", call.site.line).Member("node", call.node);
        json.Member("count", call.count).Member("busy", Whole(call.busy)).Member("start", Whole(call.start));
        json.Member("bank_conflicts", Whole(call.conflicts)).Member("rows", Whole(call.rows));
        json.Member("shared_bandwidth", Whole(call.shared)).Member("waits", Whole(call.waits));
        json.EndObject();
    }
    json.EndArray();
}

void WriteLaunch(JsonWriter& json, LaunchStats const& launch)
{
    json.BeginObject();
    json.Member("kernel", launch.kernel);
    json.Key("site").BeginObject().Member("file", launch.site.file).Member("line", launch.site.line).EndObject();
    json.Member("block_dim", launch.blockDim).Member("cores", launch.cores);
    json.Member("instructions", launch.instructions);
    WritePerPipe(json, "count", launch.count);
    if (Timing()) { WriteTimes(json, launch); }
    json.EndObject();
}

/// What the cores have used, each once for all launches of a kernel.
void WriteUses(JsonWriter& json, std::vector<LaunchStats> const& launches)
{
    std::map<std::string, CoreUses> kernels;
    for (LaunchStats const& launch : launches) {
        for (auto const& [name, use] : launch.uses) {
            kernels[launch.kernel].emplace(name, use).first->second.again |= use.again;
        }
    }
    json.Key("uses").BeginArray(JsonWriter::Layout::Lines);
    for (auto const& [kernel, uses] : kernels) {
        for (auto const& [name, use] : uses) {
            json.BeginObject().Member("kernel", kernel).Member("name", name).Member("again", use.again);
            json.Key("first");
            WriteSite(json, use.first);
            json.EndObject();
        }
    }
    json.EndArray();
}

void WriteStats(JsonWriter& json, std::vector<LaunchStats> const& launches)
{
    LaunchStats total;
    for (LaunchStats const& launch : launches) {
        total.instructions += launch.instructions;
        total.makespan += launch.makespan;
        for (size_t p = 0; p < kPipes; ++p) { total.busy[p] += launch.busy[p]; }
    }
    json.BeginObject(JsonWriter::Layout::Lines);
    json.Member("instructions", total.instructions);
    if (Timing()) {
        json.Member("makespan", total.makespan).Member("model", "cost model, not a measurement");
        WritePerPipe(json, "busy", total.busy);
    }
    json.Key("launches").BeginArray(JsonWriter::Layout::Lines);
    for (LaunchStats const& launch : launches) { WriteLaunch(json, launch); }
    json.EndArray();
    WriteUses(json, launches);
    json.EndObject();
}

Entry EntryOf(Finding const& finding)
{
    int32_t const other = finding.other ? finding.other->core : -1;
    return {finding, 1, CoreName(finding.call.core), CoreName(other)};
}

}  // namespace

std::string EventName(Pipe from, Pipe to) { return std::string(PipeName(from)) + "_" + PipeName(to); }
std::string FlagName(Pipe from, Pipe to, int32_t id) { return EventName(from, to) + ", id " + std::to_string(id); }

void Report(Finding const& finding)
{
    WatchEnding();
    Findings& all = TheFindings();
    Call const other = finding.other.value_or(Call{});
    auto const nodeOf = [](Call const& call) { return call.node == nullptr ? nullptr : call.node->node; };
    Key const key{finding.fault, finding.call.site.file, finding.call.site.line, other.site.file, other.site.line,
                  other.name,    nodeOf(finding.call),   nodeOf(other)};
    auto const [found, fresh] = all.index.emplace(key, all.entries.size());
    if (fresh) {
        all.entries.push_back(EntryOf(finding));
        if (running == nullptr) {  // no launch follows that writes it: the program may leave by _exit
            WriteReport();
        }
        return;
    }
    ++all.entries[found->second].count;
}

void AddLaunch(LaunchStats const& stats) { TheFindings().launches.push_back(stats); }

void NameCores(std::vector<std::string> names) { TheFindings().coreNames = std::move(names); }

std::string CoreName(int32_t core)
{
    auto const& names = TheFindings().coreNames;
    return core < 0 || static_cast<size_t>(core) >= names.size() ? "host" : names[static_cast<size_t>(core)];
}

void WriteReport(Finding const* last)
{
    std::string const& path = GetConfig().report;
    if (path.empty()) { return; }
    // Renamed when it is whole, unless that would put a file in the place of a device or a pipe.
    struct stat found = {};
    bool const direct = stat(path.c_str(), &found) == 0 && !S_ISREG(found.st_mode);
    std::string const partial = direct ? path : path + ".partial";
    std::FILE* file = std::fopen(partial.c_str(), "w");
    if (file == nullptr) {
        std::fprintf(stderr, "cannot write the report %s\n", path.c_str());
        return;
    }
    Findings const& all = TheFindings();
    JsonWriter json(file);
    json.BeginObject(JsonWriter::Layout::Lines);
    json.Member("arch", Arch().name);
    json.Key("hazards").BeginArray(JsonWriter::Layout::Lines);
    for (Entry const& entry : all.entries) { WriteEntry(json, entry); }
    if (last != nullptr) { WriteEntry(json, EntryOf(*last)); }
    json.EndArray();
    json.Key("stats");
    WriteStats(json, all.launches);
    json.EndObject();
    json.End();
    bool const failed = std::ferror(file) != 0;
    if (std::fclose(file) != 0 || failed || (!direct && std::rename(partial.c_str(), path.c_str()) != 0)) {
        std::fprintf(stderr, "cannot write the report %s: %s\n", path.c_str(), std::strerror(errno));
    }
}

void PrintReport()
{
    if (GetConfig().report.empty()) {
        for (Entry const& entry : TheFindings().entries) { PrintEntry(entry); }
    }
}

std::string TakeErrors()
{
    Findings& all = TheFindings();
    std::string errors;
    for (Entry const& entry : all.entries) {
        if (SeverityOf(entry.finding.fault) == Severity::error) {
            errors += std::string(InfoOf(entry.finding.fault).code) + ": " + Message(entry) + " at "
                      + SiteText(entry.finding.call) + "\n";
        }
    }
    all.entries.clear();
    all.index.clear();
    all.launches.clear();
    return errors;
}

}  // namespace machine
