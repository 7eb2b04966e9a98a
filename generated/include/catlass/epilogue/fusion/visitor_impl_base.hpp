#ifndef CATLASS_EPILOGUE_FUSION_VISITOR_IMPL_BASE_HPP
#define CATLASS_EPILOGUE_FUSION_VISITOR_IMPL_BASE_HPP

#include <initializer_list>
#include <type_traits>
#include <utility>

#include "catlass/catlass.hpp"
#include "catlass/arch/resource.hpp"
#include "catlass/matrix_coord.hpp"
#include "tla/tuple.hpp"

namespace Catlass::Epilogue::Fusion {

// How to write a node
// -------------------
//
// A node is a struct that derives from VisitorImpl<>; VisitorAuxLoad is a short one to start from. It declares
//
//   ElementOutput            element type of the tile that it returns
//   Arguments                the host's arguments, an aggregate: the host passes those of a graph in nested braces
//   Params                   the kernel's parameters; the node is constructed from them
//   to_underlying_arguments  Arguments to Params, on the host
//   can_implement            a Verdict: why the node cannot serve the problem or the arguments, if it cannot, on the
//                            host
//   get_workspace_size       bytes that it needs in GM, on the host; to_underlying_arguments is handed their address
//   UbNeed                   bytes of UB that it needs for a tile of so many elements, as UbParts
//   get_callbacks            the object that the kernel works with, one per buffer; it is handed where these bytes
//                            begin, which other nodes use before and after it
//
// VisitorImplBase<> has defaults for all but ElementOutput, Arguments and get_callbacks. The callbacks derive from
// EmptyCallbacks and have
//
//   template <VisitStage STAGE, class... ElementInputs>
//   auto visit(globalTileOffset, localTileOffset, tileShape, calCount, AscendC::LocalTensor<ElementInputs> const&...)
//
// globalTileOffset counts from the origin of the matmul, or of all whose rows the tensors have one after the other;
// localTileOffset from that of the vector core's share of the block. The tile has tileShape.row() rows,
// TileStride(tileShape, calCount) elements apart; calCount elements in all, with the padding at the end of the rows,
// whose values are undefined. visit returns the same tensor in every stage, the node's own tile, at its start, or its
// first input. Its inputs are what the plan of a tile says that other nodes return, so visit is not called in a stage
// in which, by the facts below, the node has no work.
//
//   LOAD     copies GM to UB, on MTE2 alone
//   COMPUTE  runs vector instructions, on V alone; a BarrierV stands between two of the node's own that touch the same
//            bytes, unless both only read. An input is never written, but through IN_PLACE
//   STORE    copies UB to GM, on MTE3 alone
//
// The caller's flags order the stages of a tile and the tiles of a buffer. The plan of a tile, see tile_plan.hpp, gives
// the nodes their UB and puts a barrier where one touches what V has just worked on. For this it needs these facts
// about a node at compile time:
//
//   LOADED            LOAD fills the tile that the node returns
//   PENDING           V fills it in COMPUTE
//   KEPT              the tile is filled in begin_epilogue and begin_problem, and holds for all tiles until then
//   RESIDENT          the tile lies in the block of the accumulator that the cube core stored in UB
//   FORWARDS          the node returns its first input
//   JOINS             STORE joins to what is in GM, atomically
//   IN_ORDER          it has a part of what it joins in the workspace, which the kernel has it join to the whole
//   READS_IN_COMPUTE  COMPUTE reads inputs
//   READS_IN_STORE    STORE reads inputs
//   HAS_BARRIER       COMPUTE always issues a BarrierV, whatever the arguments and the tile; it orders what
//                     came before the node, too
//   IN_PLACE          bit i: the tile may be that of input i, of as many bytes, if nobody reads that any more
//   SKIPS             the tiles in which its STORE, all its work, has nothing to do: it is not visited there, and
//                     neither is a node that is read by such nodes alone
//   STRIDE_ALIGN      elements of which the stride of a row must be a multiple; BYTE_PER_BLK / sizeof(Element) for a
//                     node that works row by row, so that every row starts on a data block
//   ROW_ALIGN         rows of which a node takes a multiple: a tile has as many, though the last few may not be there
//   ACCUMULATORS      the accumulators that the kernel computes for the node: 2 if it reads the second
//
// The compiler does not notice a wrong trait: without LOADED, PENDING, KEPT, RESIDENT or READS_* a flag or a barrier is
// missing, or another node overwrites what is still needed. HAS_BARRIER and IN_PLACE may be left out, at the cost of a
// barrier or of a tile; set where they are not true, they cost a barrier that is needed, or an input.
//
// Names: the fields of Arguments and the functions of a visitor are spelled as in Catlass's EVG (ptr_aux,
// get_callbacks). All else is as in the rest of Catlass: camelCase for members and variables, PascalCase for types and
// functions, UPPER_CASE for constants and for template parameters that are values.

/// Whether a problem and its arguments can be served, and if not, why: for a host program to print.
struct Verdict {
    char const* reason{nullptr}; // null if they can
    int32_t node{-1};            // that refuses, in the order of the arguments, of all phases; -1 if none does

    operator bool() const
    {
        return reason == nullptr;
    }
};

/// Bytes of UB that a node needs in each buffer, by how long it needs them; or where each of these begins.
struct UbParts {
    uint32_t tile{0};    // what the node returns: from LOAD on if it is LOADED, else from COMPUTE, to its last reader
    uint32_t loaded{0};  // what LOAD copies for the node's own COMPUTE
    uint32_t scratch{0}; // for the node's own COMPUTE alone
    uint32_t stored{0};  // what the node's COMPUTE makes for its STORE
};

/// The tiles in which a node has nothing to do: bit KindOfTile is set.
enum Skips : uint32_t
{
    NO_TILES = 0,
    LOWER_TILES = 0b1010, // those without the first row of the matmul
    RIGHT_TILES = 0b1100, // those without its first column
    ALL_TILES = 0b1111
};

CATLASS_DEVICE uint32_t KindOfTile(bool isLower, bool isRight)
{
    return (isLower ? 1u : 0u) + (isRight ? 2u : 0u);
}

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

/// The caller's flags order the three stages. Within ALL there are none, so each node waits for its own work.
template <VisitStage STAGE>
CATLASS_DEVICE void SynchronizeIfAll()
{
    if constexpr (STAGE == VisitStage::ALL) {
        AscendC::PipeBarrier<PIPE_ALL>();
    }
}

/// Orders what V does next behind what it has done. Ascend950 does so by itself.
CATLASS_DEVICE void BarrierV()
{
#if !defined(CATLASS_ARCH) || CATLASS_ARCH == 2201
    AscendC::PipeBarrier<PIPE_V>();
#endif
}

/// The elements that are copied in place of those of a tensor: DataCopyPad takes bytes, but no floats of 8 bits.
template <class Element>
using CopiedAs = std::conditional_t<sizeof(Element) == 1, uint8_t, Element>;

/// What a load does with a null pointer: COMPUTE fills the tile, since LOAD belongs to MTE2 alone.
template <VisitStage STAGE, class Element>
CATLASS_DEVICE void FillDefault(AscendC::LocalTensor<Element> const& ub, Element value, uint32_t calCount)
{
    if constexpr (HasStage(STAGE, VisitStage::COMPUTE)) {
        AscendC::Duplicate(ub, value, static_cast<int32_t>(calCount));
        SynchronizeIfAll<STAGE>();
    }
}

/// Elements from a tensor's start, as its operator[] counts them.
template <class Layout>
CATLASS_HOST_DEVICE uint64_t OffsetOf(Layout const& layout, MatrixCoord const& coord)
{
    return static_cast<uint64_t>(layout.GetOffset(coord));
}

/// What one repeat of a vector instruction covers.
constexpr uint32_t BLK_NUM_PER_REPEAT = 8;
constexpr uint32_t BYTE_PER_REPEAT = BLK_NUM_PER_REPEAT * BYTE_PER_BLK;

/// Bytes that the parts of the workspace begin on: copies from and to there are the fastest.
constexpr uint32_t GM_ALIGN = 512;

/// Bytes of UB after which the groups of banks start again. Two repeats that start half of it apart never meet in one.
constexpr uint32_t BANK_PERIOD = 2 * BYTE_PER_REPEAT;

/// The most rows of a tile: one instruction reaches them with a repeat for each, and they fill whole blocks.
constexpr uint32_t MAX_TILE_ROWS = 240;

/// The most columns of a tile: rows of any type are then at most 255 data blocks apart, the limit of a repeat stride.
constexpr uint32_t MAX_TILE_COLUMNS = 2016;

/// Elements of a tile, at least, if rows are split only to keep all buffers busy: in shorter ones, starting the
/// instructions takes longer than what is gained.
constexpr uint32_t SPLIT_LENGTH = 4096;

/// Elements from one row of a tile to the next in UB; the same for every node, whatever its element type.
CATLASS_DEVICE uint32_t TileStride(MatrixCoord const& tileShape, uint32_t calCount)
{
    // Signed: compilers may then find the factor again by which the caller multiplied the rows
    return static_cast<uint32_t>(static_cast<int32_t>(calCount) / static_cast<int32_t>(tileShape.row()));
}

#ifdef CATLASS_EVT_DUMP
/// Prints the tile that a node has made, row by row: its number in the graph, what it is, the core, and where the tile
/// lies in the matmul. desc is the number too. A mask is printed as it lies in UB.
template <class Node>
CATLASS_DEVICE void DumpTile(
    uint32_t number, MatrixCoord const& globalTileOffset, MatrixCoord const& tileShape, uint32_t calCount,
    AscendC::LocalTensor<typename Node::ElementOutput> const& tile)
{
    constexpr bool IS_WHOLE =
        Node::UbNeed(BYTE_PER_REPEAT).tile < BYTE_PER_REPEAT * sizeof(typename Node::ElementOutput);
    AscendC::PipeBarrier<PIPE_ALL>();
    AscendC::printf(
        "node %u, block %d, tile (%u, %u) of %u x %u: %s\n", number, static_cast<int32_t>(AscendC::GetBlockIdx()),
        globalTileOffset.row(), globalTileOffset.column(), tileShape.row(), tileShape.column(), __PRETTY_FUNCTION__);
    for (uint32_t row = 0; row < (IS_WHOLE ? 1u : tileShape.row()); ++row) {
        uint32_t count = IS_WHOLE ? CeilDiv<8>(calCount) : tileShape.column();
        AscendC::DumpTensor(tile[row * TileStride(tileShape, calCount)], number, count);
    }
    AscendC::PipeBarrier<PIPE_ALL>();
}
#endif

/// Fills the rows of a tile behind the first: each is the one before it plus step. As many as there are at a time.
template <class Element>
CATLASS_DEVICE void ContinueRows(AscendC::LocalTensor<Element> const& ub, uint32_t rows, uint32_t stride, Element step)
{
    for (uint32_t done = 1; done < rows; done *= 2) {
        uint32_t more = rows - done < done ? rows - done : done;
        BarrierV();
        AscendC::Adds(ub[done * stride], ub, static_cast<Element>(done) * step, static_cast<int32_t>(more * stride));
    }
}

namespace detail {

template <class... Ts>
struct TypeList {};

template <class... Lists>
struct Concat {
    using Type = TypeList<>;
};

template <class... Ts>
struct Concat<TypeList<Ts...>> {
    using Type = TypeList<Ts...>;
};

template <class... Ts, class... Us, class... Lists>
struct Concat<TypeList<Ts...>, TypeList<Us...>, Lists...> : Concat<TypeList<Ts..., Us...>, Lists...> {};

/// Several at once: compilers limit how deep templates are.
template <
    class... Ts, class... Us, class... Vs, class... Ws, class... Xs, class... Ys, class... Zs, class List,
    class... Lists>
struct Concat<
    TypeList<Ts...>, TypeList<Us...>, TypeList<Vs...>, TypeList<Ws...>, TypeList<Xs...>, TypeList<Ys...>,
    TypeList<Zs...>, List, Lists...>
    : Concat<TypeList<Ts..., Us..., Vs..., Ws..., Xs..., Ys..., Zs...>, List, Lists...> {};

/// The nodes of an op, without nesting: those of a visitor, or the op itself.
template <class Op, class = void>
struct NodesOf {
    static constexpr bool IS_NODE = true;
    using Type = TypeList<Op>;
};

template <class Op>
struct NodesOf<Op, std::void_t<typename Op::Nodes>> {
    static constexpr bool IS_NODE = false;
    using Type = typename Op::Nodes;
};

/// For a node by its number: a list that is searched from its start takes compilers a square of its length.
template <size_t I, class Node>
struct NumberedNode {
    using Type = Node;
};

template <class Indices, class... Nodes>
struct NumberedNodes;

template <size_t... Is, class... Nodes>
struct NumberedNodes<tla::index_sequence<Is...>, Nodes...> : NumberedNode<Is, Nodes>... {};

template <size_t I, class Node>
CATLASS_HOST_DEVICE NumberedNode<I, Node> Select(NumberedNode<I, Node> const&);

template <class Nodes>
struct NodeList;

template <class... Nodes>
struct NodeList<TypeList<Nodes...>> {
    static constexpr size_t COUNT = sizeof...(Nodes);
    using Params = tla::tuple<typename Nodes::Params...>;

    template <size_t I>
    using At =
        typename decltype(Select<I>(std::declval<NumberedNodes<tla::make_index_sequence<COUNT>, Nodes...>>()))::Type;
};

/// The verdict of an op that has so many nodes before it.
inline Verdict VerdictOf(Verdict ofOp, size_t before)
{
    int32_t node = static_cast<int32_t>(before) + (ofOp.node < 0 ? 0 : ofOp.node);
    return ofOp ? ofOp : Verdict{ofOp.reason, node};
}

/// The same of a node that does not say why.
inline Verdict VerdictOf(bool ofNode, size_t before)
{
    return VerdictOf(Verdict{ofNode ? nullptr : "can_implement of the node is false"}, before);
}

/// Whether visit takes tensors of these types.
template <class Callbacks, class ElementInputs, class = void>
struct Takes : std::false_type {};

template <class Callbacks, class... ElementInputs>
struct Takes<
    Callbacks, TypeList<ElementInputs...>,
    std::void_t<decltype(std::declval<Callbacks&>().template visit<VisitStage::COMPUTE>(
        MatrixCoord{}, MatrixCoord{}, MatrixCoord{}, uint32_t{},
        std::declval<AscendC::LocalTensor<ElementInputs> const&>()...))>> : std::true_type {};

/// What a node says itself of the inputs that it is given.
template <class Node, class ElementInputs, class = void>
struct CheckByNode {};

template <class Node, class... ElementInputs>
struct CheckByNode<Node, TypeList<ElementInputs...>, std::void_t<typename Node::template CheckInputs<ElementInputs...>>>
    : Node::template CheckInputs<ElementInputs...> {};

/// Says in words why a node cannot have these inputs.
template <class Node, class Callbacks, class... ElementInputs>
struct CheckInputs : CheckByNode<Node, TypeList<ElementInputs...>> {
    static constexpr bool TAKEN = Takes<Callbacks, TypeList<ElementInputs...>>::value;
    static constexpr bool IS_LEAF = Takes<Callbacks, TypeList<>>::value;

    static_assert(
        TAKEN || !IS_LEAF,
        "A node that loads or counts (VisitorAccLoad, VisitorAuxLoad, Visitor...Broadcast, Visitor...Index) takes no "
        "input: "
        "make it a leaf of the graph");
    static_assert(
        TAKEN || IS_LEAF,
        "VisitorCast, Visitor...Store and Visitor...Reduce take one input: give the node one child, or edge");
    static_assert(
        !TAKEN || !Node::FORWARDS || (true && ... && std::is_same_v<ElementInputs, typename Node::ElementOutput>),
        "Visitor...Store and Visitor...Reduce return their input, and have its Element: insert a VisitorCast");
};

/// Stands for whatever was written between braces.
struct Anything {
    CATLASS_HOST_DEVICE
    Anything()
    {}

    template <class T>
    CATLASS_HOST_DEVICE Anything(T const&)
    {}

    CATLASS_HOST_DEVICE
    Anything(std::initializer_list<Anything>)
    {}
};

/// The number of the first node of each op, and behind them that of all nodes.
template <class... Ops>
struct FirstNodes {
    uint32_t of[sizeof...(Ops) + 1]{};

    CATLASS_HOST_DEVICE constexpr FirstNodes()
    {
        size_t counts[] = {NodeList<typename NodesOf<Ops>::Type>::COUNT...};
        for (size_t i = 0; i < sizeof...(Ops); ++i) {
            of[i + 1] = of[i] + static_cast<uint32_t>(counts[i]);
        }
    }
};

// Compilers limit how deep a fold expression nests; an array takes any number.

template <size_t COUNT>
CATLASS_HOST_DEVICE constexpr bool AllOf(bool const (&facts)[COUNT])
{
    bool all = true;
    for (bool fact : facts) {
        all = all && fact;
    }
    return all;
}

template <size_t COUNT>
CATLASS_HOST_DEVICE constexpr size_t SumOf(size_t const (&values)[COUNT])
{
    size_t sum = 0;
    for (size_t value : values) {
        sum += value;
    }
    return sum;
}

/// The largest of several values.
template <size_t COUNT>
CATLASS_HOST_DEVICE constexpr uint32_t Largest(uint32_t const (&values)[COUNT])
{
    uint32_t largest = values[0];
    for (uint32_t value : values) {
        largest = value > largest ? value : largest;
    }
    return largest;
}

} // namespace detail

/// Aggregates the static side of its ops: Arguments, which nest as they do, Params and workspace.
template <class... Ops>
struct VisitorImplBase {
    struct Arguments : tla::tuple<typename Ops::Arguments...> {
        CATLASS_HOST_DEVICE
        Arguments()
        {}

        /// No template, as the tuple's own is in some releases: it is chosen before the next one.
        CATLASS_HOST_DEVICE
        Arguments(typename Ops::Arguments const&... args) : tla::tuple<typename Ops::Arguments...>(args...)
        {}

        /// Chosen where the braces are not those of the ops, to say so.
        template <class Chosen = void>
        CATLASS_HOST_DEVICE Arguments(
            detail::Anything, detail::Anything = {}, detail::Anything = {}, detail::Anything = {},
            detail::Anything = {}, detail::Anything = {}, detail::Anything = {}, detail::Anything = {})
        {
            static_assert(
                !std::is_void_v<Chosen>,
                "Arguments of a visitor: one pair of braces for each op, in the order of the ops, in a tree those of "
                "the children before those of the node, and in each what the op's own Arguments have");
        }
    };

    using Nodes = typename detail::Concat<typename detail::NodesOf<Ops>::Type...>::Type;

    /// Of all nodes, without nesting.
    using Params = typename detail::NodeList<Nodes>::Params;

    /// Each node's share of the workspace takes a multiple of this many bytes.
    static constexpr size_t WORKSPACE_ALIGN = 16;

    /// Multiples of every op's alignment: they are powers of two.
    static constexpr uint32_t STRIDE_ALIGN = detail::Largest({Ops::STRIDE_ALIGN...});
    static constexpr uint32_t ROW_ALIGN = detail::Largest({Ops::ROW_ALIGN...});

    /// Those that any op reads.
    static constexpr uint32_t ACCUMULATORS = detail::Largest({Ops::ACCUMULATORS...});

    template <class ProblemShape>
    CATLASS_HOST_DEVICE static Params to_underlying_arguments(
        ProblemShape const& problemShape, Arguments const& args, GM_ADDR workspace)
    {
        Params params;
        FillParams<0>(params, problemShape, args, workspace);
        return params;
    }

    /// Sets the params of these ops' nodes, from number FIRST on, for the visitor that they are nested in; moves
    /// workspace behind their shares.
    template <size_t FIRST, class AllParams, class ProblemShape>
    CATLASS_HOST_DEVICE static void FillParams(
        AllParams& params, ProblemShape const& problemShape, Arguments const& args, GM_ADDR& workspace)
    {
        FillEach<FIRST>(params, problemShape, args, workspace, Indices{});
    }

    template <class ProblemShape>
    static Verdict can_implement(ProblemShape const& problemShape, Arguments const& args)
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
    VisitorImplBase(Params const& params_) : params(params_)
    {}

protected:
    Params params;

    static constexpr detail::FirstNodes<Ops...> FIRST_NODES{};

private:
    using Indices = tla::make_index_sequence<sizeof...(Ops)>;

    template <class Op, class ProblemShape>
    CATLASS_HOST_DEVICE static size_t RoundedWorkspaceSize(
        ProblemShape const& problemShape, typename Op::Arguments const& args)
    {
        return RoundUp<WORKSPACE_ALIGN>(Op::get_workspace_size(problemShape, args));
    }

    template <size_t FIRST, class AllParams, class ProblemShape, size_t... Is>
    CATLASS_HOST_DEVICE static void FillEach(
        AllParams& params, ProblemShape const& problemShape, Arguments const& args, GM_ADDR& workspace,
        tla::index_sequence<Is...>)
    {
        [[maybe_unused]] int const done[] = {
            (FillOp<FIRST + FIRST_NODES.of[Is], Ops>(params, problemShape, tla::get<Is>(args), workspace), 0)...};
    }

    template <size_t FIRST, class Op, class AllParams, class ProblemShape>
    CATLASS_HOST_DEVICE static void FillOp(
        AllParams& params, ProblemShape const& problemShape, typename Op::Arguments const& args, GM_ADDR& workspace)
    {
        if constexpr (detail::NodesOf<Op>::IS_NODE) {
            tla::get<FIRST>(params) = Op::to_underlying_arguments(problemShape, args, workspace);
            if (workspace != nullptr) {
                workspace += RoundedWorkspaceSize<Op>(problemShape, args);
            }
        } else {
            Op::template FillParams<FIRST>(params, problemShape, args, workspace);
        }
    }

    template <class ProblemShape, size_t... Is>
    static Verdict CanImplement(ProblemShape const& problemShape, Arguments const& args, tla::index_sequence<Is...>)
    {
        Verdict verdict;
        [[maybe_unused]] int const done[] = {
            (verdict = verdict ?
                           detail::VerdictOf(Ops::can_implement(problemShape, tla::get<Is>(args)), FIRST_NODES.of[Is]) :
                           verdict,
             0)...};
        return verdict;
    }

    template <class ProblemShape, size_t... Is>
    CATLASS_HOST_DEVICE static size_t WorkspaceSize(
        ProblemShape const& problemShape, Arguments const& args, tla::index_sequence<Is...>)
    {
        return detail::SumOf({RoundedWorkspaceSize<Ops>(problemShape, tla::get<Is>(args))...});
    }
};

/// The defaults of a node. (A specialization: tla::tuple<> does not compile before Catlass v1.6.)
template <>
struct VisitorImplBase<> {
    struct Params {};

    static constexpr bool LOADED = false;
    static constexpr bool PENDING = false;
    static constexpr bool KEPT = false;
    static constexpr bool RESIDENT = false;
    static constexpr bool FORWARDS = false;
    static constexpr bool JOINS = false;
    static constexpr bool IN_ORDER = false;
    static constexpr bool READS_IN_COMPUTE = false;
    static constexpr bool READS_IN_STORE = false;
    static constexpr bool HAS_BARRIER = false;
    static constexpr uint32_t IN_PLACE = 0;
    static constexpr uint32_t SKIPS = NO_TILES;
    static constexpr uint32_t STRIDE_ALIGN = 1;
    static constexpr uint32_t ROW_ALIGN = 1;
    static constexpr uint32_t ACCUMULATORS = 1;

    CATLASS_HOST_DEVICE static constexpr UbParts UbNeed(uint32_t)
    {
        return {};
    }

    template <class ProblemShape, class Arguments>
    CATLASS_HOST_DEVICE static Params to_underlying_arguments(ProblemShape const&, Arguments const&, GM_ADDR)
    {
        return {};
    }

    template <class ProblemShape, class Arguments>
    static Verdict can_implement(ProblemShape const&, Arguments const&)
    {
        return {};
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
