#include "trace.hpp"

#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "config.hpp"
#include "core.hpp"

namespace machine {

namespace {

struct TraceFile {
    std::FILE* file = nullptr;
    bool first = true;
    uint64_t offset = 0;  // cycles of the launches before
};

TraceFile& TheTrace()
{
    static TraceFile* trace = new TraceFile;  // closed at exit
    return *trace;
}

void Close()
{
    TraceFile& trace = TheTrace();
    std::fputs("\n]}\n", trace.file);
    std::fclose(trace.file);
    trace.file = nullptr;
}

bool Open()
{
    TraceFile& trace = TheTrace();
    if (trace.file == nullptr) {
        trace.file = std::fopen(GetConfig().trace.c_str(), "w");
        if (trace.file == nullptr) {
            std::fprintf(stderr, "cannot write the trace %s\n", GetConfig().trace.c_str());
            return false;
        }
        std::fprintf(
            trace.file,
            "{\"otherData\": {\"source\": \"cost model of %s, not a measurement; 1 us stands for 1 cycle\"},\n"
            "\"traceEvents\": [",
            Arch().name);
        std::atexit(Close);
    }
    return true;
}

void Separate()
{
    TraceFile& trace = TheTrace();
    std::fputs(trace.first ? "\n" : ",\n", trace.file);
    trace.first = false;
}

char const* FileName(char const* path)
{
    char const* const slash = std::strrchr(path, '/');
    return slash == nullptr ? path : slash + 1;
}

/// Where in local memory an instruction writes or, if it writes to global memory, reads: that tells whose it is.
void WriteRange(std::FILE* file, Instruction const& instruction)
{
    if (instruction.writeCount == 0) {
        return;
    }
    Region const& written = instruction.writes[0];
    std::fprintf(
        file, ", \"bytes\": %llu, \"blocks\": %u", static_cast<unsigned long long>(written.Size()), written.blocks);
    for (Region const* region : {&written, instruction.readCount == 0 ? &written : &instruction.reads[0]}) {
        if (LocalMemory const* const memory = CurrentCore()->LocalOf(region->base)) {
            std::fprintf(
                file, ", \"space\": \"%s\", \"offset\": %llu", SpaceName(memory->space),
                static_cast<unsigned long long>(memory->Offset(region->base)));
            return;
        }
    }
}

}  // namespace

bool Tracing()
{
    return !GetConfig().trace.empty();
}

void TraceLaunch(char const* kernel, std::vector<std::string> const& cores)
{
    if (!Open()) {
        return;
    }
    std::FILE* const file = TheTrace().file;
    for (size_t core = 0; core < cores.size(); ++core) {
        Separate();
        std::fprintf(
            file, "{\"ph\": \"M\", \"name\": \"process_name\", \"pid\": %zu, \"args\": {\"name\": \"%s of %s\"}}", core,
            cores[core].c_str(), kernel);
        for (size_t pipe = 0; pipe < kPipes; ++pipe) {
            Separate();
            std::fprintf(
                file,
                "{\"ph\": \"M\", \"name\": \"thread_name\", \"pid\": %zu, \"tid\": %zu, \"args\": {\"name\": \"%s\"}}",
                core, pipe, PipeName(static_cast<Pipe>(pipe)));
        }
    }
}

void TraceSlice(uint32_t core, Instruction const& instruction, uint64_t begin, uint64_t end, uint64_t done)
{
    TraceFile& trace = TheTrace();
    bool const waits = instruction.kind == Kind::WaitFlag;
    if (trace.file == nullptr || (begin == end && !waits)) {
        return;
    }
    Separate();
    std::fprintf(
        trace.file,
        "{\"ph\": \"X\", \"name\": \"%s\", \"cat\": \"%s\", \"pid\": %u, \"tid\": %u, \"ts\": %llu, \"dur\": %llu, "
        "\"args\": {\"site\": \"%s:%u\", \"done\": %llu",
        instruction.name, instruction.kind == Kind::Data ? "work" : "wait", core,
        static_cast<unsigned>(instruction.pipe), static_cast<unsigned long long>(trace.offset + begin),
        static_cast<unsigned long long>(end - begin), FileName(instruction.site.file), instruction.site.line,
        static_cast<unsigned long long>(trace.offset + done));
    if (waits) {
        std::fprintf(
            trace.file, ", \"flag\": \"%s_%s %d\"", PipeName(instruction.other), PipeName(instruction.pipe),
            instruction.flag);
    }
    WriteRange(trace.file, instruction);
    std::fputs("}}", trace.file);
}

void TraceLaunchEnd(uint64_t cycles)
{
    TheTrace().offset += cycles;
}

}  // namespace machine
