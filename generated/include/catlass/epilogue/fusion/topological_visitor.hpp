#ifndef CATLASS_EPILOGUE_FUSION_TOPOLOGICAL_VISITOR_HPP
#define CATLASS_EPILOGUE_FUSION_TOPOLOGICAL_VISITOR_HPP

#include <tuple>

#include "catlass/epilogue/fusion/visitor_impl.hpp"

namespace Catlass::Epilogue::Fusion {

namespace detail {

/// The edges of a topological visitor as numbers.
template <class EdgeTuple>
struct Edges;

template <class... Seqs>
struct Edges<tla::tuple<Seqs...>> {
    static constexpr size_t COUNT = sizeof...(Seqs);

    /// The inputs of node I, a tla::seq.
    template <size_t I>
    using Of = std::tuple_element_t<I, std::tuple<Seqs...>>;
};

template <class Seq>
struct InputList;

template <int... Is>
struct InputList<tla::seq<Is...>> {
    // One spare element: an array cannot be empty.
    static constexpr int VALUES[] = {Is..., -1};
    static constexpr size_t COUNT = sizeof...(Is);
};

} // namespace detail

/// A directed acyclic graph: the i-th sequence of EdgeTuple lists the inputs of the i-th op, the last op is the root.
///
/// Every op is visited exactly once per visit, in every stage, however many others use its output: the output is kept
/// and passed to each of them. A visitor nested in it is complete in itself and takes no inputs. Arguments are written
/// in the order of Ops.
template <class EdgeTuple, class... Ops>
struct TopologicalVisitor : VisitorImpl<Ops...> {
    using Base = VisitorImpl<Ops...>;
    using Base::Base;

private:
    static constexpr size_t COUNT = sizeof...(Ops);
    using Edges = detail::Edges<EdgeTuple>;
    using Indices = tla::make_index_sequence<COUNT>;

    static_assert(COUNT > 1, "A single node stands for itself");
    static_assert(Edges::COUNT == COUNT, "One sequence of inputs per op");

    /// The order of the ops, and the use that the pipes make of their outputs.
    struct Order {
        int position[COUNT] = {}; // ops in the order of their visits
        size_t visited = 0;       // how many of them there are: fewer than COUNT if there is a cycle
        bool inRange = true;
        bool reachesAll = true;   // every op but the last is an input of another
        bool barrier[COUNT] = {}; // the op reads data that V wrote since the last barrier
        bool hasBarrier = false;
        bool storesLoaded = false;
        bool rootPending = false;
        bool rootLoaded = false;
    };

    template <size_t... Is>
    CATLASS_HOST_DEVICE static constexpr Order MakeOrder(tla::index_sequence<Is...>)
    {
        constexpr size_t inputCount[] = {detail::InputList<typename Edges::template Of<Is>>::COUNT...};
        constexpr int const* inputs[] = {detail::InputList<typename Edges::template Of<Is>>::VALUES...};
        constexpr bool loads[] = {Ops::LOADED...};
        constexpr bool pends[] = {Ops::PENDING...};
        constexpr bool forwards[] = {Ops::FORWARDS...};
        constexpr bool readsInCompute[] = {Ops::READS_IN_COMPUTE...};
        constexpr bool readsInStore[] = {Ops::READS_IN_STORE...};
        constexpr bool hasBarrier[] = {Ops::HAS_BARRIER...};

        Order order{};
        bool used[COUNT] = {};
        for (size_t i = 0; i < COUNT; ++i) {
            for (size_t k = 0; k < inputCount[i]; ++k) {
                if (inputs[i][k] < 0 || inputs[i][k] >= static_cast<int>(COUNT)) {
                    order.inRange = false;
                    return order;
                }
                used[inputs[i][k]] = true;
            }
        }
        for (size_t i = 0; i + 1 < COUNT; ++i) {
            order.reachesAll = order.reachesAll && used[i];
        }

        bool done[COUNT] = {};
        bool loaded[COUNT] = {};
        bool pending[COUNT] = {};
        for (bool grew = true; grew;) {
            grew = false;
            for (size_t i = 0; i < COUNT; ++i) {
                bool ready = !done[i];
                for (size_t k = 0; k < inputCount[i]; ++k) {
                    ready = ready && done[inputs[i][k]];
                }
                if (!ready) {
                    continue;
                }
                for (size_t k = 0; k < inputCount[i]; ++k) {
                    order.barrier[i] = order.barrier[i] || (readsInCompute[i] && pending[inputs[i][k]]);
                    order.storesLoaded = order.storesLoaded || (readsInStore[i] && loaded[inputs[i][k]]);
                }
                if (order.barrier[i] || hasBarrier[i]) {
                    order.hasBarrier = true;
                    for (size_t j = 0; j < COUNT; ++j) {
                        pending[j] = false;
                    }
                }
                bool takesInput = forwards[i] && inputCount[i] > 0;
                pending[i] = takesInput ? pending[inputs[i][0]] : pends[i];
                loaded[i] = takesInput ? loaded[inputs[i][0]] : loads[i];
                order.position[order.visited++] = static_cast<int>(i);
                done[i] = true;
                grew = true;
            }
        }
        order.rootPending = pending[COUNT - 1];
        order.rootLoaded = loaded[COUNT - 1];
        return order;
    }

    static constexpr Order ORDER = MakeOrder(Indices{});

    static_assert(ORDER.inRange, "An input is not the index of an op");
    static_assert(ORDER.visited == COUNT, "The edges form a cycle");
    static_assert(ORDER.reachesAll, "An op is the input of no other, and is not the last");

    using Outputs = tla::tuple<AscendC::LocalTensor<typename Ops::ElementOutput>...>;

public:
    using ElementOutput = typename std::tuple_element_t<COUNT - 1, std::tuple<Ops...>>::ElementOutput;

    static constexpr bool LOADED = ORDER.rootLoaded;
    static constexpr bool PENDING = ORDER.rootPending;
    static constexpr bool FORWARDS = false;
    static constexpr bool READS_IN_COMPUTE = false;
    static constexpr bool READS_IN_STORE = false;
    static constexpr bool HAS_BARRIER = ORDER.hasBarrier;
    static constexpr bool STORES_LOADED = Base::STORES_LOADED || ORDER.storesLoaded;

    template <class CallbacksImpl>
    struct Callbacks : CallbacksImpl {
        using CallbacksImpl::callbacksTuple;

        template <VisitStage STAGE>
        CATLASS_DEVICE auto visit(
            MatrixCoord const& globalTileOffset, MatrixCoord const& localTileOffset, MatrixCoord const& tileShape,
            uint32_t calCount)
        {
            Outputs outputs;
            VisitAll<STAGE>(globalTileOffset, localTileOffset, tileShape, calCount, outputs, Indices{});
            return tla::get<COUNT - 1>(outputs);
        }

        /// For callers that choose the stage at run time.
        CATLASS_DEVICE
        auto visit(
            MatrixCoord const& globalTileOffset, MatrixCoord const& localTileOffset, MatrixCoord const& tileShape,
            uint32_t calCount, VisitStage stage = VisitStage::ALL)
        {
            return VisitAtRunTime(*this, globalTileOffset, localTileOffset, tileShape, calCount, stage);
        }

    private:
        template <VisitStage STAGE, size_t... Positions>
        CATLASS_DEVICE void VisitAll(
            MatrixCoord const& globalTileOffset, MatrixCoord const& localTileOffset, MatrixCoord const& tileShape,
            uint32_t calCount, Outputs& outputs, tla::index_sequence<Positions...>)
        {
            (VisitOp<STAGE, ORDER.position[Positions]>(
                 globalTileOffset, localTileOffset, tileShape, calCount, outputs,
                 typename Edges::template Of<ORDER.position[Positions]>{}),
             ...);
        }

        template <VisitStage STAGE, int I, int... Inputs>
        CATLASS_DEVICE void VisitOp(
            MatrixCoord const& globalTileOffset, MatrixCoord const& localTileOffset, MatrixCoord const& tileShape,
            uint32_t calCount, Outputs& outputs, tla::seq<Inputs...>)
        {
            if constexpr (ORDER.barrier[I] && STAGE == VisitStage::COMPUTE) {
                AscendC::PipeBarrier<PIPE_V>();
            }
            tla::get<I>(outputs) =
                tla::get<I>(callbacksTuple)
                    .template visit<STAGE>(
                        globalTileOffset, localTileOffset, tileShape, calCount, tla::get<Inputs>(outputs)...);
        }
    };

    template <class ArchTag, class ComputeLength>
    CATLASS_DEVICE auto get_callbacks(
        Arch::Resource<ArchTag>& resource, uint32_t& ubOffset, ComputeLength computeLength)
    {
        auto tuple = this->GetCallbacksTuple(resource, ubOffset, computeLength);
        using CallbacksImpl = typename Base::template Callbacks<decltype(tuple)>;
        return Callbacks<CallbacksImpl>{CallbacksImpl{tuple}};
    }
};

} // namespace Catlass::Epilogue::Fusion

#endif // CATLASS_EPILOGUE_FUSION_TOPOLOGICAL_VISITOR_HPP
