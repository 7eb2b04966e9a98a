#ifndef CATLASS_EPILOGUE_FUSION_VISITOR_IMPL_BASE_HPP
#define CATLASS_EPILOGUE_FUSION_VISITOR_IMPL_BASE_HPP

#include <type_traits>

#include "catlass/catlass.hpp"
#include "catlass/arch/resource.hpp"
#include "catlass/matrix_coord.hpp"
#include "tla/tuple.hpp"

namespace Catlass::Epilogue::Fusion {

/// The part of its work that a node does in one visit.
enum class VisitStage : uint8_t
{
    LOAD = 0,    // MTE2: GM to UB
    COMPUTE = 1, // V: within UB
    STORE = 2,   // MTE3: UB to GM
    ALL = 3      // all three in one visit, for callers with a single buffer
};

CATLASS_HOST_DEVICE constexpr bool HasStage(VisitStage stage, VisitStage wanted)
{
    return stage == wanted || stage == VisitStage::ALL;
}

/// The three stages are ordered by the caller's flags. With ALL nobody else does it, so each node does, after its work.
CATLASS_DEVICE void SynchronizeIfAll(VisitStage stage)
{
    if (stage == VisitStage::ALL) {
        AscendC::PipeBarrier<PIPE_ALL>();
    }
}

/// Rows of a tile at most: one vector instruction repeats up to 255 times; whole blocks of any type.
constexpr uint32_t MAX_TILE_ROWS = 240;

/// Columns of a tile at most: rows of any type are then at most 255 data blocks apart, the stride of a repeat.
constexpr uint32_t MAX_TILE_COLUMNS = 2016;

/// Elements from one row of a tile to the next in UB; the same for every node, whatever its element type.
CATLASS_DEVICE uint32_t TileStride(MatrixCoord const& tileShape, uint32_t calCount)
{
    return calCount / tileShape.row();
}

/// Aggregates the static side of its ops: Arguments, Params, workspace, UB, and the ops themselves.
template <class... Ops>
struct VisitorImplBase {
    using Arguments = tla::tuple<typename Ops::Arguments...>;
    using Params = tla::tuple<typename Ops::Params...>;

    /// Each op's share of the workspace starts on this many bytes.
    static constexpr size_t WORKSPACE_ALIGN = 16;

    /// The row stride of a tile is a multiple of this many elements, so that rows start on a block for each op that
    /// works by rows.
    static constexpr uint32_t STRIDE_ALIGN = []() constexpr {
        uint32_t align = 1;
        ((align = Ops::STRIDE_ALIGN > align ? Ops::STRIDE_ALIGN : align), ...);
        return align;
    }();

    /// Some STORE reads a buffer that LOAD fills: a refill has to wait for MTE3 too.
    static constexpr bool STORES_LOADED = (false || ... || Ops::STORES_LOADED);

    /// Bytes of UB of one buffer for tiles of up to computeLength elements.
    CATLASS_HOST_DEVICE static constexpr uint32_t UbBytes(uint32_t computeLength)
    {
        return (0 + ... + Ops::UbBytes(computeLength));
    }

    template <class ProblemShape>
    CATLASS_HOST_DEVICE static Params to_underlying_arguments(
        ProblemShape const& problemShape, Arguments const& args, uint8_t* workspace)
    {
        return ToParams(problemShape, args, workspace, Indices{});
    }

    template <class ProblemShape>
    CATLASS_HOST_DEVICE static bool can_implement(ProblemShape const& problemShape, Arguments const& args)
    {
        return CanImplement(problemShape, args, Indices{});
    }

    template <class ProblemShape>
    CATLASS_HOST_DEVICE static size_t get_workspace_size(ProblemShape const& problemShape, Arguments const& args)
    {
        return WorkspaceSize(problemShape, args, Indices{});
    }

    CATLASS_HOST_DEVICE
    VisitorImplBase()
    {}

    CATLASS_HOST_DEVICE
    VisitorImplBase(Params const& params) : VisitorImplBase(params, Indices{})
    {}

    tla::tuple<Ops...> ops;

private:
    using Indices = tla::make_index_sequence<sizeof...(Ops)>;

    template <size_t... Is>
    CATLASS_HOST_DEVICE VisitorImplBase(Params const& params, tla::index_sequence<Is...>)
        : ops(Ops(tla::get<Is>(params))...)
    {}

    template <class Op, class ProblemShape>
    CATLASS_HOST_DEVICE static size_t RoundedWorkspaceSize(
        ProblemShape const& problemShape, typename Op::Arguments const& args)
    {
        return RoundUp<WORKSPACE_ALIGN>(Op::get_workspace_size(problemShape, args));
    }

    /// Params of one op; moves workspace on to the next op's share.
    template <class Op, class ProblemShape>
    CATLASS_HOST_DEVICE static typename Op::Params ToParamsOf(
        ProblemShape const& problemShape, typename Op::Arguments const& args, uint8_t*& workspace)
    {
        typename Op::Params params = Op::to_underlying_arguments(problemShape, args, workspace);
        if (workspace != nullptr) {
            workspace += RoundedWorkspaceSize<Op>(problemShape, args);
        }
        return params;
    }

    template <class ProblemShape, size_t... Is>
    CATLASS_HOST_DEVICE static Params ToParams(
        ProblemShape const& problemShape, Arguments const& args, uint8_t* workspace, tla::index_sequence<Is...>)
    {
        // Braces: the ops take their shares from left to right.
        return Params{ToParamsOf<Ops>(problemShape, tla::get<Is>(args), workspace)...};
    }

    template <class ProblemShape, size_t... Is>
    CATLASS_HOST_DEVICE static bool CanImplement(
        ProblemShape const& problemShape, Arguments const& args, tla::index_sequence<Is...>)
    {
        return (true && ... && Ops::can_implement(problemShape, tla::get<Is>(args)));
    }

    template <class ProblemShape, size_t... Is>
    CATLASS_HOST_DEVICE static size_t WorkspaceSize(
        ProblemShape const& problemShape, Arguments const& args, tla::index_sequence<Is...>)
    {
        return (size_t{0} + ... + RoundedWorkspaceSize<Ops>(problemShape, tla::get<Is>(args)));
    }
};

/// A leaf: what a node is unless it says otherwise. (tla::tuple<> does not compile before Catlass v1.6.)
template <>
struct VisitorImplBase<> {
    struct Params {};

    /// What V and MTE3 do with the node's buffers, known at compile time.
    static constexpr bool LOADED = false;           // LOAD fills the output buffer
    static constexpr bool PENDING = false;          // V has written the output, and no barrier has followed
    static constexpr bool FORWARDS = false;         // the output is the first input
    static constexpr bool READS_IN_COMPUTE = false; // COMPUTE reads the inputs
    static constexpr bool READS_IN_STORE = false;   // STORE reads the inputs
    static constexpr bool HAS_BARRIER = false;      // COMPUTE holds a PipeBarrier<PIPE_V>
    static constexpr bool STORES_LOADED = false;    // STORE reads what LOAD filled

    static constexpr uint32_t STRIDE_ALIGN = 1;

    CATLASS_HOST_DEVICE static constexpr uint32_t UbBytes(uint32_t)
    {
        return 0;
    }

    template <class ProblemShape, class Arguments>
    CATLASS_HOST_DEVICE static Params to_underlying_arguments(ProblemShape const&, Arguments const&, uint8_t*)
    {
        return {};
    }

    template <class ProblemShape, class Arguments>
    CATLASS_HOST_DEVICE static bool can_implement(ProblemShape const&, Arguments const&)
    {
        return true;
    }

    template <class ProblemShape, class Arguments>
    CATLASS_HOST_DEVICE static size_t get_workspace_size(ProblemShape const&, Arguments const&)
    {
        return 0;
    }

    CATLASS_HOST_DEVICE
    VisitorImplBase()
    {}

    CATLASS_HOST_DEVICE
    VisitorImplBase(Params const&)
    {}
};

} // namespace Catlass::Epilogue::Fusion

#endif // CATLASS_EPILOGUE_FUSION_VISITOR_IMPL_BASE_HPP
