#include "locals.hpp"

#include <algorithm>

// The linker names the ends of the section, if a program has it.
// NOLINTBEGIN(bugprone-reserved-identifier)
extern "C" {
[[gnu::weak, gnu::visibility("hidden")]] extern uint8_t __start_evtgen_block_local[];
[[gnu::weak, gnu::visibility("hidden")]] extern uint8_t __stop_evtgen_block_local[];
}
// NOLINTEND(bugprone-reserved-identifier)

namespace machine {

namespace {

std::vector<uint8_t> Current() { return {__start_evtgen_block_local, __stop_evtgen_block_local}; }

}  // namespace

void BlockLocals::Enter()
{
    static std::vector<uint8_t> const initial = Current();
    if (values_.empty()) { values_ = initial; }
    std::copy(values_.begin(), values_.end(), __start_evtgen_block_local);
}

void BlockLocals::Leave() { std::copy(__start_evtgen_block_local, __stop_evtgen_block_local, values_.begin()); }

}  // namespace machine
