// Checks at the end of a core's kernel: pending waits, flags still raised, atomic mode still on.
#include <string>

#include "config.hpp"
#include "core.hpp"

namespace machine {

void Core::ReportStuck()
{
    for (size_t p = 0; p < kPipes; ++p) {
        if (queues_[p].empty()) { continue; }
        Kind const kind = queues_[p].front().kind;
        if (kind != Kind::WaitFlag && kind != Kind::CrossWait) { continue; }
        Instruction const& wait = pool_[queues_[p].front().slot];
        std::string const flag = kind == Kind::CrossWait ? "cross-core " + NameOfCross(static_cast<size_t>(wait.flag))
                                                         : FlagName(wait.other, wait.pipe, wait.flag);
        Report({Fault::Deadlock, MakeCall(wait), std::string("pipe ") + PipeName(wait.pipe) + " waits for " + flag});
    }
}

void Core::Finish()
{
    if (!GetConfig().checks) { return; }
    for (Flag const& flag : flags_) {
        if (flag.raised) {
            auto const at = static_cast<size_t>(&flag - flags_.data());
            auto const from = static_cast<Pipe>(at / kFlagIds / kPipes);
            auto const to = static_cast<Pipe>(at / kFlagIds % kPipes);
            Report({Fault::FlagLeftRaised, flag.set.setter, FlagName(from, to, static_cast<int32_t>(at % kFlagIds))});
        }
    }
    if (atomic_.combine != Combine::Store) {
        Report({Fault::AtomicLeftOn, MakeCall("SetAtomic", Pipe::S, atomic_.site)});
    }
    CheckControl();
}

}  // namespace machine
