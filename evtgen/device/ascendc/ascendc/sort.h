// Sorting: 32 elements at a time, and merging sorted lists.
#pragma once

#include "../../machine/registers.hpp"
#include "../../machine/sort.hpp"
#include "arith.h"

namespace AscendC {

constexpr int32_t MRG_SORT_ELEMENT_LEN = machine::kMergedLists;

/// Lengths in pairs of 8 bytes; `validBit` 3, 7 or 15: the first two, three or four lists (MrgSort page).
struct MrgSort4Info {
    MrgSort4Info() = default;
    MrgSort4Info(
        const uint16_t elementLengthsIn[MRG_SORT_ELEMENT_LEN], bool ifExhaustedSuspensionIn, uint16_t validBitIn,
        uint16_t repeatTimesIn)
        : ifExhaustedSuspension(ifExhaustedSuspensionIn), validBit(validBitIn),
          repeatTimes(static_cast<uint8_t>(repeatTimesIn))
    {
        for (uint32_t i = 0; i < MRG_SORT_ELEMENT_LEN; ++i) { elementLengths[i] = elementLengthsIn[i]; }
    }

    uint16_t elementLengths[MRG_SORT_ELEMENT_LEN] = {0};
    bool ifExhaustedSuspension = false;
    uint16_t validBit = 0;
    uint8_t repeatTimes = 1;
};

template <typename T> struct MrgSortSrcList {
    MrgSortSrcList() = default;
    MrgSortSrcList(
        const LocalTensor<T>& src1In, const LocalTensor<T>& src2In, const LocalTensor<T>& src3In,
        const LocalTensor<T>& src4In)
        : src1(src1In), src2(src2In), src3(src3In), src4(src4In)
    {}

    LocalTensor<T> src1;
    LocalTensor<T> src2;
    LocalTensor<T> src3;
    LocalTensor<T> src4;
};

template <typename T>
inline void Sort32(
    const LocalTensor<T>& dst, const LocalTensor<T>& src0, const LocalTensor<uint32_t>& src1, const int32_t repeatTime,
    Site site = Here())
{
    ASCENDC_TAKES(Sort32, T);
    machine::RecordSort(
        "Sort32", detail::In(dst), detail::In(src0), detail::In(src1), static_cast<uint32_t>(repeatTime), site);
}

template <typename T>
inline void MrgSort(
    const LocalTensor<T>& dst, const MrgSortSrcList<T>& src, const MrgSort4Info& params, Site site = Here())
{
    ASCENDC_TAKES(MrgSort, T);
    machine::Merge merge;
    merge.sources = {detail::In(src.src1), detail::In(src.src2), detail::In(src.src3), detail::In(src.src4)};
    for (uint32_t i = 0; i < MRG_SORT_ELEMENT_LEN; ++i) { merge.lengths[i] = params.elementLengths[i]; }
    merge.lists = machine::ListsOf(params.validBit);
    merge.repeats = params.repeatTimes;
    merge.stopsAtEnd = params.ifExhaustedSuspension;
    machine::RecordMerge("MrgSort", detail::In(dst), merge, site);
}

/// How many elements the last MrgSort took from each list.
inline void GetMrgSortResult(
    uint16_t& mrgSortList1, uint16_t& mrgSortList2, uint16_t& mrgSortList3, uint16_t& mrgSortList4)
{
    auto const& merged = machine::SettledRegisters().merged;
    mrgSortList1 = merged[0];
    mrgSortList2 = merged[1];
    mrgSortList3 = merged[2];
    mrgSortList4 = merged[3];
}

}  // namespace AscendC
