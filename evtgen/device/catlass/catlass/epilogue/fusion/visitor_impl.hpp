// The callbacks of a visitor: those of its ops, in order. A node's buffers in UB come behind those of the ops before it.
#ifndef CATLASS_EPILOGUE_FUSION_VISITOR_IMPL_HPP
#define CATLASS_EPILOGUE_FUSION_VISITOR_IMPL_HPP

#include <cassert>

#include "catlass/arch/resource.hpp"
#include "catlass/epilogue/fusion/visitor_impl_base.hpp"
#include "catlass/layout/layout.hpp"
#include "catlass/matrix_coord.hpp"
#include "tla/int_tuple.hpp"

namespace Catlass::Epilogue::Fusion {

struct EmptyCallbacks {
    CATLASS_DEVICE void begin_epilogue() {}
    CATLASS_DEVICE void end_epilogue() {}
};

template <class... Ops> struct VisitorImpl : VisitorImplBase<Ops...> {
    using VisitorImplBase<Ops...>::VisitorImplBase;

    template <class ProblemShape, class OpArguments>
    static Status initialize_workspace(ProblemShape const &, OpArguments const &, void *)
    {
        return Status::kSuccess;
    }

    template <class CallbacksTuple> struct Callbacks {
        CallbacksTuple callbacks_tuple;

        CATLASS_DEVICE Callbacks(CallbacksTuple &&callbacks)
            : callbacks_tuple(static_cast<CallbacksTuple &&>(callbacks))
        {}

        CATLASS_DEVICE void begin_epilogue()
        {
            ForEach([](auto &&callbacks) { callbacks.begin_epilogue(); }, tla::make_seq<sizeof...(Ops)>{});
        }
        CATLASS_DEVICE void end_epilogue()
        {
            ForEach([](auto &&callbacks) { callbacks.end_epilogue(); }, tla::make_seq<sizeof...(Ops)>{});
        }

    private:
        template <class F, int... I> CATLASS_DEVICE void ForEach(F f, tla::seq<I...>)
        {
            (f(tla::get<I>(callbacks_tuple)), ...);
        }
    };

    template <class ArchTag>
    CATLASS_DEVICE auto get_callbacks(Arch::Resource<ArchTag> &resource, uint32_t &ub_offset, uint32_t compute_length)
    {
        return CallbacksOf(resource, ub_offset, compute_length, tla::make_seq<sizeof...(Ops)>{});
    }

private:
    template <class ArchTag, int... I>
    CATLASS_DEVICE auto CallbacksOf(Arch::Resource<ArchTag> &resource, uint32_t &ub_offset, uint32_t compute_length,
                                    tla::seq<I...>)
    {
        using Tuple =
            tla::tuple<decltype(tla::get<I>(this->ops).get_callbacks(resource, ub_offset, compute_length))...>;
        // In braces, so that the ops take UB in their order.
        return Callbacks<Tuple>(Tuple{tla::get<I>(this->ops).get_callbacks(resource, ub_offset, compute_length)...});
    }
};

/// What is the same in every node without a workspace.
template <class Params_> struct StandInNode : VisitorImpl<> {
    using Params = Params_;

    StandInNode() {}
    StandInNode(Params const &params_) : params(params_) {}

    template <class ProblemShape, class Arguments>
    static Params to_underlying_arguments(ProblemShape const &, Arguments const &args, void *)
    {
        return Params{args};
    }
    template <class ProblemShape, class Arguments>
    static size_t get_workspace_size(ProblemShape const &, Arguments const &)
    {
        return 0;
    }
    template <class ProblemShape, class Arguments> static bool can_implement(ProblemShape const &, Arguments const &)
    {
        return true;
    }

    Params params;

protected:
    /// A buffer of `length` elements.
    template <class Element, class ArchTag>
    CATLASS_DEVICE static AscendC::LocalTensor<Element> Buffer(Arch::Resource<ArchTag> &resource, uint32_t &ub_offset,
                                                               uint32_t length)
    {
        auto ub = resource.ubBuf.template GetBufferByByte<Element>(ub_offset);
        ub_offset += length * sizeof(Element);
        assert(ub_offset <= ArchTag::UB_SIZE);
        return ub;
    }
};

}  // namespace Catlass::Epilogue::Fusion

#endif  // CATLASS_EPILOGUE_FUSION_VISITOR_IMPL_HPP
