// Functors for VisitorCompute: fn(dst, length, sources...). Constants are their members, in order.
#ifndef CATLASS_EPILOGUE_FUSION_OPERATIONS_HPP
#define CATLASS_EPILOGUE_FUSION_OPERATIONS_HPP

#include "catlass/catlass.hpp"

namespace Catlass::Epilogue::Fusion {

#define EVT_UNARY(name, call)                                                                                    \
    template <class T> struct name {                                                                             \
        CATLASS_DEVICE                                                                                           \
        void operator()(AscendC::LocalTensor<T> &dst, uint32_t length, AscendC::LocalTensor<T> const &src) const \
        {                                                                                                        \
            AscendC::call(dst, src, length);                                                                     \
        }                                                                                                        \
    };
EVT_UNARY(Exp, Exp)
EVT_UNARY(Relu, Relu)
EVT_UNARY(Sqrt, Sqrt)
EVT_UNARY(RsqrtFast, Rsqrt)
#undef EVT_UNARY

#define EVT_WITH_CONSTANT(name, member)                                                                          \
    template <class T> struct name {                                                                             \
        T member;                                                                                                \
        CATLASS_DEVICE                                                                                           \
        void operator()(AscendC::LocalTensor<T> &dst, uint32_t length, AscendC::LocalTensor<T> const &src) const \
        {                                                                                                        \
            AscendC::name(dst, src, member, length);                                                             \
        }                                                                                                        \
    };
EVT_WITH_CONSTANT(LeakyRelu, scalar)
EVT_WITH_CONSTANT(Muls, scalarValue)
EVT_WITH_CONSTANT(Adds, scalarValue)
EVT_WITH_CONSTANT(Maxs, scalarValue)
EVT_WITH_CONSTANT(Mins, scalarValue)
#undef EVT_WITH_CONSTANT

// More than two sources are folded from the left.
#define EVT_BINARY(name)                                                                                   \
    template <class T> struct name {                                                                       \
        template <class... More>                                                                           \
        CATLASS_DEVICE void operator()(AscendC::LocalTensor<T> &dst, uint32_t length,                      \
                                       AscendC::LocalTensor<T> const &a, AscendC::LocalTensor<T> const &b, \
                                       More const &...more) const                                          \
        {                                                                                                  \
            AscendC::name(dst, a, b, length);                                                              \
            ((AscendC::PipeBarrier<PIPE_V>(), AscendC::name(dst, dst, more, length)), ...);                \
        }                                                                                                  \
    };
EVT_BINARY(Add)
EVT_BINARY(Sub)
EVT_BINARY(Mul)
EVT_BINARY(Div)
EVT_BINARY(Max)
EVT_BINARY(Min)
#undef EVT_BINARY

template <class T> struct AddRelu {
    CATLASS_DEVICE void operator()(AscendC::LocalTensor<T> &dst, uint32_t length, AscendC::LocalTensor<T> const &a,
                                   AscendC::LocalTensor<T> const &b) const
    {
        AscendC::Add(dst, a, b, length);
        AscendC::PipeBarrier<PIPE_V>();
        AscendC::Relu(dst, dst, length);
    }
};

template <class To, class From, AscendC::RoundMode ROUND = AscendC::RoundMode::CAST_NONE> struct Cast {
    CATLASS_DEVICE void operator()(AscendC::LocalTensor<To> &dst, uint32_t length,
                                   AscendC::LocalTensor<From> const &src) const
    {
        static_assert(!std::is_same_v<To, From>, "Cast: the types are the same");
        AscendC::Cast(dst, src, ROUND, length);
    }
};

}  // namespace Catlass::Epilogue::Fusion

#endif  // CATLASS_EPILOGUE_FUSION_OPERATIONS_HPP
