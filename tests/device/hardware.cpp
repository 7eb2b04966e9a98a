// Faults that were found on hardware, each reduced to a smallest program that has it, and the same with its fix. The
// threads are public; docs/samples.md lists them.
#include "cases.hpp"

namespace {

/// A store to a workspace by the cube core, on FIX.
void StoreByCube(GlobalTensor<float> const& to, uint32_t count)
{
    machine::Instruction store(machine::Pipe::FIX, "Fixpipe", machine::Here());
    store.Writes(machine::Bytes(machine::Space::GM, to.GetPhyAddr(), count * sizeof(float)));
    auto* const data = to.GetPhyAddr(0);
    store.Act([data, count] { std::fill(data, data + count, 1.0f); });
    machine::Record(std::move(store));
}

// ---- tile-ai/tilelang-ascend #1660: two buffers that are used again before they are given back, and an event id of 9

/// V fills a buffer, MTE3 stores it; the next stage fills it again.
void FillAndStore(bool givenBack)
{
    Tile t;
    for (int stage = 0; stage < 2; ++stage) {
        if (givenBack && stage > 0) {
            WaitFlag<K::MTE3_V>(0);
            PipeBarrier<PIPE_V>();
        }
        Duplicate(t.a, 1.0f, kCount);
        Sync<K::V_MTE3>();
        DataCopy(stage == 0 ? t.gb : t.gd, t.a, kCount);
        if (givenBack && stage == 0) { SetFlag<K::MTE3_V>(0); }
    }
}
CASE(stored_buffer_not_given_back, "EVT121") { FillAndStore(false); }
CASE(stored_buffer_given_back, "no EVT121") { FillAndStore(true); }

/// MTE2 loads a buffer, V adds it; the next stage loads it again.
void LoadAndAdd(bool givenBack)
{
    Tile t;
    Duplicate(t.b, 0.0f, kCount);
    for (int stage = 0; stage < 2; ++stage) {
        if (givenBack && stage > 0) { WaitFlag<K::V_MTE2>(0); }
        DataCopy(t.a, stage == 0 ? t.ga : t.gb, kCount);
        Sync<K::MTE2_V>();
        PipeBarrier<PIPE_V>();
        Add(t.b, t.b, t.a, kCount);
        if (givenBack && stage == 0) { SetFlag<K::V_MTE2>(0); }
    }
}
CASE(loaded_buffer_not_given_back, "EVT121") { LoadAndAdd(false); }
CASE(loaded_buffer_given_back, "no EVT121") { LoadAndAdd(true); }
CASE(event_id_nine, "EVT133") { Sync<K::V_MTE3>(9); }
CASE(event_id_five, "no EVT133") { Sync<K::V_MTE3>(5); }

// ---- tile-ai/tilelang-ascend #1665: the cube core announces what it has written, and nobody gives the slot back

void TwoSlots(bool givenBack)
{
    constexpr int slots = 2;
    constexpr uint32_t part = kCount / slots;
    constexpr int blocks = 4;
    Tile t;
    for (int i = 0; i < blocks; ++i) {
        uint32_t const at = i % slots * part;
        if ASCEND_IS_AIC {
            if (givenBack && i >= slots) { CrossCoreWaitFlag(2); }
            StoreByCube(t.gd[at], part);
            CrossCoreSetFlag<2, PIPE_FIX>(0);
        } else {
            CrossCoreWaitFlag(0);
            DataCopy(t.a[i * 8 * 8], t.gd[at], 64);
            if (givenBack && i + slots < blocks) { CrossCoreSetFlag<2, PIPE_MTE2>(2); }
        }
    }
}
CASE_ON(slot_not_given_back, "EVT127", 1, Mix) { TwoSlots(false); }
CASE_ON(slot_given_back, "no EVT127 EVT128", 1, Mix) { TwoSlots(true); }

// ---- tile-ai/tilelang-ascend #1136: a cross-core counter that accumulates

void Handshakes(int waits)
{
    for (int i = 0; i < 3; ++i) {
        if ASCEND_IS_AIV { CrossCoreSetFlag<2, PIPE_MTE3>(1); }
    }
    if ASCEND_IS_AIC {
        for (int i = 0; i < waits; ++i) { CrossCoreWaitFlag(1); }
    }
}
CASE_ON(more_sets_than_waits, "EVT136", 1, Mix) { Handshakes(2); }
CASE_ON(as_many_sets_as_waits, "no EVT136", 1, Mix)
{
    Handshakes(3);  // a set of both vector cores is one
}

// ---- tile-ai/tilelang-ascend #1824: the barrier stands in a branch that is not taken

void BarrierInBranch(bool taken, bool afterBranch)
{
    Tile t;
    Duplicate(t.a, 1.0f, kCount);
    if (taken) {
        Duplicate(t.b, 2.0f, kCount);
        PipeBarrier<PIPE_V>();
        Adds(t.c, t.b, 1.0f, kCount);
    }
    if (afterBranch) { PipeBarrier<PIPE_V>(); }
    Add(t.a, t.a, t.a, kCount);
}
CASE(barrier_in_a_branch_not_taken, "EVT123") { BarrierInBranch(false, false); }
CASE(barrier_after_the_branch, "no EVT123") { BarrierInBranch(false, true); }

// ---- hw-native-sys/PTOAS #428: the first round of a loop waits for a flag that only the round before sets

void BackEdge(bool primed)
{
    Tile t;
    if (primed) { SetFlag<K::V_MTE2>(3); }
    for (int i = 0; i < 2; ++i) {
        WaitFlag<K::V_MTE2>(3);
        DataCopy(t.a, t.ga, kCount);
        Sync<K::MTE2_V>();
        Adds(t.b[i * kCount / 2], t.a, 1.0f, kCount / 2);
        SetFlag<K::V_MTE2>(3);
    }
    if (primed) { WaitFlag<K::V_MTE2>(3); }
}
CASE(wait_before_the_first_set, "EVT132") { BackEdge(false); }
CASE(flag_primed_and_drained, "no EVT132") { BackEdge(true); }

// ---- hw-native-sys/PTOAS #1026: a barrier of the cube's pipe on a vector core

CASE(barrier_of_a_pipe_that_is_not_there, "EVT117") { PipeBarrier<PIPE_FIX>(); }
CASE(barrier_of_all_pipes, "no EVT117") { PipeBarrier<PIPE_ALL>(); }

// ---- hw-native-sys/pypto #2722: S releases the store, while V computes what is stored

template <HardEvent event> void Release()
{
    Tile t;
    Duplicate(t.a, 1.0f, kCount);
    Sync<event>();
    DataCopy(t.gd, t.a, kCount);
}
CASE(released_by_scalar, "EVT120") { Release<K::S_MTE3>(); }
CASE(released_by_vector, "no EVT120") { Release<K::V_MTE3>(); }

// ---- huawei-csl/megagdn-pto #24: a running sum without barriers that hold

template <pipe_t barrier> void RunningSum(bool barriers)
{
    Tile t;
    Duplicate(t.a, 1.0f, kCount);
    Duplicate(t.b, 0.0f, kCount);
    PipeBarrier<PIPE_V>();
    for (uint32_t row = 0; row < 2; ++row) {
        Add(t.b, t.b, t.a, kCount / 2);
        if (barriers) { PipeBarrier<barrier>(); }
        DataCopy(t.c[row * kCount / 2], t.b, kCount / 2);
        if (barriers) { PipeBarrier<barrier>(); }
    }
}
CASE(running_sum_without_barriers, "EVT123") { RunningSum<PIPE_V>(false); }
CASE(running_sum_with_barriers_of_all, "no EVT123") { RunningSum<PIPE_ALL>(true); }
CASE(running_sum_with_barriers_of_v, "no EVT123")
{
    RunningSum<PIPE_V>(true);  // wrong on the device in a larger kernel; the thread does not know why
}

// ---- tile-ai/tilelang-ascend #482 and #110: slow and right

TILE(barriers_of_everything, "no EVT120")
{
    for (int i = 0; i < 2; ++i) {
        PipeBarrier<PIPE_ALL>();
        DataCopy(t.a, t.ga, kCount);
        PipeBarrier<PIPE_ALL>();
        Adds(t.a, t.a, 1.0f, kCount);
        PipeBarrier<PIPE_ALL>();
        DataCopy(i == 0 ? t.gb : t.gd, t.a, kCount);
    }
}

// ---- hw-native-sys/PTOAS #823: one id for two pairs of pipes with one source

CASE(one_id_for_two_pairs, "no EVT130")
{
    SetFlag<K::MTE3_V>(2);
    SetFlag<K::MTE3_MTE2>(2);  // the thread says that these are one flag; the page of SetFlag counts ids per pair
    WaitFlag<K::MTE3_MTE2>(2);
    WaitFlag<K::MTE3_V>(2);
}

}  // namespace
