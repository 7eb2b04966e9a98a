#include "ending.hpp"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "config.hpp"
#include "report.hpp"
#include "running.hpp"

namespace machine {

namespace {

constexpr uint64_t kPolls = 1000;  // so many reads of one element are a loop that waits for another core

/// The end of the program inside the running kernel: at the launch, with the last call of the running core.
Finding Ending(std::string const& how)
{
    Finding finding{Fault::EndsInKernel, {running->site, running->kernel, Pipe::S, -1}, how};
    if (Core const* const core = CurrentCore()) {
        finding.detail += " on " + CoreName(static_cast<int32_t>(core->Id().index));
        finding.other = core->LastCall();
        if (core->Polls() >= kPolls) {
            finding.detail += ", which has read one element " + std::to_string(core->Polls())
                              + " times in a row: in the model a core runs until it waits for a flag, and no other core"
                                " writes meanwhile";
        }
    }
    return finding;
}

constexpr unsigned kSecondsForReport = 5;

pid_t process = 0;  // a process that the program forks has no report of its own

void AtExit()
{
    if (getpid() != process) { return; }
    bool const inKernel = running != nullptr;
    if (inKernel) { Report(Ending("exit")); }
    WriteReport();
    PrintReport();
    if (inKernel) {  // or the status would say that all is well
        std::fflush(nullptr);
        std::_Exit(EXIT_FAILURE);
    }
}

char const* SignalName(int number)
{
    switch (number) {
        case SIGSEGV: return "SIGSEGV";
        case SIGBUS: return "SIGBUS";
        case SIGFPE: return "SIGFPE";
        case SIGILL: return "SIGILL";
        case SIGABRT: return "SIGABRT";
        default: return "SIGTERM";
    }
}

/// Writing the report allocates memory, which is not safe in a handler. The program is lost anyway, and the report written
/// when the launch began stays if this one fails; the alarm ends the program if it hangs.
void OnSignal(int number, siginfo_t* info, void*)
{
    if (getpid() == process) {
        alarm(kSecondsForReport);
        if (running != nullptr) {
            bool const fault = number == SIGSEGV || number == SIGBUS;
            bool const overflow = fault && running->current != nullptr && running->current->stack.Guards(info->si_addr);
            Report(Ending(overflow ? "stack overflow" : SignalName(number)));
        }
        WriteReport();
    }
    raise(number);
}

void OnParentGone(int) { _exit(EXIT_FAILURE); }

void HandleSignals()
{
    static char stack[size_t{64} * 1024];  // a handler cannot run on a stack that has overflowed
    stack_t alternate{};
    alternate.ss_sp = stack;
    alternate.ss_size = sizeof(stack);
    sigaltstack(&alternate, nullptr);
    struct sigaction action {};
    action.sa_sigaction = OnSignal;
    action.sa_flags = static_cast<int>(SA_SIGINFO | SA_ONSTACK | SA_RESETHAND | SA_NODEFER);
    for (int const number : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTERM}) {
        sigaction(number, &action, nullptr);
    }
}

/// Asks for SIGIO at the end of file of a pipe whose other end only evtgen has.
void FollowParent(int pipe)
{
    struct sigaction action {};
    action.sa_handler = OnParentGone;
    sigaction(SIGIO, &action, nullptr);
    fcntl(pipe, F_SETOWN, getpid());
    fcntl(pipe, F_SETFL, O_ASYNC | O_NONBLOCK);
    pollfd gone{pipe, POLLIN, 0};
    if (poll(&gone, 1, 0) > 0) {  // before the signal was asked for
        OnParentGone(SIGIO);
    }
}

}  // namespace

void WriteReportOfLaunch()
{
    Finding const ending = Ending("nothing says how");
    WriteReport(&ending);
}

bool WatchEnding()
{
    if (process != 0) { return true; }
    process = getpid();
    std::atexit(AtExit);
    Config const& config = GetConfig();
    if (!config.report.empty()) { HandleSignals(); }
    if (config.parent >= 0) { FollowParent(config.parent); }
    return true;
}

}  // namespace machine
