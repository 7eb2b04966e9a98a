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
};

template <>
struct Parts<BatchedProblemShape> {
    CATLASS_HOST_DEVICE static uint32_t Count(BatchedProblemShape const& shape, bool /*hasRows*/)
    {
        return shape.count;
    }
};

template <>
struct Parts<GroupedProblemShape> {
    CATLASS_HOST_DEVICE static uint32_t Count(GroupedProblemShape const& shape, bool hasRows)
    {
        return hasRows ? 1 : shape.count;
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
CATLASS_HOST_DEVICE bool CanStride(ProblemShape const& problemShape, Arguments const& args, bool hasRows, Access access)
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
