// Flags and barriers within a core, flags between cores, and the position of a core in the launch.
#pragma once

#include "../../ascendc/ascendc/builtins.h"
#include "../../machine/queue.hpp"
#include "registers.h"

namespace cce {

/// TPipe takes the ids of flags from pools of bits by sff0; which pool, an intrinsic does not see.
inline void NotePooled(pipe_t from, pipe_t to, int32_t id)
{
    if (id >= 0 && id < 64 && (registers.pooledIds >> id & 1u) != 0) {
        machine::NoteEventId({PipeOf(from), PipeOf(to)}, id);
    }
}

/// Flags between the pipes inside the cube unit, in place of which the model multiplies: TPipe sets some of them on every
/// core, and waits for them where it is compiled for cubes alone.
constexpr bool InCube(pipe_t from, pipe_t to)
{
    return from == PIPE_M || from == PIPE_MTE1 || to == PIPE_M || to == PIPE_MTE1;
}

}  // namespace cce

inline void set_flag(pipe_t from, pipe_t to, int32_t id, cce::Site site = cce::Here())
{
    if (cce::InCube(from, to)) { return; }
    cce::NotePooled(from, to, id);
    machine::RecordSetFlag(cce::PipeOf(from), cce::PipeOf(to), id, "SetFlag", site);
}
inline void wait_flag(pipe_t from, pipe_t to, int32_t id, cce::Site site = cce::Here())
{
    if (cce::InCube(from, to)) { return; }
    cce::NotePooled(from, to, id);
    machine::RecordWaitFlag(cce::PipeOf(from), cce::PipeOf(to), id, "WaitFlag", site);
}

inline void pipe_barrier(pipe_t pipe, cce::Site site = cce::Here())
{
    if (pipe == PIPE_ALL) {
        machine::RecordBarrierAll(site);
    } else {
        machine::RecordBarrier(cce::PipeOf(pipe), site);
    }
}

/// `message` holds the mode in bits 4 and 5, and the flag's id from bit 8 on.
inline void ffts_cross_core_sync(pipe_t pipe, uint64_t message, cce::Site site = cce::Here())
{
    machine::RecordCrossSet(
        static_cast<uint8_t>(message >> 4 & 3u), cce::PipeOf(pipe), static_cast<uint16_t>(message >> 8 & 15u), site);
}
inline void wait_flag_dev(uint64_t id, cce::Site site = cce::Here())
{
    machine::RecordCrossWait(0, machine::Pipe::S, static_cast<uint16_t>(id), site);
}
inline void wait_flag_dev(pipe_t pipe, uint64_t id, cce::Site site = cce::Here())
{
    machine::RecordCrossWait(0, cce::PipeOf(pipe), static_cast<uint16_t>(id), site);
}
/// Flags between a cube core and one of its vector cores: mode 4.
inline void set_intra_block(pipe_t pipe, uint64_t id, cce::Site site = cce::Here())
{
    machine::RecordCrossSet(4, cce::PipeOf(pipe), static_cast<uint16_t>(id), site);
}
inline void wait_intra_block(pipe_t pipe, uint64_t id, cce::Site site = cce::Here())
{
    machine::RecordCrossWait(4, cce::PipeOf(pipe), static_cast<uint16_t>(id), site);
}
inline void set_ffts_base_addr(uint64_t) {}

inline int64_t get_coreid() { return machine::BlockIdx(); }
