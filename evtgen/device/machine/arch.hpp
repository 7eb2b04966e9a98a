// What the machine must know about one NPU architecture: which memories a core has and what its hardware orders.
#ifndef EVTGEN_MACHINE_ARCH_HPP
#define EVTGEN_MACHINE_ARCH_HPP

#include <cstddef>
#include <cstdint>

namespace machine {

/// The in-order instruction queues of a core. A vector core has S, V, MTE2, MTE3; a cube core all but V.
enum class Pipe : uint8_t { S, V, M, MTE1, MTE2, MTE3, FIX };
constexpr size_t kPipes = 7;
char const* PipeName(Pipe pipe);

/// Where bytes live. Everything but GM belongs to one core.
enum class Space : uint8_t { GM, UB, L1, L0A, L0B, L0C, BT, FB };
constexpr size_t kSpaces = 8;
char const* SpaceName(Space space);

/// Which of the two kinds of core runs.
enum class Role : uint8_t { AIC, AIV };

struct ArchSpec {
    char const* name;
    uint32_t number;          // 2201 or 3510
    uint64_t size[kSpaces];   // bytes per space and core; GM's entry is not used
    uint64_t ubUsable;        // bytes of UB that a mixed kernel may use
    bool vectorOrdersItself;  // true where the hardware orders V after V
    uint32_t crossFlagDepth;  // how often a cross-core flag may be set ahead of its waits
};

/// Atlas A2/A3. UB is 192 KB, of which 256 B and 8 KB are reserved in mixed kernels (guide, architecture
/// specification).
constexpr ArchSpec kArch2201 = {
    "AtlasA2",
    2201,
    {0, 192 * 1024, 512 * 1024, 64 * 1024, 64 * 1024, 128 * 1024, 1024, 7 * 1024},
    192 * 1024 - 256 - 8 * 1024,
    false,
    15};

/// Ascend950. UB is 248 KB (Catlass Arch::Ascend950).
constexpr ArchSpec kArch3510 = {
    "Ascend950", 3510, {0, 248 * 1024, 512 * 1024, 64 * 1024, 64 * 1024, 256 * 1024, 4 * 1024, 16 * 1024},
    248 * 1024,  true, 15};

/// The architecture that launches run on; kernel_operator.h sets it from CATLASS_ARCH before main.
ArchSpec const& Arch();
void SetArch(ArchSpec const& spec);

}  // namespace machine

#endif  // EVTGEN_MACHINE_ARCH_HPP
