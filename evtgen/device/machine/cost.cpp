#include "cost.hpp"

#include <algorithm>
#include <array>
#include <cstring>

#include "core.hpp"

namespace machine {

namespace {

constexpr uint64_t kBankBlock = 32;  // bytes of a row of a bank
constexpr uint64_t kPeriod = 512;    // bytes after which the groups start again, or groups and banks do
constexpr uint64_t kRepeat = 256;
constexpr uint64_t kSample = 16;  // repeats after which the banks of any walk come again

uint64_t Over(uint64_t amount, uint64_t rate) { return (amount + rate - 1) / rate; }

Price const& PriceOf(char const* name)
{
    struct Entry {
        char const* name;
        Price price;
    };
    static std::vector<Entry> known;  // by the address of the name, of which there are few
    for (Entry const& entry : known) {
        if (entry.name == name) { return entry.price; }
    }
    ArchSpec const& arch = Arch();
    Price price{name, static_cast<uint32_t>(arch.costs.otherFixed), static_cast<uint32_t>(arch.costs.simpleRepeat)};
    for (OpInfo const& op : kOps) {
        if (op.price == PriceClass::Iterates && std::strcmp(op.name, name) == 0) {
            price.repeat100 = static_cast<uint32_t>(arch.costs.iteratingRepeat);
        }
    }
    for (size_t i = 0; i < arch.priceCount; ++i) {
        if (std::strcmp(arch.prices[i].call, name) == 0) { price = arch.prices[i]; }
    }
    known.push_back({name, price});
    return known.back().price;
}

/// BankRows of a repeat, by what gives one per cycle: a group of banks, or a bank.
using BankRows = std::array<uint32_t, 2 * kMaxBankGroups>;

uint64_t GroupOf(uint64_t address) { return address / kBankBlock % Arch().bankGroups; }

uint64_t BankOf(uint64_t address) { return address / Arch().bankSpan % Arch().banksPerGroup; }

/// Where a row that is read counts.
uint64_t ReadFrom(uint64_t address)
{
    return Arch().readsPerGroup == 1 ? GroupOf(address) : BankOf(address) * Arch().bankGroups + GroupOf(address);
}

/// How an operand walks through UB: where each repeat starts, and the blocks that it takes.
struct Walk {
    uint64_t first;         // byte of UB
    uint64_t repeatStride;  // bytes
    uint32_t blocks;        // per repeat
    uint64_t blockStride;

    uint64_t At(uint64_t repeat) const { return first + repeat * repeatStride; }
    /// Adds the rows of a repeat to those that wait at each place.
    void Count(uint64_t repeat, uint64_t (*place)(uint64_t address), BankRows& rows) const
    {
        uint32_t const distinct = blockStride == 0 ? 1 : blocks;
        for (uint32_t b = 0; b < distinct; ++b) { ++rows[place(At(repeat) + b * blockStride)]; }
    }
    bool operator==(Walk const& other) const
    {
        return first == other.first && repeatStride == other.repeatStride && blocks == other.blocks
               && blockStride == other.blockStride;
    }
};

/// `repeats`: of the instruction that takes this region.
Walk WalkOf(uint64_t first, Region const& region, uint64_t repeats)
{
    auto const blocksIn = [](uint64_t bytes) {
        return static_cast<uint32_t>(Over(std::min(bytes, kRepeat), kBankBlock));
    };
    auto const atOnce = [](uint64_t blocks) { return static_cast<uint32_t>(std::min(blocks, kRepeat / kBankBlock)); };
    if (region.outer > 1) { return {first, region.outerStride, atOnce(region.blocks), region.stride}; }
    if (region.blocks > repeats) {  // of single blocks, several per repeat
        uint64_t const each = Over(region.blocks, repeats);
        return {first, each * region.stride, atOnce(each), region.stride};
    }
    if (region.blocks > 1) { return {first, region.stride, blocksIn(region.length), kBankBlock}; }
    uint64_t step = repeats > 1 ? kRepeat : 0;
    while (step != 0 && step * (repeats - 1) >= region.length) {  // elements narrower than the widest operand's
        step /= 2;
    }
    return {first, step < kBankBlock ? 0 : step, blocksIn(step < kBankBlock ? region.length : step), kBankBlock};
}

/// BankRows more than the one that a place gives or takes per cycle, of the place that has most.
uint32_t Queued(BankRows const& rows)
{
    uint32_t const most = *std::max_element(rows.begin(), rows.end());
    return most == 0 ? 0 : most - 1;
}

/// Whether a group that gives two rows must also take one: it can give one beside that.
bool Crowded(BankRows const& read, BankRows const& written)
{
    for (size_t group = 0; group < kMaxBankGroups; ++group) {
        if (read[group] > 1 && written[group] != 0) { return true; }
    }
    return false;
}

bool Meet(BankRows const& a, BankRows const& b)
{
    for (size_t group = 0; group < kMaxBankGroups; ++group) {
        if (a[group] != 0 && b[group] != 0) { return true; }
    }
    return false;
}

/// A vector instruction: `head`, its repeats with their conflicts, and a tail for which only a barrier or a flag waits.
void PriceVector(Core& core, Instruction const& instruction, Step& step)
{
    Costs const& costs = Arch().costs;
    Price const& price = PriceOf(instruction.name);
    step.head = static_cast<uint32_t>(std::min<uint64_t>(price.fixed, costs.head));
    step.tail = price.fixed - step.head;
    if (instruction.writeCount != 0) {
        Region const& written = instruction.writes[0];
        step.head += written.blocks == 1 && written.outer == 1 && written.length % kRepeat != 0
                         ? static_cast<uint32_t>(costs.ragged)
                         : 0;
    }
    // Operands queue up while the arithmetic of the repeat before goes on: what is slower counts.
    uint64_t const queue = 100 + ConflictsPerRepeat(core, instruction);
    uint64_t const most = std::max<uint64_t>(price.repeat100, queue);
    step.work = static_cast<uint32_t>(instruction.work * price.repeat100 / 100);
    step.conflicts = static_cast<uint32_t>(instruction.work * most / 100) - step.work;
}

void AddRectangle(Timeline const& timeline, Transfer& transfer, Region const& region, bool written)
{
    if (region.space != Space::GM || transfer.count == Transfer::kRectangles) { return; }
    auto const* const base = static_cast<uint8_t const*>(region.base);
    bool const cached = written || timeline.IsCached(base);
    // A region of rectangles lies in global memory only where one call moves several matrices: they are as one.
    transfer.rectangles[transfer.count++] = {base,    region.length, region.stride, region.blocks * region.outer,
                                             written, cached};
}

/// Bytes that FIX writes from L0C to the UB of vector cores.
uint64_t HandedOver(Instruction const& instruction)
{
    uint64_t bytes = 0;
    for (size_t i = 0; instruction.pipe == Pipe::FIX && i < instruction.writeCount; ++i) {
        bytes += instruction.writes[i].space == Space::UB ? instruction.writes[i].Size() : 0;
    }
    return bytes;
}

/// The store of a block by FIX, to global memory or to the UB of vector cores.
void PriceStore(uint64_t stored, uint64_t handed, Transfer& transfer)
{
    Costs const& costs = Arch().costs;
    transfer.block = true;
    transfer.stores = stored != 0 ? stored * 10 / costs.l0cOut10 : handed * 10 / costs.l0cUb10;
    transfer.after = stored != 0 ? costs.storeLatency : costs.localLatency;
}

/// The bytes of a block matmul's loads, or of a copy, move while the pipe waits; the stores of a matmul follow it.
void PriceTransfer(Core& core, Timeline const& timeline, Instruction const& instruction, Step& step, Transfer& transfer)
{
    Costs const& costs = Arch().costs;
    uint64_t stored = 0;
    uint64_t loads = 0;
    bool const onlyStores = instruction.part == BlockPart::Store;  // the loads were instructions of their own
    for (size_t i = 0; i < instruction.readCount && !onlyStores; ++i) {
        AddRectangle(timeline, transfer, instruction.reads[i], false);
        loads += instruction.reads[i].space == Space::GM ? 1 : 0;
    }
    for (size_t i = 0; i < instruction.writeCount; ++i) {
        AddRectangle(timeline, transfer, instruction.writes[i], true);
        stored += instruction.writes[i].space == Space::GM ? instruction.writes[i].Size() : 0;
    }
    bool const multiplies = instruction.pipe == Pipe::M || instruction.pipe == Pipe::FIX;
    uint64_t const handed = HandedOver(instruction);
    if (instruction.part == BlockPart::Multiply) {
        step.work = static_cast<uint32_t>(Over(instruction.work, costs.macs));
        return;
    }
    if (onlyStores) {
        step.kind = StepKind::Copy;
        transfer.port = 1;
        PriceStore(stored, handed, transfer);
        return;
    }
    if (transfer.count == 0 && handed != 0) {
        step.head = static_cast<uint32_t>(costs.localLatency);
        step.work = static_cast<uint32_t>(Over(handed * 10, costs.l0cUb10));
        return;
    }
    if (transfer.count == 0) {
        uint64_t const rate10 = multiplies                       ? costs.macs * 10
                                : instruction.pipe == Pipe::MTE3 ? costs.ubOut10  // UB to L1
                                                                 : costs.l1Bytes * 10;
        step.head = static_cast<uint32_t>(costs.localLatency);
        step.work = static_cast<uint32_t>(Over(instruction.work * 10, rate10));
        return;
    }
    step.kind = StepKind::Copy;
    step.head = static_cast<uint32_t>(costs.copyStartup);
    if (multiplies && loads != 0) {
        transfer.port = static_cast<double>(costs.l1In10) / 10;
        transfer.atLeast = Over(instruction.work, costs.macs);
        PriceStore(stored, handed, transfer);
    } else if (loads != 0) {
        bool const toCube = core.Id().role == Role::AIC;
        transfer.block = instruction.part == BlockPart::Load;
        transfer.port = static_cast<double>(toCube ? costs.l1In10 : costs.ubIn10) / 10;
        transfer.after = transfer.block ? 0 : costs.loadLatency;  // a whole block has none either
    } else {
        transfer.port = static_cast<double>(multiplies ? costs.l0cOut10 : costs.ubOut10) / 10;
        transfer.after = costs.storeLatency;
    }
}

}  // namespace

uint64_t ConflictsPerRepeat(Core& core, Instruction const& instruction)
{
    Walk reads[Instruction::kMaxReads];
    Walk writes[Instruction::kMaxWrites];
    size_t readCount = 0;
    size_t writeCount = 0;
    LocalMemory const* const ub = core.Local(Space::UB);
    auto const add = [&](Region const& region, Walk* walks, size_t& count) {
        if (region.space == Space::UB && !region.scratch && ub->Contains(region.base)) {
            Walk const walk = WalkOf(ub->Offset(region.base), region, instruction.work);
            if (std::find(walks, walks + count, walk) == walks + count) {  // one operand twice is read once
                walks[count++] = walk;
            }
        }
    };
    for (size_t i = 0; i < instruction.readCount; ++i) { add(instruction.reads[i], reads, readCount); }
    for (size_t i = 0; i < instruction.writeCount; ++i) { add(instruction.writes[i], writes, writeCount); }
    uint64_t const sample = std::min(instruction.work, kSample);
    uint64_t const readsPerGroup = Arch().readsPerGroup;
    uint64_t among = 0;
    uint64_t between = 0;
    for (uint64_t r = 0; r < sample; ++r) {
        BankRows from{};     // rows that are read, where they count
        BankRows read{};     // by group
        BankRows written{};  // likewise
        for (size_t j = 0; j < writeCount; ++j) {
            BankRows own{};
            writes[j].Count(r, GroupOf, own);
            writes[j].Count(r, GroupOf, written);
            among += Queued(own);
        }
        for (size_t i = 0; i < readCount; ++i) {
            BankRows own{};
            reads[i].Count(r, GroupOf, own);
            reads[i].Count(r, GroupOf, read);
            reads[i].Count(r, ReadFrom, from);
            for (size_t j = 0; j < writeCount; ++j) {
                BankRows taken{};
                writes[j].Count(r, GroupOf, taken);
                bool const inStep = readsPerGroup == 1 && (reads[i].At(r) - writes[j].At(r)) % kPeriod == 0;
                bool const meet = BankOf(reads[i].At(r)) == BankOf(writes[j].At(r)) && Meet(own, taken);
                between += meet && !inStep ? 1 : 0;
            }
        }
        bool const crowded = readsPerGroup > 1 && Crowded(read, written);
        among += std::max<uint64_t>(Queued(from), crowded ? 1 : 0);
    }
    Costs const& costs = Arch().costs;
    return sample == 0 ? 0 : (among * costs.groupConflict + between * costs.writeConflict) / sample;
}

void PriceStep(Core& core, Timeline const& timeline, Instruction const& instruction, Step& step, Transfer& transfer)
{
    if (instruction.pipe == Pipe::S) {
        step.work = static_cast<uint32_t>(Arch().costs.scalar);
    } else if (instruction.pipe == Pipe::V) {
        PriceVector(core, instruction, step);
    } else {
        PriceTransfer(core, timeline, instruction, step, transfer);
    }
}

}  // namespace machine
