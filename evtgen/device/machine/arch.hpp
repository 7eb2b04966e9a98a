// The facts about one NPU architecture that the machine needs: the memories of a core, the order that its hardware
// keeps, the element types that its calls take, and their costs.
#ifndef EVTGEN_MACHINE_ARCH_HPP
#define EVTGEN_MACHINE_ARCH_HPP

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

/// The costs of instructions; CostOf puts them together.
///   issue            cycles of a vector instruction before its first repeat is done
///   simpleRepeat     cycles per repeat of a call whose price is Simple
///   iteratingRepeat  cycles per repeat of a call whose price is Iterates
///   copyStartup      cycles before a copy from or to global memory transfers; they keep short copies below full
///                    bandwidth
///   copyLatency      cycles after the transfer until its data arrive; the next copy need not wait for that
///   localLatency     cycles of a copy or a matrix operation within the core
///   scalar           cycles of a scalar access
///   blockGap         cycles per further block of a strided copy
///   globalBytes      bytes per cycle, global memory, all cores together
///   portBytes        bytes per cycle, at most, between global memory and one core
///   l1Bytes          bytes per cycle, L1 to L0
///   macs             multiply-accumulates of half per cycle
///   unaligned10      factor, in tenths, of the transfer time of a copy that does not start on 512 bytes
#define EVT_COSTS(X)   \
    X(issue)           \
    X(simpleRepeat)    \
    X(iteratingRepeat) \
    X(copyStartup)     \
    X(copyLatency)     \
    X(localLatency)    \
    X(scalar)          \
    X(blockGap)        \
    X(globalBytes)     \
    X(portBytes)       \
    X(l1Bytes)         \
    X(macs)            \
    X(unaligned10)
struct Costs {
#define EVT_FIELD(name) uint64_t name = 0;
    EVT_COSTS(EVT_FIELD)
#undef EVT_FIELD
};

/// One architecture, as its file in targets/ describes it.
struct ArchSpec {
    char const* name = "";
    uint32_t number = 0;              // the value of CATLASS_ARCH
    uint64_t size[kSpaces] = {};      // bytes per space and core; GM's entry is not used
    uint64_t ubReserved = 0;          // bytes of UB that a mixed kernel may not use
    bool vectorOrdersItself = false;  // true where the hardware orders V after V
    bool signedCopyGaps = false;      // true where the gaps of DataCopyExtParams are 64-bit and signed
    uint32_t crossFlagDepth = 0;      // the most sets of a cross-core flag that are not yet waited for
    TypeSet takes[kOpCount] = {};     // element types per call
    TypeSet atomics = 0;              // element types of atomic stores
    RoundingSet casts[kElementTypes][kElementTypes] = {};  // round modes per source and destination
    Costs costs = {};

    constexpr uint64_t UbUsable() const
    {
        return SizeOf(Space::UB) - ubReserved;
    }
    constexpr uint64_t SizeOf(Space space) const
    {
        return size[static_cast<size_t>(space)];
    }
    constexpr TypeSet Takes(Op op) const
    {
        return takes[static_cast<size_t>(op)];
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

#endif  // EVTGEN_MACHINE_ARCH_HPP
