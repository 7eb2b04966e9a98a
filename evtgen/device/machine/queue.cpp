#include "queue.hpp"

#include <algorithm>
#include <string>

#include "core.hpp"

namespace machine {

namespace {

constexpr Event kMatmulEvent = {Pipe::M, Pipe::MTE1};
constexpr int32_t kMatmulFlags = 3;

Finding QueueFinding(Fault fault, char const* call, Site site, std::string detail)
{
    return {fault, MakeCall(call, Pipe::S, site), std::move(detail)};
}

/// A finding about one buffer of a queue; the other call is the InitBuffer that made it.
Finding BufferFinding(Fault fault, char const* call, Site site, QueueBuffer const& buffer, char const* what)
{
    Finding finding = QueueFinding(
        fault, call, site,
        "buffer " + std::to_string(buffer.number) + " of a queue on " + buffer.type->position + " " + what);
    finding.other = MakeCall("InitBuffer", Pipe::S, buffer.made);
    uint64_t const first = CurrentCore()->Local(buffer.type->space)->Offset(buffer.address);
    finding.place = {buffer.type->space, first, first + buffer.bytes - 1};
    return finding;
}

/// Reports a tensor that is not one of a queue's; `first` is its first buffer.
void ReportStranger(QueueBuffer const& first, char const* call, Site site)
{
    Finding finding = QueueFinding(
        Fault::QueueNotHeld, call, site, std::string("the tensor is none of the queue's on ") + first.type->position);
    finding.other = MakeCall("InitBuffer", Pipe::S, first.made);
    Report(finding);
}

/// Takes an id for a flag; -1 after a report.
int32_t TakeId(Event event, char const* call, Site site)
{
    int32_t const id = CurrentCore()->CurrentPipe().ids.Take(event);
    if (id < 0) {
        Report(QueueFinding(
            Fault::QueueFull, call, site,
            "all " + std::to_string(kFlagIds) + " flags " + EventName(event.from, event.to) + " are taken"));
    }
    return id;
}

/// Sets a flag of its own, and returns its id; -1 after a report.
int32_t Raise(Event event, char const* call, Site site)
{
    int32_t const id = TakeId(event, call, site);
    if (id >= 0) { RecordSetFlag(event.from, event.to, id, call, site); }
    return id;
}

/// Waits for such a flag, and releases its id. `id` is -1 afterwards.
void Lower(Event event, int32_t& id, char const* call, Site site)
{
    if (id >= 0) {
        RecordWaitFlag(event.from, event.to, id, call, site);
        CurrentCore()->CurrentPipe().ids.Release(event, id);
        id = -1;
    }
}

/// Ends the use of the buffers of one pool, or of those outside of pools. A pool may outlive its pipe's reset.
void EndBuffers(uint32_t pool, char const* call, Site site)
{
    PipeObject& pipe = CurrentCore()->CurrentPipe();
    for (size_t i = pool == 0 ? pipe.first : 0; i < pipe.queues.size(); ++i) {
        for (QueueBuffer& buffer : pipe.queues[i]) {
            if (buffer.pool != pool) { continue; }
            switch (buffer.state) {
                case BufferState::Free: Lower(buffer.type->emptied, buffer.emptiedId, call, site); break;
                case BufferState::Enqueued:
                    Report(BufferFinding(
                        Fault::QueueLeak, "AllocTensor", buffer.allocated, buffer, "was enqueued and not dequeued"));
                    break;
                default:
                    Report(
                        BufferFinding(Fault::QueueLeak, "AllocTensor", buffer.allocated, buffer, "has not been freed"));
                    break;
            }
            buffer.state = BufferState::Free;
        }
    }
}

/// Reports if a pool is smaller than what is asked of it.
void CheckRoom(BufferPool const& pool, uint64_t asked, char const* call, Site site)
{
    if (asked <= pool.bytes) { return; }
    Finding finding = QueueFinding(
        Fault::LocalOutOfBounds, call, site,
        std::to_string(asked) + " bytes are asked of the " + std::to_string(pool.bytes) + " of a pool");
    uint64_t const first = CurrentCore()->Local(pool.space)->Offset(pool.begin);
    finding.place = {pool.space, first, first + asked - 1};
    Report(finding);
}

}  // namespace

int32_t EventIds::Peek(Event event)
{
    size_t const at = IndexOf(event);
    for (int32_t id = 0; id < kFlagIds; ++id) {
        if ((taken_[at] >> id & 1) == 0) {
            given_[at] = static_cast<uint8_t>(given_[at] | 1U << id);
            return id;
        }
    }
    return -1;
}

int32_t EventIds::Take(Event event)
{
    int32_t const id = Peek(event);
    if (id >= 0) { taken_[IndexOf(event)] = static_cast<uint8_t>(taken_[IndexOf(event)] | 1U << id); }
    return id;
}

void EventIds::Release(Event event, int32_t id)
{
    taken_[IndexOf(event)] = static_cast<uint8_t>(taken_[IndexOf(event)] & ~(1U << id));
}

bool EventIds::Set(Event event, int32_t id)
{
    uint8_t& set = set_[IndexOf(event)];
    bool const first = (set >> id & 1) == 0;
    set = static_cast<uint8_t>(set | 1U << id);
    return first;
}

void EventIds::Wait(Event event, int32_t id)
{
    uint8_t& set = set_[IndexOf(event)];
    set = static_cast<uint8_t>(set & ~(1U << id));
}

// ---- the pipe

void BeginPipe(void* object, Site site)
{
    Core* const core = CurrentCore();
    if (core == nullptr) { return; }
    PipeObject& pipe = core->CurrentPipe();
    InitRegisters();
    core->ReleaseAll();
    pipe.ids.ReleaseAll();
    pipe.first = pipe.queues.size();
    pipe.count = 0;
    pipe.object = object;
    for (int32_t i = 0; i < kMatmulFlags && core->Id().role == Role::AIC; ++i) { Raise(kMatmulEvent, "TPipe", site); }
}

void EndPipe(bool barrier, Site site)
{
    Core* const core = CurrentCore();
    if (core == nullptr) { return; }
    EndBuffers(0, "Destroy", site);
    for (int32_t i = 0; i < kMatmulFlags && core->Id().role == Role::AIC; ++i) {
        int32_t id = i;
        Lower(kMatmulEvent, id, "Destroy", site);
    }
    core->CurrentPipe().ids.Forget();
    if (barrier) { RecordBarrierAll(site); }
}

void ResetPipe(Site site)
{
    Core* const core = CurrentCore();
    if (core == nullptr) { return; }
    EndBuffers(0, "Reset", site);
    PipeObject& pipe = core->CurrentPipe();
    core->ReleaseAll();
    pipe.ids.ReleaseAll();
    pipe.first = pipe.queues.size();
    pipe.count = 0;
}

void* RunningPipe()
{
    Core* const core = CurrentCore();
    return core == nullptr ? nullptr : core->CurrentPipe().object;
}

void ForgetPipe(void const* object)
{
    Core* const core = CurrentCore();
    if (core != nullptr && core->CurrentPipe().object == object) { core->CurrentPipe().object = nullptr; }
}

void CountBuffers(uint32_t count, Site site)
{
    Core* const core = CurrentCore();
    if (core == nullptr) { return; }
    uint32_t& total = core->CurrentPipe().count;
    total += count;
    if (total > kMaxBuffers) {
        Report(QueueFinding(
            Fault::QueueFull, "InitBuffer", site,
            "the kernel has " + std::to_string(total) + " buffers; at most " + std::to_string(kMaxBuffers)));
    }
}

void CheckBuffers(uint32_t count, uint32_t bytes, bool asDeclared, Site site)
{
    if (CurrentCore() == nullptr) { return; }
    CountBuffers(count, site);
    if (count == 0 || bytes == 0 || !asDeclared) {
        Report(QueueFinding(
            Fault::BadParameter, "InitBuffer", site,
            std::to_string(count) + " buffers of " + std::to_string(bytes) + " bytes"
                + (asDeclared ? "" : ", and the queue's TQueConfig has other numbers")));
    }
}

int32_t TakeEventId(Event event, Site site)
{
    return CurrentCore() == nullptr ? 0 : std::max(TakeId(event, "AllocEventID", site), 0);
}

void ReleaseEventId(Event event, int32_t id)
{
    if (CurrentCore() != nullptr && id >= 0 && id < kFlagIds) { CurrentCore()->CurrentPipe().ids.Release(event, id); }
}

int32_t PeekEventId(Event event, Site site)
{
    Core* const core = CurrentCore();
    int32_t const id = core == nullptr ? 0 : core->CurrentPipe().ids.Peek(event);
    if (id < 0) {
        Report(QueueFinding(
            Fault::QueueFull, "FetchEventID", site,
            "all " + std::to_string(kFlagIds) + " flags " + EventName(event.from, event.to) + " are taken"));
    }
    return std::max(id, 0);
}

void NoteEventId(Event event, int32_t id)
{
    if (Core* const core = CurrentCore(); core != nullptr && id >= 0 && id < kFlagIds) {
        core->CurrentPipe().ids.Give(event, id);
    }
}

// ---- pools

BufferPool MakePool(Space space, uint8_t* begin, uint32_t bytes)
{
    BufferPool pool;
    pool.space = space;
    pool.begin = begin;
    pool.bytes = bytes;
    pool.number = CurrentCore() == nullptr ? 0 : ++CurrentCore()->CurrentPipe().pools;
    return pool;
}

uint8_t* TakeFrom(BufferPool& pool, uint64_t bytes, char const* call, Site site)
{
    if (CurrentCore() == nullptr) { return nullptr; }
    uint8_t* const begin = pool.begin + pool.taken;
    pool.taken += bytes;
    CheckRoom(pool, pool.taken, call, site);
    return begin;
}

void CheckShared(BufferPool const& pool, uint32_t bytes, Site site)
{
    if (CurrentCore() != nullptr) { CheckRoom(pool, bytes, "InitBufPool", site); }
}

void ResetPool(BufferPool const& pool, Site site)
{
    if (CurrentCore() != nullptr && pool.number != 0) { EndBuffers(pool.number, "Reset", site); }
}

// ---- queues

void Queue::Init(QueueType const& type, uint8_t* memory, uint32_t count, uint32_t bytes, uint32_t pool, Site site)
{
    Core* const core = CurrentCore();
    if (core == nullptr) { return; }
    auto& buffers = core->CurrentPipe().queues.emplace_back(count);
    *this = Queue();
    first_ = buffers.data();
    count_ = count;
    for (QueueBuffer& buffer : buffers) {
        buffer.number = static_cast<uint32_t>(&buffer - first_);
        buffer.address = memory + size_t{buffer.number} * bytes;
        buffer.bytes = bytes;
        buffer.type = &type;
        buffer.pool = pool;
        buffer.made = site;
        if (type.depth == 0) {
            buffer.filledId = TakeId(type.filled, "InitBuffer", site);
            buffer.emptiedId = Raise(type.emptied, "InitBuffer", site);
        }
    }
}

bool Queue::Ready(char const* call, Site site) const
{
    if (count_ == 0 && CurrentCore() != nullptr) {
        Report(QueueFinding(Fault::QueueFull, call, site, "the queue has no buffers: no InitBuffer has given it any"));
    }
    return count_ != 0;
}

QueueBuffer* Queue::Find(void const* tensor) const
{
    for (QueueBuffer* buffer = first_; buffer != first_ + count_; ++buffer) {
        if (tensor >= buffer->address && tensor < buffer->address + buffer->bytes) { return buffer; }
    }
    return nullptr;
}

uint32_t Queue::Count(BufferState state) const
{
    return static_cast<uint32_t>(
        std::count_if(first_, first_ + count_, [state](QueueBuffer const& buffer) { return buffer.state == state; }));
}

QueueBuffer* Queue::Allocate(Site site)
{
    if (!Ready("AllocTensor", site)) { return nullptr; }
    uint32_t tried = 0;
    while (tried < count_ && first_[next_].state != BufferState::Free) {
        next_ = (next_ + 1) % count_;
        ++tried;
    }
    QueueBuffer& buffer = first_[next_];
    next_ = (next_ + 1) % count_;
    if (tried == count_) {
        Report(BufferFinding(Fault::QueueFull, "AllocTensor", site, buffer, "is not free, and no other is"));
        RecordBarrierAll(site);  // a device waits here for ever: what follows is no fault of its own
    }
    buffer.state = BufferState::Allocated;
    buffer.allocated = site;
    if (buffer.type->depth != 0) {
        Lower(buffer.type->emptied, buffer.emptiedId, "AllocTensor", site);
    } else if (tried < count_ && buffer.emptiedId >= 0) {
        RecordWaitFlag(buffer.type->emptied.from, buffer.type->emptied.to, buffer.emptiedId, "AllocTensor", site);
    }
    return &buffer;
}

bool Queue::Enqueue(void const* tensor, Event event, Site site)
{
    if (!Ready("EnQue", site)) { return false; }
    QueueBuffer* const buffer = Find(tensor);
    if (buffer == nullptr) {
        ReportStranger(*first_, "EnQue", site);
        return false;
    }
    if (buffer->state == BufferState::Free || buffer->state == BufferState::Enqueued) {
        Report(BufferFinding(
            Fault::QueueNotHeld, "EnQue", site, *buffer,
            buffer->state == BufferState::Free ? "is free" : "is in the queue already"));
        return false;
    }
    uint32_t const depth = buffer->type->depth;
    if (depth != 0 && Count(BufferState::Enqueued) >= depth) {
        Report(BufferFinding(
            Fault::QueueFull, "EnQue", site, *buffer,
            ("does not fit in: the depth of " + std::to_string(depth) + " is used up").c_str()));
        return false;
    }
    if (depth != 0) {
        buffer->filledId = Raise(event, "EnQue", site);
    } else if (buffer->filledId >= 0) {
        RecordSetFlag(event.from, event.to, buffer->filledId, "EnQue", site);
    }
    buffer->state = BufferState::Enqueued;
    buffer->turn = ++turns_;
    return true;
}

QueueBuffer* Queue::Dequeue(Event event, Site site)
{
    if (!Ready("DeQue", site)) { return nullptr; }
    QueueBuffer* head = nullptr;
    for (QueueBuffer* buffer = first_; buffer != first_ + count_; ++buffer) {
        if (buffer->state == BufferState::Enqueued && (head == nullptr || buffer->turn < head->turn)) { head = buffer; }
    }
    if (head == nullptr) {
        Report(BufferFinding(Fault::QueueEmpty, "DeQue", site, *first_, "is not in the queue, and no other is"));
        return first_;
    }
    Lower(event, head->filledId, "DeQue", site);
    head->state = BufferState::Dequeued;
    return head;
}

void Queue::DequeueInPlace(void const* tensor, Site site)
{
    if (!Ready("DeQue", site)) { return; }
    QueueBuffer* const buffer = Find(tensor);
    if (buffer == nullptr || buffer->state != BufferState::Enqueued) {
        QueueBuffer const& named = buffer == nullptr ? *first_ : *buffer;
        Report(BufferFinding(Fault::QueueEmpty, "DeQue", site, named, "is not in the queue"));
        return;
    }
    if (buffer->filledId >= 0) {
        RecordWaitFlag(buffer->type->filled.from, buffer->type->filled.to, buffer->filledId, "DeQue", site);
    }
    buffer->state = BufferState::Dequeued;
}

void Queue::Free(void const* tensor, Site site)
{
    if (!Ready("FreeTensor", site)) { return; }
    QueueBuffer* const buffer = Find(tensor);
    if (buffer == nullptr) {
        ReportStranger(*first_, "FreeTensor", site);
        return;
    }
    if (buffer->state == BufferState::Free) {
        Report(BufferFinding(Fault::QueueNotHeld, "FreeTensor", site, *buffer, "is free already"));
        return;
    }
    if (buffer->state == BufferState::Enqueued) {
        Report(BufferFinding(Fault::QueueNotHeld, "FreeTensor", site, *buffer, "is still in the queue"));
    }
    if (buffer->type->depth != 0) {
        buffer->emptiedId = Raise(buffer->type->emptied, "FreeTensor", site);
    } else if (buffer->emptiedId >= 0) {
        RecordSetFlag(buffer->type->emptied.from, buffer->type->emptied.to, buffer->emptiedId, "FreeTensor", site);
    }
    buffer->state = BufferState::Free;
}

void Queue::FreeEvents(Site site)
{
    for (QueueBuffer* buffer = first_; buffer != first_ + count_; ++buffer) {
        Lower(buffer->type->emptied, buffer->emptiedId, "FreeAllEvent", site);
    }
}

}  // namespace machine
