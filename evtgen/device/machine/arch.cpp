#include "arch.hpp"

#include "targets.hpp"

namespace machine {

namespace {

ArchSpec const* current = &kArchs[0];

#define EVT_NAME(name) #name,
constexpr char const* kPipeNames[] = {EVT_PIPES(EVT_NAME)};
constexpr char const* kSpaceNames[] = {EVT_SPACES(EVT_NAME)};
#undef EVT_NAME

}  // namespace

char const* PipeName(Pipe pipe) { return kPipeNames[static_cast<size_t>(pipe)]; }

char const* SpaceName(Space space) { return kSpaceNames[static_cast<size_t>(space)]; }

ArchSpec const& Arch() { return *current; }

void SetArch(ArchSpec const& spec) { current = &spec; }

}  // namespace machine
