// The facts about one NPU architecture that the machine needs: the memories of a core, the order that its hardware
// keeps, the element types that its calls take, and their costs.
#pragma once

#include <cstddef>
#include <cstdint>

#include "calls.hpp"
#include "elements.hpp"

namespace machine {

#define EVT_ENUMERATOR(name) name,
#define EVT_ONE(name) +1

/// The in-order instruction queues of a core. A vector core has S, V, MTE2, MTE3; a cube core all but V.
#define EVT_PIPES(X) X(S) X(V) X(M) X(MTE1) X(MTE2) X(MTE3) X(FIX)
enum class Pipe : uint8_t { EVT_PIPES(EVT_ENUMERATOR) };
constexpr size_t kPipes = 0 EVT_PIPES(EVT_ONE);
char const* PipeName(Pipe pipe);

/// Where bytes live. Everything but GM belongs to one core. VREG: the vector unit's registers, which hold the bits of a
/// comparison (from byte 0 on) and the sum of a reduction (from byte 32 on).
#define EVT_SPACES(X) X(GM) X(UB) X(L1) X(L0A) X(L0B) X(L0C) X(BT) X(FB) X(VREG)
enum class Space : uint8_t { EVT_SPACES(EVT_ENUMERATOR) };
constexpr size_t kSpaces = 0 EVT_SPACES(EVT_ONE);
char const* SpaceName(Space space);

#undef EVT_ENUMERATOR
#undef EVT_ONE

/// Which of the two kinds of core runs.
enum class Role : uint8_t { AIC, AIV };

/// The costs that are not a call's own; cost.cpp, replay.cpp and totals.cpp put them together.
///   mhz             cycles per microsecond
///   cubeCores       cube cores of the device, unless EVTGEN_MODEL_CORES says otherwise; vector cores are twice as many
///   launch          cycles of a launch outside the kernel, and in it before the first instruction
///   dispatch        cycles of S per instruction that it issues
///   scalar          cycles of a scalar access
///   head            cycles of a vector instruction in which its successor cannot start, besides those of its repeats; the
///                   rest of what its price has as `fixed` is its tail, which only a barrier or a flag waits for
///   otherFixed      `fixed` of a vector instruction without a price
///   simpleRepeat    hundredths of a cycle per repeat of one without a price, where calls.def says Simple
///   iteratingRepeat the same, where it says Iterates
///   groupConflict   hundredths of a cycle per row that a repeat reads from banks, or writes to them, and that must wait
///                   for another
///   writeConflict   hundredths of a cycle per repeat in which a read and a write meet in a bank
///   ragged          cycles more of a vector instruction whose elements end within a repeat
///   copyStartup     cycles before a copy from or to global memory transfers
///   loadLatency     cycles from the end of the transfer from global memory until its data are there; the next copy need
///                   not wait for that
///   storeLatency    the same of a transfer to global memory
///   localLatency    cycles of a copy or a matrix operation within the core
///   sector          bytes of global memory that are fetched together: a row that needs one more because of where it
///                   starts pays for it
///   l1Row           bytes of a row that a matmul moves into L1 at once
///   ubIn10, ubOut10, l1In10, l0cOut10
///                   tenths of a byte per cycle, at most, between global memory and UB, L1 or L0C of one core
///   l0cUb10         the same from L0C to the UB of a cube core's vector cores, both together
///   l1Bytes         bytes per cycle, L1 to L0
///   macs            multiply-accumulates of half per cycle: a fractal of 32 bytes of K, of any type but float
///   floatFractal    cycles of a fractal of float, outside the HF32 mode
///   line            bytes of global memory that the L2 cache fetches together; a sector is up to 16 of them
///   globalBytes     bytes per cycle from and to global memory, all cores together
///   readBytes       of them, from it at most
///   writeBehind     megabytes that the L2 cache has still to write to it before reads must make room for that
///   l2Bytes         bytes per cycle through the L2 cache, all cores together
///   l2Size          megabytes of the L2 cache
// clang-format off
#define EVT_COSTS(X) \
    X(mhz) X(cubeCores) X(launch) X(dispatch) X(scalar) X(head) X(otherFixed) X(simpleRepeat) X(iteratingRepeat) \
    X(groupConflict) X(writeConflict) X(ragged) X(copyStartup) X(loadLatency) X(storeLatency) X(localLatency) \
    X(sector) X(l1Row) X(ubIn10) X(ubOut10) X(l1In10) X(l0cOut10) X(l0cUb10) X(l1Bytes) X(macs) X(floatFractal) \
    X(globalBytes) X(readBytes) X(writeBehind) X(line) X(l2Bytes) X(l2Size)
// clang-format on
struct Costs {
    static constexpr uint64_t kMissing = ~uint64_t{0};

#define EVT_FIELD(name) uint64_t name = kMissing;
    EVT_COSTS(EVT_FIELD)
#undef EVT_FIELD
};

/// A vector instruction that runs alone takes `fixed` cycles and `repeat100` hundredths of a cycle per repeat.
struct Price {
    char const* call = "";
    uint32_t fixed = 0;
    uint32_t repeat100 = 0;
};
constexpr size_t kMaxPrices = kOpCount + 8;

constexpr size_t kMaxBankGroups = 16;

/// One architecture, as its file in targets/ describes it.
struct ArchSpec {
    char const* name = "";
    uint32_t number = 0;              // the value of CATLASS_ARCH
    uint64_t size[kSpaces] = {};      // bytes per space and core; GM's entry is not used
    uint64_t ubOfCalls = 0;           // of these, bytes that some calls of AscendC need
    uint64_t ubReserved = 0;          // bytes of UB that a mixed kernel may not use
    bool vectorOrdersItself = false;  // true where the hardware orders V after V
    bool flushesSubnormals = false;   // true where calls that iterate take subnormals for zero, and give zero for them
    uint64_t hf32Bits = 0;            // of the mantissa that the matrix unit keeps of a float in its HF32 mode
    bool nanIsUnequal = false;        // true where Compare by NE is true of NaN
    bool saturatesByCall = false;     // true where CTRL[60] leaves saturation to each call
    bool bfloatSaturates = false;     // true where arithmetic of bfloat16 saturates as half's may
    bool zeroIsNothing = false;       // true where a vector call of no elements or repeats is sure to do nothing
    uint32_t divisionUlp = 0;         // by so many ulp a quotient may be off; the model rounds it
    bool signedCopyGaps = false;      // true where the gaps of DataCopyExtParams are 64-bit and signed
    uint64_t bankGroups = 0;          // groups of banks of UB; rows of 32 bytes that follow each other are in one each
    uint64_t banksPerGroup = 0;       // of which each has so many
    uint64_t bankSpan = 0;            // bytes after which the bank of a group changes
    uint64_t readsPerGroup = 0;       // rows that a group gives in a cycle in which it takes none, from one bank each
    uint32_t crossFlagDepth = 0;      // the most sets of a cross-core flag that are not yet waited for
    bool crossPairs = false;          // true where mode 4 of cross-core flags joins a cube core with one vector core
    bool crossWaitsOnPipe = false;    // true where a wait for a cross-core flag has a mode and a pipe
    bool cubeWritesUb = false;        // true where FIX of a cube core writes to the UB of its group's vector cores
    bool vectorWritesL1 = false;      // true where MTE3 of a vector core writes to the L1 of its group's cube core
    TypeSet takes[kOpCount] = {};     // element types per call
    TypeSet counted[kOpCount] = {};   // more of them, of the form that takes a count alone
    TypeSet atomics = 0;              // element types of atomic stores
    RoundingSet casts[kElementTypes][kElementTypes] = {};  // round modes per source and destination
    Costs costs = {};
    Price prices[kMaxPrices] = {};  // of calls by name
    size_t priceCount = 0;

    /// `reserved`: whether calls of AscendC keep their part.
    constexpr uint64_t UbUsable(bool reserved = true) const
    {
        return SizeOf(Space::UB) - ubReserved + (reserved ? 0 : ubOfCalls);
    }
    constexpr uint64_t SizeOf(Space space) const { return size[static_cast<size_t>(space)]; }
    constexpr TypeSet Takes(Op op) const { return takes[static_cast<size_t>(op)]; }
    constexpr TypeSet TakesByCount(Op op) const
    {
        return static_cast<TypeSet>(takes[static_cast<size_t>(op)] | counted[static_cast<size_t>(op)]);
    }
    /// 0 if there is no such cast.
    constexpr RoundingSet Casts(ElementType source, ElementType destination) const
    {
        return casts[static_cast<size_t>(source)][static_cast<size_t>(destination)];
    }
};

/// The architecture that launches run on; kernel_operator.h sets it from CATLASS_ARCH before main.
ArchSpec const& Arch();
void SetArch(ArchSpec const& spec);

}  // namespace machine
