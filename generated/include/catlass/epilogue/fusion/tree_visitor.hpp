#ifndef CATLASS_EPILOGUE_FUSION_TREE_VISITOR_HPP
#define CATLASS_EPILOGUE_FUSION_TREE_VISITOR_HPP

#include "catlass/epilogue/fusion/visitor_impl.hpp"

namespace Catlass::Epilogue::Fusion {

/// A tree: the children are visited from left to right, their outputs are the inputs of NodeOp.
///
/// Arguments are written in the order of the visits: those of the children first, NodeOp's last.
template <class NodeOp, class... ChildOps>
struct TreeVisitor : VisitorImpl<ChildOps..., NodeOp> {
    static_assert(sizeof...(ChildOps) > 0, "A node without children stands for itself");

    using Base = VisitorImpl<ChildOps..., NodeOp>;
    using Base::Base;
    using ElementOutput = typename NodeOp::ElementOutput;

private:
    static constexpr size_t CHILDREN = sizeof...(ChildOps);

    struct Order {
        bool barrier; // NodeOp reads data that V has just written
        bool pending; // V has written the output, and no barrier has followed
        bool loaded;  // LOAD fills the output
    };

    CATLASS_HOST_DEVICE static constexpr Order MakeOrder()
    {
        constexpr bool childLoaded[] = {ChildOps::LOADED...};
        constexpr bool childPending[] = {ChildOps::PENDING...};
        constexpr bool childBarrier[] = {ChildOps::HAS_BARRIER...};
        bool any = false;
        bool first = false;
        for (size_t i = 0; i < CHILDREN; ++i) {
            // A barrier in a later child covers the earlier ones too.
            any = (any && !childBarrier[i]) || childPending[i];
            first = i == 0 ? childPending[i] : first && !childBarrier[i];
        }
        bool barrier = NodeOp::READS_IN_COMPUTE && any;
        bool pending = NodeOp::FORWARDS ? first && !barrier : NodeOp::PENDING;
        return Order{barrier, pending, NodeOp::FORWARDS ? childLoaded[0] : NodeOp::LOADED};
    }

    static constexpr Order ORDER = MakeOrder();

public:
    static constexpr bool LOADED = ORDER.loaded;
    static constexpr bool PENDING = ORDER.pending;
    static constexpr bool FORWARDS = false;
    static constexpr bool READS_IN_COMPUTE = false;
    static constexpr bool READS_IN_STORE = false;
    static constexpr bool HAS_BARRIER = ORDER.barrier || NodeOp::HAS_BARRIER || (false || ... || ChildOps::HAS_BARRIER);
    static constexpr bool STORES_LOADED =
        Base::STORES_LOADED || (NodeOp::READS_IN_STORE && (false || ... || ChildOps::LOADED));

    template <class CallbacksImpl>
    struct Callbacks : CallbacksImpl {
        using CallbacksImpl::callbacksTuple;

        template <VisitStage STAGE>
        CATLASS_DEVICE auto visit(
            MatrixCoord const& globalTileOffset, MatrixCoord const& localTileOffset, MatrixCoord const& tileShape,
            uint32_t calCount)
        {
            return Visit<STAGE>(
                globalTileOffset, localTileOffset, tileShape, calCount, tla::make_index_sequence<CHILDREN>{});
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
        template <VisitStage STAGE, size_t... Is>
        CATLASS_DEVICE auto Visit(
            MatrixCoord const& globalTileOffset, MatrixCoord const& localTileOffset, MatrixCoord const& tileShape,
            uint32_t calCount, tla::index_sequence<Is...>)
        {
            // Braces: the children are visited from left to right.
            auto outputs = tla::tuple<AscendC::LocalTensor<typename ChildOps::ElementOutput>...>{
                tla::get<Is>(callbacksTuple)
                    .template visit<STAGE>(globalTileOffset, localTileOffset, tileShape, calCount)...};
            if constexpr (ORDER.barrier && STAGE == VisitStage::COMPUTE) {
                AscendC::PipeBarrier<PIPE_V>();
            }
            return tla::get<CHILDREN>(callbacksTuple)
                .template visit<STAGE>(
                    globalTileOffset, localTileOffset, tileShape, calCount, tla::get<Is>(outputs)...);
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

#endif // CATLASS_EPILOGUE_FUSION_TREE_VISITOR_HPP
