// TPipe, TBuf and TBufPool: handing out core-local memory and flags. The pipe's state lives in the running core, so every
// core has its own.
#pragma once

#include "queue.h"

namespace AscendC {

template <TPosition pos = TPosition::LCM> class TBuf {
public:
    template <typename T> LocalTensor<T> Get() const { return LocalTensor<T>::View(address_, bytes_, pos, buffer_); }
    template <typename T> LocalTensor<T> Get(uint32_t elements) const
    {
        return LocalTensor<T>::View(address_, elements * sizeof(T), pos, buffer_);
    }
    template <typename T> LocalTensor<T> GetWithOffset(uint32_t elements, uint32_t byteOffset) const
    {
        void* const address = static_cast<uint8_t*>(address_) + byteOffset;
        uint32_t const bytes = elements * sizeof(T);
        void const* const own =
            buffer_ != nullptr ? buffer_ : machine::DeclareBuffer(detail::SpaceOf(pos), address, bytes);
        return LocalTensor<T>::View(address, bytes, pos, own);
    }

private:
    friend class TPipe;
    void* address_ = nullptr;
    uint32_t bytes_ = 0;
    void const* buffer_ = nullptr;
};

/// Part of a memory, which queues and TBufs share in place of the pipe's. `bufIDSize`: buffers that it may have.
template <TPosition pos, uint32_t bufIDSize = 4> class TBufPool {
    static_assert(
        detail::SpaceOf(pos) == machine::Space::UB || detail::SpaceOf(pos) == machine::Space::L1,
        "TBufPool: a pool lies in UB or L1");

public:
    static constexpr TPosition poolPos = pos;
    static constexpr bool isTbufPool = true;

    TBufPool() = default;
    ~TBufPool() { machine::ResetPool(pool_, site_); }

    template <class T> bool InitBuffer(T& que, uint8_t num, uint32_t len, Site site = Here())
    {
        static_assert(detail::SpaceOf(T::kPosition) == detail::SpaceOf(pos), "InitBuffer: the queue lies elsewhere");
        return que.Init(
            num, len, pool_.number,
            [this, site](uint64_t bytes) { return machine::TakeFrom(pool_, bytes, "InitBuffer", site); }, site);
    }
    template <TPosition bufPos> bool InitBuffer(TBuf<bufPos>& buf, uint32_t len, Site site = Here())
    {
        static_assert(detail::SpaceOf(bufPos) == detail::SpaceOf(pos), "InitBuffer: the TBuf lies elsewhere");
        machine::CountBuffers(1, site);
        buf.address_ = machine::TakeFrom(pool_, detail::WholeBlocks(len), "InitBuffer", site);
        buf.bytes_ = len;
        buf.buffer_ = machine::DeclareBuffer(detail::SpaceOf(bufPos), buf.address_, detail::WholeBlocks(len));
        return buf.address_ != nullptr;
    }
    template <class T> bool InitBufPool(T& bufPool, uint32_t len, Site site = Here())
    {
        uint32_t const bytes = detail::WholeBlocks(len);
        return bufPool.Begin(machine::TakeFrom(pool_, bytes, "InitBufPool", site), bytes, site);
    }
    /// The same memory as `shareBuf`.
    template <class T, class U> bool InitBufPool(T& bufPool, uint32_t len, U& shareBuf, Site site = Here())
    {
        return bufPool.Share(shareBuf, len, site);
    }
    /// Waits until the pool's buffers are empty, for another pool to use the memory. The buffers stay.
    void Reset(Site site = Here()) { machine::ResetPool(pool_, site); }

private:
    friend class TPipe;
    template <TPosition otherPos, uint32_t size> friend class TBufPool;

    bool Begin(uint8_t* begin, uint32_t bytes, Site site)
    {
        pool_ = machine::MakePool(detail::SpaceOf(pos), begin, bytes);
        site_ = site;
        return begin != nullptr;
    }
    template <class U> bool Share(U const& other, uint32_t len, Site site)
    {
        static_assert(
            detail::SpaceOf(U::poolPos) == detail::SpaceOf(pos), "InitBufPool: the other pool lies elsewhere");
        machine::CheckShared(other.pool_, len, site);
        return Begin(other.pool_.begin, other.pool_.bytes, site);
    }

    machine::BufferPool pool_;
    Site site_ = {"", 0};
};

/// Hands out a core's local memories and the ids of its flags. One at a time: the next one takes over, and begins anew.
class TPipe {
public:
    TPipe(Site site = Here()) : site_(site) { machine::BeginPipe(this, site_); }
    ~TPipe()
    {
        if (!ended_) { Destroy(site_); }
        machine::ForgetPipe(this);
    }
    TPipe(TPipe const&) = default;
    TPipe& operator=(TPipe const&) = default;

    /// Begins anew, after Destroy.
    void Init(Site site = Here())
    {
        machine::BeginPipe(this, site);
        ended_ = false;
    }
    /// As Destroy, but goes on: memory and ids are free again.
    void Reset(Site site = Here()) { machine::ResetPipe(site); }
    /// Ends the pipe's own synchronisation, with a barrier of all pipes; buffers stay valid.
    void Destroy(Site site = Here())
    {
        machine::EndPipe(true, site);
        ended_ = true;
    }
    void DestroyWithoutPipeAll(Site site = Here())
    {
        machine::EndPipe(false, site);
        ended_ = true;
    }

    template <class T> bool InitBuffer(T& que, uint8_t num, uint32_t len, Site site = Here())
    {
        static_assert(T::isTQue, "InitBuffer: a TBuf takes one length");
        return que.Init(
            num, len, 0,
            [site](uint64_t bytes) { return machine::AllocateLocal(detail::SpaceOf(T::kPosition), bytes, site); },
            site);
    }
    template <TPosition pos> bool InitBuffer(TBuf<pos>& buf, uint32_t bytes, Site site = Here())
    {
        static_assert(pos != TPosition::GM, "InitBuffer: a TBuf lies in local memory");
        machine::CountBuffers(1, site);
        buf.address_ = machine::AllocateLocal(detail::SpaceOf(pos), bytes, site);
        buf.bytes_ = bytes;
        buf.buffer_ = machine::DeclareBuffer(detail::SpaceOf(pos), buf.address_, detail::WholeBlocks(bytes));
        return buf.address_ != nullptr;
    }

    template <class T> bool InitBufPool(T& bufPool, uint32_t len, Site site = Here())
    {
        uint32_t const bytes = detail::WholeBlocks(len);
        void* const begin = machine::AllocateLocal(detail::SpaceOf(T::poolPos), bytes, site);
        return bufPool.Begin(static_cast<uint8_t*>(begin), bytes, site);
    }
    /// The same memory as `shareBuf`.
    template <class T, class U> bool InitBufPool(T& bufPool, uint32_t len, U& shareBuf, Site site = Here())
    {
        return bufPool.Share(shareBuf, len, site);
    }

    template <HardEvent event> TEventID AllocEventID(Site site = Here())
    {
        return static_cast<TEventID>(machine::TakeEventId(EventOf(event), site));
    }
    template <HardEvent event> void ReleaseEventID(TEventID id) { machine::ReleaseEventId(EventOf(event), id); }
    /// An id that is free now, and stays free.
    template <HardEvent event> TEventID FetchEventID(Site site = Here()) { return FetchEventID(event, site); }
    TEventID FetchEventID(HardEvent event, Site site = Here())
    {
        return static_cast<TEventID>(machine::PeekEventId(EventOf(event), site));
    }

    /// Where the memory of a position begins.
    uint8_t* GetBaseAddr(int8_t logicPos) const
    {
        return static_cast<uint8_t*>(machine::LocalAddress(detail::SpaceOf(static_cast<TPosition>(logicPos)), 0, 0));
    }

private:
    struct Shared {};
    explicit TPipe(Shared) : ended_(true) {}
    friend TPipe* GetTPipePtr();

    static constexpr machine::Event EventOf(HardEvent event)
    {
        return {detail::PipesOf(event).from, detail::PipesOf(event).to};
    }

    Site site_ = {"", 0};
    bool ended_ = false;
};

/// The pipe of the running core: the object made last. Where there is none, its memories and flags all the same.
inline TPipe* GetTPipePtr()
{
    static TPipe shared{TPipe::Shared{}};
    void* const last = machine::RunningPipe();
    return last == nullptr ? &shared : static_cast<TPipe*>(last);
}

}  // namespace AscendC

using AscendC::GetTPipePtr;
