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
    Registers& registers = CurrentRegisters();
    uint64_t const floats = uint64_t{1} << control::kFloats;
    registers.control = DefaultControl() | (registers.control & floats);
    registers.deqScale = {DeqScale::Of::Half, 1.0f};
}

Registers const& SettledRegisters()
{
    Force(Pipe::S);  // what S waits for comes first: V may depend on it
    Force(Pipe::V);
    return CurrentRegisters();
}

}  // namespace machine
