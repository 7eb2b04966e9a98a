// What visitors have in common: the arguments and parameters of their ops, one after the other, and the workspace.
#ifndef CATLASS_EPILOGUE_FUSION_VISITOR_IMPL_BASE_HPP
#define CATLASS_EPILOGUE_FUSION_VISITOR_IMPL_BASE_HPP

#include "catlass/catlass.hpp"
#include "catlass/status.hpp"
#include "tla/int_tuple.hpp"

namespace Catlass::Epilogue::Fusion {

enum class VisitStage : uint8_t { LOAD = 0, COMPUTE = 1, STORE = 2 };

template <class... Ops> struct VisitorImplBase {
    using Arguments = tla::tuple<typename Ops::Arguments...>;
    using Params = tla::tuple<typename Ops::Params...>;

    template <class ProblemShape>
    static Params to_underlying_arguments(ProblemShape const &problemShape, Arguments const &args, void *workspace)
    {
        return ParamsOf(problemShape, args, static_cast<uint8_t *>(workspace), Indices{});
    }

    template <class ProblemShape> static bool can_implement(ProblemShape const &problemShape, Arguments const &args)
    {
        return AllCan(problemShape, args, Indices{});
    }

    template <class ProblemShape>
    static size_t get_workspace_size(ProblemShape const &problemShape, Arguments const &args)
    {
        return BytesOf(problemShape, args, Indices{});
    }

    template <class ProblemShape>
    static Status initialize_workspace(ProblemShape const &problemShape, Arguments const &args, void *workspace)
    {
        return Initialize(problemShape, args, static_cast<uint8_t *>(workspace), Indices{});
    }

    CATLASS_HOST_DEVICE VisitorImplBase() {}
    CATLASS_HOST_DEVICE VisitorImplBase(Params const &params) : VisitorImplBase(params, Indices{}) {}

    tla::tuple<Ops...> ops;

private:
    using Indices = tla::make_seq<sizeof...(Ops)>;

    template <int... I>
    CATLASS_HOST_DEVICE VisitorImplBase(Params const &params, tla::seq<I...>) : ops(Ops(tla::get<I>(params))...)
    {}

    /// The workspace of an op, behind which that of the next begins on 32 bytes. Without a workspace all have none.
    template <class Op, class ProblemShape, class OpArguments>
    static uint8_t *Take(uint8_t *&workspace, ProblemShape const &problemShape, OpArguments const &args)
    {
        uint8_t *const mine = workspace;
        if (workspace != nullptr) { workspace += RoundUp<32>(Op::get_workspace_size(problemShape, args)); }
        return mine;
    }

    template <class ProblemShape, int... I>
    static Params ParamsOf(ProblemShape const &problemShape, Arguments const &args, uint8_t *workspace, tla::seq<I...>)
    {
        return Params{Ops::to_underlying_arguments(problemShape, tla::get<I>(args),
                                                   Take<Ops>(workspace, problemShape, tla::get<I>(args)))...};
    }

    template <class ProblemShape, int... I>
    static bool AllCan(ProblemShape const &problemShape, Arguments const &args, tla::seq<I...>)
    {
        return (true && ... && Ops::can_implement(problemShape, tla::get<I>(args)));
    }

    template <class ProblemShape, int... I>
    static size_t BytesOf(ProblemShape const &problemShape, Arguments const &args, tla::seq<I...>)
    {
        return (size_t{0} + ... + RoundUp<32>(Ops::get_workspace_size(problemShape, tla::get<I>(args))));
    }

    template <class ProblemShape, int... I>
    static Status Initialize(ProblemShape const &problemShape, Arguments const &args, uint8_t *workspace,
                             tla::seq<I...>)
    {
        Status status = Status::kSuccess;
        ((status = status != Status::kSuccess
                       ? status
                       : Ops::initialize_workspace(problemShape, tla::get<I>(args),
                                                   Take<Ops>(workspace, problemShape, tla::get<I>(args)))),
         ...);
        return status;
    }
};

/// Of a node, which has arguments of its own.
template <> struct VisitorImplBase<> {};

}  // namespace Catlass::Epilogue::Fusion

#endif  // CATLASS_EPILOGUE_FUSION_VISITOR_IMPL_BASE_HPP
