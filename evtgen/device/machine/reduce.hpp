// Recording reductions: within each repeat, each data block or each pair of lanes, or over a whole operand.
#pragma once

#include "vector.hpp"

namespace machine {

enum class Reduction : uint8_t { Sum, Max, Min };

/// The result of a reduction: the value, its index (in the element type's bits), or both in one of two orders.
enum class ReduceResult : uint8_t { ValueIndex, IndexValue, Value, Index };

/// Bytes of a result, for elements of `size` bytes.
uint32_t ResultBytes(ReduceResult result, uint32_t size);

/// Lanes that are reduced to one result.
enum class ReduceGroup : uint8_t { Repeat, Block, Pair };

/// One result per group and repeat. `dstStride`: bytes between the results of successive repeats. Half and float.
void RecordReduce(
    char const* name, Reduction reduction, ReduceGroup group, ReduceResult result, ElementType type, Operand const& dst,
    uint32_t dstStride, Operand const& src, Lanes const& lanes, Site site);

/// Everything into one element (two with an index). `scratch`: bytes of `tmp` that are overwritten. Sums add the
/// repeats' trees one after the other (ReduceSum page), and leave the result in Registers::sum.
void RecordReduceAll(
    char const* name, Reduction reduction, bool withIndex, ElementType type, Operand const& dst, Operand const& src,
    Operand const& tmp, uint32_t scratch, Lanes const& lanes, Site site);

}  // namespace machine
