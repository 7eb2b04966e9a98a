#include "timeline.hpp"

#include <algorithm>
#include <functional>
#include <unordered_map>

#include "config.hpp"
#include "core.hpp"
#include "cost.hpp"
#include "global.hpp"
#include "trace.hpp"

namespace machine {

namespace {

struct Labels {
    struct Hash {
        size_t operator()(CallLabel const& label) const
        {
            size_t hash = std::hash<void const*>()(label.name);
            hash = hash * 31 + std::hash<void const*>()(label.site.file);
            return (hash * 31 + label.site.line) * 31 + std::hash<void const*>()(label.node);
        }
    };
    struct Same {
        bool operator()(CallLabel const& a, CallLabel const& b) const
        {
            return a.name == b.name && a.site.file == b.site.file && a.site.line == b.site.line && a.node == b.node;
        }
    };
    std::unordered_map<CallLabel, uint32_t, Hash, Same> numbers;
    std::vector<CallLabel> all;
};

Labels& TheLabels()
{
    static Labels* labels = new Labels;  // never destroyed: the trace is written at exit
    return *labels;
}

uint32_t NumberOf(CallLabel const& label)
{
    Labels& labels = TheLabels();
    auto const [found, fresh] = labels.numbers.emplace(label, static_cast<uint32_t>(labels.all.size()));
    if (fresh) { labels.all.push_back(label); }
    return found->second;
}

/// Where in local memory an instruction writes or, if it writes to global memory, reads: that tells whose it is.
Extent ExtentOf(Core& core, Instruction const& instruction)
{
    Extent extent{0, 0, Space::GM, 0};
    if (instruction.writeCount == 0) { return extent; }
    Region const& written = instruction.writes[0];
    extent.bytes = written.Size();
    extent.blocks = written.blocks;
    for (Region const* region : {&written, instruction.readCount == 0 ? &written : &instruction.reads[0]}) {
        if (region->space == Space::GM) { continue; }
        if (LocalMemory const* const memory = core.LocalOf(region->base)) {
            extent.space = memory->space;
            extent.offset = memory->Offset(region->base);
            break;
        }
    }
    return extent;
}

StepKind KindOf(Instruction const& instruction)
{
    switch (instruction.kind) {
        case Kind::SetFlag: return StepKind::SetFlag;
        case Kind::WaitFlag: return StepKind::WaitFlag;
        case Kind::Barrier: return StepKind::Barrier;
        case Kind::CrossSet: return StepKind::CrossSet;
        case Kind::CrossWait: return StepKind::CrossWait;
        default: return StepKind::Work;
    }
}

}  // namespace

bool Timing() { return GetConfig().clock; }

CallLabel const& LabelOf(uint32_t label) { return TheLabels().all[label]; }

void Timeline::Add(Core& core, Instruction const& instruction)
{
    Step step{};
    step.kind = KindOf(instruction);
    step.pipe = instruction.pipe;
    step.other = instruction.other;
    step.mode = instruction.mode;
    step.flag = static_cast<uint16_t>(instruction.flag);
    step.tile = instruction.tile;
    Extent const extent = ExtentOf(core, instruction);
    step.label = NumberOf({instruction.name, instruction.site, instruction.node});
    if (instruction.kind == Kind::Data) {
        Transfer transfer{};
        PriceStep(core, *this, instruction, step, transfer);
        if (step.kind == StepKind::Copy) {
            step.transfer = static_cast<uint32_t>(transfers.size());
            transfers.push_back(transfer);
        }
    }
    steps.push_back(step);
    if (Tracing()) { extents.push_back(extent); }
}

void Timeline::AddBarrierAll()
{
    Step step{};
    step.kind = StepKind::BarrierAll;
    step.label = NumberOf({"PipeBarrier", {"", 0}, nullptr});
    steps.push_back(step);
    if (Tracing()) { extents.push_back({}); }
}

void Timeline::AddCrossWait(uint16_t number, Site site)
{
    Step step{};
    step.kind = StepKind::CrossWait;
    step.flag = number;
    step.label = NumberOf({"CrossCoreWaitFlag", site, nullptr});
    steps.push_back(step);
    if (Tracing()) { extents.push_back({}); }
}

void Timeline::SetCached(uint8_t const* base, uint64_t bytes, bool cached)
{
    auto const same = [base](Uncached const& range) { return range.base == base; };
    uncached_.erase(std::remove_if(uncached_.begin(), uncached_.end(), same), uncached_.end());
    if (!cached) { uncached_.push_back({base, bytes}); }
}

bool Timeline::IsCached(uint8_t const* address) const
{
    return std::none_of(uncached_.begin(), uncached_.end(), [address](Uncached const& range) {
        return address >= range.base && address < range.base + range.bytes;
    });
}

void SetCached(void const* base, uint64_t bytes, bool cached)
{
    Core* const core = CurrentCore();
    Allocation const* const allocation =
        core == nullptr || !Timing() ? nullptr : FindAllocation(const_cast<void*>(base));
    if (allocation != nullptr) {
        auto const* const first = static_cast<uint8_t const*>(base);
        auto const rest = static_cast<uint64_t>(allocation->base + allocation->bytes - first);
        core->GetTimeline().SetCached(first, bytes == 0 ? rest : std::min(bytes, rest), cached);
    }
}

}  // namespace machine
