// Checks at the end of a core's kernel: pending waits, flags still raised, atomic mode still on.
#include <string>

#include "config.hpp"
#include "core.hpp"

namespace machine {

void Core::ReportStuck()
{
    for (size_t p = 0; p < kPipes; ++p) {
        if (queues_[p].empty()) {
            continue;
        }
        Kind const kind = queues_[p].front().kind;
        if (kind != Kind::WaitFlag && kind != Kind::CrossWait) {
            continue;
        }
        Instruction const& wait = pool_[queues_[p].front().slot];
        Finding finding;
        finding.fault = Fault::Deadlock;
        finding.call = MakeCall(wait);
        finding.detail = std::string("pipe ") + PipeName(wait.pipe) + " waits for ";
        if (kind == Kind::CrossWait) {
            finding.detail += "cross-core " + NameOfCross(static_cast<size_t>(wait.flag));
        } else {
            finding.detail +=
                std::string(PipeName(wait.other)) + "_" + PipeName(wait.pipe) + ", id " + std::to_string(wait.flag);
        }
        Report(finding);
    }
}

void Core::Finish()
{
    if (!GetConfig().checks) {
        return;
    }
    for (Flag const& flag : flags_) {
        if (flag.raised) {
            auto const at = static_cast<size_t>(&flag - flags_.data());
            Finding finding;
            finding.fault = Fault::FlagLeftRaised;
            finding.call = flag.set.setter;
            finding.detail = std::string(PipeName(static_cast<Pipe>(at / kFlagIds / kPipes))) + "_"
                             + PipeName(static_cast<Pipe>(at / kFlagIds % kPipes)) + ", id "
                             + std::to_string(at % kFlagIds);
            Report(finding);
        }
    }
    if (atomic_.combine != Combine::Store) {
        Finding finding;
        finding.fault = Fault::AtomicLeftOn;
        finding.call = {atomic_.site, "SetAtomic", Pipe::S, static_cast<int32_t>(id_.index)};
        Report(finding);
    }
}

}  // namespace machine
