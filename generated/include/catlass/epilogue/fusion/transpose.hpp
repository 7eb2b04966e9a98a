#ifndef CATLASS_EPILOGUE_FUSION_TRANSPOSE_HPP
#define CATLASS_EPILOGUE_FUSION_TRANSPOSE_HPP

#include <type_traits>

#include "catlass/catlass.hpp"
#include "catlass/epilogue/fusion/visitor_impl.hpp"

namespace Catlass::Epilogue::Fusion {
namespace detail {

/// Transposes a matrix in UB, 16 lines at a time: a line of source is a row, or a column, and one of dst the other.
template <class Element>
struct Transposition {
    static constexpr uint32_t ELE_NUM_PER_BLK = BYTE_PER_BLK / sizeof(Element);

    /// Data blocks that one instruction takes, each of another line.
    static constexpr uint32_t BLOCKS = AscendC::NCHW_CONV_ADDR_LIST_SIZE;

    /// Lines of source that fill whole data blocks of dst.
    static constexpr uint32_t LINES = ELE_NUM_PER_BLK < BLOCKS ? BLOCKS : ELE_NUM_PER_BLK;

    /// Makes of each element of a line a line of dst, dstStride elements from the last one. The lines of source have
    /// length elements, stride apart; those of dst are padded to RoundUp<LINES>(lines), and there may be as many as
    /// stride.
    CATLASS_DEVICE static void Run(
        AscendC::LocalTensor<Element> const& dst, uint32_t dstStride, AscendC::LocalTensor<Element> const& source,
        uint32_t lines, uint32_t length, uint32_t stride)
    {
        auto repeats = static_cast<uint8_t>(stride / ELE_NUM_PER_BLK);
        AscendC::TransDataTo5HDParams params{false, false, repeats, 0, 0};
        if (repeats > 1) { // with one, the strides are added to the addresses
            params.dstRepStride = static_cast<uint16_t>(dstStride);
            params.srcRepStride = 1;
        }
        for (uint32_t line = 0; line < lines; line += BLOCKS) {
            params.dstHighHalf = line % LINES != 0;
            // Data blocks of bytes have the elements of two instructions
            for (uint32_t element = 0; element < ELE_NUM_PER_BLK && element < length; element += TAKEN) {
                params.srcHighHalf = element != 0;
                TransposeBlocks(
                    dst[element * dstStride + line / LINES * LINES], dstStride, source, line, lines - 1, stride,
                    params);
            }
        }
    }

private:
    /// The instruction tells elements by their size alone.
    using Bits =
        std::conditional_t<sizeof(Element) == 4, uint32_t, std::conditional_t<sizeof(Element) == 2, uint16_t, uint8_t>>;

    /// Data blocks that one instruction writes to a line, and elements of a line that it takes.
    static constexpr uint32_t BLOCKS_PER_LINE = LINES / ELE_NUM_PER_BLK;
    static constexpr uint32_t TAKEN = BLOCKS / BLOCKS_PER_LINE;

    /// What would be beyond the last line is that once more.
    CATLASS_DEVICE static void TransposeBlocks(
        AscendC::LocalTensor<Element> const& dst, uint32_t dstStride, AscendC::LocalTensor<Element> const& source,
        uint32_t firstLine, uint32_t lastLine, uint32_t stride, AscendC::TransDataTo5HDParams const& params)
    {
        uint64_t dstBlocks[BLOCKS];
        uint64_t sourceBlocks[BLOCKS];
        for (uint32_t i = 0; i < BLOCKS; ++i) {
            uint32_t line = firstLine + i < lastLine ? firstLine + i : lastLine;
            uint32_t element = i / BLOCKS_PER_LINE * dstStride + i % BLOCKS_PER_LINE * ELE_NUM_PER_BLK;
            sourceBlocks[i] = (uint64_t)(source[line * stride].GetPhyAddr());
            dstBlocks[i] = (uint64_t)(dst[element].GetPhyAddr());
        }
        AscendC::TransDataTo5HD<Bits>(dstBlocks, sourceBlocks, params);
    }
};

} // namespace detail
} // namespace Catlass::Epilogue::Fusion

#endif // CATLASS_EPILOGUE_FUSION_TRANSPOSE_HPP
