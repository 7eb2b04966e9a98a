// Transposing sixteen data blocks.
#pragma once

#include "../../machine/transpose.hpp"
#include "arith.h"

namespace AscendC {

constexpr int32_t NCHW_CONV_ADDR_LIST_SIZE = machine::kTransposedBlocks;

/// Strides in data blocks; the halves matter to elements of one byte only.
struct TransDataTo5HDParams {
    TransDataTo5HDParams() = default;
    TransDataTo5HDParams(
        bool dstHighHalfIn, bool srcHighHalfIn, uint8_t repeatTimesIn, uint16_t dstRepStrideIn, uint16_t srcRepStrideIn)
        : dstHighHalf(dstHighHalfIn), srcHighHalf(srcHighHalfIn), repeatTimes(repeatTimesIn),
          dstRepStride(dstRepStrideIn), srcRepStride(srcRepStrideIn)
    {}

    bool dstHighHalf = false;
    bool srcHighHalf = false;
    uint8_t repeatTimes = 1;
    uint16_t dstRepStride = 0;
    uint16_t srcRepStride = 0;
};

/// Sixteen data blocks by their addresses. With one repeat the strides are added to the addresses (TransDataTo5HD page).
template <typename T>
inline void TransDataTo5HD(
    uint64_t dstList[NCHW_CONV_ADDR_LIST_SIZE], uint64_t srcList[NCHW_CONV_ADDR_LIST_SIZE],
    const TransDataTo5HDParams& nchwconvParams, Site site = Here())
{
    ASCENDC_TAKES(TransDataTo5HD, T);
    constexpr bool halves = sizeof(T) == 1;
    auto const sideOf = [&](uint64_t const* list, uint16_t stride, bool highHalf) {
        machine::BlockList side;
        side.offset = halves && highHalf ? ONE_BLK_SIZE / 2 : 0;
        side.repeatStride = uint64_t{stride} * ONE_BLK_SIZE;
        uint64_t const offset = nchwconvParams.repeatTimes == 1 ? side.repeatStride : 0;
        for (int32_t i = 0; i < NCHW_CONV_ADDR_LIST_SIZE; ++i) {
            side.blocks[i] = reinterpret_cast<uint8_t*>(list[i] + offset);
        }
        return side;
    };
    machine::RecordTranspose(
        "TransDataTo5HD", sideOf(dstList, nchwconvParams.dstRepStride, nchwconvParams.dstHighHalf),
        sideOf(srcList, nchwconvParams.srcRepStride, nchwconvParams.srcHighHalf), sizeof(T),
        halves ? ONE_BLK_SIZE / 2 : ONE_BLK_SIZE, nchwconvParams.repeatTimes, site);
}

template <typename T>
inline void TransDataTo5HD(
    const LocalTensor<T> (&dstList)[NCHW_CONV_ADDR_LIST_SIZE],
    const LocalTensor<T> (&srcList)[NCHW_CONV_ADDR_LIST_SIZE], const TransDataTo5HDParams& nchwconvParams,
    Site site = Here())
{
    uint64_t dst[NCHW_CONV_ADDR_LIST_SIZE];
    uint64_t src[NCHW_CONV_ADDR_LIST_SIZE];
    for (int32_t i = 0; i < NCHW_CONV_ADDR_LIST_SIZE; ++i) {
        dst[i] = dstList[i].GetPhyAddr();
        src[i] = srcList[i].GetPhyAddr();
    }
    TransDataTo5HD<T>(dst, src, nchwconvParams, site);
}

/// 16 x 16 elements of two bytes; in place is allowed (Transpose page).
template <typename T> inline void Transpose(const LocalTensor<T>& dst, const LocalTensor<T>& src, Site site = Here())
{
    ASCENDC_TAKES(Transpose, T);
    auto const rows = machine::BlockList::From(reinterpret_cast<void*>(src.GetPhyAddr()));
    auto const columns = machine::BlockList::From(reinterpret_cast<void*>(dst.GetPhyAddr()));
    machine::RecordTranspose("Transpose", columns, rows, sizeof(T), ONE_BLK_SIZE, 1, site);
}

// clang-format off
enum class TransposeType : uint8_t {
    TRANSPOSE_TYPE_NONE, TRANSPOSE_NZ2ND_0213, TRANSPOSE_NZ2NZ_0213, TRANSPOSE_NZ2NZ_012_WITH_N,
    TRANSPOSE_NZ2ND_012_WITH_N, TRANSPOSE_NZ2ND_012_WITHOUT_N, TRANSPOSE_NZ2NZ_012_WITHOUT_N, TRANSPOSE_ND2ND_ONLY,
    TRANSPOSE_ND_UB_GM, TRANSPOSE_GRAD_ND_UB_GM, TRANSPOSE_ND2ND_B16, TRANSPOSE_NCHW2NHWC, TRANSPOSE_NHWC2NCHW
};
// clang-format on

struct TransposeParamsExt {
    TransposeParamsExt() = default;
    TransposeParamsExt(
        uint16_t nSizeIn, uint16_t cSizeIn, uint16_t hSizeIn, uint16_t wSizeIn, TransposeType transposeTypeIn)
        : nSize(nSizeIn), cSize(cSizeIn), hSize(hSizeIn), wSize(wSizeIn), transposeType(transposeTypeIn)
    {}

    uint16_t nSize = 0;
    uint16_t cSize = 0;
    uint16_t hSize = 0;
    uint16_t wSize = 0;
    TransposeType transposeType = TransposeType::TRANSPOSE_ND2ND_B16;
};

/// 16 x 16 elements, or between NCHW and NHWC. The device takes several steps for the latter, by way of the temporary
/// buffer; here they are one instruction.
template <typename T>
inline void Transpose(
    const LocalTensor<T>& dst, const LocalTensor<T>& src, const LocalTensor<uint8_t>& sharedTmpBuffer,
    const TransposeParamsExt& transposeParams, Site site = Here())
{
    TransposeParamsExt const& p = transposeParams;
    if (p.transposeType == TransposeType::TRANSPOSE_ND2ND_B16) {
        if constexpr (detail::Takes<detail::Op::Transpose, T>()) {
            Transpose(dst, src, site);
        } else {
            machine::RefuseParameter("Transpose", "TRANSPOSE_ND2ND_B16 takes elements of two bytes", site);
        }
        return;
    }
    bool const inner = p.transposeType == TransposeType::TRANSPOSE_NCHW2NHWC;
    if (!inner && p.transposeType != TransposeType::TRANSPOSE_NHWC2NCHW) {
        machine::RefuseParameter("Transpose", "no transposition that the page supports", site);
        return;
    }
    uint32_t const plane = uint32_t{p.hSize} * p.wSize;
    if (p.cSize > 4095 || plane > 4095 || plane * sizeof(T) % ONE_BLK_SIZE != 0) {
        machine::RefuseParameter(
            "Transpose", "cSize and hSize * wSize are at most 4095, and the latter fills whole data blocks", site);
        return;
    }
    uint32_t const square = (sizeof(T) == 1 ? 32 : 16) * ONE_BLK_SIZE;
    uint32_t const scratch = inner ? (p.cSize + 2) * square : (p.cSize * 2 + 1) * square;
    if (sharedTmpBuffer.GetLength() < scratch) {
        machine::RefuseParameter("Transpose", "sharedTmpBuffer is smaller than the page's formula", site);
        return;
    }
    machine::RecordPermute(
        "Transpose", detail::In(dst), detail::In(src), detail::In(sharedTmpBuffer), scratch,
        {p.nSize, p.cSize, p.hSize, p.wSize, inner}, site);
}

}  // namespace AscendC
