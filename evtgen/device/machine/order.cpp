// The happens-before check: compares every access with the earlier ones to the same bytes.
#include <map>
#include <tuple>

#include "config.hpp"
#include "core.hpp"
#include "global.hpp"

namespace machine {

namespace {

struct InternedCalls {
    std::map<std::tuple<char const*, char const*, uint32_t, NodeName const*>, uint32_t> numbers;
    std::vector<std::tuple<char const*, Site, NodeName const*>> calls;
    // The last one, since loops record the same call again and again.
    char const* name = nullptr;
    Site site = {nullptr, 0};
    NodeName const* node = nullptr;
    uint32_t number = 0;
};

InternedCalls& Calls()
{
    static InternedCalls calls;
    return calls;
}

/// Pipes whose instructions never overtake each other's memory accesses.
bool OrdersItself(Pipe pipe)
{
    return pipe == Pipe::S || pipe == Pipe::M || (pipe == Pipe::V && Arch().vectorOrdersItself);
}

/// Whether the compiler inserts the flags between the two (cce-auto-sync, table 3 of the page on synchronisation within a
/// core): on vector cores, between S by GetValue and the like and any other pipe.
bool OrderIsInserted(Access const& earlier, Access const& later, Role role)
{
    if (role != Role::AIV) { return false; }
    return earlier.pipe == Pipe::S ? earlier.autoSync : later.pipe == Pipe::S && later.autoSync;
}

Fault FaultOf(Access const& earlier, Access const& later, Role role)
{
    bool const atomic = earlier.touch == Touch::Atomic && later.touch == Touch::Atomic;
    enum { Raw, War, Waw } const kind = later.touch == Touch::Read ? Raw : earlier.touch == Touch::Read ? War : Waw;
    if (earlier.core != later.core) {
        return atomic        ? Fault::SumInTurn
               : kind == Raw ? Fault::CoresRaw
               : kind == War ? Fault::CoresWar
                             : Fault::CoresWaw;
    }
    if (earlier.pipe != later.pipe) {
        if (OrderIsInserted(earlier, later, role)) { return Fault::ScalarOrder; }
        return kind == Raw ? Fault::FlagRaw : kind == War ? Fault::FlagWar : Fault::FlagWaw;
    }
    if (earlier.pipe != Pipe::V) { return atomic ? Fault::AtomicOverlap : Fault::CopyOverlap; }
    return kind == Raw ? Fault::BarrierRaw : kind == War ? Fault::BarrierWar : Fault::BarrierWaw;
}

}  // namespace

uint32_t InternCall(char const* name, Site site, NodeName const* node)
{
    InternedCalls& calls = Calls();
    if (calls.name == name && calls.node == node && calls.site.file == site.file && calls.site.line == site.line) {
        return calls.number;
    }
    auto const [found, fresh] = calls.numbers.emplace(
        std::make_tuple(name, site.file, site.line, node), static_cast<uint32_t>(calls.calls.size()));
    if (fresh) { calls.calls.emplace_back(name, site, node); }
    calls.name = name;
    calls.node = node;
    calls.site = site;
    calls.number = found->second;
    return calls.number;
}

Call CallOf(Access const& access)
{
    auto const& [name, site, node] = Calls().calls[access.call];
    return {site, name, access.pipe, access.core, node};
}

std::pair<History*, uint8_t const*> Core::HistoryOf(Region const& region)
{
    if (region.space == Space::GM) {
        Allocation* const allocation = FindAllocation(region.base);
        return {&allocation->history, allocation->base};
    }
    LocalMemory* const local = LocalOf(region.base);
    return {&local->history, local->data.get()};
}

/// Of two accesses to the same bytes, the write that has left its buffer for the other's; null if neither has. A program
/// may divide the memory anew, so only the buffers of the two count.
Access const* Core::BeyondItsBuffer(Region const& region, Conflict const& conflict, Access const& later)
{
    if (region.space == Space::GM) { return nullptr; }
    auto const& buffers = LocalOf(region.base)->buffers;
    auto const leaves = [&](Access const& access, Access const& other) {
        if (access.touch != Touch::Write || access.buffer == 0 || other.buffer <= access.buffer
            || other.buffer - 1 > conflict.first) {
            return false;
        }
        auto const own = buffers.find(access.buffer - 1);
        auto const others = buffers.find(other.buffer - 1);
        return own != buffers.end() && own->second.end == 0  // where the program says its end, that has been checked
               && others != buffers.end() && others->second.declaredAt <= access.declarations;
    };
    return leaves(conflict.earlier, later) ? &conflict.earlier : leaves(later, conflict.earlier) ? &later : nullptr;
}

void Core::RefreshCache(void const* address, bool entire)
{
    Clock const& now = PipeOf(Pipe::S).clock;
    if (entire) {
        fetched_.clear();
        allFetched_ = now;
        for (auto const& [line, written] : written_) { WriteBack(written); }
        written_.clear();
        read_.clear();
    } else {
        uintptr_t const line = reinterpret_cast<uintptr_t>(address) / kCacheLine;
        fetched_.insert_or_assign(line, now);
        if (auto const found = written_.find(line); found != written_.end()) {
            WriteBack(found->second);
            written_.erase(found);
        }
        read_.erase(line);
    }
}

/// From now on what S wrote in the line is over when this instruction is.
void Core::WriteBack(void const* written)
{
    Allocation* const allocation = FindAllocation(written);
    uint64_t const line = allocation->Offset(written) / kCacheLine * kCacheLine;
    allocation->history.ForEachWrite(line, [this](Access& write) {
        if (write.core == id_.index && write.line == Line::Dirty) {
            write.line = Line::Clean;
            write.index = PipeOf(Pipe::S).position;
        }
    });
}

std::optional<Access> Core::SharesLine(Region const& region, Access const& access, Instruction const& instruction)
{
    std::optional<Access> found;
    if (region.space != Space::GM || access.touch == Touch::Read) { return found; }
    Allocation* const allocation = FindAllocation(region.base);
    if (!instruction.cached && !allocation->history.HasLines()) { return found; }
    auto const line = reinterpret_cast<uintptr_t>(region.base) / kCacheLine;
    Clock const& now = PipeOf(access.pipe).clock;
    bool const mayBeOld = read_.count(line) != 0 && written_.count(line) == 0;
    Clock const& fetched = mayBeOld ? FetchedAt(region.base) : now;
    auto const note = [&](Access const& earlier) {
        bool const own = earlier.core == access.core;
        if (own && earlier.pipe == access.pipe && (instruction.cached || earlier.line != Line::Dirty)) { return; }
        if (!instruction.cached && earlier.line == Line::None) { return; }
        Clock const& known = instruction.cached && !own ? fetched : now;
        bool const over = earlier.line != Line::Dirty && known.Get(earlier.core, earlier.pipe) >= earlier.index;
        if (!over) { found = earlier; }
    };
    region.ForEachRun([&](uint8_t const* run, uint64_t length) {
        uint64_t const first = allocation->Offset(run) / kCacheLine * kCacheLine;
        uint64_t const last = (allocation->Offset(run) + length - 1) / kCacheLine * kCacheLine;
        for (uint64_t at = first; at <= last; at += kCacheLine) { allocation->history.ForEachWrite(at, note); }
    });
    return found;
}

Clock const& Core::FetchedAt(void const* address) const
{
    auto const found = fetched_.find(reinterpret_cast<uintptr_t>(address) / kCacheLine);
    return found == fetched_.end() ? allFetched_ : found->second;
}

/// Orders a pipe behind an access of another, as the compiler's flag between the two does: whatever ran on that pipe up to
/// the access is over. If S is the one that waits, so does everything that it issues later.
void Core::InsertFlag(Access const& earlier, Instruction const& later)
{
    // In another order than the recorded one S may have run ahead; the compiler's flag is the opposite one then.
    if (earlier.pipe == Pipe::S && later.scalars < earlier.index) { return; }
    PipeState const& from = PipeOf(earlier.pipe);
    Clock& clock = PipeOf(later.pipe).clock;
    if (from.position == earlier.index) { clock.Join(from.clock); }  // else it may have learnt more since
    clock.Set(id_.index, earlier.pipe, std::max(clock.Get(id_.index, earlier.pipe), earlier.index));
    if (later.pipe != Pipe::S) { return; }
    auto const gate = std::make_shared<Gate>(Gate{true, clock});
    for (auto& queue : queues_) {
        auto const next = std::find_if(
            queue.begin(), queue.end(), [&](Token const& token) { return token.sequence > later.sequence; });
        queue.insert(next, {later.sequence, 0, Kind::Gate, gate, later.scalars});
        ++pending_;
    }
}

void Core::NoteRegion(Region const& region, Access access, Instruction const& instruction)
{
    Clock const& clock = PipeOf(instruction.pipe).clock;
    std::optional<Access> const sharesLine = SharesLine(region, access, instruction);
    std::optional<Access> unseen;
    std::optional<Access> unwritten;
    auto const ordered = [&](Access const& earlier) {
        bool const dirty = earlier.line == Line::Dirty;
        bool const inTurn = earlier.core == access.core && earlier.pipe == access.pipe
                            && (earlier.index == access.index || OrdersItself(access.pipe));
        if (inTurn && (instruction.cached || !dirty)) { return true; }
        bool const read = earlier.pipe == Pipe::S && earlier.touch == Touch::Read;
        bool const over =
            inTurn || (read ? clock.Issued(earlier.core) : clock.Get(earlier.core, earlier.pipe)) >= earlier.index;
        if (over && dirty) {
            unwritten = earlier;
        } else if (
            over && instruction.cached && FetchedAt(region.base).Get(earlier.core, earlier.pipe) < earlier.index) {
            unseen = earlier;
        }
        return over;
    };
    std::pair<History*, uint8_t const*> const memory = HistoryOf(region);
    // The buffers of another core's memory are not declared in the order of this one's program.
    access.buffer = region.buffer == nullptr || !Owns(*LocalOf(region.base))
                        ? 0
                        : static_cast<uint32_t>(static_cast<uint8_t const*>(region.buffer) - memory.second) + 1;
    static std::vector<Conflict> conflicts;  // kept between calls for their capacity
    static std::vector<History::LostWrite> lost;
    conflicts.clear();
    lost.clear();
    uint32_t again = 0;
    region.ForEachRun([&](uint8_t* run, uint64_t length) {
        again = std::max(
            again,
            memory.first->Note(static_cast<uint64_t>(run - memory.second), length, access, ordered, conflicts, lost));
    });
    if (access.buffer != 0) {
        BufferUse& use = LocalOf(region.base)->uses[access.buffer - 1];
        if (use.pipes == 0) { use.first = access; }
        use.pipes |= 1u << static_cast<unsigned>(access.pipe);
        use.again |= again != 0;
        if (again != 0) { LocalOf(region.base)->uses[again - 1].again = true; }
    }
    if (instruction.cached) {
        uintptr_t const line = reinterpret_cast<uintptr_t>(region.base) / kCacheLine;
        if (access.touch == Touch::Read) {
            read_.insert(line);
        } else {
            written_.emplace(line, region.base);
        }
    }
    auto const reportLine = [&](Fault fault, std::optional<Access> const& other) {
        if (!other || !conflicts.empty()) { return; }
        auto const first = static_cast<uint64_t>(static_cast<uint8_t const*>(region.base) - memory.second);
        Report(
            {fault, MakeCall(instruction), "", CallOf(*other),
             Place{region.space, first, first + region.Extent() - 1}});
    };
    if (access.touch == Touch::Read) {
        reportLine(Fault::UnwrittenLine, unwritten);
        reportLine(Fault::StaleScalar, unseen);
    } else {
        reportLine(Fault::SharedLine, sharesLine);
    }
    if (GetConfig().autoSync && !GetConfig().strict) {
        auto const inserted = [&](Conflict const& conflict) {
            return !conflict.ordered && FaultOf(conflict.earlier, access, id_.role) == Fault::ScalarOrder;
        };
        for (Conflict const& conflict : conflicts) {
            if (inserted(conflict)) { InsertFlag(conflict.earlier, instruction); }
        }
        for (Conflict& conflict : conflicts) {
            conflict.ordered = conflict.ordered || (!inserted(conflict) && ordered(conflict.earlier));
        }
    }
    for (Conflict const& conflict : conflicts) {
        Access const* const beyond = BeyondItsBuffer(region, conflict, access);
        if (beyond == nullptr && conflict.ordered) { continue; }
        Finding finding{
            beyond != nullptr ? Fault::BeyondBuffer : FaultOf(conflict.earlier, access, id_.role),
            MakeCall(instruction)};
        finding.other = CallOf(conflict.earlier);
        if (beyond == &conflict.earlier) { std::swap(finding.call, *finding.other); }
        finding.detail = std::string(SpaceName(region.space)) + " bytes " + std::to_string(conflict.first) + " to "
                         + std::to_string(conflict.last) + (beyond != nullptr ? ", in the buffer after its own" : "");
        finding.place = {region.space, conflict.first, conflict.last};
        Report(finding);
    }
    for (History::LostWrite const& write : lost) {
        if (write.bytes < write.writer.bytes || !conflicts.empty()) {
            continue;  // a part of it was used, or the order of the two is the real fault
        }
        Report(
            {Fault::LostWrite, MakeCall(instruction), "", CallOf(write.writer),
             Place{region.space, write.first, write.first + write.bytes - 1}});
    }
}

void Core::CheckOrder(Instruction const& instruction)
{
    Access access;
    access.index = PipeOf(instruction.pipe).position;
    access.call = InternCall(instruction.name, instruction.site, instruction.node);
    access.declarations = instruction.declarations;
    access.core = static_cast<uint16_t>(id_.index);
    access.pipe = instruction.pipe;
    access.autoSync = instruction.autoSync;
    access.touch = Touch::Read;
    for (size_t i = 0; i < instruction.readCount; ++i) { NoteRegion(instruction.reads[i], access, instruction); }
    for (size_t i = 0; i < instruction.writeCount; ++i) {
        Region const& region = instruction.writes[i];
        bool const atomic = region.space == Space::GM && instruction.combine != Combine::Store;
        access.touch = atomic ? Touch::Atomic : Touch::Write;
        access.line = instruction.cached ? Line::Dirty : Line::None;
        access.inTurn = atomic && instruction.rounds && GetConfig().deterministic;
        access.bytes = region.scratch ? UINT32_MAX : static_cast<uint32_t>(region.Size());  // scratch is never lost
        NoteRegion(region, access, instruction);
    }
}

}  // namespace machine
