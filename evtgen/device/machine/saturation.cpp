#include "saturation.hpp"

#include "arch.hpp"
#include "config.hpp"
#include "core.hpp"

namespace machine {

namespace {

constexpr uint64_t Bit(uint32_t bit) { return uint64_t{1} << bit; }
constexpr uint64_t Bits(uint32_t first, uint32_t last) { return ~uint64_t{0} >> (63 - (last - first)) << first; }

void Put(uint64_t& control, uint64_t bits, uint64_t value) { control = (control & ~bits) | (value & bits); }

}  // namespace

Saturation CurrentSaturation()
{
    uint64_t const control = CurrentRegisters().control;
    auto const clear = [control](uint32_t bit) { return (control & Bit(bit)) == 0; };
    // Where calls have their own mode, AscendC's Cast saturates; that arithmetic does not is *assumed*.
    bool const own = Arch().saturatesByCall && clear(control::kGlobal);
    return {
        !own && clear(control::kFloats), own || clear(control::kFloats), clear(control::kNan),
        !clear(control::kIntegers), own || clear(control::kCasts)};
}

bool& StartsSaturating()
{
    static bool starts = GetConfig().saturates;
    return starts;
}

uint64_t InitialControl() { return DefaultControl() | (StartsSaturating() ? 0 : Bit(control::kFloats)); }

uint64_t DefaultControl() { return Arch().saturatesByCall ? Bit(control::kGlobal) : 0; }

uint64_t Control(uint32_t first, uint32_t last) { return (CurrentRegisters().control & Bits(first, last)) >> first; }

void SetControl(char const* name, uint32_t first, uint32_t last, uint64_t value, Site site)
{
    Registers& registers = CurrentRegisters();
    Put(registers.control, Bits(first, last), value << first);
    registers.controlSetter = {name, site};
}

void ResetControl(uint32_t first, uint32_t last)
{
    Registers& registers = CurrentRegisters();
    Put(registers.control, Bits(first, last), DefaultControl());
    registers.controlSetter = {};
}

void Core::CheckControl()
{
    // Elsewhere the next kernel sets the other bits itself (InitSocState page).
    uint64_t const kept = Arch().saturatesByCall ? Bit(control::kFloats) : ~uint64_t{0};
    auto const& [name, site] = registers_.controlSetter;
    if (name != nullptr && ((registers_.control ^ InitialControl()) & kept) != 0) {
        Report({Fault::ModeLeftBehind, MakeCall(name, Pipe::S, site)});
    }
}

}  // namespace machine
