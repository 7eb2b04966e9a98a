// Smallest programs for what Ascend950 has and others do not: flags of mode 4, waits that hold back one pipe, and a cube
// core that writes to the UB of its vector cores.
#include "../../evtgen/device/machine/shadow.hpp"
#include "cases.hpp"

namespace {

using machine::Space;

/// The cube core's name for a place in UB.
void* Place(uint64_t offset) { return machine::LocalAddress(Space::UB, offset, 32); }

/// FIX writes a tile of twos, `offset` bytes into the UB of a vector core.
void HandOver(uint32_t sub, uint64_t offset = 0, machine::Pipe pipe = machine::Pipe::FIX, Site site = Here())
{
    void* const to = machine::UbOfVectorCore(sub, Place(offset));
    machine::Instruction instruction(pipe, "Fixpipe", site);
    instruction.Writes(machine::Bytes(Space::UB, to, kCount * sizeof(float)));
    instruction.Act([to] { std::fill_n(static_cast<float*>(to), kCount, 2.0f); });
    machine::Record(std::move(instruction));
}

constexpr uint16_t kFull = 0;
constexpr uint16_t kEmpty = 1;
constexpr uint16_t kSecond = 16;  // what the cube core adds for the second vector core
constexpr int kRounds = 3;

/// The cube core's side: a tile for each vector core, round after round, once both have released the last. The two pipes
/// are those that it waits on and sets from.
template <pipe_t waits = PIPE_FIX, pipe_t sets = PIPE_FIX, bool first = true> void Give()
{
    for (int i = 0; i < kRounds; ++i) {
        if (first || i > 0) {
            CrossCoreWaitFlag<4, waits>(kEmpty);
            CrossCoreWaitFlag<4, waits>(kEmpty + kSecond);
        }
        HandOver(0);
        HandOver(1);
        CrossCoreSetFlag<4, sets>(kFull);
        CrossCoreSetFlag<4, sets>(kFull + kSecond);
    }
}

/// A vector core's side: adds up the tiles.
template <pipe_t waits = PIPE_V, pipe_t sets = PIPE_V> void Take()
{
    Tile t;
    Duplicate(t.b, 0.0f, kCount);
    CrossCoreSetFlag<4, sets>(kEmpty);
    for (int i = 0; i < kRounds; ++i) {
        CrossCoreWaitFlag<4, waits>(kFull);
        Add(t.b, t.b, t.a, kCount);
        if (i + 1 < kRounds) { CrossCoreSetFlag<4, sets>(kEmpty); }
    }
    if (GetSubBlockIdx() == 0) {
        Sync<K::V_MTE3>();
        DataCopy(t.gd, t.b, kCount);
    }
}

// ---- the cube core writes to UB

CASE_ON(tiles_handed_over, "no EVT104 EVT120 EVT123 EVT126 EVT127 EVT128 EVT132 EVT136", 1, Mix)
{
    if ASCEND_IS_AIC {
        Give();
    } else {
        Take();
    }
}
CASE_ON(tiles_handed_over_while_all_pipes_wait, "no EVT127 EVT128 EVT132 EVT136", 1, Mix)
{
    if ASCEND_IS_AIC {
        Give<PIPE_S>();
    } else {
        Take<PIPE_S>();
    }
}
CASE_ON(tile_read_after_a_wait_on_another_pipe, "EVT128", 1, Mix)
{
    if ASCEND_IS_AIC {
        Give();
    } else {
        Take<PIPE_MTE3>();
    }
}
CASE_ON(tile_announced_from_another_pipe, "EVT128", 1, Mix)
{
    if ASCEND_IS_AIC {
        Give<PIPE_FIX, PIPE_MTE2>();
    } else {
        Take();
    }
}
CASE_ON(tile_overwritten_after_a_wait_on_another_pipe, "EVT126", 1, Mix)
{
    if ASCEND_IS_AIC {
        Give<PIPE_MTE2>();
    } else {
        Take();
    }
}
CASE_ON(tile_released_from_another_pipe, "EVT126", 1, Mix)
{
    if ASCEND_IS_AIC {
        Give();
    } else {
        Take<PIPE_V, PIPE_MTE2>();
    }
}
CASE_ON(tile_handed_over_by_mode_2, "no EVT127 EVT128", 1, Mix)
{
    if ASCEND_IS_AIC {
        HandOver(0);
        CrossCoreSetFlag<2, PIPE_FIX>(kFull);
        CrossCoreWaitFlag<2, PIPE_FIX>(kEmpty);
        HandOver(0);
    } else {
        Tile t;
        CrossCoreWaitFlag<2, PIPE_V>(kFull);
        if (GetSubBlockIdx() == 0) { Adds(t.b, t.a, 1.0f, kCount); }
        CrossCoreSetFlag<2, PIPE_V>(kEmpty);
    }
}

/// The cube core hands a tile over to the first vector core, and nothing orders what that does.
template <class Use> void HandOverUnordered(Use use)
{
    if ASCEND_IS_AIC {
        HandOver(0);
    } else if (GetSubBlockIdx() == 0) {
        Tile t;
        use(t);
    }
}
CASE_ON(tile_read_by_v, "EVT127", 1, Mix)
{
    HandOverUnordered([](Tile& t) { Adds(t.b, t.a, 1.0f, kCount); });
}
CASE_ON(tile_read_by_mte3, "EVT127", 1, Mix)
{
    HandOverUnordered([](Tile& t) { DataCopy(t.gd, t.a, kCount); });
}
CASE_ON(tile_read_by_s, "EVT127", 1, Mix)
{
    HandOverUnordered([](Tile& t) { (void)t.a.GetValue(0); });
}
CASE_ON(tile_written_by_v, "EVT129", 1, Mix)
{
    HandOverUnordered([](Tile& t) { Duplicate(t.a, 0.0f, kCount); });
}
CASE_ON(tile_written_by_mte2, "EVT129", 1, Mix)
{
    HandOverUnordered([](Tile& t) { DataCopy(t.a, t.ga, kCount); });
}
CASE_ON(bytes_beside_the_tile_written, "no EVT129", 1, Mix)
{
    HandOverUnordered([](Tile& t) { Duplicate(t.b, 0.0f, kCount); });
}

/// A vector core uses a tile of its own, tells the cube core from another pipe, and that writes.
template <class Use> void HandOverAfter(Use use)
{
    if ASCEND_IS_AIC {
        CrossCoreWaitFlag<4, PIPE_FIX>(kEmpty);
        HandOver(0);
    } else if (GetSubBlockIdx() == 0) {
        Tile t;
        Duplicate(t.a, 0.0f, kCount);
        use(t);
    }
}
CASE_ON(tile_overwritten_under_mte3, "EVT128", 1, Mix)
{
    HandOverAfter([](Tile& t) {
        Sync<K::V_MTE3>();
        DataCopy(t.gd, t.a, kCount);
        CrossCoreSetFlag<4, PIPE_V>(kEmpty);
    });
}
CASE_ON(tile_overwritten_after_mte3, "no EVT128 EVT129", 1, Mix)
{
    HandOverAfter([](Tile& t) {
        Sync<K::V_MTE3>();
        DataCopy(t.gd, t.a, kCount);
        CrossCoreSetFlag<4, PIPE_MTE3>(kEmpty);
    });
}
CASE_ON(tile_overwritten_under_s, "EVT129", 1, Mix)
{
    HandOverAfter([](Tile& t) {
        CrossCoreSetFlag<4, PIPE_V>(kEmpty);
        Sync<K::V_S>();
        t.a.SetValue(0, 1.0f);
    });
}
CASE_ON(tile_overwritten_after_s, "no EVT128 EVT129", 1, Mix)
{
    HandOverAfter([](Tile& t) {
        Sync<K::V_S>();
        (void)t.a.GetValue(0);
        CrossCoreSetFlag<4, PIPE_S>(kEmpty);
    });
}

CASE_ON(tiles_for_both_by_one_instruction, "no EVT104 EVT127 EVT129", 1, Mix)
{
    if ASCEND_IS_AIC {
        void* const first = machine::UbOfVectorCore(0, Place(0));
        void* const second = machine::UbOfVectorCore(1, Place(0));
        machine::Instruction instruction(machine::Pipe::FIX, "Fixpipe", Here());
        instruction.Writes(machine::Bytes(Space::UB, first, 1024)).Writes(machine::Bytes(Space::UB, second, 1024));
        machine::Record(std::move(instruction));
        CrossCoreSetFlag<4, PIPE_FIX>(kFull);
        CrossCoreSetFlag<4, PIPE_FIX>(kFull + kSecond);
    } else {
        Tile t;
        CrossCoreWaitFlag<4, PIPE_V>(kFull);
        Adds(t.b, t.a, 1.0f, kCount);
    }
}
CASE_ON(products_in_one_instruction, "no EVT127 EVT128 EVT132 EVT136", 1, Mix)
{
    for (int i = 0; i < kRounds; ++i) {
        if ASCEND_IS_AIC {
            void* const to = machine::UbOfVectorCore(0, Place(0));
            machine::Instruction instruction(machine::Pipe::FIX, "BlockMmad", Here());
            instruction.Reads(machine::Bytes(Space::GM, gmA, 1024)).Writes(machine::Bytes(Space::UB, to, 1024)).Work(1);
            CrossCoreWaitFlag<4, PIPE_FIX>(kEmpty);
            machine::Record(std::move(instruction));
            CrossCoreSetFlag<4, PIPE_FIX>(kFull);
        }
    }
    if ASCEND_IS_AIV {
        if (GetSubBlockIdx() == 0) { Take(); }
    }
}
CASE_ON(tile_for_a_core_that_has_ended, "no EVT104", 1, Mix)
{
    if ASCEND_IS_AIC {
        CrossCoreWaitFlag<4, PIPE_FIX>(kEmpty);
        HandOver(1);
    } else {
        Tile t;
        if (GetSubBlockIdx() == 1) { return; }
        CrossCoreWaitFlag<4>(2);  // until the other core is at its end
        CrossCoreSetFlag<4, PIPE_V>(kEmpty);
    }
    if ASCEND_IS_AIC { CrossCoreSetFlag<4, PIPE_MTE2>(2); }
}

// ---- where it may write

CASE_ON(tile_past_what_is_declared, "EVT104", 1, Mix)
{
    if ASCEND_IS_AIC {
        HandOver(1, 2 * kCount * sizeof(float) + 32);
    } else {
        Tile t;
    }
}
CASE_ON(tile_past_a_buffer_of_the_cube_core, "EVT119", 1, Mix)
{
    if ASCEND_IS_AIC {
        void const* const buffer = machine::DeclareBuffer(Space::UB, Place(0), 512);
        void* const to = machine::UbOfVectorCore(0, buffer);
        machine::Instruction instruction(machine::Pipe::FIX, "Fixpipe", Here());
        instruction.Writes(machine::Within(buffer, machine::Bytes(Space::UB, to, 1024)));
        machine::Record(std::move(instruction));
    } else {
        Tile t;
    }
}
CASE_ON(tile_up_to_the_end_of_a_buffer_of_the_cube_core, "no EVT119", 1, Mix)
{
    if ASCEND_IS_AIC {
        void const* const buffer = machine::DeclareBuffer(Space::UB, Place(0), 1024);
        void* const to = machine::UbOfVectorCore(0, buffer);
        machine::Instruction instruction(machine::Pipe::FIX, "Fixpipe", Here());
        instruction.Writes(machine::Within(buffer, machine::Bytes(Space::UB, to, 1024)));
        machine::Record(std::move(instruction));
    } else {
        Tile t;
    }
}
CASE_ON(tile_up_to_what_is_declared, "no EVT104", 1, Mix)
{
    if ASCEND_IS_AIC {
        HandOver(1, 2 * kCount * sizeof(float));
    } else {
        Tile t;  // after the cube core's write, as far as the model's order goes
    }
}
CASE_ON(tile_past_the_end_of_ub, "EVT103", 1, Mix)
{
    if ASCEND_IS_AIC { HandOver(0, 248 * 1024 - 32); }
}
CASE_ON(tile_off_its_block, "EVT106", 1, Mix)
{
    if ASCEND_IS_AIC {
        HandOver(0, 16);
    } else {
        Tile t;
    }
}
CASE_ON(tile_for_a_third_vector_core, "EVT104", 1, Mix)
{
    if ASCEND_IS_AIC { HandOver(2); }
}
CASE_ON(tile_by_another_pipe, "EVT103", 1, Mix)
{
    if ASCEND_IS_AIC {
        HandOver(0, 0, machine::Pipe::MTE3);
    } else {
        Tile t;
    }
}
CASE_ON(tile_read_by_the_cube_core, "EVT103", 1, Mix)
{
    if ASCEND_IS_AIC {
        machine::Instruction instruction(machine::Pipe::FIX, "Fixpipe", Here());
        instruction.Reads(machine::Bytes(Space::UB, machine::UbOfVectorCore(0, Place(0)), 32));
        machine::Record(std::move(instruction));
    } else {
        Tile t;
    }
}
CASE_ON(tile_of_padding_stored, "EVT108", 1, Mix)
{
    if ASCEND_IS_AIC {
        void* const to = machine::UbOfVectorCore(0, Place(0));
        machine::Instruction instruction(machine::Pipe::FIX, "Fixpipe", Here());
        instruction.Writes(machine::Bytes(Space::UB, to, 64));
        instruction.Shadow([to] { machine::ShadowFill(to, 64, machine::kUndefined); });
        machine::Record(std::move(instruction));
        CrossCoreSetFlag<4, PIPE_FIX>(kFull);
    } else if (GetSubBlockIdx() == 0) {
        Tile t;
        CrossCoreWaitFlag<4, PIPE_MTE3>(kFull);
        DataCopy(t.gd, t.a, 16);
    }
}

// ---- flags

/// The cube core sets flags, and vector core `sub` waits for them.
template <pipe_t pipe = PIPE_V> void SetAndWait(int count, uint16_t sets, uint32_t sub, uint16_t waits)
{
    for (int i = 0; i < count; ++i) {
        if ASCEND_IS_AIC {
            CrossCoreSetFlag<4, PIPE_FIX>(sets);
        } else if (GetSubBlockIdx() == sub) {
            CrossCoreWaitFlag<4, pipe>(waits);
        }
    }
}
CASE_ON(pair_flag_too_deep, "EVT135", 1, Mix) { SetAndWait(16, 0, 0, 0); }
CASE_ON(pair_flag_as_deep_as_it_goes, "no EVT135", 1, Mix) { SetAndWait(15, 0, 0, 0); }
CASE_ON(pair_flag_left, "EVT136", 1, Mix) { SetAndWait(1, 0, 2, 0); }
CASE_ON(pair_flag_of_a_core_without_the_other, "EVT136", 1, AivOnly) { CrossCoreSetFlag<4, PIPE_V>(0); }
CASE_ON(pair_flag_of_the_other_core, "EVT132", 1, Mix) { SetAndWait(1, 0, 1, 0); }
CASE_ON(pair_flag_of_the_other_core_left, "EVT136", 1, Mix) { SetAndWait(1, 16, 0, 0); }
CASE_ON(pair_flags_with_the_last_ids, "no EVT132 EVT136 EVT137", 1, Mix)
{
    SetAndWait(1, 26, 1, 10);
    SetAndWait<PIPE_S>(1, 10, 0, 10);
}
CASE_ON(pair_flag_that_the_system_has, "EVT137", 1, Mix) { SetAndWait(1, 11, 0, 11); }
CASE_ON(pair_flag_past_the_last, "EVT137", 1, Mix) { SetAndWait(1, 27, 1, 11); }
CASE_ON(pair_flag_that_a_vector_core_does_not_have, "EVT137", 1, Mix)
{
    if ASCEND_IS_AIV { CrossCoreWaitFlag<4, PIPE_V>(16); }
}
CASE_ON(pair_flag_waited_for_in_another_mode, "EVT132", 1, Mix)
{
    if ASCEND_IS_AIC {
        CrossCoreSetFlag<4, PIPE_FIX>(0);
        CrossCoreSetFlag<4, PIPE_FIX>(16);
    } else {
        CrossCoreWaitFlag(0);
    }
}
CASE_ON(flags_of_both_modes_with_one_id, "no EVT132 EVT136", 1, Mix)
{
    if ASCEND_IS_AIC {
        CrossCoreSetFlag<4, PIPE_FIX>(0);
        CrossCoreSetFlag<4, PIPE_FIX>(16);
        CrossCoreSetFlag<2, PIPE_FIX>(0);
    } else {
        CrossCoreWaitFlag<2>(0);
        CrossCoreWaitFlag<4>(0);
    }
}
CASE_ON(wait_on_a_pipe_of_the_other_core, "EVT117", 1, Mix)
{
    if ASCEND_IS_AIV { CrossCoreWaitFlag<4, PIPE_FIX>(0); }
}

/// The cube core waits for the first vector core, and tells it from MTE2 what that waits for first.
template <pipe_t waits> void TellAfterTheWait()
{
    if ASCEND_IS_AIC {
        CrossCoreWaitFlag<4, waits>(0);
        CrossCoreSetFlag<4, PIPE_MTE2>(1);
    } else if (GetSubBlockIdx() == 0) {
        CrossCoreWaitFlag<4, PIPE_V>(1);
        CrossCoreSetFlag<4, PIPE_V>(0);
    }
}
CASE_ON(wait_on_one_pipe_holds_back_no_other, "no EVT132 EVT136", 1, Mix) { TellAfterTheWait<PIPE_FIX>(); }
CASE_ON(wait_on_s_holds_back_all, "EVT132", 1, Mix) { TellAfterTheWait<PIPE_S>(); }
CASE_ON(pipes_go_on_while_s_waits, "no EVT132 EVT136", 1, Mix)
{
    if ASCEND_IS_AIC {
        CrossCoreWaitFlag<4, PIPE_FIX>(0);
        CrossCoreSetFlag<4, PIPE_FIX>(0);
        CrossCoreWaitFlag<4, PIPE_MTE2>(1);
        CrossCoreSetFlag<4, PIPE_MTE2>(1);
        CrossCoreWaitFlag<4>(2);
    } else if (GetSubBlockIdx() == 0) {
        CrossCoreSetFlag<4, PIPE_V>(0);
        CrossCoreWaitFlag<4, PIPE_V>(0);
        CrossCoreSetFlag<4, PIPE_V>(1);
        CrossCoreWaitFlag<4>(1);
        CrossCoreSetFlag<4, PIPE_V>(2);
    }
}
CASE_ON(load_behind_a_wait_on_v, "EVT127", 1, Mix)
{
    StoreAndLoad([] {
        CrossCoreSetFlag<1, PIPE_MTE3>(0);
        CrossCoreWaitFlag<1, PIPE_V>(0);
    });
}
CASE_ON(load_behind_a_wait_on_mte2, "no EVT127", 1, Mix)
{
    StoreAndLoad([] {
        CrossCoreSetFlag<1, PIPE_MTE3>(0);
        CrossCoreWaitFlag<1, PIPE_MTE2>(0);
    });
}
CASE_ON(scalar_read_behind_a_wait_on_one_pipe, "no EVT127 EVT132", 1, Mix)
{
    if ASCEND_IS_AIC {
        CrossCoreWaitFlag<4, PIPE_FIX>(kEmpty);
        HandOver(0);
        CrossCoreSetFlag<4, PIPE_FIX>(kFull);
    } else if (GetSubBlockIdx() == 0) {
        Tile t;
        CrossCoreSetFlag<4, PIPE_MTE2>(kEmpty);
        CrossCoreWaitFlag<4, PIPE_V>(kFull);
        Sync<K::V_S>();
        (void)t.a.GetValue(0);
    }
}
CASE_ON(scalar_read_behind_a_wait_for_nothing, "EVT132", 1, Mix)
{
    if ASCEND_IS_AIV {
        Tile t;
        CrossCoreWaitFlag<4, PIPE_V>(kFull);
        Sync<K::V_S>();
        (void)t.a.GetValue(0);
    }
}
CASE_ON(more_behind_a_wait_than_a_core_has_room_for, "no EVT132 EVT136", 1, Mix)
{
    if ASCEND_IS_AIC {
        CrossCoreWaitFlag<4, PIPE_FIX>(kEmpty);
        for (int i = 0; i < 20000; ++i) { PipeBarrier<PIPE_FIX>(); }
        CrossCoreSetFlag<4, PIPE_FIX>(kFull);
    } else if (GetSubBlockIdx() == 0) {
        CrossCoreSetFlag<4, PIPE_V>(kEmpty);
        CrossCoreWaitFlag<4, PIPE_V>(kFull);
    }
}

TILE(call_of_no_elements, "EVT114")
{
    Duplicate(t.a, 1.0f, kCount);
    Adds(t.b, t.a, 1.0f, 0);
}
TILE(call_of_one_element, "no EVT114")
{
    Duplicate(t.a, 1.0f, kCount);
    Adds(t.b, t.a, 1.0f, 1);
}
TILE(silu_in_place, "EVT114")
{
    Duplicate(t.a, 1.0f, kCount);
    Silu(t.a, t.a, kCount);
}
TILE(silu_from_one_tile_to_another, "no EVT114")
{
    Duplicate(t.a, 1.0f, kCount);
    Silu(t.b, t.a, kCount);
    PipeBarrier<PIPE_V>();
    Divs(t.b, 1.0f, t.b, kCount);
}

}  // namespace
