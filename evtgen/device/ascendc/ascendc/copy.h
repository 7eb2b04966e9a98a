// Data movement between global memory and UB, and within UB.
#pragma once

#include <optional>
#include <vector>

#include "../../machine/copy.hpp"
#include "../../machine/registers.hpp"
#include "../../machine/vector.hpp"
#include "tensor.h"

namespace AscendC {

namespace detail {

template <typename T> machine::CopySide Side(LocalTensor<T> const& tensor, uint64_t stride)
{
    return {AddressOf(tensor), SpaceOf(tensor.GetPosition()), stride, tensor.Buffer()};
}

template <typename T> machine::CopySide Side(GlobalTensor<T> const& tensor, uint64_t stride)
{
    return {AddressOf(tensor), machine::Space::GM, stride};
}

/// The pipe of a plain copy: MTE2 into the core, MTE3 out of it, V within UB.
template <typename Dst, typename Src> machine::Pipe CopyPipe(Dst const& dst, Src const& src)
{
    if (src.space == machine::Space::GM) { return machine::Pipe::MTE2; }
    return dst.space == machine::Space::UB && src.space == machine::Space::UB ? machine::Pipe::V : machine::Pipe::MTE3;
}

/// `count` elements, rounded down to whole data blocks as the hardware does.
template <typename T, typename Dst, typename Src>
void CopyContiguous(Dst const& dst, Src const& src, uint32_t count, Site site)
{
    uint64_t const bytes = machine::BytesOf<T>(count);
    uint64_t const whole = bytes / ONE_BLK_SIZE * ONE_BLK_SIZE;
    machine::CopySide const to = Side(dst, whole);
    machine::CopySide const from = Side(src, whole);
    machine::Pipe const pipe = CopyPipe(to, from);
    if (whole != bytes) { machine::ReportRounded("DataCopy", pipe, bytes, ONE_BLK_SIZE, site); }
    machine::CopyShape shape{};
    shape.blocks = 1;
    shape.bytes = whole;
    shape.elementBytes = sizeof(T);
    machine::RecordCopy("DataCopy", pipe, to, from, shape, machine::kElementTypeOf<T>, site);
}

/// A gap has two names for one field.
inline uint16_t SrcGap(DataCopyParams const& params)
{
    return params.srcStride != 0 ? params.srcStride : params.srcGap;
}
inline uint16_t DstGap(DataCopyParams const& params)
{
    return params.dstStride != 0 ? params.dstStride : params.dstGap;
}

template <typename T, typename Dst, typename Src>
void CopyBlocks(Dst const& dst, Src const& src, DataCopyParams const& params, Site site)
{
    if (params.blockCount > 4095) {
        machine::RefuseParameter("DataCopy", "blockCount is at most 4095", site);
        return;
    }
    machine::CopyShape shape{};
    shape.blocks = params.blockCount;
    shape.bytes = uint32_t{params.blockLen} * ONE_BLK_SIZE;
    shape.elementBytes = sizeof(T);
    machine::CopySide const to = Side(dst, (uint64_t{params.blockLen} + DstGap(params)) * ONE_BLK_SIZE);
    machine::CopySide const from = Side(src, (uint64_t{params.blockLen} + SrcGap(params)) * ONE_BLK_SIZE);
    machine::RecordCopy("DataCopy", CopyPipe(to, from), to, from, shape, machine::kElementTypeOf<T>, site);
}

inline DataCopyExtParams Extended(DataCopyParams const& params)
{
    return {params.blockCount, params.blockLen, SrcGap(params), DstGap(params), 0};
}

inline bool CheckExt(DataCopyExtParams const& params, uint32_t elementBytes, Site site)
{
    if (params.blockCount > 4095) {
        return machine::RefuseParameter("DataCopyPad", "blockCount is at most 4095", site);
    }
    if (params.blockLen > 2097151) {
        return machine::RefuseParameter("DataCopyPad", "blockLen is at most 2097151 bytes", site);
    }
    if (params.blockLen % elementBytes != 0) {
        return machine::RefuseParameter("DataCopyPad", "blockLen is not a multiple of the element", site);
    }
    return true;
}

}  // namespace detail

/// The value that pads later copies which give none of their own (SetPadValue page).
template <typename T, TPosition pos = TPosition::MAX> inline void SetPadValue(T paddingValue)
{
    static_assert(
        pos == TPosition::MAX || pos == TPosition::VECIN || pos == TPosition::VECOUT,
        "SetPadValue: the CPU model pads copies into UB");
    machine::CurrentRegisters().padding = machine::ScalarBits(paddingValue);
}

/// GM to UB, any length. A block that does not end on 32 bytes is padded; unless the program chooses the padding's
/// value, it is undefined (DataCopyPad page, GM to UB).
template <typename T>
inline void DataCopyPad(
    const LocalTensor<T>& dst, const GlobalTensor<T>& src, const DataCopyExtParams& dataCopyParams,
    const DataCopyPadExtParams<T>& padParams, Site site = Here())
{
    if (!detail::CheckExt(dataCopyParams, sizeof(T), site)) { return; }
    machine::CopyShape shape{};
    shape.blocks = dataCopyParams.blockCount;
    shape.bytes = dataCopyParams.blockLen;
    shape.left = padParams.leftPadding * sizeof(T);
    shape.right = padParams.rightPadding * sizeof(T);
    if (shape.left > ONE_BLK_SIZE || shape.right > ONE_BLK_SIZE) {
        machine::RefuseParameter("DataCopyPad", "a side's padding is at most 32 bytes", site);
        return;
    }
    shape.filled = (shape.left + shape.bytes + shape.right + ONE_BLK_SIZE - 1) / ONE_BLK_SIZE * ONE_BLK_SIZE;
    // A value, once given, stays in the core; without any, and without padding asked for, it is undefined.
    std::optional<uint64_t>& padding = machine::CurrentRegisters().padding;
    if (padParams.isPad) { padding = machine::ScalarBits(padParams.paddingValue); }
    shape.padDefined = padding.has_value() && (padParams.leftPadding != 0 || padParams.rightPadding != 0);
    shape.padValue = padding.value_or(0);
    shape.elementBytes = sizeof(T);
    machine::RecordCopy(
        "DataCopyPad", machine::Pipe::MTE2,
        detail::Side(dst, shape.filled + static_cast<uint64_t>(dataCopyParams.dstStride) * ONE_BLK_SIZE),
        detail::Side(src, shape.bytes + static_cast<uint64_t>(dataCopyParams.srcStride)), shape,
        machine::kElementTypeOf<T>, site);
}

/// UB to GM, any length; writes exactly its bytes.
template <typename T>
inline void DataCopyPad(
    const GlobalTensor<T>& dst, const LocalTensor<T>& src, const DataCopyExtParams& dataCopyParams, Site site = Here())
{
    if (!detail::CheckExt(dataCopyParams, sizeof(T), site)) { return; }
    machine::CopyShape shape{};
    shape.blocks = dataCopyParams.blockCount;
    shape.bytes = dataCopyParams.blockLen;
    shape.elementBytes = sizeof(T);
    uint64_t const padded = (uint64_t{shape.bytes} + ONE_BLK_SIZE - 1) / ONE_BLK_SIZE * ONE_BLK_SIZE;
    machine::RecordCopy(
        "DataCopyPad", machine::Pipe::MTE3,
        detail::Side(dst, shape.bytes + static_cast<uint64_t>(dataCopyParams.dstStride)),
        detail::Side(src, padded + static_cast<uint64_t>(dataCopyParams.srcStride) * ONE_BLK_SIZE), shape,
        machine::kElementTypeOf<T>, site);
}

/// The older structures: lengths and gaps of 16 bits, and a padding value by its bits.
template <typename T>
inline void DataCopyPad(
    const LocalTensor<T>& dst, const GlobalTensor<T>& src, const DataCopyParams& dataCopyParams,
    const DataCopyPadParams& padParams, Site site = Here())
{
    DataCopyPad(
        dst, src, detail::Extended(dataCopyParams),
        DataCopyPadExtParams<T>(
            padParams.isPad, padParams.leftPadding, padParams.rightPadding,
            detail::FromBits<T>(padParams.paddingValue)),
        site);
}
template <typename T>
inline void DataCopyPad(
    const GlobalTensor<T>& dst, const LocalTensor<T>& src, const DataCopyParams& dataCopyParams, Site site = Here())
{
    DataCopyPad(dst, src, detail::Extended(dataCopyParams), site);
}

// Of elements, whose bytes are rounded down to whole data blocks, and of data blocks. Within UB on V (DataCopy page).
#define ASCENDC_DATA_COPY(Dst, Src)                                                                                    \
    template <typename T>                                                                                              \
    inline void DataCopy(const Dst<T>& dst, const Src<T>& src, const uint32_t count, Site site = Here())               \
    {                                                                                                                  \
        detail::CopyContiguous<T>(dst, src, count, site);                                                              \
    }                                                                                                                  \
    template <typename T>                                                                                              \
    inline void DataCopy(const Dst<T>& dst, const Src<T>& src, const DataCopyParams& repeatParams, Site site = Here()) \
    {                                                                                                                  \
        detail::CopyBlocks<T>(dst, src, repeatParams, site);                                                           \
    }
ASCENDC_DATA_COPY(LocalTensor, GlobalTensor)
ASCENDC_DATA_COPY(GlobalTensor, LocalTensor)
ASCENDC_DATA_COPY(LocalTensor, LocalTensor)
#undef ASCENDC_DATA_COPY

/// One axis of a slice, in elements: `burstLen` data blocks, then a gap of `stride` elements, and again up to `endIndex`;
/// on all axes but the first, one and a gap of `stride` (page on slices).
struct SliceInfo {
    uint32_t startIndex = 0;
    uint32_t endIndex = 0;
    uint32_t stride = 0;
    uint32_t burstLen = 0;
    uint32_t shapeValue = 0;
};
constexpr uint32_t K_MAX_DIM = 8;

namespace detail {

/// Where each row of a slice starts, in elements.
inline std::vector<uint64_t> SliceRows(SliceInfo const slice[], uint32_t dims)
{
    std::vector<uint64_t> rows = {slice[0].startIndex};
    uint64_t size = 1;
    for (uint32_t axis = 1; axis < dims; ++axis) {
        size *= slice[axis - 1].shapeValue;
        std::vector<uint64_t> more;
        for (uint64_t at = slice[axis].startIndex; at <= slice[axis].endIndex; at += uint64_t{slice[axis].stride} + 1) {
            for (uint64_t const row : rows) { more.push_back(row + at * size); }
        }
        rows = std::move(more);
    }
    return rows;
}

template <typename T, typename Dst, typename Src>
void CopySlices(
    Dst const& dst, Src const& src, SliceInfo const dstSlice[], SliceInfo const srcSlice[], uint32_t dims, Site site)
{
    if (dims == 0 || dims > K_MAX_DIM) {
        machine::RefuseParameter("DataCopy", "dimValue is within 1 and 8", site);
        return;
    }
    std::vector<uint64_t> const to = SliceRows(dstSlice, dims);
    std::vector<uint64_t> const from = SliceRows(srcSlice, dims);
    if (to.size() != from.size() || dstSlice[0].burstLen != srcSlice[0].burstLen || srcSlice[0].burstLen == 0) {
        machine::RefuseParameter("DataCopy", "both slices have the same number of pieces of the same length", site);
        return;
    }
    uint64_t const bytes = uint64_t{srcSlice[0].burstLen} * ONE_BLK_SIZE;
    uint64_t const piece = bytes / sizeof(T) + srcSlice[0].stride;
    machine::CopyShape shape{};
    shape.blocks = static_cast<uint32_t>(
        (uint64_t{srcSlice[0].endIndex} - srcSlice[0].startIndex + 1 + srcSlice[0].stride) / piece);
    shape.bytes = bytes;
    shape.elementBytes = sizeof(T);
    for (size_t row = 0; row < to.size(); ++row) {
        machine::CopySide const out = Side(dst[to[row]], bytes + uint64_t{dstSlice[0].stride} * sizeof(T));
        machine::CopySide const in = Side(src[from[row]], bytes + uint64_t{srcSlice[0].stride} * sizeof(T));
        machine::RecordCopy("DataCopy", CopyPipe(out, in), out, in, shape, machine::kElementTypeOf<T>, site);
    }
}

}  // namespace detail

template <typename T>
inline void DataCopy(
    const LocalTensor<T>& dst, const GlobalTensor<T>& src, const SliceInfo dstSliceInfo[],
    const SliceInfo srcSliceInfo[], const uint32_t dimValue = 1, Site site = Here())
{
    detail::CopySlices<T>(dst, src, dstSliceInfo, srcSliceInfo, dimValue, site);
}

template <typename T>
inline void DataCopy(
    const GlobalTensor<T>& dst, const LocalTensor<T>& src, const SliceInfo dstSliceInfo[],
    const SliceInfo srcSliceInfo[], const uint32_t dimValue = 1, Site site = Here())
{
    detail::CopySlices<T>(dst, src, dstSliceInfo, srcSliceInfo, dimValue, site);
}

}  // namespace AscendC
