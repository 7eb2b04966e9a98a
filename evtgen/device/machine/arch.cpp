#include "arch.hpp"

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <type_traits>

#include "config.hpp"
#include "targets.hpp"

namespace machine {

namespace {

ArchSpec const* current = &kArchs[0];

#define EVT_NAME(name) #name,
constexpr char const* kPipeNames[] = {EVT_PIPES(EVT_NAME)};
constexpr char const* kSpaceNames[] = {EVT_SPACES(EVT_NAME)};
#undef EVT_NAME

/// An architecture with its constants and prices as the environment scales them.
ArchSpec Scaled(ArchSpec arch)
{
    for (Scale const& scale : GetConfig().scales) {
        auto const by = [&](auto& value) {
            value = static_cast<std::decay_t<decltype(value)>>(std::llround(static_cast<double>(value) * scale.factor));
        };
        bool known = false;
#define EVT_SCALE(cost)        \
    if (scale.name == #cost) { \
        by(arch.costs.cost);   \
        known = true;          \
    }
        EVT_COSTS(EVT_SCALE)
#undef EVT_SCALE
        for (size_t i = 0; i < arch.priceCount; ++i) {
            if (scale.name == arch.prices[i].call) {
                by(arch.prices[i].fixed);
                by(arch.prices[i].repeat100);
                known = true;
            }
        }
        if (!known) {
            std::fprintf(
                stderr, "EVTGEN_MODEL_SCALE: %s has no constant or price of %s\n", arch.name, scale.name.c_str());
            std::exit(2);
        }
    }
    return arch;
}

}  // namespace

char const* PipeName(Pipe pipe) { return kPipeNames[static_cast<size_t>(pipe)]; }

char const* SpaceName(Space space) { return kSpaceNames[static_cast<size_t>(space)]; }

ArchSpec const& Arch() { return *current; }

void SetArch(ArchSpec const& spec)
{
    static ArchSpec scaled;
    if (!GetConfig().scales.empty()) { scaled = Scaled(spec); }
    current = GetConfig().scales.empty() ? &spec : &scaled;
}

}  // namespace machine
