// TPipe and TBuf: handing out core-local memory. The pipe's state lives in the running core, so every core has its own.
#ifndef EVTGEN_ASCENDC_PIPE_H
#define EVTGEN_ASCENDC_PIPE_H

#include "tensor.h"

namespace AscendC {

template <TPosition pos = TPosition::LCM>
class TBuf {
public:
    template <typename T>
    LocalTensor<T> Get() const
    {
        return LocalTensor<T>::View(address_, bytes_, pos, buffer_);
    }
    template <typename T>
    LocalTensor<T> Get(uint32_t elements) const
    {
        return LocalTensor<T>::View(address_, elements * sizeof(T), pos, buffer_);
    }
    template <typename T>
    LocalTensor<T> GetWithOffset(uint32_t elements, uint32_t byteOffset) const
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

class TPipe {
public:
    TPipe()
    {
        machine::ResetLocal();
    }
    void Init()
    {
        machine::ResetLocal();
    }
    void Reset()
    {
        machine::ResetLocal();
    }
    /// Ends the pipe's own synchronisation; buffers stay valid.
    void Destroy()
    {
        machine::ResetLocal();
    }

    template <TPosition pos>
    bool InitBuffer(TBuf<pos>& buf, uint32_t bytes, Site site = Here())
    {
        static_assert(pos != TPosition::GM, "InitBuffer: a TBuf lies in local memory");
        buf.address_ = machine::AllocateLocal(detail::SpaceOf(pos), bytes, site);
        buf.bytes_ = bytes;
        buf.buffer_ = machine::DeclareBuffer(
            detail::SpaceOf(pos), buf.address_, (uint64_t{bytes} + ONE_BLK_SIZE - 1) / ONE_BLK_SIZE * ONE_BLK_SIZE);
        return buf.address_ != nullptr;
    }

private:
    struct Shared {};
    explicit TPipe(Shared) {}
    friend TPipe* GetTPipePtr();
};

/// The pipe of the running core.
inline TPipe* GetTPipePtr()
{
    static TPipe shared{TPipe::Shared{}};
    return &shared;
}

}  // namespace AscendC

using AscendC::GetTPipePtr;

#endif  // EVTGEN_ASCENDC_PIPE_H
