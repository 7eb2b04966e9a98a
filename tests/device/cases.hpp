// The frame of the smallest programs: three global tensors of kCount floats, a tile of three local ones, and a main that
// runs the case named on the command line.
//   PROGRAM --list       prints "case code" per line; "case no code..." for a near miss of those
//   PROGRAM CASE         runs one
#ifndef EVTGEN_TESTS_CASES_HPP
#define EVTGEN_TESTS_CASES_HPP

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <vector>

#include "../../evtgen/device/machine/memory.hpp"
#include "kernel_operator.h"

using namespace AscendC;

namespace {

constexpr uint32_t kCount = 256;  // elements of a tile
GM_ADDR gmA;
GM_ADDR gmB;
GM_ADDR gmD;
GM_ADDR gmZero;

struct Tile {
    LocalTensor<float> a;
    LocalTensor<float> b;
    LocalTensor<float> c;
    GlobalTensor<float> ga;
    GlobalTensor<float> gb;
    GlobalTensor<float> gd;

    Tile()
    {
        TPipe pipe;
        TBuf<TPosition::VECCALC> buf;
        pipe.InitBuffer(buf, 3 * kCount * sizeof(float));
        a = buf.Get<float>();
        b = a[kCount];
        c = a[2 * kCount];
        ga.SetGlobalBuffer(reinterpret_cast<float*>(gmA));
        gb.SetGlobalBuffer(reinterpret_cast<float*>(gmB));
        gd.SetGlobalBuffer(reinterpret_cast<float*>(gmD));
    }
};

template <HardEvent event> void Sync(int32_t id = 0)
{
    SetFlag<event>(id);
    WaitFlag<event>(id);
}

using K = HardEvent;

/// Ones in all of a tensor, for V.
inline void Ones(LocalTensor<float> const& to)
{
    Duplicate(to, 1.0f, kCount);
    PipeBarrier<PIPE_V>();
}
/// Ones in all of a tensor, stored.
inline void StoreOnes(GlobalTensor<float> const& to, LocalTensor<float> const& by)
{
    Duplicate(by, 1.0f, kCount);
    Sync<K::V_MTE3>();
    DataCopy(to, by, kCount);
}

/// One vector core of a group stores ones, both meet, and the other loads them.
template <class Meet> void StoreAndLoad(Meet const& meet)
{
    if ASCEND_IS_AIC { return; }
    Tile t;
    if (GetSubBlockIdx() == 0) { StoreOnes(t.gb, t.a); }
    meet();
    if (GetSubBlockIdx() == 1) { DataCopy(t.a, t.gb, kCount); }
}

struct Case {
    char const* name;
    char const* code;
    uint32_t blockDim;
    machine::KernelKind kind;
    void (*body)();
};

std::vector<Case>& Cases()
{
    static std::vector<Case> cases;
    return cases;
}

struct Register {
    explicit Register(Case const& c) { Cases().push_back(c); }
};

#define CASE_ON(name, code, cores, kind)                                                 \
    void name();                                                                         \
    Register register_##name(Case{#name, code, cores, machine::KernelKind::kind, name}); \
    void name()
#define CASE(name, code) CASE_ON(name, code, 1, AivOnly)

// With an object of its own, by the name of a tile, `t`, or of queues, `q`.
#define CASE_WITH(Type, object, name, code, cores, kind) \
    void name##_with([[maybe_unused]] Type& object);     \
    CASE_ON(name, code, cores, kind)                     \
    {                                                    \
        Type object;                                     \
        name##_with(object);                             \
    }                                                    \
    void name##_with([[maybe_unused]] Type& object)
#define TILE_ON(name, code, cores, kind) CASE_WITH(Tile, t, name, code, cores, kind)
#define TILE(name, code) TILE_ON(name, code, 1, AivOnly)
#define QUEUES(name, code) CASE_WITH(Queues, q, name, code, 1, AivOnly)

}  // namespace

int main(int argc, char** argv)
{
    if (argc != 2) { return 2; }
    for (Case const& c : Cases()) {
        if (std::strcmp(argv[1], "--list") == 0) {
            std::printf("%s %s\n", c.name, c.code);
        } else if (std::strcmp(argv[1], c.name) == 0) {
            std::vector<float> host(kCount, 1.0f);
            size_t const bytes = kCount * sizeof(float);
            gmA = static_cast<GM_ADDR>(machine::AllocateGlobal(bytes));
            gmB = static_cast<GM_ADDR>(machine::AllocateGlobal(bytes));
            gmD = static_cast<GM_ADDR>(machine::AllocateGlobal(bytes));
            machine::WriteGlobal(gmA, host.data(), bytes);
            machine::WriteGlobal(gmB, host.data(), bytes);
            gmZero = static_cast<GM_ADDR>(machine::AllocateGlobal(bytes));
            machine::FillGlobal(gmZero, 0, bytes);
            if (c.blockDim == 0) {
                c.body();
            } else {
                machine::Launch(c.name, c.blockDim, c.kind, [&c](machine::Role) { c.body(); });
            }
            if (std::strncmp(c.name, "host_", 5) == 0) {
                machine::ReadGlobal(host.data(), gmD, bytes);
                bool const all = std::strncmp(c.name, "host_reads", 10) == 0;
                machine::UseHost(host.data(), all ? bytes : bytes / 2);
            }
            return 0;
        }
    }
    return std::strcmp(argv[1], "--list") == 0 ? 0 : 2;
}

#endif  // EVTGEN_TESTS_CASES_HPP
