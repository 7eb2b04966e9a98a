#include "report.hpp"

#include <cstdio>
#include <cstring>
#include <map>
#include <tuple>

#include "config.hpp"

namespace machine {

namespace {

struct FaultInfo {
    char const* code;
    char const* name;
    char const* severity;
    char const* title;
    char const* advice;
};

FaultInfo const kFaults[] = {
#define EVT_FAULT(code, name, severity, title, advice) {#code, #name, #severity, title, advice},
#include "faults.def"
#undef EVT_FAULT
};

struct Entry {
    Finding finding;
    uint64_t count = 0;
    std::string core;
    std::string otherCore;
};

using Key = std::tuple<Fault, std::string, uint32_t, std::string, uint32_t, std::string>;

struct State {
    std::vector<Entry> entries;
    std::map<Key, size_t> index;
    std::vector<LaunchStats> launches;
    std::vector<std::string> coreNames;
    uint64_t errors = 0;
    bool registered = false;
};

State& TheState()
{
    static State* state = new State;  // never destroyed: the report is written at exit
    return *state;
}

std::string CoreName(int32_t core)
{
    auto const& names = TheState().coreNames;
    return core < 0 || static_cast<size_t>(core) >= names.size() ? "host" : names[static_cast<size_t>(core)];
}

std::string Quote(std::string const& text)
{
    std::string out = "\"";
    for (char c : text) {
        if (c == '"' || c == '\\') {
            out += '\\';
            out += c;
        } else if (static_cast<unsigned char>(c) < 0x20) {
            char buffer[8];
            std::snprintf(buffer, sizeof(buffer), "\\u%04x", static_cast<unsigned>(c));
            out += buffer;
        } else {
            out += c;
        }
    }
    return out + "\"";
}

std::string SiteText(Call const& call)
{
    return std::string(call.site.file) + ":" + std::to_string(call.site.line);
}

char const* SeverityOf(Fault fault)
{
    return GetConfig().strict ? "error" : kFaults[static_cast<size_t>(fault)].severity;
}

std::string Message(Entry const& entry)
{
    Finding const& finding = entry.finding;
    FaultInfo const& info = kFaults[static_cast<size_t>(finding.fault)];
    std::string text = std::string(finding.call.name) + ": " + info.title;
    if (!finding.detail.empty()) {
        text += " (" + finding.detail + ")";
    }
    if (finding.other.name[0] != '\0') {
        text += "; the other call is " + std::string(finding.other.name) + " on " + PipeName(finding.other.pipe)
                + " of " + entry.otherCore + " at " + SiteText(finding.other);
    }
    return text;
}

void PrintEntry(Entry const& entry)
{
    Finding const& finding = entry.finding;
    FaultInfo const& info = kFaults[static_cast<size_t>(finding.fault)];
    std::fprintf(
        stderr, "%s[%s]: %s\n  --> %s    %s on %s of %s, %llu times\n  help: %s\n", SeverityOf(finding.fault),
        info.code, Message(entry).c_str(), SiteText(finding.call).c_str(), finding.call.name,
        PipeName(finding.call.pipe), entry.core.c_str(), static_cast<unsigned long long>(entry.count), info.advice);
}

void WriteSite(std::FILE* file, Call const& call)
{
    std::fprintf(
        file, "{\"file\": %s, \"line\": %u, \"call\": %s, \"pipe\": \"%s\"}", Quote(call.site.file).c_str(),
        call.site.line, Quote(call.name).c_str(), PipeName(call.pipe));
}

void WriteEntry(std::FILE* file, Entry const& entry)
{
    Finding const& finding = entry.finding;
    FaultInfo const& info = kFaults[static_cast<size_t>(finding.fault)];
    std::fprintf(
        file,
        "{\"code\": \"%s\", \"name\": \"%s\", \"severity\": \"%s\", \"message\": %s, \"advice\": %s, \"pipe\": \"%s\", "
        "\"core\": %s, \"count\": %llu, \"sites\": [",
        info.code, info.name, SeverityOf(finding.fault), Quote(Message(entry)).c_str(), Quote(info.advice).c_str(),
        PipeName(finding.call.pipe), Quote(entry.core).c_str(), static_cast<unsigned long long>(entry.count));
    WriteSite(file, finding.call);
    if (finding.other.name[0] != '\0') {
        std::fprintf(file, ", ");
        WriteSite(file, finding.other);
    }
    std::fprintf(file, "]");
    if (finding.memory) {
        std::fprintf(
            file, ", \"space\": \"%s\", \"first_byte\": %llu, \"last_byte\": %llu", SpaceName(finding.space),
            static_cast<unsigned long long>(finding.first), static_cast<unsigned long long>(finding.last));
    }
    std::fprintf(file, "}");
}

void WriteLaunch(std::FILE* file, LaunchStats const& launch)
{
    std::fprintf(
        file,
        "{\"kernel\": %s, \"block_dim\": %u, \"cores\": %u, \"instructions\": %llu, \"makespan\": %llu, "
        "\"global_bytes\": %llu, \"bandwidth_bound\": %llu",
        Quote(launch.kernel).c_str(), launch.blockDim, launch.cores,
        static_cast<unsigned long long>(launch.instructions), static_cast<unsigned long long>(launch.makespan),
        static_cast<unsigned long long>(launch.globalBytes), static_cast<unsigned long long>(launch.bandwidthBound));
    for (char const* what : {"busy", "count"}) {
        uint64_t const* values = what[0] == 'b' ? launch.busy : launch.count;
        std::fprintf(file, ", \"%s\": {", what);
        for (size_t p = 0; p < kPipes; ++p) {
            std::fprintf(
                file, "%s\"%s\": %llu", p == 0 ? "" : ", ", PipeName(static_cast<Pipe>(p)),
                static_cast<unsigned long long>(values[p]));
        }
        std::fprintf(file, "}");
    }
    std::fprintf(file, "}");
}

void AtExit()
{
    WriteReport();
    if (GetConfig().report.empty()) {
        for (Entry const& entry : TheState().entries) {
            PrintEntry(entry);
        }
    }
}

void RegisterExit()
{
    State& state = TheState();
    if (!state.registered) {
        state.registered = true;
        std::atexit(AtExit);
    }
}

}  // namespace

void Report(Finding const& finding)
{
    RegisterExit();
    State& state = TheState();
    std::string const detailKey = finding.other.name[0] == '\0' ? "" : finding.other.name;
    Key const key{finding.fault,           finding.call.site.file,  finding.call.site.line,
                  finding.other.site.file, finding.other.site.line, detailKey};
    auto const [found, fresh] = state.index.emplace(key, state.entries.size());
    if (fresh) {
        state.entries.push_back({finding, 0, CoreName(finding.call.core), CoreName(finding.other.core)});
        state.errors += std::strcmp(SeverityOf(finding.fault), "error") == 0 ? 1 : 0;
    }
    ++state.entries[found->second].count;
}

uint64_t ErrorCount()
{
    return TheState().errors;
}

void AddLaunch(LaunchStats const& stats)
{
    RegisterExit();
    TheState().launches.push_back(stats);
}

void NameCores(std::vector<std::string> names)
{
    TheState().coreNames = std::move(names);
}

void WriteReport()
{
    std::string const& path = GetConfig().report;
    if (path.empty()) {
        return;
    }
    std::string const partial = path + ".partial";
    std::FILE* file = std::fopen(partial.c_str(), "w");
    if (file == nullptr) {
        std::fprintf(stderr, "cannot write the report %s\n", path.c_str());
        return;
    }
    State const& state = TheState();
    std::fprintf(file, "{\"arch\": \"%s\",\n \"hazards\": [", Arch().name);
    for (size_t i = 0; i < state.entries.size(); ++i) {
        std::fprintf(file, "%s\n  ", i == 0 ? "" : ",");
        WriteEntry(file, state.entries[i]);
    }
    LaunchStats total;
    for (LaunchStats const& launch : state.launches) {
        total.instructions += launch.instructions;
        total.makespan += launch.makespan;
        for (size_t p = 0; p < kPipes; ++p) {
            total.busy[p] += launch.busy[p];
            total.count[p] += launch.count[p];
        }
    }
    std::fprintf(
        file,
        "],\n \"stats\": {\"instructions\": %llu, \"makespan\": %llu, \"model\": \"cost model, not a measurement\", "
        "\"busy\": {",
        static_cast<unsigned long long>(total.instructions), static_cast<unsigned long long>(total.makespan));
    for (size_t p = 0; p < kPipes; ++p) {
        std::fprintf(
            file, "%s\"%s\": %llu", p == 0 ? "" : ", ", PipeName(static_cast<Pipe>(p)),
            static_cast<unsigned long long>(total.busy[p]));
    }
    std::fprintf(file, "},\n  \"launches\": [");
    for (size_t i = 0; i < state.launches.size(); ++i) {
        std::fprintf(file, "%s\n   ", i == 0 ? "" : ",");
        WriteLaunch(file, state.launches[i]);
    }
    std::fprintf(file, "]}}\n");
    std::fclose(file);
    std::rename(partial.c_str(), path.c_str());
}

}  // namespace machine
