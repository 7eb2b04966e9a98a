// Running a kernel: one fiber per core; streams are executed and checked while they are recorded.
#pragma once

#include <cstdint>
#include <optional>
#include <typeinfo>

#include "ending.hpp"
#include "host.hpp"
#include "record.hpp"

namespace machine {

enum class KernelKind : uint8_t { Mix, AicOnly, AivOnly };

/// What each core runs.
struct Body {
    void (*run)(void const* self, Role);
    void const* self;
    char const* name;  // of its type: the same in both passes of a program
};
/// Runs `body` once per core and returns when all is done. Mix: `blockDim` groups of one cube core and two vector
/// cores. A number of blocks outside 1 to 65535 (guide, execution configuration of kernels) and a launch from inside a
/// kernel are faults, and nothing runs. With a stream the host does not know yet that the launch is over.
void Launch(
    char const* kernelName, int64_t blockDim, KernelKind kind, Body const& body, Site site,
    std::optional<Handle> stream);

/// A program that is compiled once for each kind of core has each body twice. That of the pass for the cube cores is
/// called on them.
bool RunsOnCubeCores(Body const& body);

template <class Called> struct BodyOf {
    static void Run(void const* self, Role role) { (*static_cast<Called const*>(self))(role); }
#ifdef EVTGEN_PASS_CUBE
    static inline bool const isKept = RunsOnCubeCores({Run, nullptr, typeid(Called).name()});
#endif
};

template <class Called>
void Launch(
    char const* kernelName, int64_t blockDim, KernelKind kind, Called body, Site site = Here(),
    std::optional<Handle> stream = {})
{
#ifdef EVTGEN_PASS_CUBE
    static_cast<void>(BodyOf<Called>::isKept);
#endif
    Launch(kernelName, blockDim, kind, {BodyOf<Called>::Run, &body, typeid(Called).name()}, site, stream);
}

/// The core that is running; outside a launch, a single vector core.
Role CurrentRole();
uint32_t BlockIdx();     // cube core: index of its group; vector core: index among all vector cores
uint32_t BlockNum();     // the blockDim of the launch
uint32_t SubBlockIdx();  // 0 or 1 within a group
uint32_t SubBlockNum();  // vector cores per group; 1 on a cube core

/// The host's time in ticks of 20 ns.
int64_t SystemTicks();

/// printf, on the standard output.
void Print(char const* format, ...);

/// What a dump says of its elements: the kind of their type, its bits, whether they are whole numbers, how many they are.
struct DumpedElements {
    char const* position;
    char const* kind;
    uint64_t bits;
    bool areWhole;
    uint32_t count;
};

/// Prints a dump in one piece, since cores print at the same time; value gives element i of the tensor.
void PrintDump(
    uint32_t desc, uint64_t address, DumpedElements const& elements, double (*value)(void const* tensor, uint32_t i),
    void const* tensor);

/// Number of cube cores of the modelled device (EVTGEN_MODEL_CORES; else as in the table of the architecture).
uint32_t CubeCores();
/// Blocks of the running launch that run at once where they do not wait for each other: of vector cores there are twice as
/// many.
uint32_t BlocksAtOnce();

}  // namespace machine
