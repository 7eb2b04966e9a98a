// The machine's parts that no kernel shows: the tables of the architectures, the JSON writer, what an instruction holds.
#include <cstdio>
#include <cstring>
#include <string>

#include "../../evtgen/device/machine/json.hpp"
#include "../../evtgen/device/machine/record.hpp"
#include "../../evtgen/device/machine/targets.hpp"

namespace {

using machine::JsonWriter;

#define NAME(name, type) #name,
constexpr char const* kElementNames[] = {EVT_ELEMENT_TYPES(NAME)};
#undef NAME
constexpr char const* kModeNames[] = {"CAST_NONE",  "CAST_RINT",  "CAST_FLOOR", "CAST_CEIL",
                                      "CAST_ROUND", "CAST_TRUNC", "CAST_ODD"};

template <size_t N> void WriteSet(JsonWriter& json, uint32_t set, char const* const (&names)[N])
{
    json.BeginArray();
    for (size_t bit = 0; bit < N; ++bit) {
        if ((set >> bit & 1u) != 0) { json.Text(names[bit]); }
    }
    json.EndArray();
}

void WriteArch(JsonWriter& json, machine::ArchSpec const& arch)
{
    json.BeginObject(JsonWriter::Layout::Lines);
    json.Member("name", arch.name).Member("number", arch.number);
    json.Key("sizes").BeginObject();
    for (size_t space = 1; space < machine::kSpaces; ++space) {
        json.Member(machine::SpaceName(static_cast<machine::Space>(space)), arch.size[space]);
    }
    json.EndObject();
    json.Key("facts").BeginObject();
    json.Member("ubReserved", arch.ubReserved).Member("ubOfCalls", arch.ubOfCalls);
    json.Member("vectorOrdersItself", uint64_t{arch.vectorOrdersItself});
    json.Member("crossFlagDepth", arch.crossFlagDepth).Member("crossPairs", uint64_t{arch.crossPairs});
    json.Member("crossWaitsOnPipe", uint64_t{arch.crossWaitsOnPipe})
        .Member("cubeWritesUb", uint64_t{arch.cubeWritesUb})
        .Member("vectorWritesL1", uint64_t{arch.vectorWritesL1});
    json.Member("flushesSubnormals", uint64_t{arch.flushesSubnormals});
    json.Member("zeroIsNothing", uint64_t{arch.zeroIsNothing});
    json.Member("divisionUlp", arch.divisionUlp);
    json.Member("bankGroups", arch.bankGroups).Member("banksPerGroup", arch.banksPerGroup);
    json.Member("bankSpan", arch.bankSpan).Member("readsPerGroup", arch.readsPerGroup);
    json.Member("signedCopyGaps", uint64_t{arch.signedCopyGaps});
    json.Member("nanIsUnequal", uint64_t{arch.nanIsUnequal});
    json.Member("saturatesByCall", uint64_t{arch.saturatesByCall});
    json.Member("hf32Bits", uint64_t{arch.hf32Bits});
    json.Member("bfloatSaturates", uint64_t{arch.bfloatSaturates});
    json.EndObject();
    json.Key("takes").BeginObject(JsonWriter::Layout::Lines);
    for (size_t op = 0; op < machine::kOpCount; ++op) {
        json.Key(machine::kOps[op].name);
        WriteSet(json, arch.takes[op], kElementNames);
    }
    json.EndObject();
    json.Key("counted").BeginObject(JsonWriter::Layout::Lines);
    for (size_t op = 0; op < machine::kOpCount; ++op) {
        json.Key(machine::kOps[op].name);
        WriteSet(json, arch.counted[op], kElementNames);
    }
    json.EndObject();
    json.Key("atomics");
    WriteSet(json, arch.atomics, kElementNames);
    json.Key("casts").BeginArray(JsonWriter::Layout::Lines);
    for (size_t from = 0; from < machine::kElementTypes; ++from) {
        for (size_t to = 0; to < machine::kElementTypes; ++to) {
            if (arch.casts[from][to] != 0) {
                json.BeginArray().Text(kElementNames[from]).Text(kElementNames[to]);
                WriteSet(json, arch.casts[from][to], kModeNames);
                json.EndArray();
            }
        }
    }
    json.EndArray();
    json.Key("costs").BeginObject();
#define COST(name) json.Member(#name, arch.costs.name);
    EVT_COSTS(COST)
#undef COST
    json.EndObject();
    json.Key("prices").BeginObject(JsonWriter::Layout::Lines);
    for (size_t i = 0; i < arch.priceCount; ++i) {
        machine::Price const& price = arch.prices[i];
        json.Key(price.call).BeginArray().Number(price.fixed).Number(price.repeat100).EndArray();
    }
    json.EndObject();
    json.EndObject();
}

void WriteTables()
{
    JsonWriter json(stdout);
    json.BeginArray(JsonWriter::Layout::Lines);
    for (machine::ArchSpec const& arch : machine::kArchs) { WriteArch(json, arch); }
    json.EndArray().End();
}

/// The texts as keys, values and elements, in both layouts.
void WriteTexts(int count, char** texts)
{
    JsonWriter json(stdout);
    json.BeginObject();
    for (JsonWriter::Layout const layout : {JsonWriter::Layout::Line, JsonWriter::Layout::Lines}) {
        json.Key(layout == JsonWriter::Layout::Line ? "line" : "lines").BeginObject(layout);
        json.Key("empty object").BeginObject(layout).EndObject();
        json.Key("empty array").BeginArray(layout).EndArray();
        json.Member("number", UINT64_MAX);
        json.Key("texts").BeginArray(layout);
        for (int i = 0; i < count; ++i) { json.Text(texts[i]); }
        json.EndArray();
        json.Key("keys").BeginObject(layout);
        for (int i = 0; i < count; ++i) { json.Member(texts[i], static_cast<uint64_t>(i)); }
        json.EndObject();
        json.EndObject();
    }
    json.EndObject().End();
}

/// An instruction with `count` regions of 32 bytes, after one empty region, which does not count.
void HoldRegions(bool reads, int count)
{
    static char bytes[32];
    machine::Instruction instruction(machine::Pipe::V, "Held", machine::Here());
    for (int i = 0; i <= count; ++i) {
        machine::Region const region = machine::Bytes(machine::Space::UB, bytes, i == 0 ? 0 : sizeof(bytes));
        reads ? instruction.Reads(region) : instruction.Writes(region);
    }
    std::printf("%d\n", reads ? instruction.readCount : instruction.writeCount);
}

}  // namespace

int main(int argc, char** argv)
{
    std::string const command = argc > 1 ? argv[1] : "";
    if (command == "tables") {
        WriteTables();
    } else if (command == "texts") {
        WriteTexts(argc - 2, argv + 2);
    } else if (command == "limits") {
        std::printf("%zu %zu\n", machine::Instruction::kMaxReads, machine::Instruction::kMaxWrites);
    } else if ((command == "reads" || command == "writes") && argc == 3) {
        HoldRegions(command == "reads", std::stoi(argv[2]));
    } else {
        return 2;
    }
    return 0;
}
