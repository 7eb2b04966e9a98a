// Running a kernel: one fiber per core; streams are executed and checked while they are recorded.
#pragma once

#include <cstdint>

#include "ending.hpp"
#include "record.hpp"

namespace machine {

enum class KernelKind : uint8_t { Mix, AicOnly, AivOnly };

/// Runs `body` once per core and returns when all is done. Mix: `blockDim` groups of one cube core and two vector
/// cores. A number of blocks outside 1 to 65535 (guide, execution configuration of kernels) and a launch from inside a
/// kernel are faults, and nothing runs.
void Launch(
    char const* kernelName, int64_t blockDim, KernelKind kind, void (*run)(void const* body, Role), void const* body,
    Site site);

template <class Body>
void Launch(char const* kernelName, int64_t blockDim, KernelKind kind, Body body, Site site = Here())
{
    auto const run = [](void const* self, Role role) { (*static_cast<Body const*>(self))(role); };
    Launch(kernelName, blockDim, kind, run, &body, site);
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

}  // namespace machine
