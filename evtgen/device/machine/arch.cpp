#include "arch.hpp"

namespace machine {

namespace {
ArchSpec const* current = &kArch2201;
}  // namespace

char const* PipeName(Pipe pipe)
{
    static char const* const names[kPipes] = {"S", "V", "M", "MTE1", "MTE2", "MTE3", "FIX"};
    return names[static_cast<size_t>(pipe)];
}

char const* SpaceName(Space space)
{
    static char const* const names[kSpaces] = {"GM", "UB", "L1", "L0A", "L0B", "L0C", "BT", "FB"};
    return names[static_cast<size_t>(space)];
}

ArchSpec const& Arch()
{
    return *current;
}

void SetArch(ArchSpec const& spec)
{
    current = &spec;
}

}  // namespace machine
