// For every fault the machine knows: a smallest program that must be flagged with its code, and a near miss that must
// not.
#include <stdexcept>

#include "../../evtgen/device/machine/direct.hpp"
#include "cases.hpp"

namespace {

// ---- addresses

TILE(gm_null, "EVT101")
{
    t.ga.SetGlobalBuffer(nullptr);
    DataCopy(t.a, t.ga, kCount);
}
TILE(gm_allocated, "no EVT101") { DataCopy(t.a, t.ga, kCount); }
TILE(gm_past_end, "EVT102") { DataCopy(t.a, t.ga[8], kCount); }
TILE(gm_past_end_by_a_count_of_2_to_the_30, "EVT102")
{
    DataCopy(t.a, t.ga, 1u << 30);  // 2^32 bytes
}
TILE(gm_past_end_by_a_negative_count, "EVT102") { DataCopy(t.a, t.ga, static_cast<uint32_t>(-1)); }
TILE(gm_up_to_end, "no EVT102") { DataCopy(t.a, t.ga[8], kCount - 8); }
TILE(gm_rows_past_end, "EVT102")
{
    DataCopyPad(t.a, t.ga, DataCopyExtParams(5, 128, 128, 0, 0), DataCopyPadExtParams<float>());
}
TILE(ub_past_end, "EVT103") { Duplicate(t.a[192 * 256 - 8], 0.0f, 16); }
TILE(ub_past_end_by_the_largest_count, "EVT103") { Duplicate(t.a, 0.0f, INT32_MAX); }
TILE(ub_past_end_by_the_largest_unsigned_count, "EVT103")
{
    Cast(t.a.ReinterpretCast<int32_t>(), t.b, RoundMode::CAST_RINT, UINT32_MAX);
}
CASE_ON(ub_of_another_core, "EVT103", 1, Mix)
{
    if ASCEND_IS_AIC {
        void const* const place = machine::LocalAddress(machine::Space::UB, 0, 32);
        machine::Instruction instruction(machine::Pipe::FIX, "Fixpipe", Here());
        instruction.Writes(machine::Bytes(machine::Space::UB, machine::UbOfVectorCore(0, place), 32));
        machine::Record(std::move(instruction));
    } else {
        Tile t;
    }
}
TILE(ub_unallocated, "EVT104") { Duplicate(t.c, 0.0f, kCount + 8); }
TILE(ub_allocated, "no EVT104") { Duplicate(t.c, 0.0f, kCount); }
CASE(ub_reserved, "EVT105")
{
    TPipe pipe;
    TBuf<TPosition::VECCALC> buf;
    pipe.InitBuffer(buf, 192 * 1024);
    Duplicate(buf.Get<float>()[(192 * 1024 - 256 - 8 * 1024) / 4], 0.0f, 8);
}
CASE(ub_of_the_framework, "EVT105")
{
    TPipe pipe;
    TBuf<TPosition::VECCALC> buf;
    pipe.InitBuffer(buf, 192 * 1024);
    Duplicate(buf.Get<float>()[(192 * 1024 - 256) / 4], 0.0f, 8);
}
CASE(ub_usable, "no EVT103 EVT105")
{
    TPipe pipe;
    TBuf<TPosition::VECCALC> buf;
    pipe.InitBuffer(buf, 192 * 1024);
    Duplicate(buf.Get<float>()[(192 * 1024 - 256 - 8 * 1024) / 4 - 8], 0.0f, 8);
}
TILE(ub_misaligned, "EVT106") { Duplicate(t.a[4], 0.0f, 8); }
TILE(ub_aligned, "no EVT106") { Duplicate(t.a[8], 0.0f, 8); }

// ---- definedness

TILE(operand_never_written, "EVT107")
{
    Ones(t.a);
    Add(t.c, t.a, t.b, kCount);
}
TILE(operand_written, "no EVT107")
{
    Duplicate(t.a, 1.0f, kCount);
    Ones(t.b);
    Add(t.c, t.a, t.b, kCount);
}
TILE(gm_never_written, "EVT107") { DataCopy(t.a, t.gd, kCount); }

/// Three floats loaded: the other five of the block are padding.
void LoadThree(Tile& t, DataCopyPadExtParams<float> const& pad)
{
    DataCopyPad(t.a, t.ga, DataCopyExtParams(1, 12, 0, 0, 0), pad);
    Sync<K::MTE2_V>();
    Adds(t.b, t.a, 1.0f, 8);
    Sync<K::V_MTE3>();
}
TILE(padding_stored, "EVT108")
{
    LoadThree(t, DataCopyPadExtParams<float>());
    DataCopyPad(t.gd, t.b, DataCopyExtParams(1, 16, 0, 0, 0));
}
TILE(padding_computed_not_stored, "no EVT108")
{
    LoadThree(t, DataCopyPadExtParams<float>());
    DataCopyPad(t.gd, t.b, DataCopyExtParams(1, 12, 0, 0, 0));
}
TILE(padding_with_value_stored, "no EVT108")
{
    LoadThree(t, DataCopyPadExtParams<float>(true, 0, 5, 0.0f));
    DataCopyPad(t.gd, t.b, DataCopyExtParams(1, 32, 0, 0, 0));
}

/// Three floats loaded, and two masks of them joined: in the words of the masks only three bits are defined.
void JoinMasksOfThree(Tile& t)
{
    DataCopyPad(t.a, t.ga, DataCopyExtParams(1, 12, 0, 0, 0), DataCopyPadExtParams<float>());
    Duplicate(t.c, 0.5f, 64);
    Sync<K::MTE2_V>();
    LocalTensor<uint8_t> const some = t.b.ReinterpretCast<uint8_t>();
    LocalTensor<uint8_t> const others = some[32];
    PipeBarrier<PIPE_V>();
    Compare(some, t.a, t.c, CMPMODE::GT, 64);
    Compare(others, t.a, t.c, CMPMODE::NE, 64);
    PipeBarrier<PIPE_V>();
    LocalTensor<uint16_t> const words = some.ReinterpretCast<uint16_t>();
    Not(words, words, 1);
    PipeBarrier<PIPE_V>();
    And(words, words, others.ReinterpretCast<uint16_t>(), 1);
    PipeBarrier<PIPE_V>();
    Select(t.c, some, t.c, 0.0f, SELMODE::VSEL_TENSOR_SCALAR_MODE, 8);
    Sync<K::V_MTE3>();
}
TILE(chosen_by_padding_stored, "EVT108")
{
    JoinMasksOfThree(t);
    DataCopyPad(t.gd, t.c, DataCopyExtParams(1, 16, 0, 0, 0));
}
TILE(chosen_beside_padding_stored, "no EVT108")
{
    JoinMasksOfThree(t);
    DataCopyPad(t.gd, t.c, DataCopyExtParams(1, 12, 0, 0, 0));
}
TILE(atomic_on_uninitialised, "EVT109")
{
    Duplicate(t.a, 1.0f, kCount);
    Sync<K::V_MTE3>();
    SetAtomicAdd<float>();
    DataCopy(t.gd, t.a, kCount);
    SetAtomicNone();
}
TILE(atomic_of_padding, "EVT109")
{
    LoadThree(t, DataCopyPadExtParams<float>());
    SetAtomicAdd<float>();
    DataCopyPad(t.gb, t.b, DataCopyExtParams(1, 16, 0, 0, 0));
    SetAtomicNone();
}
TILE(atomic_on_initialised, "no EVT109")
{
    LoadThree(t, DataCopyPadExtParams<float>());
    SetAtomicAdd<float>();
    DataCopyPad(t.gb, t.b, DataCopyExtParams(1, 12, 0, 0, 0));
    SetAtomicNone();
}
TILE(scalar_of_padding, "EVT110")
{
    DataCopyPad(t.a, t.ga, DataCopyExtParams(1, 12, 0, 0, 0), DataCopyPadExtParams<float>());
    Sync<K::MTE2_S>();
    (void)t.a.GetValue(3);
}
TILE(scalar_of_data, "no EVT110")
{
    DataCopyPad(t.a, t.ga, DataCopyExtParams(1, 12, 0, 0, 0), DataCopyPadExtParams<float>());
    Sync<K::MTE2_S>();
    (void)t.a.GetValue(2);
}
CASE(host_reads_unwritten, "EVT111") { Tile t; }
TILE(host_copies_what_it_does_not_use, "no EVT111")
{
    Duplicate(t.a, 1.0f, kCount / 2);
    Sync<K::V_MTE3>();
    DataCopy(t.gd, t.a, kCount / 2);
}
TILE(host_reads_written, "no EVT111") { StoreOnes(t.gd, t.a); }

// ---- one instruction

TILE(operands_overlap_in_part, "EVT112")
{
    Ones(t.a);
    Adds(t.a[8], t.a, 1.0f, 64);
}
TILE(operands_overlap_fully, "no EVT112")
{
    Ones(t.a);
    Adds(t.a, t.a, 1.0f, 64);
}
TILE(copy_rounds_down, "EVT113")
{
    Ones(t.a);
    DataCopy(t.b, t.a, 13);
}
TILE(copy_whole_blocks, "no EVT113")
{
    Ones(t.a);
    DataCopy(t.b, t.a, 16);
}
TILE(too_many_blocks, "EVT114")
{
    DataCopyPad(t.a, t.ga, DataCopyExtParams(4096, 4, 0, 0, 0), DataCopyPadExtParams<float>());
}
TILE(negative_count, "EVT114") { Duplicate(t.a, 1.0f, -1); }
TILE(smallest_count, "EVT114") { Duplicate(t.a, 1.0f, INT32_MIN); }
TILE(negative_count_of_a_reduction, "EVT114") { ReduceSum(t.a, t.b, t.c, -1); }
TILE(negative_repeats, "EVT114") { WholeReduceSum(t.a, t.b, 64, -1, 1, 1, 8); }
TILE(more_repeats_than_an_instruction_has, "EVT114") { WholeReduceSum(t.a, t.b, 64, 256, 1, 1, 8); }
TILE(negative_mask, "EVT114") { WholeReduceSum(t.a, t.b, -1, 1, 1, 1, 8); }
TILE(mask_of_more_than_a_repeat, "EVT114") { Add(t.a, t.b, t.c, uint64_t{65}, 1, BinaryRepeatParams()); }
CASE(negative_count_as_mask, "EVT114")
{
    SetMaskCount();
    SetVectorMask<float, MaskMode::COUNTER>(-1);
}
TILE(count_of_zero, "no EVT114") { Duplicate(t.a, 1.0f, 0); }
TILE(mask_of_a_whole_repeat, "no EVT114") { Duplicate(t.a, 1.0f, uint64_t{64}, 4, 1, 8); }
CASE(as_many_blocks_as_one_copy_moves, "no EVT114")
{
    constexpr uint32_t kBlocks = 4095;
    std::vector<float> host(kBlocks, 1.0f);
    void* source = machine::AllocateGlobal(kBlocks * sizeof(float));
    machine::WriteGlobal(source, host.data(), kBlocks * sizeof(float));
    GlobalTensor<float> global;
    global.SetGlobalBuffer(static_cast<float*>(source));
    TPipe pipe;
    TBuf<TPosition::VECCALC> buf;
    pipe.InitBuffer(buf, kBlocks * 32);
    DataCopyPad(buf.Get<float>(), global, DataCopyExtParams(kBlocks, 4, 0, 0, 0), DataCopyPadExtParams<float>());
}
TILE(cast_without_that_mode, "EVT116")
{
    Ones(t.a);
    Cast(t.b.ReinterpretCast<bfloat16_t>(), t.a, RoundMode::CAST_NONE, kCount);
}
TILE(cast_with_mode, "no EVT116")
{
    Ones(t.a);
    Cast(t.b.ReinterpretCast<bfloat16_t>(), t.a, RoundMode::CAST_RINT, kCount);
}
TILE_ON(vector_work_on_cube_core, "EVT117", 1, AicOnly) { Duplicate(t.a, 1.0f, kCount); }
TILE(vector_work_on_vector_core, "no EVT117") { Duplicate(t.a, 1.0f, kCount); }

// ---- order within a core

TILE(lost_write, "EVT115")
{
    Ones(t.a);
    Duplicate(t.a, 2.0f, kCount);
}
TILE(read_between_writes, "no EVT115")
{
    Ones(t.a);
    Adds(t.b, t.a, 1.0f, kCount);
    PipeBarrier<PIPE_V>();
    Duplicate(t.a, 2.0f, kCount);
}
TILE(load_then_compute_unordered, "EVT120")
{
    DataCopy(t.a, t.ga, kCount);
    Adds(t.b, t.a, 1.0f, kCount);
}
TILE(load_then_compute, "no EVT120")
{
    DataCopy(t.a, t.ga, kCount);
    Sync<K::MTE2_V>();
    Adds(t.b, t.a, 1.0f, kCount);
}
TILE(load_then_compute_by_barrier_all, "no EVT120")
{
    DataCopy(t.a, t.ga, kCount);
    PipeBarrier<PIPE_ALL>();
    Adds(t.b, t.a, 1.0f, kCount);
}
TILE(load_then_compute_wrong_event, "EVT120")
{
    DataCopy(t.a, t.ga, kCount);
    Sync<K::MTE2_MTE3>();
    Adds(t.b, t.a, 1.0f, kCount);
}
TILE(compute_then_store_unordered, "EVT120")
{
    Duplicate(t.a, 1.0f, kCount);
    DataCopy(t.gd, t.a, kCount);
}
TILE(store_then_load_back_unordered, "EVT120")
{
    StoreOnes(t.gd, t.a);
    DataCopy(t.b, t.gd, kCount);
}
TILE(refill_while_computing, "EVT121")
{
    DataCopy(t.a, t.ga, kCount);
    Sync<K::MTE2_V>();
    Adds(t.b, t.a, 1.0f, kCount);
    DataCopy(t.a, t.gb, kCount);
}
TILE(refill_after_computing, "no EVT121")
{
    DataCopy(t.a, t.ga, kCount);
    Sync<K::MTE2_V>();
    Adds(t.b, t.a, 1.0f, kCount);
    Sync<K::V_MTE2>();
    DataCopy(t.a, t.gb, kCount);
}
/// D = C: MTE3 stores the buffer that MTE2 refills.
void StoreLoaded(Tile& t, bool ordered)
{
    DataCopy(t.a, t.ga, kCount);
    Sync<K::MTE2_MTE3>();
    DataCopy(t.gd, t.a, kCount);
    if (ordered) { Sync<K::MTE3_MTE2>(); }
    DataCopy(t.a, t.gb, kCount);
}
TILE(stored_accumulator_refilled, "EVT121") { StoreLoaded(t, false); }
TILE(stored_accumulator_waited_for, "no EVT121") { StoreLoaded(t, true); }
TILE(load_over_result, "EVT122")
{
    Duplicate(t.a, 1.0f, kCount);
    DataCopy(t.a, t.ga, kCount / 2);
}
TILE(load_after_result_was_stored, "no EVT122")
{
    StoreOnes(t.gd, t.a);
    Sync<K::MTE3_MTE2>();
    DataCopy(t.a, t.ga, kCount / 2);
}
TILE(vector_after_vector_raw, "EVT123")
{
    Duplicate(t.a, 1.0f, kCount);
    Adds(t.b, t.a, 1.0f, kCount);
}
TILE(vector_after_vector_with_barriers, "no EVT123 EVT124")
{
    Ones(t.a);
    Adds(t.b, t.a, 1.0f, kCount);
    PipeBarrier<PIPE_V>();
    Duplicate(t.a, 2.0f, kCount);
}
TILE(vector_after_vector_war, "EVT124")
{
    Ones(t.a);
    Adds(t.b, t.a, 1.0f, kCount);
    Duplicate(t.a, 2.0f, kCount);
}
TILE(vector_after_vector_waw, "EVT125")
{
    Duplicate(t.a, 1.0f, kCount);
    Duplicate(t.a, 2.0f, kCount / 2);
}
TILE(vector_writes_side_by_side, "no EVT125")
{
    Duplicate(t.a, 1.0f, kCount);
    Duplicate(t.b, 2.0f, kCount / 2);
}
TILE(loads_overlap, "EVT126")
{
    DataCopy(t.a, t.ga, kCount);
    DataCopy(t.a, t.gb, kCount / 2);
}
TILE(loads_overlap_with_barrier, "no EVT126")
{
    DataCopy(t.a, t.ga, kCount);
    PipeBarrier<PIPE_MTE2>();
    DataCopy(t.a, t.gb, kCount / 2);
}
TILE(stores_overlap, "EVT126")
{
    StoreOnes(t.gd, t.a);
    DataCopy(t.gd, t.a, kCount / 2);
}

/// Atomic or not: the pages ask for a barrier between copies of one pipe whose destinations overlap.
void AddTwice(Tile& t, bool barrier)
{
    Duplicate(t.a, 1.0f, kCount);
    Sync<K::V_MTE3>();
    SetAtomicAdd<float>();
    DataCopy(t.gb, t.a, kCount);
    if (barrier) { PipeBarrier<PIPE_MTE3>(); }
    DataCopy(t.gb, t.a, kCount);
    SetAtomicNone();
}
TILE(atomic_stores_overlap, "EVT118") { AddTwice(t, false); }
TILE(atomic_stores_overlap_with_barrier, "no EVT118") { AddTwice(t, true); }

// ---- order between cores

CASE_ON(cores_read_what_others_write, "EVT127", 1, Mix)
{
    if ASCEND_IS_AIC { return; }
    Tile t;
    if (GetSubBlockIdx() == 0) {
        StoreOnes(t.gb, t.a);
    } else {
        DataCopy(t.a, t.gb, kCount);
    }
}
CASE_ON(cores_overwrite_what_others_read, "EVT128", 1, Mix)
{
    if ASCEND_IS_AIC { return; }
    Tile t;
    if (GetSubBlockIdx() == 0) {
        DataCopy(t.a, t.gb, kCount);
    } else {
        StoreOnes(t.gb, t.a);
    }
}
CASE_ON(cores_joined_by_flag, "no EVT127 EVT128", 1, Mix)
{
    StoreAndLoad([] {
        CrossCoreSetFlag<1, PIPE_MTE3>(0);
        CrossCoreWaitFlag(0);
    });
}
CASE_ON(cores_joined_by_flag_of_wrong_pipe, "EVT127", 1, Mix)
{
    StoreAndLoad([] {
        CrossCoreSetFlag<1, PIPE_MTE2>(0);
        CrossCoreWaitFlag(0);
    });
}
CASE_ON(cores_joined_by_a_wait_whose_pipe_has_no_effect, "no EVT127", 1, Mix)
{
    StoreAndLoad([] {
        CrossCoreSetFlag<1, PIPE_MTE3>(0);
        CrossCoreWaitFlag<1, PIPE_V>(0);
    });
}
/// One vector core writes, both meet, and the other's S reads; `refresh` before or after they meet.
template <class Before, class After> void ReadsWhenTheyHaveMet(Before const& before, After const& after)
{
    if ASCEND_IS_AIC { return; }
    Tile t;
    if (GetSubBlockIdx() == 0) { StoreOnes(t.gb, t.a); }
    before(t.gb);
    CrossCoreSetFlag<0, PIPE_MTE3>(3);
    CrossCoreWaitFlag(3);
    after(t.gb);
    if (GetSubBlockIdx() == 1) { (void)t.gb.GetValue(1); }
}
constexpr auto kNothing = [](GlobalTensor<float> const&) {};
constexpr auto kLine = [](GlobalTensor<float> const& gm) {
    DataCacheCleanAndInvalid<float, CacheLine::SINGLE_CACHE_LINE, DcciDst::CACHELINE_OUT>(gm);
};
constexpr auto kAnotherLine = [](GlobalTensor<float> const& gm) { kLine(gm[16]); };
constexpr auto kAll = [](GlobalTensor<float> const& gm) {
    DataCacheCleanAndInvalid<float, CacheLine::ENTIRE_DATA_CACHE>(gm[16]);
};

CASE_ON(scalar_from_an_old_line, "EVT209", 1, Mix) { ReadsWhenTheyHaveMet(kNothing, kNothing); }
CASE_ON(scalar_from_a_line_that_was_fetched_too_early, "EVT209", 1, Mix) { ReadsWhenTheyHaveMet(kLine, kNothing); }
CASE_ON(scalar_from_a_line_beside_the_fetched_one, "EVT209", 1, Mix) { ReadsWhenTheyHaveMet(kNothing, kAnotherLine); }
CASE_ON(scalar_from_a_fetched_line, "no EVT209", 1, Mix) { ReadsWhenTheyHaveMet(kNothing, kLine); }
CASE_ON(scalar_from_a_fetched_cache, "no EVT209", 1, Mix) { ReadsWhenTheyHaveMet(kNothing, kAll); }
CASE_ON(one_core_does_not_come_to_the_meeting, "EVT132", 2, Mix)
{
    if ASCEND_IS_AIV {
        if (GetBlockIdx() != 3) {
            CrossCoreSetFlag<0, PIPE_MTE3>(3);
            CrossCoreWaitFlag(3);
        }
    }
}
CASE_ON(one_core_meets_once_less, "EVT132", 2, Mix)
{
    if ASCEND_IS_AIV {
        for (int i = GetBlockIdx() == 0 ? 1 : 0; i < 3; ++i) {
            CrossCoreSetFlag<0, PIPE_MTE3>(3);
            CrossCoreWaitFlag(3);
        }
    }
}
CASE_ON(all_vector_cores_meet_again_and_again, "no EVT132 EVT135 EVT136", 2, Mix)
{
    if ASCEND_IS_AIV {
        for (int i = 0; i < 40; ++i) {
            CrossCoreSetFlag<0, PIPE_MTE3>(3);
            CrossCoreWaitFlag(3);
        }
    }
}
/// Two vector cores that wait for each other through global memory.
struct Words {
    Tile t;
    GlobalTensor<int32_t> gm;
    LocalTensor<int32_t> ub = t.c.ReinterpretCast<int32_t>();
    bool first = GetBlockIdx() == 0;

    Words() { gm.SetGlobalBuffer(reinterpret_cast<int32_t*>(gmZero)); }
    void Set(int32_t event) { IBSet(gm, ub, 0, event); }
    void Wait(int32_t event) { IBWait(gm, ub, 0, event); }
    void Store() { StoreOnes(t.gb, t.a); }
    void Load()
    {
        DataCopy(t.b, t.gb, kCount);
        Sync<K::MTE2_S>();
        (void)t.b.GetValue(0);
    }
};
#define WORDS_ON(name, code, cores, kind) CASE_WITH(Words, w, name, code, cores, kind)
#define WORDS(name, code) WORDS_ON(name, code, 2, AivOnly)

WORDS(a_word_joins_cores, "no EVT110 EVT127 EVT128 EVT129 EVT132")
{
    if (w.first) {
        w.Store();
        w.Set(0);
    } else {
        w.Wait(0);
        w.Load();
    }
}
WORDS(a_word_is_awaited_too_late, "EVT127")
{
    if (w.first) {
        w.Store();
        w.Set(0);
    } else {
        w.Load();
        w.Wait(0);
    }
}
WORDS(a_word_is_set_too_early, "EVT127")
{
    if (w.first) {
        w.Set(0);
        w.Store();
    } else {
        w.Wait(0);
        w.Load();
    }
}
WORDS(a_word_of_another_event, "EVT132")
{
    if (w.first) {
        w.Set(0);
    } else {
        w.Wait(1);
    }
}
WORDS(a_word_that_is_not_zero_before, "EVT132")
{
    w.gm.SetGlobalBuffer(reinterpret_cast<int32_t*>(gmD));
    if (w.first) {
        w.Set(0);
    } else {
        w.Wait(0);
    }
}
WORDS(a_word_says_nothing_of_what_follows, "EVT127")
{
    for (int i = 0; i < 2; ++i) {
        if (w.first) {
            w.Store();
            w.Set(0);
        } else {
            w.Wait(0);
            w.Load();
        }
    }
}
WORDS(words_in_both_directions, "no EVT127 EVT128 EVT129 EVT132")
{
    for (int i = 0; i < 3; ++i) {
        if (w.first) {
            w.Store();
            w.Set(0);
            w.Wait(1);
        } else {
            w.Wait(0);
            w.Load();
            w.Set(1);
        }
    }
}
WORDS(a_word_beside_the_workspace, "EVT102")
{
    if (w.first) { w.Set(32); }
}
WORDS_ON(words_of_more_blocks_than_cores, "EVT238", 41, AivOnly)
{
    if (w.first) {
        w.Set(0);
    } else if (GetBlockIdx() == 1) {
        w.Wait(0);
    }
}
WORDS_ON(words_of_as_many_blocks_as_cores, "no EVT238", 40, AivOnly)
{
    if (w.first) {
        w.Set(0);
    } else if (GetBlockIdx() == 1) {
        w.Wait(0);
    }
}

TILE_ON(cores_write_the_same, "EVT129", 2, AivOnly) { StoreOnes(t.gd, t.a); }
TILE_ON(cores_write_their_own, "no EVT129", 2, AivOnly)
{
    Duplicate(t.a, 1.0f, kCount);
    Sync<K::V_MTE3>();
    DataCopy(t.gd[static_cast<uint32_t>(GetBlockIdx()) * kCount / 2], t.a, kCount / 2);
}
/// Joins a tile to one in global memory by the atomic that is set.
template <class T> void Join(void (*setAtomic)(machine::Site))
{
    Tile t;
    GlobalTensor<T> gm;
    gm.SetGlobalBuffer(reinterpret_cast<T*>(gmB));
    Duplicate(t.a, 1.0f, kCount);
    Sync<K::V_MTE3>();
    setAtomic(Here());
    DataCopy(gm, t.a.ReinterpretCast<T>(), kCount);
    SetAtomicNone();
}
CASE_ON(cores_add_atomically, "no EVT129", 2, AivOnly) { Join<float>(SetAtomicAdd<float>); }
CASE_ON(cores_add_floats_in_any_order, "EVT240", 2, AivOnly) { Join<float>(SetAtomicAdd<float>); }
CASE_ON(cores_add_integers_in_any_order, "no EVT240", 2, AivOnly) { Join<int32_t>(SetAtomicAdd<int32_t>); }
CASE_ON(cores_join_maxima_in_any_order, "no EVT240", 2, AivOnly) { Join<float>(SetAtomicMax<float>); }
CASE_ON(cores_add_floats_in_turn, "no EVT240", 2, AivOnly)
{
    if (GetBlockIdx() == 0) { Join<float>(SetAtomicAdd<float>); }
    CrossCoreSetFlag<0, PIPE_MTE3>(0);
    CrossCoreWaitFlag(0);
    if (GetBlockIdx() == 1) { Join<float>(SetAtomicAdd<float>); }
}
TILE_ON(all_cores_joined, "no EVT127", 3, AivOnly)
{
    Duplicate(t.a, 1.0f, kCount);
    Sync<K::V_MTE3>();
    if (GetBlockIdx() == 0) { DataCopy(t.gd, t.a, kCount); }
    CrossCoreSetFlag<0, PIPE_MTE3>(0);
    CrossCoreWaitFlag(0);
    DataCopy(t.b, t.gd, kCount);
}

TILE_ON(cores_add_and_read, "EVT127", 2, AivOnly)
{
    Duplicate(t.a, 1.0f, kCount);
    Sync<K::V_MTE3>();
    SetAtomicAdd<float>();
    DataCopy(t.gb, t.a, kCount);
    SetAtomicNone();
    Sync<K::MTE3_MTE2>();
    DataCopy(t.b, t.gb, kCount);
}

// ---- buffers

CASE(beyond_a_buffer_of_known_size, "EVT119")
{
    TPipe pipe;
    TBuf<TPosition::VECCALC> first;
    TBuf<TPosition::VECCALC> second;
    pipe.InitBuffer(first, kCount * sizeof(float));
    pipe.InitBuffer(second, kCount * sizeof(float));
    Duplicate(first.Get<float>(), 1.0f, kCount + 1);
}
CASE(up_to_the_end_of_a_buffer, "no EVT119")
{
    TPipe pipe;
    TBuf<TPosition::VECCALC> first;
    TBuf<TPosition::VECCALC> second;
    pipe.InitBuffer(first, (kCount - 1) * sizeof(float));  // whole data blocks
    pipe.InitBuffer(second, kCount * sizeof(float));
    Duplicate(first.Get<float>()[kCount / 2], 1.0f, kCount / 2);
}
CASE(beyond_an_allocated_tensor, "EVT119")
{
    LocalMemAllocator<> memory;
    LocalTensor<float> const a = memory.Alloc<float, kCount>();
    (void)memory.Alloc<float>(kCount);
    Duplicate(a[kCount], 1.0f, 8);
}
CASE(allocated_tensors_side_by_side, "no EVT119")
{
    LocalMemAllocator<> memory;
    LocalTensor<float> const a = memory.Alloc<float, kCount>();
    LocalTensor<float> const b = memory.Alloc<TPosition::VECIN, float>(kCount);
    Duplicate(a, 1.0f, kCount);
    Duplicate(b, 1.0f, kCount);
}
CASE(scalar_beyond_a_buffer, "EVT119")
{
    LocalMemAllocator<> memory;
    LocalTensor<float> const a = memory.Alloc<float, kCount>();
    (void)memory.Alloc<float>(kCount);
    a.SetValue(kCount, 1.0f);
}

constexpr uint32_t kPart = kCount / 2;  // elements of a buffer

/// All of UB, divided by offsets as Catlass does it: a buffer ends where the next one starts.
struct Divided {
    LocalTensor<float> a;
    LocalTensor<float> b;
    GlobalTensor<float> g;
    GlobalTensor<float> d;

    Divided()
    {
        TPipe pipe;
        TBuf<TPosition::VECCALC> all;
        pipe.InitBuffer(all, 192 * 1024);
        a = all.Get<uint8_t>()[0].ReinterpretCast<float>();
        b = all.Get<uint8_t>()[kPart * sizeof(float)].ReinterpretCast<float>();
        g.SetGlobalBuffer(reinterpret_cast<float*>(gmB));
        d.SetGlobalBuffer(reinterpret_cast<float*>(gmD));
    }
};
CASE(written_into_the_next_buffer, "EVT119")
{
    Divided t;
    Duplicate(t.b, 1.0f, kPart);
    PipeBarrier<PIPE_V>();
    Duplicate(t.a, 2.0f, kPart + 8);  // in order, and still wrong
    Sync<K::V_MTE3>();
    DataCopy(t.d, t.b, kPart);
}
CASE(loaded_into_the_next_buffer, "EVT119")
{
    Divided t;
    DataCopy(t.a, t.g, kPart + 8);
    DataCopy(t.b, t.g, kPart);
}
CASE(buffers_side_by_side, "no EVT119")
{
    Divided t;
    DataCopy(t.a, t.g, kPart);
    DataCopy(t.b, t.g, kPart);
    Sync<K::MTE2_V>();
    Add(t.a, t.a, t.b, kPart);
}
CASE(memory_divided_anew, "no EVT119")
{
    TPipe pipe;
    TBuf<TPosition::VECCALC> all;
    pipe.InitBuffer(all, 192 * 1024);
    LocalTensor<uint8_t> const ub = all.Get<uint8_t>();
    Duplicate(ub[0].ReinterpretCast<float>(), 2.0f, 2 * kPart);
    PipeBarrier<PIPE_V>();
    auto const b = ub[kPart * sizeof(float)].ReinterpretCast<float>();  // from here on a buffer of its own
    Adds(b, b, 1.0f, kPart);
}
CASE(memory_divided_in_another_way_later, "no EVT119")
{
    Divided t;
    Duplicate(t.b, 1.0f, kPart);
    Sync<K::V_MTE3>();
    DataCopy(t.d, t.b, kPart);
    Sync<K::MTE3_V>();
    Duplicate(t.a, 2.0f, 2 * kPart);  // nothing reads the second buffer as such any more
    Sync<K::V_MTE3>();
    DataCopy(t.g, t.a, 2 * kPart);
}

// ---- flags

CASE(flag_set_twice, "EVT130")
{
    SetFlag<K::MTE2_V>(0);
    SetFlag<K::MTE2_V>(0);
    WaitFlag<K::MTE2_V>(0);
}
TILE(flag_set_again_unordered, "EVT130")
{
    Duplicate(t.a, 1.0f, kCount);
    Sync<K::MTE2_V>();  // V comes to this wait when it has computed
    Sync<K::MTE2_V>();
}
TILE(flag_set_again_after_it_was_drained, "EVT139")
{
    DataCopy(t.a, t.ga, kCount);
    Sync<K::MTE2_V>();
    Adds(t.a, t.a, 1.0f, kCount);
    Sync<K::V_MTE3>();
    SetFlag<K::MTE3_V>(0);
    WaitFlag<K::MTE3_V>(0);  // V has nothing else to do before it
    SetFlag<K::MTE3_V>(0);
    WaitFlag<K::MTE3_V>(0);
}
TILE(flag_set_again_after_it_was_drained_and_fenced, "no EVT139")
{
    DataCopy(t.a, t.ga, kCount);
    Sync<K::MTE2_V>();
    Adds(t.a, t.a, 1.0f, kCount);
    Sync<K::V_MTE3>();
    Sync<K::MTE3_V>();
    PipeBarrier<PIPE_ALL>();
    Sync<K::MTE3_V>();
}
CASE(flag_set_again_ordered, "no EVT130")
{
    Sync<K::MTE2_V>();
    Sync<K::V_MTE2>();
    Sync<K::MTE2_V>();
}
// S issues in program order: what it has read it has read, and what it has waited for is over, when it issues more.

TILE(scalar_reads_what_is_computed, "EVT239")
{
    Duplicate(t.a, 1.0f, kCount);
    (void)t.a.GetValue(0);
}
TILE(scalar_read_then_computed_over, "no EVT121")
{
    Duplicate(t.a, 1.0f, kCount);
    Sync<K::V_S>();
    (void)t.a.GetValue(0);
    PipeBarrier<PIPE_V>();
    Duplicate(t.a, 2.0f, kCount);
    Sync<K::V_S>();
    (void)t.a.GetValue(0);
    DataCopy(t.a, t.ga, kCount);  // V is over too: S has waited for it
}
TILE_ON(scalar_read_in_one_core_overwritten_by_another, "EVT128", 2, AivOnly)
{
    if (GetBlockIdx() == 0) {
        (void)t.ga.GetValue(0);
    } else {
        Duplicate(t.a, 1.0f, kCount);
        Sync<K::V_MTE3>();
        DataCopy(t.ga, t.a, kCount);
    }
}
TILE(vector_reads_what_scalar_writes, "EVT239")
{
    Duplicate(t.b, 1.0f, kCount);
    Sync<K::V_S>();
    t.b.SetValue(0, 2.0f);
    Adds(t.a, t.b, 1.0f, kCount);  // what S writes may still be on its way
}
TILE(vector_waits_for_what_scalar_writes, "no EVT120 EVT239")
{
    Duplicate(t.b, 1.0f, kCount);
    Sync<K::V_S>();
    t.b.SetValue(0, 2.0f);
    Sync<K::S_V>();
    Adds(t.a, t.b, 1.0f, kCount);
}
/// SetDeqScale writes its tensor on S, and CastDequant reads it on V.
void DequantizeByLane(Tile& t, bool waits)
{
    auto const scales = t.b.ReinterpretCast<uint64_t>();
    Duplicate(t.a, 0.0f, kCount);
    SetDeqScale(scales, VdeqInfo());
    if (waits) { Sync<K::S_V>(); }
    PipeBarrier<PIPE_V>();
    CastDequant<uint8_t, int16_t>(t.c.ReinterpretCast<uint8_t>(), t.a.ReinterpretCast<int16_t>(), 64);
}
TILE(vector_reads_the_scales_that_scalar_writes, "EVT239") { DequantizeByLane(t, false); }
TILE(vector_waits_for_the_scales, "no EVT239") { DequantizeByLane(t, true); }
TILE(cast_without_its_scale, "EVT114")
{
    Ones(t.a);
    SetDeqScale(1.0f, 0, true);  // of 8 bits, in the place of a half's
    Cast(t.b.ReinterpretCast<half>(), t.a.ReinterpretCast<int32_t>(), RoundMode::CAST_NONE, 64);
}
TILE(cast_to_the_other_sign, "EVT114")
{
    Ones(t.a);
    SetDeqScale(1.0f, 0, true);
    CastDequant<uint8_t, int16_t, false>(t.b.ReinterpretCast<uint8_t>(), t.a.ReinterpretCast<int16_t>(), 64);
}
TILE(cast_with_its_scale, "no EVT114")
{
    Ones(t.a);
    SetDeqScale(half(1.0f));
    Cast(t.b.ReinterpretCast<half>(), t.a.ReinterpretCast<int32_t>(), RoundMode::CAST_NONE, 64);
}
CASE(saturation_left_on, "EVT245") { SetSaturationFlag<SaturationMode::FLOAT>(true); }
CASE(cut_casts_left_on, "EVT245") { SetSaturationFlag<SaturationMode::CAST>(false); }
CASE(saturation_set_back, "no EVT245")
{
    bool const before = GetSaturationFlag<SaturationMode::FLOAT>();
    SetSaturationFlag<SaturationMode::FLOAT>(true);
    SetSaturationFlag<SaturationMode::FLOAT>(before);
}
TILE(scalar_reads_what_is_loaded, "EVT239")
{
    DataCopy(t.a, t.ga, kCount);
    (void)t.a.GetValue(0);
}
/// V waits for S, which waits for the load: V then computes with all of it.
TILE(scalar_waits_across_a_load, "EVT239")
{
    DataCopy(t.a, t.ga, kCount);
    t.a.SetValue(1, t.a.GetValue(0));
    Adds(t.b, t.a, 1.0f, kCount);
    PipeBarrier<PIPE_ALL>();
    if (t.b.GetValue(9) != 2.0f) { t.b.SetValue(static_cast<uint32_t>(-1), 0.0f); }  // a fault
}
TILE(scalar_writes_what_is_stored, "EVT239")
{
    Duplicate(t.a, 1.0f, kCount);
    Sync<K::V_MTE3>();
    DataCopy(t.gd, t.a, kCount);
    t.a.SetValue(0, 2.0f);
}
TILE(scalar_reads_what_is_stored, "EVT239")
{
    StoreOnes(t.gd, t.a);
    (void)t.gd.GetValue(0);
}
TILE(scalar_waits_for_what_it_reads, "no EVT239")
{
    DataCopy(t.a, t.ga, kCount);
    Sync<K::MTE2_S>();
    (void)t.a.GetValue(0);
}
// The flags that the compiler inserts are of whole pipes: with them the first
// two have no EVT120 left, the third has.
TILE(stored_beside_what_scalar_writes, "EVT120")
{
    DataCopy(t.a, t.ga, kCount);
    t.a.SetValue(kCount - 1, 2.0f);
    DataCopy(t.gd, t.a, kCount);
}
TILE(stored_beside_what_scalar_reads, "EVT120")
{
    DataCopy(t.a, t.ga, kCount / 2);
    Sync<K::MTE2_V>();
    Duplicate(t.a[kCount / 2], 1.0f, kCount / 2);
    (void)t.a.GetValue(kCount / 2);
    DataCopy(t.gd, t.a, kCount);
}
TILE(stored_beside_what_is_loaded_later, "EVT120")
{
    DataCopy(t.a, t.ga, kCount / 2);
    t.a.SetValue(0, 2.0f);
    DataCopy(t.a[kCount / 2], t.ga, kCount / 2);
    DataCopy(t.gd, t.a, kCount);
}
// What the compiler's automatic synchronisation does not order: pointers,
// GlobalTensor's SetValue, cube cores.
TILE(pointer_reads_what_is_loaded, "EVT120")
{
    DataCopy(t.a, t.ga, kCount);
    machine::ReadScalar(machine::Bytes(machine::Space::UB, detail::AddressOf(t.a), 4), Here(), machine::By::Pointer);
}
TILE(global_is_written_while_it_is_loaded, "EVT121")
{
    DataCopy(t.a, t.ga, kCount);
    t.ga.SetValue(0, 2.0f);
}
CASE_ON(scalar_of_a_cube_core_reads_what_is_stored, "EVT120", 1, AicOnly)
{
    GlobalTensor<float> gm;
    gm.SetGlobalBuffer(reinterpret_cast<float*>(gmB));
    machine::Instruction store(machine::Pipe::FIX, "store", Here());
    machine::Record(std::move(store.Writes(machine::Bytes(machine::Space::GM, gmB, 32))));
    (void)gm.GetValue(0);
}
// The data cache of S writes back whole lines of 64 bytes, when
// DataCacheCleanAndInvalid says so or whenever it likes.

constexpr uint32_t kPerLine = 16;  // floats
template <class T> void WriteBack(GlobalTensor<T> const& line)
{
    DataCacheCleanAndInvalid<T, CacheLine::SINGLE_CACHE_LINE, DcciDst::CACHELINE_OUT>(line);
}
/// Eight ones, half of a line, stored.
void StoreHalf(GlobalTensor<float> const& to, LocalTensor<float> const& by)
{
    Duplicate(by, 1.0f, kCount);
    Sync<K::V_MTE3>();
    DataCopy(to, by, kPerLine / 2);
}
/// The first core writes an element, all meet, and the second does something.
template <class Then> void WritesThenMeets(Tile& t, bool writesBack, Then const& then)
{
    if (GetBlockIdx() == 0) {
        t.gd.SetValue(1, 2.0f);
        if (writesBack) { WriteBack(t.gd); }
    }
    SyncAll();
    if (GetBlockIdx() == 1) { then(); }
}
TILE(load_of_what_is_in_the_cache, "EVT236")
{
    t.gb.SetValue(0, 2.0f);
    Sync<K::S_MTE2>();
    DataCopy(t.b, t.gb, kCount);
}
TILE(load_after_another_line_is_written_back, "EVT236")
{
    t.gb.SetValue(kPerLine, 2.0f);
    WriteBack(t.gb);
    Sync<K::S_MTE2>();
    DataCopy(t.b, t.gb, kCount);
}
TILE(load_after_the_line_is_written_back, "no EVT236")
{
    t.gb.SetValue(0, 2.0f);
    t.gb.SetValue(kPerLine - 1, 2.0f);
    WriteBack(t.gb[1]);
    Sync<K::S_MTE2>();
    DataCopy(t.b, t.gb, kCount);
}
TILE(load_after_the_whole_cache_is_written_back, "no EVT236")
{
    t.gb.SetValue(0, 2.0f);
    t.gb.SetValue(kPerLine, 2.0f);
    kAll(t.gb);
    Sync<K::S_MTE2>();
    DataCopy(t.b, t.gb, kCount);
}
TILE(load_while_the_line_is_written_back, "EVT120")
{
    t.gb.SetValue(0, 2.0f);
    SetFlag<K::S_MTE2>(0);
    WriteBack(t.gb);
    WaitFlag<K::S_MTE2>(0);
    DataCopy(t.b, t.gb, kCount);
}
TILE(load_of_another_line, "no EVT236")
{
    t.gb.SetValue(0, 2.0f);
    Sync<K::S_MTE2>();
    DataCopy(t.b, t.gb[kPerLine], kCount - kPerLine);
}
TILE(scalar_reads_what_is_in_its_cache, "no EVT236")
{
    t.gb.SetValue(0, 2.0f);
    (void)t.gb.GetValue(0);
    (void)t.gb.GetValue(1);
}
TILE(scalar_reads_past_its_cache, "EVT236")
{
    t.gb.SetValue(0, 2.0f);
    machine::ReadScalar(machine::Bytes(machine::Space::GM, detail::AddressOf(t.gb), 4), Here(), machine::By::PastCache);
}
TILE(load_of_what_was_written_past_the_cache, "no EVT236")
{
    machine::WriteScalar(
        machine::Bytes(machine::Space::GM, detail::AddressOf(t.gb), 4), 0, Here(), machine::By::PastCache);
    Sync<K::S_MTE2>();
    DataCopy(t.b, t.gb, kCount);
}
TILE(host_uses_what_the_kernel_left_in_the_cache,
     "no EVT236")  // the compiler writes back at a kernel's end
{
    for (uint32_t i = 0; i < kCount / 2; ++i) { t.gd.SetValue(i, 2.0f); }
}
TILE_ON(another_core_loads_what_is_in_the_cache, "EVT236", 2, AivOnly)
{
    WritesThenMeets(t, false, [&] { DataCopy(t.a, t.gd, 8); });
}
TILE_ON(another_core_reads_what_is_in_the_cache, "EVT236", 2, AivOnly)
{
    WritesThenMeets(t, false, [&] {
        WriteBack(t.gd);  // its own cache
        (void)t.gd.GetValue(1);
    });
}
TILE_ON(another_core_loads_what_is_written_back, "no EVT236", 2, AivOnly)
{
    WritesThenMeets(
        t, true, [&] { DataCopyPad(t.a, t.gd[1], DataCopyExtParams(1, 4, 0, 0, 0), DataCopyPadExtParams<float>()); });
}
TILE_ON(another_core_reads_what_is_written_back, "no EVT236 EVT209", 2, AivOnly)
{
    WritesThenMeets(t, true, [&] {
        WriteBack(t.gd);
        (void)t.gd.GetValue(1);
    });
}
TILE_ON(cores_write_elements_of_one_line, "EVT237", 2, AivOnly)
{
    t.gd.SetValue(static_cast<uint32_t>(GetBlockIdx()), 2.0f);
    WriteBack(t.gd);
}
TILE_ON(cores_write_elements_of_their_lines, "no EVT237", 2, AivOnly)
{
    t.gd.SetValue(static_cast<uint32_t>(GetBlockIdx()) * kPerLine, 2.0f);
}
TILE_ON(cores_write_one_line_past_their_caches, "no EVT237", 2, AivOnly)
{
    uint32_t const at = static_cast<uint32_t>(GetBlockIdx());
    machine::WriteScalar(
        machine::Bytes(machine::Space::GM, detail::AddressOf(t.gd[at]), 4), 0, Here(), machine::By::PastCache);
}
TILE_ON(cores_store_halves_of_one_line, "no EVT237", 2, AivOnly)
{
    uint32_t const block = static_cast<uint32_t>(GetBlockIdx());
    t.gd.SetValue((2 + block) * kPerLine, 2.0f);
    StoreHalf(t.gd[block * kPerLine / 2], t.a);
}
TILE_ON(core_stores_beside_what_is_in_the_cache_of_another, "EVT237", 2, AivOnly)
{
    WritesThenMeets(t, false, [&] { StoreHalf(t.gd[8], t.a); });
}
TILE_ON(core_writes_beside_what_is_in_the_cache_of_another, "EVT237", 2, AivOnly)
{
    WritesThenMeets(t, false, [&] { t.gd.SetValue(2, 2.0f); });
}
TILE_ON(core_writes_beside_what_is_written_back, "no EVT237", 2, AivOnly)
{
    WritesThenMeets(t, true, [&] { t.gd.SetValue(2, 2.0f); });
}
TILE_ON(core_writes_a_line_that_it_read_before, "EVT237", 2, AivOnly)
{
    if (GetBlockIdx() == 1) { (void)t.gb.GetValue(0); }
    if (GetBlockIdx() == 0) { StoreHalf(t.gb[8], t.a); }
    SyncAll();
    if (GetBlockIdx() == 1) { t.gb.SetValue(0, 2.0f); }  // the cache writes its old neighbours back
}
TILE_ON(core_writes_a_line_that_it_fetched_anew, "no EVT237", 2, AivOnly)
{
    if (GetBlockIdx() == 1) { (void)t.gb.GetValue(0); }
    if (GetBlockIdx() == 0) { StoreHalf(t.gb[8], t.a); }
    SyncAll();
    if (GetBlockIdx() == 1) {
        WriteBack(t.gb);
        t.gb.SetValue(0, 2.0f);
    }
}
TILE_ON(core_writes_a_line_that_it_forgot_before, "no EVT237", 2, AivOnly)
{
    if (GetBlockIdx() == 1) {
        (void)t.gb.GetValue(0);
        WriteBack(t.gb);
    }
    if (GetBlockIdx() == 0) { StoreHalf(t.gb[8], t.a); }
    SyncAll();
    if (GetBlockIdx() == 1) { t.gb.SetValue(0, 2.0f); }
}
TILE_ON(core_writes_a_line_that_another_stored, "no EVT237", 2, AivOnly)
{
    if (GetBlockIdx() == 0) { StoreOnes(t.gd, t.a); }
    SyncAll();
    if (GetBlockIdx() == 1) {
        t.gd.SetValue(0, 2.0f);
        (void)t.gd.GetValue(0);
        t.gd.SetValue(1, 2.0f);
    }
}
TILE(copy_beside_what_is_in_the_cache, "EVT237")
{
    t.gd.SetValue(0, 2.0f);
    Sync<K::S_MTE3>();
    StoreHalf(t.gd[8], t.a);
}
TILE(copy_beside_what_is_written_back, "no EVT237")
{
    t.gd.SetValue(0, 2.0f);
    WriteBack(t.gd);
    Sync<K::S_MTE3>();
    StoreHalf(t.gd[8], t.a);
}
CASE_ON(more_blocks_than_vector_cores_meet, "EVT238", 41, AivOnly) { SyncAll(); }
CASE_ON(as_many_blocks_as_vector_cores_meet, "no EVT238", 40, AivOnly) { SyncAll(); }
CASE_ON(more_blocks_than_groups_meet, "EVT238", 21, Mix) { SyncAll<false>(); }
CASE_ON(as_many_blocks_as_groups_meet, "no EVT238", 20, Mix) { SyncAll<false>(); }
CASE_ON(many_blocks_that_meet_in_their_groups, "no EVT238", 21, Mix)
{
    if ASCEND_IS_AIV {
        CrossCoreSetFlag<1, PIPE_MTE3>(0);
        CrossCoreWaitFlag(0);
    }
}
CASE(flag_set_again_after_scalar_has_waited, "no EVT130")
{
    Sync<K::V_S>();
    Sync<K::V_S>();
    Sync<K::MTE2_S>();
    Sync<K::MTE2_S>();
}
TILE(flag_set_again_by_scalar, "EVT130")
{
    Duplicate(t.a, 1.0f, kCount);
    Sync<K::S_V>();
    Sync<K::S_V>();  // V may not have come to its wait
}
CASE(flag_set_again_by_scalar_that_has_waited, "no EVT130")
{
    Sync<K::S_V>();
    Sync<K::V_S>();
    Sync<K::S_V>();
}
CASE(flag_set_again_after_everything, "no EVT130")
{
    Sync<K::MTE3_V>();
    PipeBarrier<PIPE_ALL>();
    Sync<K::MTE3_V>();
}
CASE(flags_of_two_ids, "no EVT131")
{
    SetFlag<K::MTE2_V>(0);
    SetFlag<K::MTE2_V>(1);
    WaitFlag<K::MTE2_V>(0);
    WaitFlag<K::MTE2_V>(1);
}
CASE(flag_left_raised, "EVT131") { SetFlag<K::MTE2_V>(0); }
CASE(wait_without_set, "EVT132") { WaitFlag<K::MTE2_V>(0); }
CASE(wait_for_other_id, "EVT132")
{
    SetFlag<K::MTE2_V>(0);
    WaitFlag<K::MTE2_V>(1);
}
CASE(wait_before_set, "no EVT132")
{
    WaitFlag<K::MTE2_V>(0);  // another pipe sets it: S has issued both
    SetFlag<K::MTE2_V>(0);
}
CASE(wait_on_scalar_before_set, "EVT132")
{
    WaitFlag<K::MTE2_S>(0);  // S issues nothing more
    SetFlag<K::MTE2_S>(0);
}
CASE(circular_wait, "EVT132")
{
    WaitFlag<K::MTE2_V>(0);
    SetFlag<K::V_MTE2>(0);
    WaitFlag<K::V_MTE2>(0);
    WaitFlag<K::MTE3_MTE2>(0);
    SetFlag<K::MTE2_V>(0);
    WaitFlag<K::V_MTE3>(0);
    SetFlag<K::MTE3_MTE2>(0);
    SetFlag<K::V_MTE3>(0);
}
TILE(scalar_read_never_comes, "EVT132")
{
    Duplicate(t.a, 1.0f, kCount);
    WaitFlag<K::V_S>(0);
    (void)t.a.GetValue(0);
}
CASE(flag_id_out_of_range, "EVT133") { Sync<K::MTE2_V>(8); }
CASE(flag_id_reserved, "EVT134") { Sync<K::MTE2_V>(6); }
CASE(flag_id_last, "no EVT133 EVT134") { Sync<K::MTE2_V>(5); }
CASE_ON(cross_flag_too_deep, "EVT135", 1, Mix)
{
    for (int i = 0; i < 16; ++i) {
        if ASCEND_IS_AIC {
            CrossCoreSetFlag<2, PIPE_FIX>(0);
        } else {
            CrossCoreWaitFlag(0);
        }
    }
}
CASE_ON(cross_flag_as_deep_as_it_goes, "no EVT135", 1, Mix)
{
    for (int i = 0; i < 15; ++i) {
        if ASCEND_IS_AIC {
            CrossCoreSetFlag<2, PIPE_FIX>(0);
        } else {
            CrossCoreWaitFlag(0);
        }
    }
}
CASE_ON(cross_flag_left, "EVT136", 1, Mix)
{
    if ASCEND_IS_AIC { CrossCoreSetFlag<2, PIPE_FIX>(0); }
}
CASE_ON(cross_wait_without_set, "EVT132", 1, Mix)
{
    if ASCEND_IS_AIV { CrossCoreWaitFlag(0); }
}
CASE_ON(cross_set_by_one_of_two, "EVT132", 1, Mix)
{
    if ASCEND_IS_AIC {
        CrossCoreWaitFlag(0);
    } else if (GetSubBlockIdx() == 0) {
        CrossCoreSetFlag<2, PIPE_MTE3>(0);
    }
}
CASE_ON(cross_set_by_both, "no EVT132 EVT136", 1, Mix)
{
    if ASCEND_IS_AIC {
        CrossCoreWaitFlag(0);
    } else {
        CrossCoreSetFlag<2, PIPE_MTE3>(0);
    }
}
CASE_ON(cross_flag_id_out_of_range, "EVT137", 1, Mix)
{
    if ASCEND_IS_AIC { CrossCoreSetFlag<2, PIPE_FIX>(16); }
}
CASE_ON(cross_flag_wait_id_out_of_range, "EVT137", 1, Mix) { CrossCoreWaitFlag(16); }
CASE_ON(cross_flag_id_last, "no EVT137", 1, Mix)
{
    if ASCEND_IS_AIC {
        CrossCoreSetFlag<2, PIPE_FIX>(10);
    } else {
        CrossCoreWaitFlag(10);
    }
}
CASE(event_of_missing_pipe, "EVT138") { Sync<K::M_FIX>(); }
CASE(event_of_pipes_that_are_there, "no EVT138") { Sync<K::MTE3_S>(); }

// ---- atomics

CASE(atomic_left_on, "EVT140") { SetAtomicAdd<float>(); }
CASE(atomic_switched_off, "no EVT140")
{
    SetAtomicAdd<float>();
    SetAtomicNone();
}
TILE(atomic_of_other_type, "EVT141")
{
    Duplicate(t.a, 1.0f, kCount);
    Sync<K::V_MTE3>();
    SetAtomicAdd<half>();
    DataCopy(t.gb, t.a, kCount);
    SetAtomicNone();
}
TILE(atomic_of_the_same_type, "no EVT141")
{
    Duplicate(t.a, 1.0f, kCount);
    Sync<K::V_MTE3>();
    SetAtomicAdd<float>();
    DataCopy(t.gb, t.a, kCount);
    SetAtomicNone();
}

// ---- queues

/// A tile through a queue in and a queue out, with a place for a fault at each step.
struct Queues {
    TPipe pipe;
    TQue<TPosition::VECIN, 1> in;
    TQue<TPosition::VECOUT, 1> out;
    GlobalTensor<float> ga;
    GlobalTensor<float> gd;

    explicit Queues(uint8_t buffers = 1)
    {
        pipe.InitBuffer(in, buffers, kCount * sizeof(float));
        pipe.InitBuffer(out, buffers, kCount * sizeof(float));
        ga.SetGlobalBuffer(reinterpret_cast<float*>(gmA));
        gd.SetGlobalBuffer(reinterpret_cast<float*>(gmD));
    }
    /// A tensor that is not enqueued yet.
    LocalTensor<float> Fill()
    {
        LocalTensor<float> x = in.AllocTensor<float>();
        DataCopy(x, ga, kCount);
        return x;
    }
    LocalTensor<float> Load()
    {
        in.EnQue(Fill());
        return in.DeQue<float>();
    }
    LocalTensor<float> Compute(LocalTensor<float> const& x)
    {
        LocalTensor<float> z = out.AllocTensor<float>();
        Adds(z, x, 1.0f, kCount);
        out.EnQue(z);
        return out.DeQue<float>();
    }
    void Tiles(uint32_t count)
    {
        for (uint32_t tile = 0; tile < count; ++tile) {
            LocalTensor<float> x = Load();
            LocalTensor<float> z = Compute(x);
            in.FreeTensor(x);
            DataCopy(gd[tile * 8], z, 8);
            out.FreeTensor(z);
        }
    }
};

QUEUES(queue_of_tiles, "no EVT146 EVT147 EVT148 EVT149 EVT120 EVT121 EVT122 EVT130 EVT131 EVT132") { q.Tiles(5); }
CASE(queue_of_tiles_two_buffers, "no EVT146 EVT147 EVT148 EVT149 EVT121 EVT130 EVT134")
{
    Queues q(2);
    q.Tiles(5);
}
QUEUES(queue_freed_twice, "EVT146")
{
    LocalTensor<float> x = q.Load();
    q.in.FreeTensor(x);
    q.in.FreeTensor(x);
}
QUEUES(queue_freed_never_allocated, "EVT146")
{
    LocalTensor<float> x = q.Load();
    q.out.FreeTensor(x);
    q.in.FreeTensor(x);
}
QUEUES(queue_freed_while_enqueued, "EVT146")
{
    LocalTensor<float> x = q.Fill();
    q.in.EnQue(x);
    q.in.FreeTensor(x);
}
QUEUES(queue_enqueued_twice, "EVT146")
{
    LocalTensor<float> x = q.Fill();
    q.in.EnQue(x);
    q.in.EnQue(x);
    x = q.in.DeQue<float>();
    q.in.FreeTensor(x);
}
QUEUES(queue_enqueued_elsewhere, "EVT146")
{
    LocalTensor<float> x = q.in.AllocTensor<float>();
    q.out.EnQue(x);
    q.in.FreeTensor(x);
}
QUEUES(queue_enqueued_part, "no EVT146")  // a view of a tensor is that tensor
{
    LocalTensor<float> x = q.Fill();
    LocalTensor<int32_t> part = x[8].ReinterpretCast<int32_t>();
    q.in.EnQue(part);
    part = q.in.DeQue<int32_t>();
    q.in.FreeTensor(part);
}
QUEUES(queue_not_freed, "EVT147")
{
    LocalTensor<float> x = q.Load();
    LocalTensor<float> z = q.Compute(x);
    DataCopy(q.gd, z, kCount);
    q.out.FreeTensor(z);
}
QUEUES(queue_not_freed_before_reset, "EVT147")
{
    q.Load();
    q.pipe.Reset();
}
CASE(queue_not_freed_in_pool, "EVT147")
{
    TPipe pipe;
    TBufPool<TPosition::VECCALC> pool;
    TQue<TPosition::VECIN, 1> in;
    pipe.InitBufPool(pool, 1024);
    pool.InitBuffer(in, 1, 1024);
    in.AllocTensor<float>();
}
CASE(pool_that_outlives_a_reset, "no EVT130 EVT131 EVT146 EVT147")
{
    TBufPool<TPosition::VECCALC> pool;
    TQue<TPosition::VECIN, 1> in;
    TPipe pipe;
    pipe.InitBufPool(pool, 1024);
    pool.InitBuffer(in, 1, 1024);
    LocalTensor<float> x = in.AllocTensor<float>();
    in.FreeTensor(x);
    pipe.Reset();
    pool.Reset();
    pipe.InitBuffer(in, 2, 1024);
    for (uint32_t i = 0; i < 4; ++i) {
        x = in.AllocTensor<float>();
        in.FreeTensor(x);
    }
}
QUEUES(queue_freed_unused, "no EVT147")
{
    LocalTensor<float> x = q.in.AllocTensor<float>();
    q.in.FreeTensor(x);
}
QUEUES(queue_left_full, "EVT147")  // and the flag of EnQue is left raised
{
    LocalTensor<float> x = q.Fill();
    q.in.EnQue(x);
}
QUEUES(queue_dequeued_empty, "EVT148")
{
    LocalTensor<float> x = q.Fill();
    x = q.in.DeQue<float>();
    q.in.FreeTensor(x);
}
QUEUES(queue_dequeued_twice, "EVT148")
{
    LocalTensor<float> x = q.Load();
    x = q.in.DeQue<float>();
    q.in.FreeTensor(x);
}
CASE(queue_dequeued_empty_in_place, "EVT148")
{
    TPipe pipe;
    TQue<TPosition::VECIN, 0> in;
    pipe.InitBuffer(in, 1, 1024);
    LocalTensor<float> x;
    in.AllocTensor(x);
    in.DeQue(x);
    in.FreeTensor(x);
}
QUEUES(queue_not_enqueued, "EVT120")  // what EnQue and DeQue are for
{
    LocalTensor<float> x = q.Fill();
    LocalTensor<float> z = q.Compute(x);
    DataCopy(q.gd, z, kCount);
    q.in.FreeTensor(x);
    q.out.FreeTensor(z);
}
QUEUES(queue_freed_too_early, "EVT121")
{
    LocalTensor<float> x = q.Load();
    q.in.FreeTensor(x);
    LocalTensor<float> z = q.Compute(x);
    LocalTensor<float> next = q.Load();
    q.in.FreeTensor(next);
    DataCopy(q.gd, z, kCount);
    q.out.FreeTensor(z);
}
CASE(queue_allocated_beyond, "EVT149")
{
    Queues q(2);
    for (uint32_t tile = 0; tile < 3; ++tile) { q.Load(); }
}
CASE(queue_all_allocated, "no EVT149")
{
    Queues q(2);
    LocalTensor<float> x = q.Load();
    LocalTensor<float> y = q.Load();
    q.in.FreeTensor(y);
    q.in.FreeTensor(x);
}
CASE(queue_enqueued_beyond_depth, "EVT149")
{
    Queues q(2);
    LocalTensor<float> x = q.in.AllocTensor<float>();
    LocalTensor<float> y = q.in.AllocTensor<float>();
    q.in.EnQue(x);
    q.in.EnQue(y);
}
CASE(queue_without_buffers, "EVT149")
{
    TPipe pipe;
    TQue<TPosition::VECIN, 1> in;
    in.AllocTensor<float>();
}
/// As many buffers as `count`, all enqueued before the first is dequeued.
template <int32_t count> void FillAll(TQue<TPosition::VECIN, count>& in, TPipe& pipe)
{
    pipe.InitBuffer(in, count, 32);
    LocalTensor<float> x[count];
    for (LocalTensor<float>& tensor : x) {
        tensor = in.template AllocTensor<float>();
        in.EnQue(tensor);
    }
    for (LocalTensor<float>& tensor : x) {
        tensor = in.template DeQue<float>();
        in.FreeTensor(tensor);
    }
}
CASE(queue_flags_used_up, "EVT149")
{
    TPipe pipe;
    TQue<TPosition::VECIN, 9> in;
    FillAll(in, pipe);
}
CASE(queue_flags_all_used, "no EVT133 EVT134 EVT149")
{
    TPipe pipe;
    TQue<TPosition::VECIN, 8> in;
    FillAll(in, pipe);
    in.FreeAllEvent();
    TEventID const id = pipe.AllocEventID<K::V_MTE2>();
    SetFlag<K::V_MTE2>(id);
    WaitFlag<K::V_MTE2>(id);
    pipe.ReleaseEventID<K::V_MTE2>(id);
}
CASE(event_ids_used_up, "EVT149")
{
    TPipe pipe;
    for (uint32_t i = 0; i < 9; ++i) { pipe.AllocEventID<K::V_MTE3>(); }
}
CASE(event_ids_all_used, "no EVT134 EVT149")
{
    TPipe pipe;
    TEventID id = 0;
    for (uint32_t i = 0; i < 7; ++i) { id = pipe.AllocEventID<K::V_MTE3>(); }
    Sync<K::V_MTE3>(id);
    Sync<K::V_MTE3>(pipe.FetchEventID(K::V_MTE3));
}
CASE(buffers_too_many, "EVT149")
{
    TPipe pipe;
    TBuf<TPosition::VECCALC> buf;
    TQue<TPosition::VECIN, 1> in;
    pipe.InitBuffer(in, 64, 32);
    pipe.InitBuffer(buf, 32);
}
CASE(buffers_as_many_as_fit, "no EVT149")
{
    TPipe pipe;
    TBuf<TPosition::VECCALC> buf;
    TQue<TPosition::VECIN, 1> in;
    pipe.InitBuffer(in, 63, 32);
    pipe.InitBuffer(buf, 32);
    pipe.Reset();
    pipe.InitBuffer(in, 64, 32);
}
CASE(queue_larger_than_ub, "EVT103")
{
    TPipe pipe;
    TQue<TPosition::VECIN, 1> in;
    pipe.InitBuffer(in, 2, 100 * 1024);
}
CASE(queue_larger_than_its_pool, "EVT103")
{
    TPipe pipe;
    TBufPool<TPosition::VECCALC> pool;
    TQue<TPosition::VECIN, 1> in;
    pipe.InitBufPool(pool, 1024);
    pool.InitBuffer(in, 2, 544);
}
CASE(queue_as_large_as_ub, "no EVT103 EVT104 EVT114")
{
    TPipe pipe;
    TBufPool<TPosition::VECCALC> pool;
    TQue<TPosition::VECIN, 1> in;
    pipe.InitBuffer(in, 2, 95 * 1024);
    pipe.InitBufPool(pool, 2 * 1024);
    pool.InitBuffer(in, 2, 1000);  // in whole blocks
}
CASE(queue_of_nothing, "EVT114")
{
    TPipe pipe;
    TQue<TPosition::VECIN, 1> in;
    pipe.InitBuffer(in, 1, 0);
}
constexpr TQueConfig kTwoBuffers = {false, false, false, 64, 2};
CASE(queue_not_as_declared, "EVT114")
{
    TPipe pipe;
    TQue<TPosition::VECIN, 1, &kTwoBuffers> in;
    pipe.InitBuffer(in, 1, 64);
}
CASE(queue_as_declared, "no EVT114")
{
    TPipe pipe;
    TQue<TPosition::VECIN, 1, &kTwoBuffers> in;
    pipe.InitBuffer(in, 2, 64);
}
CASE_ON(queue_on_the_wrong_core, "EVT138", 1, AicOnly)
{
    TPipe pipe;
    TQue<TPosition::VECIN, 1> in;
    pipe.InitBuffer(in, 1, 64);
    LocalTensor<float> x = in.AllocTensor<float>();
    in.EnQue(x);
    x = in.DeQue<float>();
    in.FreeTensor(x);
}
CASE_ON(flag_that_the_pipe_has_raised, "EVT130", 1, AicOnly)
{
    TPipe pipe;
    SetFlag<K::M_MTE1>(0);
    WaitFlag<K::M_MTE1>(0);
}
CASE_ON(flag_that_the_pipe_has_given_back, "no EVT130 EVT131", 1, AicOnly)
{
    TPipe pipe;
    pipe.Destroy();
    SetFlag<K::M_MTE1>(0);
    WaitFlag<K::M_MTE1>(0);
}
QUEUES(flag_of_a_queue_set_by_hand, "EVT130")
{
    LocalTensor<float> x = q.Fill();
    q.in.EnQue(x);
    Sync<K::MTE2_V>(0);  // the queue has this id: it should come from AllocEventID
    x = q.in.DeQue<float>();
    q.in.FreeTensor(x);
}
CASE(flag_by_hand_after_the_pipe, "EVT130")  // no longer the pipe's to pair with its waits
{
    TPipe pipe;
    TEventID const id = pipe.FetchEventID<K::MTE2_V>();
    TBuf<TPosition::VECCALC> buf;
    pipe.InitBuffer(buf, kCount * sizeof(float));
    pipe.Destroy();
    Duplicate(buf.Get<float>(), 1.0f, kCount);
    Sync<K::MTE2_V>(id);
    Sync<K::MTE2_V>(id);
}
CASE(flag_of_the_pipe_again, "no EVT130")
{
    TPipe pipe;
    TEventID const id = pipe.FetchEventID<K::MTE2_V>();
    Sync<K::MTE2_V>(id);
    Sync<K::MTE2_V>(id);
}
CASE(flag_by_its_pipes_unset, "EVT132")
{
    TQueSync<PIPE_S, PIPE_MTE3> sync;
    sync.WaitFlag(0);
}
CASE(flag_by_its_pipes, "no EVT132")
{
    TQueSync<PIPE_S, PIPE_MTE3> sync;
    sync.SetFlag(0);
    sync.WaitFlag(0);
}
QUEUES(flag_beside_a_queue, "no EVT130")
{
    LocalTensor<float> x = q.Fill();
    q.in.EnQue(x);
    Sync<K::MTE2_V>(q.pipe.FetchEventID(K::MTE2_V));
    x = q.in.DeQue<float>();
    q.in.FreeTensor(x);
}

CASE_ON(call_on_host, "EVT142", 0, AivOnly) { SetFlag<K::MTE2_V>(0); }
CASE_ON(cross_flag_wait_on_host, "EVT142", 0, AivOnly) { CrossCoreWaitFlag(0); }
CASE(call_in_kernel, "no EVT142") { Sync<K::MTE2_V>(); }

// ---- launches, and how kernels end

void Nothing(machine::Role) {}

CASE_ON(launch_of_negative_blocks, "EVT143", 0, AivOnly)
{
    machine::Launch("K", -1, machine::KernelKind::AivOnly, Nothing);
}
CASE_ON(launch_of_no_blocks, "EVT143", 0, AivOnly) { machine::Launch("K", 0, machine::KernelKind::AivOnly, Nothing); }
CASE_ON(launch_of_too_many_blocks, "EVT143", 0, AivOnly)
{
    machine::Launch("K", 65536, machine::KernelKind::AivOnly, Nothing);
}
CASE_ON(launch_of_an_unsigned_negative, "EVT143", 0, AivOnly)
{
    machine::Launch("K", static_cast<uint32_t>(-1), machine::KernelKind::AivOnly, Nothing);
}
CASE_ON(launch_of_more_cores_than_the_model_has, "EVT143", 0, AivOnly)
{
    machine::Launch("K", 21846, machine::KernelKind::Mix, Nothing);
}
CASE(launch_from_a_kernel, "EVT143") { machine::Launch("K", 1, machine::KernelKind::AivOnly, Nothing); }
CASE_ON(launch_of_as_many_blocks_as_can_be, "no EVT143", 0, AivOnly)
{
    machine::Launch("K", 65535, machine::KernelKind::AivOnly, Nothing);
}
CASE(exit_in_kernel, "EVT144")
{
    Sync<K::MTE2_V>();
    std::exit(0);
}
CASE(exit_on_host, "no EVT144")
{
    std::atexit([] { std::fflush(stdout); });
}
/// The kernel's first access to a large array of its own.
template <size_t bytes> void UseArray()
{
    char volatile array[bytes];
    array[0] = 1;
    machine::BeforeRead(const_cast<char*>(&array[0]), 1, __builtin_return_address(0));
}
CASE(array_larger_than_the_stack, "EVT244") { UseArray<40000>(); }
CASE(array_that_fits_on_the_stack, "no EVT244") { UseArray<24000>(); }
CASE(exception_leaves_kernel, "EVT145")
{
    Sync<K::MTE2_V>();
    throw std::runtime_error("of the kernel's own");
}
CASE(exception_is_caught_in_kernel, "no EVT145")
{
    try {
        throw std::runtime_error("of the kernel's own");
    } catch (std::runtime_error const&) {
        Sync<K::MTE2_V>();
    }
}

}  // namespace
