#include "registers.hpp"

#include "arch.hpp"
#include "core.hpp"

namespace machine {

Registers& CurrentRegisters()
{
    static Registers none;  // outside a launch: recording there is a fault of its own
    return CurrentCore() == nullptr ? none : CurrentCore()->CurrentRegisters();
}

void InitRegisters()
{
    if (!Arch().saturatesByCall) { return; }  // on Atlas A2/A3 neither of the two
    uint64_t const floats = Control(control::kFloats, control::kFloats);
    CurrentRegisters().control = DefaultControl(0, 63);
    SetControl(control::kFloats, control::kFloats, floats);
    CurrentRegisters().scale = 1.0f;
}

Registers const& SettledRegisters()
{
    Force(Pipe::S);  // what S waits for comes first: V may depend on it
    Force(Pipe::V);
    return CurrentRegisters();
}

}  // namespace machine
