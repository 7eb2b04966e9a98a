// Dequantisation: SetDeqScale, and the calls that take what it sets. Cast of int32_t to half is one of them.
#pragma once

#include "../../machine/dequant.hpp"
#include "../../machine/registers.hpp"
#include "arith.h"

namespace AscendC {

constexpr int32_t VDEQ_TENSOR_SIZE = 16;

/// Of each element of a data block.
struct VdeqInfo {
    VdeqInfo() = default;
    VdeqInfo(float const scales[], int16_t const offsets[], bool const signModes[])
    {
        for (int32_t i = 0; i < VDEQ_TENSOR_SIZE; ++i) {
            vdeqScale[i] = scales[i];
            vdeqOffset[i] = offsets[i];
            vdeqSignMode[i] = signModes[i];
        }
    }

    float vdeqScale[VDEQ_TENSOR_SIZE] = {};
    int16_t vdeqOffset[VDEQ_TENSOR_SIZE] = {};
    bool vdeqSignMode[VDEQ_TENSOR_SIZE] = {};
};

/// For Cast, CastDequant and AddDeqRelu of int32_t to half.
inline void SetDeqScale(half scale)
{
    machine::DeqScale& set = machine::CurrentRegisters().deqScale;
    set.of = machine::DeqScale::Of::Half;
    set.half = static_cast<float>(scale);
}

/// For CastDequant of int16_t to 8 bits; the offset has 9 bits.
inline void SetDeqScale(float scale, int16_t offset, bool signMode)
{
    machine::DeqScale& set = machine::CurrentRegisters().deqScale;
    set.of = machine::DeqScale::Of::Bytes;
    set.bytes = machine::DeqBits(scale, offset, signMode);
}

/// The same by the place in a data block. S writes all of it to `vdeq`, where V reads it.
template <typename T> inline void SetDeqScale(LocalTensor<T> const& vdeq, VdeqInfo const& vdeqInfo, Site site = Here())
{
    static_assert(std::is_same_v<T, uint64_t>, "vdeq is of uint64_t");
    for (int32_t i = 0; i < VDEQ_TENSOR_SIZE; ++i) {
        vdeq.SetValue(
            i, machine::DeqBits(vdeqInfo.vdeqScale[i], vdeqInfo.vdeqOffset[i], vdeqInfo.vdeqSignMode[i]), site);
    }
    machine::DeqScale& set = machine::CurrentRegisters().deqScale;
    set.of = machine::DeqScale::Of::Lanes;
    set.lanes = detail::AddressOf(vdeq);
}

namespace detail {

template <bool isVecDeq, bool halfBlock, typename T, typename U>
void Dequantize(
    LocalTensor<T> const& dst, LocalTensor<U> const& src, UnaryRepeatParams const& p, Lanes const& lanes, Site site)
{
    constexpr bool toHalf = std::is_same_v<T, half> && std::is_same_v<U, int32_t>;
    constexpr bool toByte = (std::is_same_v<T, int8_t> || std::is_same_v<T, uint8_t>) && std::is_same_v<U, int16_t>;
    static_assert(toHalf || toByte, "CastDequant takes int32_t to half, or int16_t to int8_t and uint8_t");
    if constexpr (toHalf) {
        machine::RecordDequantize("CastDequant", Dst(dst, p), Src(src, p), lanes, site);
    } else {
        Operand positions = Dst(dst, p);
        positions.size = sizeof(U);
        machine::RecordDequantizeBytes(
            positions, Src(src, p), std::is_same_v<T, int8_t>, isVecDeq, halfBlock, lanes, site);
    }
}

}  // namespace detail

template <typename T, typename U, bool isVecDeq = true, bool halfBlock = true>
inline void CastDequant(const LocalTensor<T>& dst, const LocalTensor<U>& src, const uint32_t count, Site site = Here())
{
    detail::Dequantize<isVecDeq, halfBlock>(dst, src, {}, detail::Lanes::Count(count), site);
}

template <typename T, typename U, bool isSetMask = true, bool isVecDeq = true, bool halfBlock = true, typename Mask>
inline void CastDequant(
    const LocalTensor<T>& dst, const LocalTensor<U>& src, Mask mask, uint8_t repeatTime,
    const UnaryRepeatParams& repeatParams, Site site = Here())
{
    detail::Dequantize<isVecDeq, halfBlock>(
        dst, src, repeatParams, detail::LanesOf<isSetMask>(mask, repeatTime, sizeof(U)), site);
}

/// dst = max(0, (src0 + src1) * scale).
inline void AddDeqRelu(
    const LocalTensor<half>& dst, const LocalTensor<int32_t>& src0, const LocalTensor<int32_t>& src1,
    const int32_t& count, Site site = Here())
{
    machine::RecordAddDeqRelu(detail::In(dst), detail::In(src0), detail::In(src1), detail::Lanes::Count(count), site);
}

template <bool isSetMask = true, typename Mask>
inline void AddDeqRelu(
    const LocalTensor<half>& dst, const LocalTensor<int32_t>& src0, const LocalTensor<int32_t>& src1, Mask mask,
    const uint8_t repeatTime, const BinaryRepeatParams& repeatParams, Site site = Here())
{
    machine::RecordAddDeqRelu(
        detail::Dst(dst, repeatParams), detail::Src0(src0, repeatParams), detail::Src1(src1, repeatParams),
        detail::LanesOf<isSetMask>(mask, repeatTime, sizeof(int32_t)), site);
}

}  // namespace AscendC
