// TQueBind and TQue: buffers that pass from the pipe that writes them to the pipe that reads them, and back. The flags
// follow from the two positions that a queue joins; the machine keeps the buffers (machine/queue.hpp).
#pragma once

#include "../../machine/queue.hpp"
#include "sync.h"
#include "tensor.h"

namespace AscendC {

/// What a queue's type may say beyond its positions (page of TQue). Formats are converted on other products only.
struct TQueConfig {
    bool nd2nz = false;
    bool nz2nd = false;
    bool scmBlockGroup = false;
    uint32_t bufferLen = 0;     // that InitBuffer will give; 0: any
    uint32_t bufferNumber = 0;  // likewise
    uint32_t consumerSize = 0;
    TPosition consumer[8] = {};
    bool enableStaticEvtId = false;
    bool enableLoopQueue = false;
};

enum class TBufState : uint8_t { FREE = 0, OCCUPIED, ENQUE, DEQUE };

namespace detail {

/// The memory that a queue's end lies in: results of the cube unit leave the core.
constexpr machine::Space QueueSpaceOf(TPosition position)
{
    return position == TPosition::CO2 ? machine::Space::GM : SpaceOf(position);
}

/// The two ends of a path through the core that has a flag of its own, and that flag; the one back has its pipes swapped.
struct QueuePath {
    machine::Space src;
    machine::Space dst;
    machine::Event filled;
};

constexpr QueuePath kQueuePaths[] = {
    {machine::Space::GM, machine::Space::UB, {machine::Pipe::MTE2, machine::Pipe::V}},
    {machine::Space::GM, machine::Space::L1, {machine::Pipe::MTE2, machine::Pipe::MTE1}},
    {machine::Space::GM, machine::Space::L0A, {machine::Pipe::MTE2, machine::Pipe::M}},
    {machine::Space::GM, machine::Space::L0B, {machine::Pipe::MTE2, machine::Pipe::M}},
    {machine::Space::UB, machine::Space::GM, {machine::Pipe::V, machine::Pipe::MTE3}},
    {machine::Space::UB, machine::Space::L1, {machine::Pipe::MTE3, machine::Pipe::MTE1}},
    {machine::Space::UB, machine::Space::UB, {machine::Pipe::MTE2, machine::Pipe::MTE3}},
    {machine::Space::L1, machine::Space::UB, {machine::Pipe::MTE1, machine::Pipe::V}},
    {machine::Space::L1, machine::Space::L0A, {machine::Pipe::MTE1, machine::Pipe::M}},
    {machine::Space::L1, machine::Space::L0B, {machine::Pipe::MTE1, machine::Pipe::M}},
    {machine::Space::L1, machine::Space::BT, {machine::Pipe::MTE1, machine::Pipe::M}},
    {machine::Space::L1, machine::Space::FB, {machine::Pipe::MTE1, machine::Pipe::FIX}},
    {machine::Space::L0C, machine::Space::GM, {machine::Pipe::M, machine::Pipe::FIX}},
};

constexpr bool IsQueuePath(TPosition src, TPosition dst)
{
    for (QueuePath const& path : kQueuePaths) {
        if (path.src == QueueSpaceOf(src) && path.dst == QueueSpaceOf(dst)) { return true; }
    }
    return false;
}

/// The flag that EnQue sets for a queue from `src` to `dst`, which is a path.
constexpr machine::Event FilledEvent(TPosition src, TPosition dst)
{
    for (QueuePath const& path : kQueuePaths) {
        if (path.src == QueueSpaceOf(src) && path.dst == QueueSpaceOf(dst)) { return path.filled; }
    }
    return {machine::Pipe::S, machine::Pipe::S};
}

constexpr machine::Event Reverse(machine::Event event) { return {event.to, event.from}; }

/// The end of a queue that its buffers lie in.
constexpr TPosition HeldAt(TPosition src, TPosition dst)
{
    return dst == TPosition::GM || dst == TPosition::CO2 ? src : dst;
}

/// The end that a TQue at `position` has by its position alone; MAX for a position that none may have.
constexpr TPosition QueueSource(TPosition position)
{
    switch (position) {
        case TPosition::VECIN:
        case TPosition::A1:
        case TPosition::B1:
        case TPosition::C1: return TPosition::GM;
        case TPosition::A2: return TPosition::A1;
        case TPosition::B2:
        case TPosition::C2PIPE2GM: return TPosition::B1;
        case TPosition::C2: return TPosition::C1;
        case TPosition::VECOUT:
        case TPosition::CO1:
        case TPosition::CO2: return position;
        default: return TPosition::MAX;
    }
}

constexpr TPosition QueueTarget(TPosition position)
{
    switch (position) {
        case TPosition::VECOUT:
        case TPosition::CO2: return TPosition::GM;
        case TPosition::CO1: return TPosition::CO2;
        default: return QueueSource(position) == TPosition::MAX ? TPosition::MAX : position;
    }
}

constexpr char const* PositionName(TPosition position)
{
    constexpr char const* names[] = {"GM",  "A1",    "A2",     "B1",      "B2",  "C1",   "C2",        "CO1",
                                     "CO2", "VECIN", "VECOUT", "VECCALC", "SPM", "TSCM", "C2PIPE2GM", "C2PIPE2LOCAL"};
    return names[static_cast<size_t>(position)];
}

/// Buffers take whole data blocks.
constexpr uint32_t WholeBlocks(uint32_t bytes) { return (bytes + ONE_BLK_SIZE - 1) / ONE_BLK_SIZE * ONE_BLK_SIZE; }

template <class Mask> constexpr TQueConfig ConfigOf(Mask mask)
{
    if constexpr (std::is_pointer_v<Mask>) {
        return *mask;
    } else {
        TQueConfig config;
        config.nd2nz = (mask & 1) != 0;
        config.nz2nd = (mask & 2) != 0;
        return config;
    }
}

}  // namespace detail

/// A queue of `depth` places from `src` to `dst`. Depth 0: the tensors are the caller's (AllocTensor(tensor) and so on).
template <TPosition src, TPosition dst, int32_t depth, auto mask = 0> class TQueBind {
    static_assert(dst != TPosition::TSCM, "TQueBind: the CPU model has no TSCM, which the Matmul API fills");
    static_assert(detail::IsQueuePath(src, dst), "TQueBind: no flag orders this pair of positions");
    static_assert(depth >= 0, "TQueBind: a depth is not negative");

public:
    static constexpr TPosition srcPosition = src;
    static constexpr TPosition dstPosition = dst;
    static constexpr TQueConfig config = detail::ConfigOf(mask);
    static constexpr bool isTQue = true;

    template <typename T> LocalTensor<T> AllocTensor(Site site = Here())
    {
        static_assert(depth != 0, "AllocTensor: a queue of depth 0 takes AllocTensor(tensor)");
        return TensorOf<T>(queue_.Allocate(site));
    }
    template <typename T> void AllocTensor(LocalTensor<T>& tensor, Site site = Here())
    {
        static_assert(depth == 0, "AllocTensor(tensor) is for queues of depth 0");
        tensor = TensorOf<T>(queue_.Allocate(site));
    }
    template <typename T> void FreeTensor(LocalTensor<T>& tensor, Site site = Here())
    {
        queue_.Free(detail::AddressOf(tensor), site);
    }

    template <typename T> bool EnQue(LocalTensor<T> const& tensor, Site site = Here())
    {
        return queue_.Enqueue(detail::AddressOf(tensor), kType.filled, site);
    }
    /// A step of a queue that joins VECIN and VECOUT: from where the data come, and who takes them next.
    template <TPosition srcUserPos, TPosition dstUserPos, typename T>
    bool EnQue(LocalTensor<T> const& tensor, Site site = Here())
    {
        return queue_.Enqueue(detail::AddressOf(tensor), UserEvent<srcUserPos, dstUserPos>(), site);
    }

    template <typename T> LocalTensor<T> DeQue(Site site = Here())
    {
        static_assert(depth != 0, "DeQue: a queue of depth 0 takes DeQue(tensor)");
        return TensorOf<T>(queue_.Dequeue(kType.filled, site));
    }
    template <typename T> void DeQue(LocalTensor<T>& tensor, Site site = Here())
    {
        static_assert(depth == 0, "DeQue(tensor) is for queues of depth 0");
        queue_.DequeueInPlace(detail::AddressOf(tensor), site);
    }
    template <TPosition srcUserPos, TPosition dstUserPos, typename T> LocalTensor<T> DeQue(Site site = Here())
    {
        return TensorOf<T>(queue_.Dequeue(UserEvent<srcUserPos, dstUserPos>(), site));
    }

    bool VacantInQue() const
    {
        static_assert(depth != 0, "VacantInQue is not for queues of depth 0");
        return GetTensorCountInQue() < depth;
    }
    bool HasTensorInQue() const
    {
        static_assert(depth != 0, "HasTensorInQue is not for queues of depth 0");
        return GetTensorCountInQue() > 0;
    }
    int32_t GetTensorCountInQue() const
    {
        static_assert(depth != 0, "GetTensorCountInQue is not for queues of depth 0");
        return static_cast<int32_t>(queue_.Count(machine::BufferState::Enqueued));
    }
    bool HasIdleBuffer() const
    {
        static_assert(depth != 0, "HasIdleBuffer is not for queues of depth 0");
        return queue_.Count(machine::BufferState::Free) > 0;
    }
    void FreeAllEvent(Site site = Here())
    {
        static_assert(depth != 0, "FreeAllEvent is not for queues of depth 0");
        queue_.FreeEvents(site);
    }
    template <typename T> TBufState GetState(LocalTensor<T> const& tensor) const
    {
        machine::QueueBuffer const* const buffer = queue_.Find(detail::AddressOf(tensor));
        return buffer == nullptr ? TBufState::FREE : static_cast<TBufState>(buffer->state);
    }

private:
    friend class TPipe;
    template <TPosition pos, uint32_t bufIDSize> friend class TBufPool;

    static constexpr TPosition kPosition = detail::HeldAt(src, dst);
    static constexpr machine::QueueType kType = {
        detail::PositionName(kPosition), detail::SpaceOf(kPosition), detail::FilledEvent(src, dst),
        detail::Reverse(detail::FilledEvent(src, dst)), static_cast<uint32_t>(depth)};

    template <TPosition srcUserPos, TPosition dstUserPos> static constexpr machine::Event UserEvent()
    {
        static_assert(depth != 0, "EnQue and DeQue with positions are not for queues of depth 0");
        static_assert(
            detail::QueueSpaceOf(srcUserPos) == machine::Space::GM
                || detail::QueueSpaceOf(srcUserPos) == machine::Space::UB,
            "EnQue and DeQue take positions in UB, and GM");
        static_assert(
            detail::QueueSpaceOf(dstUserPos) == machine::Space::GM
                || detail::QueueSpaceOf(dstUserPos) == machine::Space::UB,
            "EnQue and DeQue take positions in UB, and GM");
        static_assert(detail::IsQueuePath(srcUserPos, dstUserPos), "EnQue and DeQue: GM to GM is no path of a queue");
        return detail::FilledEvent(srcUserPos, dstUserPos);
    }

    template <typename T> static LocalTensor<T> TensorOf(machine::QueueBuffer const* buffer)
    {
        return buffer == nullptr ? LocalTensor<T>()
                                 : LocalTensor<T>::View(buffer->address, buffer->bytes, kPosition, buffer->address);
    }

    /// Takes `num` buffers of `len` bytes each: from `take(bytes)`.
    template <class Take> bool Init(uint32_t num, uint32_t len, uint32_t pool, Take take, Site site)
    {
        bool const fits = (config.bufferNumber == 0 || config.bufferNumber == num)
                          && (config.bufferLen == 0 || config.bufferLen == len);
        machine::CheckBuffers(num, len, fits, site);
        uint32_t const bytes = detail::WholeBlocks(len);
        auto* const memory = static_cast<uint8_t*>(take(uint64_t{num} * bytes));
        for (uint32_t i = 0; memory != nullptr && i < num; ++i) {
            machine::DeclareBuffer(kType.space, memory + uint64_t{i} * bytes, bytes);
        }
        queue_.Init(kType, memory, memory == nullptr ? 0 : num, bytes, pool, site);
        return memory != nullptr;
    }

    machine::Queue queue_;
};

/// A queue whose ends follow from one position: VECIN, VECOUT, A1, A2, B1, B2, C1, C2, CO1, C2PIPE2GM.
template <TPosition pos, int32_t depth, auto mask = 0>
class TQue : public TQueBind<detail::QueueSource(pos), detail::QueueTarget(pos), depth, mask> {
    static_assert(detail::QueueSource(pos) != TPosition::MAX, "TQue: queues have no such position");
};

}  // namespace AscendC
