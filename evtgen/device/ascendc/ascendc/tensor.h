// LocalTensor and GlobalTensor: typed views of core-local and global memory.
#pragma once

#include "../../machine/direct.hpp"
#include "../../machine/memory.hpp"
#include "../../machine/scalar.hpp"
#include "types.h"

namespace AscendC {

template <typename T> class LocalTensor;

namespace detail {

template <typename T> T FromBits(uint64_t bits)
{
    T value;
    __builtin_memcpy(&value, &bits, sizeof(T));
    return value;
}

/// The call Name, which `dst = a + b` and its like make of all elements of dst: see arith.h.
template <typename T, machine::Op op> struct Pending {
    LocalTensor<T> const& a;
    LocalTensor<T> const& b;
    Site site;
};

}  // namespace detail

template <typename T> class LocalTensor {
public:
    using PrimType = T;

    /// The right side of an operator, which may not have a default argument itself.
    struct Right {
        Right(LocalTensor const& b, Site at = Here()) : tensor(b), site(at) {}
        LocalTensor const& tensor;
        Site site;
    };
#define ASCENDC_OPERATOR(symbol, Name)                                                                 \
    friend detail::Pending<T, machine::Op::Name> operator symbol(LocalTensor const& a, Right const& b) \
    {                                                                                                  \
        return {a, b.tensor, b.site};                                                                  \
    }
    ASCENDC_OPERATOR(+, Add)
    ASCENDC_OPERATOR(-, Sub)
    ASCENDC_OPERATOR(*, Mul)
    ASCENDC_OPERATOR(/, Div)
    ASCENDC_OPERATOR(&, And)
    ASCENDC_OPERATOR(|, Or)
#undef ASCENDC_OPERATOR
    template <machine::Op op> void operator=(detail::Pending<T, op> const& call) const;

    LocalTensor() = default;
    /// A tensor of `tileSize` elements at byte `addr` of the memory that `pos` lies in.
    LocalTensor(TPosition pos, uint32_t addr, uint32_t tileSize)
        : address_(
              static_cast<uint8_t*>(machine::LocalAddress(detail::SpaceOf(pos), addr, machine::BytesOf<T>(tileSize)))),
          bytes_(static_cast<uint32_t>(machine::BytesOf<T>(tileSize))), position_(pos),
          buffer_(machine::DeclareBuffer(space(), address_, bytes_))
    {}

    T GetValue(uint32_t index, Site site = Here()) const
    {
        return detail::FromBits<T>(machine::ReadScalar(Element(index), site));
    }
    template <typename U> void SetValue(uint32_t index, U value, Site site = Here()) const
    {
        machine::WriteScalar(Element(index), machine::ScalarBits(static_cast<T>(value)), site);
    }

    /// The element, which is read as by GetValue and assigned as by SetValue.
    T& operator()(uint32_t offset) const
    {
        machine::ReferToElement(Element(offset).base);
        return *static_cast<T*>(Element(offset).base);
    }

    LocalTensor operator[](uint32_t offset) const
    {
        LocalTensor view = *this;
        uint64_t const before = machine::BytesOf<T>(offset);
        view.address_ = address_ + before;
        view.bytes_ = bytes_ > before ? static_cast<uint32_t>(bytes_ - before) : 0;
        if (buffer_ == nullptr) {  // of the whole memory: this is how a program divides it
            view.buffer_ = machine::DeclareBuffer(space(), view.address_, 0);
        }
        return view;
    }

    template <typename U> LocalTensor<U> ReinterpretCast() const
    {
        return LocalTensor<U>::View(address_, bytes_, position_, buffer_);
    }

    /// A number, as on the device: programs add bytes to it.
    uint64_t GetPhyAddr() const { return reinterpret_cast<uint64_t>(address_); }
    uint64_t GetPhyAddr(uint32_t offset) const
    {
        return reinterpret_cast<uint64_t>(address_ + machine::BytesOf<T>(offset));
    }
    TPosition GetPosition() const { return position_; }
    uint32_t GetSize() const { return bytes_ / sizeof(T) * machine::kPacked<T>; }
    uint32_t GetLength() const { return bytes_; }
    void SetSize(uint32_t elements) { bytes_ = static_cast<uint32_t>(machine::BytesOf<T>(elements)); }
    void SetBufferLen(uint32_t elements) { SetSize(elements); }
    template <typename U> void SetAddrWithOffset(LocalTensor<U>& src, uint32_t offset)
    {
        *this = src.template ReinterpretCast<T>()[offset];
        bytes_ = src.GetLength();
    }

    /// Where the buffer starts that it is part of; null for views of a whole memory.
    void const* Buffer() const { return buffer_; }

    static LocalTensor View(void* address, uint32_t bytes, TPosition position, void const* buffer)
    {
        LocalTensor view;
        view.address_ = static_cast<uint8_t*>(address);
        view.bytes_ = bytes;
        view.position_ = position;
        view.buffer_ = buffer;
        return view;
    }

private:
    machine::Space space() const { return detail::SpaceOf(position_); }
    machine::Region Element(uint32_t index) const
    {
        static_assert(machine::kPacked<T> == 1, "the CPU model reads and writes no single element of 4 bits");
        return machine::Within(buffer_, machine::Bytes(space(), address_ + uint64_t{index} * sizeof(T), sizeof(T)));
    }

    uint8_t* address_ = nullptr;
    uint32_t bytes_ = 0;
    TPosition position_ = TPosition::VECCALC;
    void const* buffer_ = nullptr;
#ifdef EVTGEN_DEVICE_SIZES
    uint8_t shapeInfo_[72];  // AscendC's tensors know their shape: 96 bytes
#endif
};

namespace detail {

template <typename T> T* AddressOf(LocalTensor<T> const& tensor) { return reinterpret_cast<T*>(tensor.GetPhyAddr()); }

}  // namespace detail

template <typename T> class GlobalTensor {
public:
    using PrimType = T;

    void SetGlobalBuffer(__gm__ T* buffer, uint64_t bufferSize)
    {
        address_ = (T*)buffer;  // from an address space, where __gm__ is one
        size_ = bufferSize;
    }
    void SetGlobalBuffer(__gm__ T* buffer) { SetGlobalBuffer(buffer, 0); }

    T GetValue(uint64_t offset, Site site = Here()) const
    {
        static_assert(machine::kPacked<T> == 1, "the CPU model reads and writes no single element of 4 bits");
        return detail::FromBits<T>(
            machine::ReadScalar(machine::Bytes(machine::Space::GM, address_ + offset, sizeof(T)), site));
    }
    void SetValue(uint64_t offset, T value, Site site = Here())
    {
        machine::WriteScalar(
            machine::Bytes(machine::Space::GM, address_ + offset, sizeof(T)), machine::ScalarBits(value), site);
    }

    /// The element, which is read as by GetValue and assigned as by SetValue.
    __gm__ T& operator()(uint64_t offset) const
    {
        machine::ReferToElement(address_ + offset);
        return *(__gm__ T*)(address_ + offset);
    }

    GlobalTensor operator[](uint64_t offset) const
    {
        GlobalTensor view;
        view.address_ = address_ + offset / machine::kPacked<T>;
        view.size_ = size_ > offset ? size_ - offset : 0;
        return view;
    }

    const __gm__ T* GetPhyAddr() const { return (const __gm__ T*)address_; }
    __gm__ T* GetPhyAddr(uint64_t offset) const { return (__gm__ T*)(address_ + offset / machine::kPacked<T>); }
    uint64_t GetSize() const { return size_; }
    /// How the L2 cache should treat this tensor; only times depend on it.
    template <CacheRwMode rwMode = CacheRwMode::RW> void SetL2CacheHint(CacheMode mode)
    {
        if (rwMode != CacheRwMode::WRITE) {
            machine::SetCached(address_, machine::BytesOf<T>(size_), mode != CacheMode::CACHE_MODE_DISABLE);
        }
    }

private:
    T* address_ = nullptr;
    uint64_t size_ = 0;
#ifdef EVTGEN_DEVICE_SIZES
    uint64_t shapeInfo_[11];  // as above, and the mode of the cache: 104 bytes
#endif
};

namespace detail {

/// Where the tensor begins, in no address space.
template <typename T> T* AddressOf(GlobalTensor<T> const& tensor) { return (T*)tensor.GetPhyAddr(); }

}  // namespace detail
}  // namespace AscendC
