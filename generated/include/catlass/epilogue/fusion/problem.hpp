#ifndef CATLASS_EPILOGUE_FUSION_PROBLEM_HPP
#define CATLASS_EPILOGUE_FUSION_PROBLEM_HPP

#include <type_traits>

#include "catlass/catlass.hpp"
#include "catlass/gemm_coord.hpp"
#include "catlass/layout/layout.hpp"

namespace Catlass::Epilogue::Fusion {

/// The stride of a tensor of which every matmul of a launch has its own, one directly after the other.
constexpr int64_t PACKED = -1;

/// The shape of a launch of count matmuls of one shape: it has count of each tensor, or one that all share.
struct BatchedProblemShape : GemmCoord {
    uint32_t count{1};

    CATLASS_HOST_DEVICE
    BatchedProblemShape(GemmCoord const& shape, uint32_t count_) : GemmCoord(shape), count(count_)
    {}
};

/// The shape of a launch of count matmuls whose rows lie in groups, one after the other: tensors with M rows have those
/// of all matmuls, any other is there count times, or once for all.
struct GroupedProblemShape : GemmCoord {
    uint32_t count{1};

    CATLASS_HOST_DEVICE
    GroupedProblemShape(GemmCoord const& shape, uint32_t count_) : GemmCoord(shape), count(count_)
    {}
};

/// One of the matmuls of a launch.
struct Problem {
    uint32_t index{0};
    uint32_t firstRow{0}; // of its rows in tensors that have those of all matmuls
    uint32_t rows{0};
    uint32_t allRows{0}; // of all matmuls together
    uint32_t firstBlock{0};
};

namespace detail {

/// What a node does with a tensor, and so which strides it may have.
enum class Access : uint8_t
{
    READS,  // matmuls may share it
    WRITES, // each has its own
    JOINS   // each has its own, or all join their results in one
};

/// How the tensors of a launch lie: those with M rows, and those without.
template <class ProblemShape>
struct Parts {
    CATLASS_HOST_DEVICE static uint32_t Count(ProblemShape const&, bool /*hasRows*/)
    {
        return 1;
    }

    /// The most rows of blocks of all matmuls.
    CATLASS_HOST_DEVICE static uint32_t BlockRows(ProblemShape const& shape, uint32_t rows)
    {
        return CeilDiv(shape.m(), rows);
    }
};

template <>
struct Parts<BatchedProblemShape> {
    CATLASS_HOST_DEVICE static uint32_t Count(BatchedProblemShape const& shape, bool /*hasRows*/)
    {
        return shape.count;
    }

    CATLASS_HOST_DEVICE static uint32_t BlockRows(BatchedProblemShape const& shape, uint32_t rows)
    {
        return shape.count * CeilDiv(shape.m(), rows);
    }
};

template <>
struct Parts<GroupedProblemShape> {
    CATLASS_HOST_DEVICE static uint32_t Count(GroupedProblemShape const& shape, bool hasRows)
    {
        return hasRows ? 1 : shape.count;
    }

    /// Wherever the groups end: the last block of each may have one row only.
    CATLASS_HOST_DEVICE static uint32_t BlockRows(GroupedProblemShape const& shape, uint32_t rows)
    {
        uint32_t most = shape.m() / rows + shape.count;
        return most < shape.m() ? most : shape.m();
    }
};

/// The axis of a layout along which lie the lines of a matrix: its rows, or the columns of one that is ColumnMajor.
template <class Layout>
constexpr int LINES = std::is_same_v<Layout, layout::ColumnMajor> ? 1 : 0;

/// Elements of GM that one tensor of a node takes.
template <class Arguments>
CATLASS_HOST_DEVICE int64_t SizeOf(Arguments const& args)
{
    constexpr int LINE = LINES<decltype(Arguments::layout)>;
    return static_cast<int64_t>(args.layout.shape(LINE)) * args.layout.stride(LINE);
}

/// Whether the tensor of a node may have the stride that it has: what is written lies apart, one behind the other or
/// side by side in the lines of one matrix. hasRows: it has M rows.
template <class ProblemShape, class Arguments>
bool CanStride(ProblemShape const& problemShape, Arguments const& args, bool hasRows, Access access)
{
    int64_t stride = args.problem_stride;
    uint32_t count = Parts<ProblemShape>::Count(problemShape, hasRows);
    if (stride == PACKED || count == 1) {
        return true;
    }
    if (access == Access::READS || (access == Access::JOINS && stride == 0)) {
        return stride >= 0;
    }
    // One behind the other, or side by side: their lines are parts of longer ones
    constexpr int LINE = LINES<decltype(Arguments::layout)>;
    int64_t length = args.layout.shape(1 - LINE);
    return stride >= SizeOf(args) || (stride >= length && stride <= (args.layout.stride(LINE) - length) / (count - 1));
}

/// The bytes that a copy can leave out between one line and the next, at most.
constexpr uint64_t MAX_DISTANCE = (uint64_t{1} << 32) - 1;

/// Whether a copy reaches from each of so many lines of a tensor to the next.
template <class Element>
CATLASS_HOST_DEVICE constexpr bool CanSkip(uint32_t lines, int64_t stride)
{
    return lines <= 1 || stride <= static_cast<int64_t>(MAX_DISTANCE / sizeof(Element));
}

/// Why a node cannot serve its tensor as that lies; null if it can. It has M rows and N columns, where the node has
/// any.
template <class Node, class ProblemShape, class Arguments>
char const* RefusalOf(ProblemShape const& problemShape, Arguments const& args, Access access)
{
    constexpr int LINE = LINES<decltype(Arguments::layout)>;
    auto const& layout = args.layout;
    if (layout.shape(0) != (Node::HAS_ROWS ? problemShape.m() : 1)) {
        return Node::HAS_ROWS ? "layout does not have M rows" : "layout does not have one row";
    }
    if (layout.shape(1) != (Node::HAS_COLUMNS ? problemShape.n() : 1)) {
        return Node::HAS_COLUMNS ? "layout does not have N columns" : "layout does not have one column";
    }
    if (Node::HAS_ROWS && Node::HAS_COLUMNS && layout.stride(LINE) < layout.shape(1 - LINE)) {
        return LINE == 0 ? "the leading dimension of layout is shorter than a row" :
                           "the leading dimension of layout is shorter than a column";
    }
    if (Node::HAS_ROWS && !Node::HAS_COLUMNS && layout.stride(0) != 1) {
        return "the values of a column lie apart in layout";
    }
    if (!CanSkip<typename Node::Element>(layout.shape(LINE), layout.stride(LINE))) {
        return "the leading dimension of layout is more than 2^32 - 1 bytes";
    }
    return CanStride(problemShape, args, Node::HAS_ROWS, access) ?
               nullptr :
               "problem_stride is negative, or tensors of several matmuls overlap";
}

/// The same of a node that takes the rows of a tensor by their numbers, which are in another.
template <class ProblemShape, class Arguments>
char const* RefusalOfRows(ProblemShape const& problemShape, Arguments const& args)
{
    if (args.ptr_aux == nullptr || args.ptr_rows == nullptr) {
        return args.ptr_aux == nullptr ? "ptr_aux is null" : "ptr_rows is null";
    }
    if (args.layout.shape(0) > INT32_MAX) {
        return "layout has more rows than an int32_t can number";
    }
    if (args.layout.shape(1) != problemShape.n()) {
        return "layout does not have N columns";
    }
    if (args.layout.stride(0) < problemShape.n()) {
        return "the leading dimension of layout is shorter than a row";
    }
    if (args.layout_rows.shape(0) != problemShape.m() || args.layout_rows.shape(1) != 1) {
        return "layout_rows is not one of M x 1";
    }
    if (args.layout_rows.stride(0) != 1) {
        return "the values of a column lie apart in layout_rows";
    }
    return Parts<ProblemShape>::Count(problemShape, true) == 1 ? nullptr : "the matmuls of a batch have no row numbers";
}

/// The arguments of a node, its stride resolved: 0 where there is one tensor.
template <class ProblemShape, class Arguments>
CATLASS_HOST_DEVICE Arguments Resolved(ProblemShape const& problemShape, Arguments args, bool hasRows)
{
    if (Parts<ProblemShape>::Count(problemShape, hasRows) == 1) {
        args.problem_stride = 0;
    } else if (args.problem_stride == PACKED) {
        args.problem_stride = SizeOf(args);
    }
    return args;
}

/// How many matmuls join their results in one tensor.
template <class ProblemShape, class Arguments>
CATLASS_HOST_DEVICE uint32_t CountJoined(ProblemShape const& problemShape, Arguments const& args, bool hasRows)
{
    return args.problem_stride == 0 ? Parts<ProblemShape>::Count(problemShape, hasRows) : 1;
}

/// Of how many rows the results are joined in one tensor, from its resolved stride.
CATLASS_DEVICE uint32_t RowsJoined(int64_t stride, Problem const& problem)
{
    return stride == 0 ? problem.allRows : problem.rows;
}

/// Sets gm to where the tensor of a matmul begins.
template <class Element>
CATLASS_DEVICE void MoveTo(AscendC::GlobalTensor<Element>& gm, GM_ADDR ptr, int64_t stride, Problem const& problem)
{
    gm.SetGlobalBuffer(reinterpret_cast<__gm__ Element*>(ptr) + stride * problem.index);
}

} // namespace detail
} // namespace Catlass::Epilogue::Fusion

#endif // CATLASS_EPILOGUE_FUSION_PROBLEM_HPP
