#ifndef CATLASS_EPILOGUE_FUSION_REDUCE_HPP
#define CATLASS_EPILOGUE_FUSION_REDUCE_HPP

#include "catlass/arch/resource.hpp"
#include "catlass/catlass.hpp"
#include "catlass/epilogue/tile/copy_ub_to_gm.hpp"
#include "catlass/gemm/gemm_type.hpp"
#include "catlass/layout/layout.hpp"
#include "catlass/epilogue/fusion/operations/arithmetic.hpp"
#include "catlass/epilogue/fusion/visitor_impl.hpp"

namespace Catlass::Epilogue::Fusion {

/// Of a reduction: a sum of parts, each of which is taken times one over the number of all terms before it is joined.
template <class Element>
struct Mean : Plus<Element> {};

namespace detail {

template <template <class> class ReduceFn>
inline constexpr bool IS_MEAN = false;

template <>
inline constexpr bool IS_MEAN<Mean> = true;

/// Where the values are that a reduction leaves as they are, below or above all others; 0 if it is a sum.
template <template <class> class ReduceFn>
inline constexpr int NEUTRAL_SIGN = 0;

template <>
inline constexpr int NEUTRAL_SIGN<Maximum> = -1;

template <>
inline constexpr int NEUTRAL_SIGN<Minimum> = 1;

/// The value that a reduction leaves any other as it is with.
template <template <class> class ReduceFn, class Element>
CATLASS_DEVICE Element NeutralOf()
{
    if constexpr (NEUTRAL_SIGN<ReduceFn> == 0) {
        return Element{};
    } else if constexpr (std::is_same_v<Element, int32_t>) {
        return NEUTRAL_SIGN<ReduceFn> < 0 ? INT32_MIN : INT32_MAX;
    } else {
        return static_cast<Element>(NEUTRAL_SIGN<ReduceFn> * __builtin_inff());
    }
}

/// What a reduction takes from its caller, and the factor of its parts.
template <class Arguments, class Element>
struct ReduceParams : Arguments {
    Element factor{};
};

/// One over the number of terms, rounded to Element; only a mean has a use for it.
template <template <class> class ReduceFn, class Element>
CATLASS_HOST_DEVICE Element FactorOf([[maybe_unused]] float terms)
{
    if constexpr (IS_MEAN<ReduceFn>) {
        return static_cast<Element>(1.0f / terms);
    } else {
        return Element{};
    }
}

/// Makes count parts of a mean of as many sums, which may be in place.
template <template <class> class ReduceFn, class Element>
CATLASS_DEVICE void ScaleIfMean(
    AscendC::LocalTensor<Element> const& dst, AscendC::LocalTensor<Element> const& sums, Element factor, uint32_t count)
{
    if constexpr (IS_MEAN<ReduceFn>) {
        BarrierV();
        AscendC::Muls(dst, sums, factor, static_cast<int32_t>(count));
    }
}

/// Joins the lower half of the rows of source to the upper, and the last of an odd number to the first, into dst.
template <template <class> class ReduceFn, class Element>
CATLASS_DEVICE void HalveRows(
    AscendC::LocalTensor<Element> const& dst, AscendC::LocalTensor<Element> const& source, uint32_t rows,
    uint32_t stride)
{
    uint32_t lower = rows / 2 * stride;
    ReduceFn<Element>{}(dst, static_cast<int32_t>(lower), source, source[lower]);
    if (rows % 2 != 0) {
        BarrierV();
        ReduceFn<Element>{}(dst, static_cast<int32_t>(stride), dst, source[(rows - 1) * stride]);
    }
}

/// Reduces several rows of source to the first of dst. The source is not changed; dst has room for half of the rows.
template <template <class> class ReduceFn, class Element>
CATLASS_DEVICE void ReduceRows(
    AscendC::LocalTensor<Element> const& dst, AscendC::LocalTensor<Element> const& source, uint32_t rows,
    uint32_t stride)
{
    HalveRows<ReduceFn>(dst, source, rows, stride);
    for (rows /= 2; rows > 1; rows /= 2) {
        BarrierV();
        HalveRows<ReduceFn>(dst, dst, rows, stride);
    }
}

/// Reduces columns across the lanes: one value per row of source, packed at the start of dst.
///
/// Each part of the columns, one repeat wide, gives a row of values; lanes beyond the last column are masked. These
/// rows are then reduced to one.
template <class Element>
struct ColumnReduction {
    static constexpr uint32_t ELE_NUM_PER_BLK = BYTE_PER_BLK / sizeof(Element);
    static constexpr uint32_t ELE_NUM_PER_REPEAT = BYTE_PER_REPEAT / sizeof(Element);

    /// Room for rounding up: a row may end in an incomplete repeat, and each part of the columns has a value for every
    /// row, in whole data blocks.
    static constexpr uint32_t ROUNDED_UP = 512;

    /// For tiles of up to computeLength elements: a value per row and repeat.
    CATLASS_HOST_DEVICE static constexpr uint32_t UbBytes(uint32_t computeLength)
    {
        uint32_t elements = (computeLength + ELE_NUM_PER_REPEAT - 1) / ELE_NUM_PER_REPEAT + ROUNDED_UP;
        return RoundDown<BYTE_PER_BLK>(elements * static_cast<uint32_t>(sizeof(Element))) + BYTE_PER_BLK;
    }

    template <template <class> class ReduceFn>
    CATLASS_DEVICE static void Run(
        AscendC::LocalTensor<Element> const& dst, AscendC::LocalTensor<Element> const& source, uint32_t rows,
        uint32_t columns, uint32_t stride)
    {
        uint32_t alignedRows = RoundUp<ELE_NUM_PER_BLK>(rows);
        uint32_t parts = 0;
        for (uint32_t column = 0; column < columns; column += ELE_NUM_PER_REPEAT) {
            uint32_t lanes = columns - column < ELE_NUM_PER_REPEAT ? columns - column : ELE_NUM_PER_REPEAT;
            ReduceFn<Element>::ReduceLanes(
                dst[parts * alignedRows], source[column], static_cast<int32_t>(lanes), static_cast<int32_t>(rows),
                static_cast<int32_t>(stride / ELE_NUM_PER_BLK));
            ++parts;
        }
        if (parts > 1) {
            BarrierV();
            ReduceRows<ReduceFn>(dst, dst, parts, alignedRows);
        }
    }
};

/// The elements of a tensor that are one core's.
struct Share {
    uint64_t first;
    uint64_t end;
};

/// On an AIV: its share of count elements, in multiples of align. The AIVs are taken in their order from one of them
/// on.
CATLASS_DEVICE Share ShareOfAiv(uint64_t count, uint64_t align, uint32_t rotated = 0)
{
    auto aivs = static_cast<uint64_t>(AscendC::GetBlockNum() * AscendC::GetSubBlockNum());
    uint64_t length = (CeilDiv(count, aivs) + align - 1) / align * align;
    uint64_t first = length * ((static_cast<uint64_t>(AscendC::GetBlockIdx()) + rotated) % aivs);
    return Share{first, first + length < count ? first + length : count};
}

/// What of UB nobody else uses.
struct FreeUb {
    uint32_t first;
    uint32_t bytes;
};

/// On an AIV, before it has an epilogue: fills a share of a tensor with a value.
template <class ArchTag, class Element>
CATLASS_DEVICE void FillGm(
    Arch::Resource<ArchTag>& resource, FreeUb const& free, GM_ADDR ptr, Element value, Share const& share)
{
    using CopyUbToGm = Epilogue::Tile::CopyUb2Gm<ArchTag, Gemm::GemmType<Element, layout::RowMajor>>;
    constexpr uint32_t MOST_BYTES = 16 * 1024;
    if (share.first >= share.end) {
        return;
    }
    AscendC::GlobalTensor<Element> gm;
    gm.SetGlobalBuffer(reinterpret_cast<__gm__ Element*>(ptr));
    auto ub = resource.ubBuf.template GetBufferByByte<Element>(free.first);
    uint32_t most = RoundDown<BYTE_PER_BLK>(free.bytes < MOST_BYTES ? free.bytes : MOST_BYTES) / sizeof(Element);
    uint64_t all = share.end - share.first;
    uint32_t length = all < most ? static_cast<uint32_t>(all) : most;
    AscendC::Duplicate(ub, value, static_cast<int32_t>(length));
    AscendC::SetFlag<AscendC::HardEvent::V_MTE3>(0);
    AscendC::WaitFlag<AscendC::HardEvent::V_MTE3>(0);
    for (uint64_t first = share.first; first < share.end; first += length) {
        uint32_t count = share.end - first < length ? static_cast<uint32_t>(share.end - first) : length;
        CopyUbToGm{}(gm[first], ub, layout::RowMajor{1u, count}, layout::RowMajor{1u, count});
    }
    AscendC::PipeBarrier<PIPE_ALL>();
}

/// Combines count packed elements of UB with GM by ReduceFn's atomic.
template <template <class> class ReduceFn, class CopyUbToGm, class Element>
CATLASS_DEVICE void JoinToGm(
    AscendC::GlobalTensor<Element> const& gm, AscendC::LocalTensor<Element> const& ub, uint32_t count)
{
    // The previous tile may have written to the same place
    AscendC::PipeBarrier<PIPE_MTE3>();
    ReduceFn<Element>::SetAtomic();
    CopyUbToGm{}(gm, ub, layout::RowMajor{1u, count}, layout::RowMajor{1u, count});
    AscendC::SetAtomicNone();
}

} // namespace detail
} // namespace Catlass::Epilogue::Fusion

#endif // CATLASS_EPILOGUE_FUSION_REDUCE_HPP
