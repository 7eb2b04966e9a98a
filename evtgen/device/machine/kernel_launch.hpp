// kernel<<<blocks, …, stream>>>(arguments) of a program that evtgen cpu runs, which writes each as a KernelLaunch.
#pragma once

#include <tuple>

#include "launch.hpp"

namespace machine {

/// The kernel of a launch and its arguments, which are evaluated once.
template <int Number, class Kernel, class... Arguments> struct KernelCall {
    Kernel kernel;
    std::tuple<Arguments...> arguments;

    void operator()(Role) const { std::apply(kernel, arguments); }
};

/// The kind that EVTGEN_MODEL_KINDS has for a launch: a letter for each; Mix without it.
KernelKind KindOf(int number);

/// kernel<<<blockDim, …>>>, the launch with this number of a program.
template <int Number> class KernelLaunch {
public:
    KernelLaunch(char const* kernel, int64_t blockDim, Handle stream, Site site = Here())
        : kernel_(kernel), blockDim_(blockDim), stream_(stream), site_(site)
    {}

    template <class Kernel, class... Arguments> void operator()(Kernel kernel, Arguments... arguments) const
    {
        KernelCall<Number, Kernel, Arguments...> const call{kernel, {arguments...}};
        Launch(kernel_, blockDim_, KindOf(Number), call, site_, stream_);
    }

private:
    char const* kernel_;
    int64_t blockDim_;
    Handle stream_;
    Site site_;
};

}  // namespace machine
