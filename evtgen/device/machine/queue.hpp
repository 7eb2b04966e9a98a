// A pipe object and its queues: the ids of the flags that it hands out, the buffers that queues share out, and who holds
// each of them. Two flags order the uses of a buffer: `filled` from the pipe that writes it to the pipe that reads it,
// and `emptied` back (pages of TQueBind, TQue, AllocEventID).
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "record.hpp"

namespace machine {

/// The most buffers that the queues and TBufs of one kernel may have (page of InitBuffer).
constexpr uint32_t kMaxBuffers = 64;

/// A flag's two pipes.
struct Event {
    Pipe from;
    Pipe to;
};

/// The ids of flags, per pair of pipes, that programs ask for instead of choosing them. Such an id is given out again
/// as soon as the wait for it is issued, not when it is over, and queues of several buffers set it again while the first
/// set may not have been waited for. So each wait takes the set that was issued before it; two sets in a row are a fault.
class EventIds {
public:
    /// Takes the lowest free id. -1 if all are taken.
    int32_t Take(Event event);
    /// The lowest free id, which stays free. -1 if all are taken.
    int32_t Peek(Event event);
    /// Notes that a program has got an id from a pool of its own.
    void Give(Event event, int32_t id)
    {
        given_[IndexOf(event)] = static_cast<uint8_t>(given_[IndexOf(event)] | 1U << id);
    }
    void Release(Event event, int32_t id);
    void ReleaseAll()
    {
        taken_.fill(0);
        given_.fill(0);
    }
    /// From here on, programs choose their ids themselves.
    void Forget() { given_.fill(0); }
    /// Whether a program got this id from here: then it may use one that the system reserves, too.
    bool GaveOut(Event event, int32_t id) const { return (given_[IndexOf(event)] >> id & 1) != 0; }
    /// Notes that a set is issued. Whether a wait for the one before it has been issued.
    bool Set(Event event, int32_t id);
    /// Notes that a wait is issued.
    void Wait(Event event, int32_t id);

private:
    static size_t IndexOf(Event event)
    {
        return static_cast<size_t>(event.from) * kPipes + static_cast<size_t>(event.to);
    }

    using Bits = std::array<uint8_t, kPipes * kPipes>;  // a bit per id
    Bits taken_{};
    Bits given_{};
    Bits set_{};  // by the instructions that have been issued
};

/// A queue as its type declares it.
struct QueueType {
    char const* position;  // for reports
    Space space;
    Event filled;    // EnQue sets it, and DeQue waits for it
    Event emptied;   // FreeTensor sets it, and the next AllocTensor waits for it
    uint32_t depth;  // 0: tensors are used in place, and a buffer keeps its two ids
};

enum class BufferState : uint8_t { Free, Allocated, Enqueued, Dequeued };

struct QueueBuffer {
    uint8_t* address = nullptr;
    uint32_t bytes = 0;
    uint32_t number = 0;  // in its queue
    QueueType const* type = nullptr;
    BufferState state = BufferState::Free;
    int32_t filledId = -1;  // of the flag; -1: none
    int32_t emptiedId = -1;
    uint64_t turn = 0;  // buffers leave a queue in the order of their turns
    uint32_t pool = 0;  // number of the pool that it lies in; 0: none
    Site made = {"", 0};
    Site allocated = {"", 0};
};

/// The state of a core's pipe object. Queues of earlier pipes stay, since programs may still hold their tensors.
struct PipeObject {
    EventIds ids;
    std::vector<std::vector<QueueBuffer>> queues;
    size_t first = 0;    // of the queues that the pipe has now
    uint32_t count = 0;  // buffers that it has now, those of TBufs with them
    uint32_t pools = 0;  // how many there have been
    void* object = nullptr;
};

/// Starts the running core's pipe anew: all memory and ids are free. On a cube core the flags M_MTE1 0 to 2 are raised,
/// as the Matmul API expects them.
void BeginPipe(void* object, Site site);
/// Waits until each free buffer is empty; buffers that are not free are reported. `barrier`: then for all pipes.
void EndPipe(bool barrier, Site site);
/// Does the same, without that barrier, and starts anew.
void ResetPipe(Site site);
/// The object that began last, or null; and that it is no more.
void* RunningPipe();
void ForgetPipe(void const* object);
/// Counts buffers; reports if a kernel has too many.
void CountBuffers(uint32_t count, Site site);
/// Counts the `count` buffers of a queue; reports sizes of 0, and those that are not `asDeclared` in the queue's type.
void CheckBuffers(uint32_t count, uint32_t bytes, bool asDeclared, Site site);

/// As AllocEventID, ReleaseEventID and FetchEventID. The first and the last report if no id is left, and return 0.
int32_t TakeEventId(Event event, Site site);
void ReleaseEventId(Event event, int32_t id);
int32_t PeekEventId(Event event, Site site);
/// An id from a pool that the program keeps itself.
void NoteEventId(Event event, int32_t id);

/// A range of local memory that is shared out in place of the pipe's.
struct BufferPool {
    Space space = Space::UB;
    uint8_t* begin = nullptr;
    uint32_t bytes = 0;
    uint64_t taken = 0;
    uint32_t number = 0;
};

/// Numbers a new pool.
BufferPool MakePool(Space space, uint8_t* begin, uint32_t bytes);
/// Takes the next `bytes` of a pool, in whole blocks; reports when it is full.
uint8_t* TakeFrom(BufferPool& pool, uint64_t bytes, char const* call, Site site);
/// Reports if a pool that is to share the memory of `pool` asks for more than that has.
void CheckShared(BufferPool const& pool, uint32_t bytes, Site site);
/// Waits until the pool's free buffers are empty; buffers that are not free are reported.
void ResetPool(BufferPool const& pool, Site site);

/// The buffers of one queue. A copy of it stands for the same buffers, with an order of its own.
class Queue {
public:
    /// Gives the queue `count` buffers of `bytes`, one after the other in memory. `pool`: the one that they lie in, or 0.
    void Init(QueueType const& type, uint8_t* memory, uint32_t count, uint32_t bytes, uint32_t pool, Site site);

    /// The next buffer that is free, once it is empty. Null, after a report, for a queue that has no buffers.
    QueueBuffer* Allocate(Site site);
    /// False if the queue is full. `event` stands in for the type's.
    bool Enqueue(void const* tensor, Event event, Site site);
    /// The buffer that was enqueued first, once it is filled. Null as for Allocate.
    QueueBuffer* Dequeue(Event event, Site site);
    /// The same for a tensor that is used in place.
    void DequeueInPlace(void const* tensor, Site site);
    void Free(void const* tensor, Site site);
    /// Waits for every buffer to be empty, and releases the ids of those flags.
    void FreeEvents(Site site);

    /// Null if the tensor is none of the queue's.
    QueueBuffer* Find(void const* tensor) const;
    uint32_t Count(BufferState state) const;
    uint32_t Buffers() const { return count_; }

private:
    bool Ready(char const* call, Site site) const;

    QueueBuffer* first_ = nullptr;
    uint32_t count_ = 0;
    uint32_t next_ = 0;
    uint64_t turns_ = 0;
};

}  // namespace machine
