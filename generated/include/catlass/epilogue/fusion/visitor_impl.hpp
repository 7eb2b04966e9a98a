#ifndef CATLASS_EPILOGUE_FUSION_VISITOR_IMPL_HPP
#define CATLASS_EPILOGUE_FUSION_VISITOR_IMPL_HPP

#include "catlass/epilogue/fusion/problem.hpp"
#include "catlass/epilogue/fusion/visitor_impl_base.hpp"

namespace Catlass::Epilogue::Fusion {

/// The base of all visitors; that of a node is VisitorImpl<>.
///
/// On the device, one callbacks object drives the lifecycle of all nodes:
///
///   get_callbacks    once per kernel and buffer: takes UB
///   begin_epilogue   once per kernel
///   begin_problem    before the first tile of another matmul, where a launch has several: the node moves on to its
///                    tensor
///   begin_block      once per block of C, before its tiles
///   visit            once per tile and stage in which the node has work
///   end_epilogue     once per kernel
template <class... Ops>
struct VisitorImpl : VisitorImplBase<Ops...> {
    using VisitorImplBase<Ops...>::VisitorImplBase;
};

/// Lifecycle hooks of a node that has nothing to do there.
struct EmptyCallbacks {
    CATLASS_DEVICE
    void begin_epilogue()
    {}

    CATLASS_DEVICE
    void begin_problem(Problem const&)
    {}

    /// The vector core's rows of a block of C; accumulatorStride: elements from there to those of the next accumulator.
    template <class ElementC, class LayoutC>
    CATLASS_DEVICE void begin_block(
        AscendC::GlobalTensor<ElementC> const& /*gmSubblockC*/, LayoutC const& /*layoutSubblockC*/,
        int64_t /*accumulatorStride*/)
    {}

    CATLASS_DEVICE
    void end_epilogue()
    {}
};

} // namespace Catlass::Epilogue::Fusion

#endif // CATLASS_EPILOGUE_FUSION_VISITOR_IMPL_HPP
