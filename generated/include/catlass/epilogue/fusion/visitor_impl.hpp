#ifndef CATLASS_EPILOGUE_FUSION_VISITOR_IMPL_HPP
#define CATLASS_EPILOGUE_FUSION_VISITOR_IMPL_HPP

#include "catlass/epilogue/fusion/visitor_impl_base.hpp"

namespace Catlass::Epilogue::Fusion {

/// Aggregates the device side of its ops: one callbacks object that drives the lifecycle of theirs.
///
///   get_callbacks    once per kernel and buffer: takes UB
///   begin_epilogue   once per kernel
///   begin_block      once per block of C, before its tiles
///   visit            once per tile and stage
///   end_epilogue     once per kernel
template <class... Ops>
struct VisitorImpl : VisitorImplBase<Ops...> {
    using VisitorImplBase<Ops...>::VisitorImplBase;
    using VisitorImplBase<Ops...>::ops;

    template <class CallbacksTuple>
    struct Callbacks {
        CallbacksTuple callbacksTuple;

        CATLASS_DEVICE
        void begin_epilogue()
        {
            BeginEpilogue(Indices{});
        }

        template <class ElementC, class LayoutC>
        CATLASS_DEVICE void begin_block(
            AscendC::GlobalTensor<ElementC> const& gmSubblockC, LayoutC const& layoutSubblockC)
        {
            BeginBlock(gmSubblockC, layoutSubblockC, Indices{});
        }

        CATLASS_DEVICE
        void end_epilogue()
        {
            EndEpilogue(Indices{});
        }

    private:
        using Indices = tla::make_index_sequence<sizeof...(Ops)>;

        template <size_t... Is>
        CATLASS_DEVICE void BeginEpilogue(tla::index_sequence<Is...>)
        {
            (tla::get<Is>(callbacksTuple).begin_epilogue(), ...);
        }

        template <class ElementC, class LayoutC, size_t... Is>
        CATLASS_DEVICE void BeginBlock(
            AscendC::GlobalTensor<ElementC> const& gmSubblockC, LayoutC const& layoutSubblockC,
            tla::index_sequence<Is...>)
        {
            (tla::get<Is>(callbacksTuple).begin_block(gmSubblockC, layoutSubblockC), ...);
        }

        template <size_t... Is>
        CATLASS_DEVICE void EndEpilogue(tla::index_sequence<Is...>)
        {
            (tla::get<Is>(callbacksTuple).end_epilogue(), ...);
        }
    };

protected:
    /// The ops' callbacks, in order; each takes its UB from ubOffset on.
    template <class ArchTag, class ComputeLength>
    CATLASS_DEVICE auto GetCallbacksTuple(
        Arch::Resource<ArchTag>& resource, uint32_t& ubOffset, ComputeLength computeLength)
    {
        return MakeCallbacksTuple(resource, ubOffset, computeLength, tla::make_index_sequence<sizeof...(Ops)>{});
    }

private:
    template <class ArchTag, class ComputeLength, size_t... Is>
    CATLASS_DEVICE auto MakeCallbacksTuple(
        Arch::Resource<ArchTag>& resource, uint32_t& ubOffset, ComputeLength computeLength, tla::index_sequence<Is...>)
    {
        // Braces: the ops take their UB from left to right.
        return tla::tuple<decltype(tla::get<Is>(ops).get_callbacks(resource, ubOffset, computeLength))...>{
            tla::get<Is>(ops).get_callbacks(resource, ubOffset, computeLength)...};
    }
};

template <>
struct VisitorImpl<> : VisitorImplBase<> {
    using VisitorImplBase<>::VisitorImplBase;
};

/// Lifecycle hooks of a node that has nothing to do there.
struct EmptyCallbacks {
    CATLASS_DEVICE
    void begin_epilogue()
    {}

    template <class ElementC, class LayoutC>
    CATLASS_DEVICE void begin_block(AscendC::GlobalTensor<ElementC> const&, LayoutC const&)
    {}

    CATLASS_DEVICE
    void end_epilogue()
    {}
};

/// Visits a graph in a stage that is known at run time only.
template <class Callbacks>
CATLASS_DEVICE auto VisitAtRunTime(
    Callbacks& callbacks, MatrixCoord const& globalTileOffset, MatrixCoord const& localTileOffset,
    MatrixCoord const& tileShape, uint32_t calCount, VisitStage stage)
{
    switch (stage) {
        case VisitStage::LOAD:
            return callbacks.template visit<VisitStage::LOAD>(globalTileOffset, localTileOffset, tileShape, calCount);
        case VisitStage::COMPUTE:
            return callbacks.template visit<VisitStage::COMPUTE>(
                globalTileOffset, localTileOffset, tileShape, calCount);
        case VisitStage::STORE:
            return callbacks.template visit<VisitStage::STORE>(globalTileOffset, localTileOffset, tileShape, calCount);
        default:
            return callbacks.template visit<VisitStage::ALL>(globalTileOffset, localTileOffset, tileShape, calCount);
    }
}

/// The next buffer in UB of a node that takes bytes of it.
template <class Element, class ArchTag>
CATLASS_DEVICE AscendC::LocalTensor<Element> TakeUb(
    Arch::Resource<ArchTag>& resource, uint32_t& ubOffset, uint32_t bytes)
{
    auto buffer = resource.ubBuf.template GetBufferByByte<Element>(ubOffset);
    ubOffset += bytes;
    return buffer;
}

} // namespace Catlass::Epilogue::Fusion

#endif // CATLASS_EPILOGUE_FUSION_VISITOR_IMPL_HPP
