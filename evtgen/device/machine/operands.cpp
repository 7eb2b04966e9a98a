// Checks of single instructions: bounds, alignment, overlap, memory never written; and the default shadow.
#include <algorithm>
#include <cstring>
#include <string>

#include "config.hpp"
#include "core.hpp"
#include "global.hpp"
#include "memory.hpp"

namespace machine {

namespace {

constexpr uint64_t kBlock = 32;

void ReportMemory(
    Core& core, Instruction const& instruction, Fault fault, Space space, uint64_t first, uint64_t last,
    std::string detail)
{
    Report({fault, core.MakeCall(instruction), std::move(detail), {}, Place{space, first, last}});
}

void CheckGlobal(Core& core, Instruction& instruction, Region const& region)
{
    Allocation const* const allocation = FindAllocationNear(region.base);
    if (allocation == nullptr) {
        ReportMemory(
            core, instruction, Fault::GmUnallocated, Space::GM, 0, 0, region.base == nullptr ? "null pointer" : "");
        instruction.faulty = true;
        return;
    }
    auto const offset = static_cast<int64_t>(static_cast<uint8_t const*>(region.base) - allocation->base);
    auto const end = offset + static_cast<int64_t>(region.Extent());
    if (offset < 0 || end > static_cast<int64_t>(allocation->bytes)) {
        ReportMemory(
            core, instruction, Fault::GmOutOfBounds, Space::GM, static_cast<uint64_t>(std::max<int64_t>(offset, 0)),
            static_cast<uint64_t>(end) - 1,
            "bytes " + std::to_string(offset) + " to " + std::to_string(end - 1) + " of allocation "
                + std::to_string(allocation->number) + ", which has " + std::to_string(allocation->bytes));
        instruction.faulty = true;
    }
}

/// Bytes of UB that the program's framework keeps for itself, and uses.
uint64_t keptFirst = 0;
uint64_t keptEnd = 0;

bool IsKept(uint64_t first, uint64_t end) { return first >= keptFirst && end <= keptEnd; }

void CheckLocal(Core& core, Instruction& instruction, Region const& region, uint64_t alignment, bool written)
{
    LocalMemory* memory = core.LocalOf(region.base);
    bool const own = memory == nullptr || core.Owns(*memory);
    // FIX of a cube core writes to a vector core's UB, MTE3 of that to the cube core's L1.
    if (!own && !(written && instruction.pipe == (memory->space == Space::L1 ? Pipe::MTE3 : Pipe::FIX))) {
        memory = nullptr;
    }
    if (memory == nullptr || memory->Offset(region.base) + region.Extent() > memory->bytes) {
        uint64_t const first = memory == nullptr ? 0 : memory->Offset(region.base);
        ReportMemory(
            core, instruction,
            memory == nullptr && region.base == nullptr ? Fault::LocalUnallocated : Fault::LocalOutOfBounds,
            region.space, first, first + region.Extent() - 1,
            memory == nullptr ? own ? "outside the memory altogether" : "in the memory of another core"
                              : "bytes " + std::to_string(first) + " to " + std::to_string(first + region.Extent() - 1)
                                    + " of " + std::to_string(memory->bytes));
        instruction.faulty = true;
        return;
    }
    uint64_t const first = memory->Offset(region.base);
    uint64_t const end = first + region.Extent();
    memory->Prepare(end);
    auto const range = [&] { return "bytes " + std::to_string(first) + " to " + std::to_string(end - 1); };
    if (end > memory->allocated && !own) {
        memory->undeclared.push_back({core.MakeCall(instruction), first, end});
    } else if (end > memory->allocated) {
        ReportMemory(core, instruction, Fault::LocalUnallocated, memory->space, first, end - 1, range());
    }
    if (memory->space == Space::UB && end > Arch().UbUsable(GetConfig().reservesUb) && !IsKept(first, end)) {
        ReportMemory(
            core, instruction, Fault::UbReserved, memory->space, first, end - 1,
            range() + ", usable are " + std::to_string(Arch().UbUsable(GetConfig().reservesUb)));
    }
    if (region.buffer != nullptr) {
        LocalMemory const& buffers = own ? *memory : *core.Local(memory->space);
        uint64_t const start = buffers.Offset(region.buffer);
        auto const buffer = buffers.buffers.find(start);
        if (buffer != buffers.buffers.end() && buffer->second.end != 0 && end > buffer->second.end) {
            ReportMemory(
                core, instruction, Fault::BeyondBuffer, memory->space, first, end - 1,
                range() + ", and the buffer has bytes " + std::to_string(start) + " to "
                    + std::to_string(buffer->second.end - 1));
        }
    }
    if (first % alignment != 0 && instruction.pipe != Pipe::S) {
        ReportMemory(core, instruction, Fault::Misaligned, memory->space, first, end - 1, range());
    }
}

/// Operands of one vector instruction overlap fully or not at all.
void CheckOverlap(Core& core, Instruction const& instruction)
{
    if (instruction.pipe != Pipe::V) { return; }
    for (size_t w = 0; w < instruction.writeCount; ++w) {
        Region const& to = instruction.writes[w];
        auto const* const toBegin = static_cast<uint8_t const*>(to.base);
        for (size_t r = 0; r < instruction.readCount; ++r) {
            Region const& from = instruction.reads[r];
            auto const* const begin = static_cast<uint8_t const*>(from.base);
            bool const meets = begin < toBegin + to.Extent() && toBegin < begin + from.Extent();
            bool const interleaved = to.blocks > 1 || from.blocks > 1 || to.outer > 1 || from.outer > 1;
            if (meets && begin != toBegin && !interleaved) {
                uint64_t const first = core.LocalOf(to.base)->Offset(to.base);
                ReportMemory(core, instruction, Fault::PartialOverlap, to.space, first, first + to.Extent() - 1, "");
            }
        }
    }
}

/// Rows that FIX writes to UB start on whole blocks and do not overlap (Fixpipe page, L0C to UB).
void CheckRows(Core& core, Instruction const& instruction)
{
    for (size_t i = 0; instruction.pipe == Pipe::FIX && i < instruction.writeCount; ++i) {
        Region const& to = instruction.writes[i];
        if (to.space != Space::UB || to.blocks == 1) { continue; }
        uint64_t const first = core.LocalOf(to.base)->Offset(to.base);
        std::string const rows =
            "rows of " + std::to_string(to.length) + " bytes, " + std::to_string(to.stride) + " from one to the next";
        if (to.stride < to.length) {
            ReportMemory(core, instruction, Fault::PartialOverlap, to.space, first, first + to.Extent() - 1, rows);
        } else if (to.stride % kBlock != 0) {
            ReportMemory(core, instruction, Fault::Misaligned, to.space, first, first + to.Extent() - 1, rows);
        }
    }
}

/// A whole operand that nothing ever wrote. Parts may be unwritten: padding is.
void CheckWritten(Core& core, Instruction const& instruction, Region const& region)
{
    if (region.space == Space::GM) {
        Allocation* const allocation = FindAllocation(region.base);
        uint64_t const at = allocation->Offset(region.base);
        if (!allocation->shadow.Get(at) && allocation->shadow.NoneSet(at, region.length)) {
            ReportMemory(
                core, instruction, Fault::NeverWritten, Space::GM, at, at + region.length - 1,
                "allocation " + std::to_string(allocation->number));
        }
        return;
    }
    LocalMemory* const memory = core.LocalOf(region.base);
    uint64_t const at = memory->Offset(region.base);
    uint8_t const* const states = memory->states.get() + at;
    if (states[0] == kNeverWritten
        && std::all_of(states, states + region.length, [](uint8_t state) { return state == kNeverWritten; })) {
        ReportMemory(core, instruction, Fault::NeverWritten, region.space, at, at + region.length - 1, "");
    }
}

bool AllDefined(Core& core, Region const& region)
{
    bool defined = true;
    region.ForEachRun([&](uint8_t* run, uint64_t length) {
        if (region.space == Space::GM) {
            Allocation* const allocation = FindAllocation(run);
            defined = defined && allocation->shadow.AllSet(allocation->Offset(run), length);
        } else {
            LocalMemory* const memory = core.LocalOf(run);
            defined = defined && AllZero(memory->states.get() + memory->Offset(run), length);
        }
    });
    return defined;
}

void AllOrNothing(Core& core, Instruction const& instruction)
{
    bool defined = true;
    for (size_t i = 0; i < instruction.readCount; ++i) { defined = AllDefined(core, instruction.reads[i]) && defined; }
    for (size_t i = 0; i < instruction.writeCount; ++i) {
        Region const& region = instruction.writes[i];
        if (region.space == Space::GM && !defined) {
            Allocation* const allocation = FindAllocation(region.base);
            uint64_t const at = allocation->Offset(region.base);
            ReportMemory(
                core, instruction, Fault::UndefinedStored, Space::GM, at, at + region.Extent() - 1,
                "an operand holds undefined bytes");
        }
        region.ForEachRun([&](uint8_t* run, uint64_t length) {
            if (region.space == Space::GM) {
                Allocation* const allocation = FindAllocation(run);
                allocation->shadow.Set(allocation->Offset(run), length, true);  // reported once
            } else {
                LocalMemory* const memory = core.LocalOf(run);
                std::memset(memory->states.get() + memory->Offset(run), defined ? kDefined : kUndefined, length);
            }
        });
    }
}

}  // namespace

void ShadowAllOrNothing() { AllOrNothing(*CurrentCore(), *CurrentInstruction()); }

void KeepUb(uint64_t first, uint64_t bytes)
{
    keptFirst = first;
    keptEnd = first + bytes;
}

void CheckOperands(Core& core, Instruction& instruction)
{
    auto const check = [&](Region const& region, uint64_t alignment, bool written) {
        if (region.space == Space::GM) {
            CheckGlobal(core, instruction, region);
        } else {
            CheckLocal(core, instruction, region, alignment, written);
        }
    };
    for (size_t i = 0; i < instruction.readCount; ++i) { check(instruction.reads[i], kBlock, false); }
    for (size_t i = 0; i < instruction.writeCount; ++i) { check(instruction.writes[i], instruction.alignment, true); }
    if (GetConfig().checks && !instruction.faulty) {
        CheckOverlap(core, instruction);
        CheckRows(core, instruction);
    }
}

void Core::ReportUndeclared()
{
    LocalMemory const* const ub = locals_[static_cast<size_t>(Space::UB)].get();
    if (ub == nullptr) { return; }
    for (ForeignWrite const& write : ub->undeclared) {
        if (write.end > ub->allocated) {
            Report(
                {Fault::LocalUnallocated,
                 write.call,
                 "bytes " + std::to_string(write.first) + " to " + std::to_string(write.end - 1) + " of vector core "
                     + std::to_string(id_.sub) + ", which declares " + std::to_string(ub->allocated),
                 {},
                 Place{Space::UB, write.first, write.end - 1}});
        }
    }
}

void RunShadow(Core& core, Instruction& instruction)
{
    for (size_t i = 0; i < instruction.readCount; ++i) { CheckWritten(core, instruction, instruction.reads[i]); }
    if (instruction.shadow) {
        instruction.shadow();
    } else {
        AllOrNothing(core, instruction);
    }
}

}  // namespace machine
