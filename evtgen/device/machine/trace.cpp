#include "trace.hpp"

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <string>

#include "config.hpp"
#include "json.hpp"
#include "report.hpp"

namespace machine {

namespace {

struct Trace {
    explicit Trace(std::FILE* file) : file(file), json(file) {}

    std::FILE* file;
    JsonWriter json;
    uint64_t offset = 0;  // cycles of the launches before
};

Trace* trace = nullptr;  // open from the first launch until the program ends

void Close()
{
    trace->json.EndArray().EndObject().End();
    bool const failed = std::ferror(trace->file) != 0;
    if (std::fclose(trace->file) != 0 || failed) {
        std::fprintf(stderr, "cannot write the trace %s: %s\n", GetConfig().trace.c_str(), std::strerror(errno));
    }
    trace = nullptr;
}

bool Open()
{
    if (trace == nullptr) {
        std::FILE* const file = std::fopen(GetConfig().trace.c_str(), "w");
        if (file == nullptr) {
            std::fprintf(stderr, "cannot write the trace %s\n", GetConfig().trace.c_str());
            return false;
        }
        trace = new Trace(file);
        trace->json.BeginObject(JsonWriter::Layout::Lines);
        trace->json.Key("otherData").BeginObject();
        trace->json.Member(
            "source", std::string("cost model of ") + Arch().name + ", not a measurement; 1 us stands for 1 cycle");
        trace->json.EndObject();
        trace->json.Key("traceEvents").BeginArray(JsonWriter::Layout::Lines);
        std::atexit(Close);
    }
    return true;
}

/// Names a process, or with `thread` one of its tracks.
void WriteName(size_t process, std::optional<size_t> thread, std::string const& name)
{
    JsonWriter& json = trace->json;
    json.BeginObject();
    json.Member("ph", "M").Member("name", thread ? "thread_name" : "process_name").Member("pid", process);
    if (thread) { json.Member("tid", *thread); }
    json.Key("args").BeginObject().Member("name", name).EndObject();
    json.EndObject();
}

char const* FileName(char const* path)
{
    char const* const slash = std::strrchr(path, '/');
    return slash == nullptr ? path : slash + 1;
}

}  // namespace

bool Tracing() { return !GetConfig().trace.empty(); }

void TraceLaunch(char const* kernel, std::vector<std::string> const& cores)
{
    if (!Open()) { return; }
    for (size_t core = 0; core < cores.size(); ++core) {
        WriteName(core, {}, cores[core] + " of " + kernel);
        for (size_t pipe = 0; pipe < kPipes; ++pipe) { WriteName(core, pipe, PipeName(static_cast<Pipe>(pipe))); }
    }
}

void TraceSlice(uint32_t core, Step const& step, Extent const& extent, uint64_t begin, uint64_t end, uint64_t done)
{
    bool const works = step.kind == StepKind::Work || step.kind == StepKind::Copy;
    bool const waits = step.kind == StepKind::WaitFlag;
    if (trace == nullptr || (begin == end && !waits)) { return; }
    CallLabel const& label = LabelOf(step.label);
    JsonWriter& json = trace->json;
    json.BeginObject();
    json.Member("ph", "X").Member("name", label.name).Member("cat", works ? "work" : "wait");
    json.Member("pid", core).Member("tid", static_cast<uint64_t>(step.pipe));
    json.Member("ts", trace->offset + begin).Member("dur", end - begin);
    json.Key("args").BeginObject();
    json.Member("site", std::string(FileName(label.site.file)) + ":" + std::to_string(label.site.line));
    json.Member("done", trace->offset + done);
    if (waits) { json.Member("flag", EventName(step.other, step.pipe) + " " + std::to_string(step.flag)); }
    if (step.tile >= 0) { json.Member("tile", static_cast<uint64_t>(step.tile)); }
    if (extent.bytes != 0) { json.Member("bytes", extent.bytes).Member("blocks", extent.blocks); }
    if (extent.space != Space::GM) { json.Member("space", SpaceName(extent.space)).Member("offset", extent.offset); }
    if (label.node != nullptr) { json.Member("node", label.node->node).Member("buffer", label.node->buffer); }
    json.EndObject();
    json.EndObject();
}

void TraceLaunchEnd(uint64_t cycles)
{
    if (trace != nullptr) { trace->offset += cycles; }
}

}  // namespace machine
