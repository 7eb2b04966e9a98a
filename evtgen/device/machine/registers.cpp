#include "registers.hpp"

#include "core.hpp"

namespace machine {

Registers& CurrentRegisters()
{
    static Registers none;  // outside a launch: recording there is a fault of its own
    return CurrentCore() == nullptr ? none : CurrentCore()->CurrentRegisters();
}

Registers const& SettledRegisters()
{
    Force(Pipe::S);  // what S waits for comes first: V may depend on it
    Force(Pipe::V);
    return CurrentRegisters();
}

}  // namespace machine
