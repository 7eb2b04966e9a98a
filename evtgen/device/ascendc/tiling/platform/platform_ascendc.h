// The host's queries about the device: core counts and memory sizes, as the machine has them.
#pragma once

#include <cstdint>

#include "machine/arch.hpp"
#include "machine/launch.hpp"

namespace platform_ascendc {

enum class CoreMemType { L0_A = 0, L0_B, L0_C, L1, L2, UB, HBM, FB, BT, RESERVED };

class PlatformAscendC {
public:
    uint32_t GetCoreNum() const { return GetCoreNumAic(); }
    uint32_t GetCoreNumAic() const { return machine::CubeCores(); }
    uint32_t GetCoreNumAiv() const { return 2 * machine::CubeCores(); }

    /// Bytes per core of one on-chip memory; zero for L2 and HBM, which the model does not bound.
    void GetCoreMemSize(CoreMemType const& memType, uint64_t& size) const
    {
        size = SpaceOf(memType) == machine::Space::GM ? 0 : machine::Arch().SizeOf(SpaceOf(memType));
    }

private:
    static machine::Space SpaceOf(CoreMemType memType)
    {
        switch (memType) {
            case CoreMemType::L0_A: return machine::Space::L0A;
            case CoreMemType::L0_B: return machine::Space::L0B;
            case CoreMemType::L0_C: return machine::Space::L0C;
            case CoreMemType::L1: return machine::Space::L1;
            case CoreMemType::UB: return machine::Space::UB;
            case CoreMemType::FB: return machine::Space::FB;
            case CoreMemType::BT: return machine::Space::BT;
            default: return machine::Space::GM;
        }
    }
};

class PlatformAscendCManager {
public:
    static PlatformAscendC* GetInstance()
    {
        static PlatformAscendC platform;
        return &platform;
    }
    /// The name of a processor selects nothing here: the architecture is fixed when the program is compiled.
    static PlatformAscendC* GetInstance(char const*) { return GetInstance(); }
};

}  // namespace platform_ascendc
