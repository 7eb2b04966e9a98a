// Every call of device/ascendc, in its forms and for its types: it compiles against the model's headers, and against
// AscendC's own. MulAddDst of integers is missing: the model has it by its page, and AscendC refuses it.
#include "kernel_operator.h"

using namespace AscendC;

/// Some tensor.
template <class T>
LocalTensor<T> L()
{
    return LocalTensor<T>(TPosition::VECCALC, 0, 1024);
}
/// The bits that choose elements of T.
template <class T>
using OfSize = std::conditional_t<sizeof(T) == 2, uint16_t, uint32_t>;
BinaryRepeatParams b;
UnaryRepeatParams u;
uint64_t m[2] = {~0ull, ~0ull};

#define BIN(N, T)                                  \
    N(L<T>(), L<T>(), L<T>(), 64);                 \
    N(L<T>(), L<T>(), L<T>(), (uint64_t)64, 1, b); \
    N(L<T>(), L<T>(), L<T>(), m, 1, b);
#define SCA(N, T)                                \
    N(L<T>(), L<T>(), T(1), 64);                 \
    N(L<T>(), L<T>(), T(1), (uint64_t)64, 1, u); \
    N(L<T>(), L<T>(), T(1), m, 1, u);
#define UNA(N, T)                          \
    N(L<T>(), L<T>(), 64);                 \
    N(L<T>(), L<T>(), (uint64_t)64, 1, u); \
    N(L<T>(), L<T>(), m, 1, u);
#define CST(D, S, M)                                        \
    Cast(L<D>(), L<S>(), RoundMode::M, 64);                 \
    Cast(L<D>(), L<S>(), RoundMode::M, (uint64_t)64, 1, u); \
    Cast(L<D>(), L<S>(), RoundMode::M, m, 1, u);
#define RED(N, T) N<T>(L<T>(), L<T>(), 64, 1, 1, 1, 8);
void all()
{
#define X(T) \
    BIN(Add, T) BIN(Sub, T) BIN(Mul, T) BIN(Max, T) BIN(Min, T) SCA(Adds, T) SCA(Muls, T) SCA(Maxs, T) SCA(Mins, T)
    X(int16_t)
    X(half)
    X(int32_t)
    X(float)
#undef X
        BIN(AddRelu, half) BIN(AddRelu, float) BIN(AddRelu, int16_t) BIN(SubRelu, half) BIN(SubRelu, float)
            BIN(SubRelu, int16_t) BIN(And, int16_t) BIN(And, uint16_t) BIN(Or, int16_t) BIN(Or, uint16_t)
                UNA(Not, int16_t) UNA(Not, uint16_t)
#define X(T)                                                                                                   \
    BIN(Div, T)                                                                                                \
    UNA(Exp, T)                                                                                                \
    UNA(Ln, T)                                                                                                 \
    UNA(Sqrt, T) UNA(Rsqrt, T) UNA(Reciprocal, T) UNA(Abs, T) UNA(Relu, T) SCA(LeakyRelu, T) BIN(MulAddDst, T) \
        BIN(FusedMulAdd, T) BIN(FusedMulAddRelu, T) SCA(Axpy, T)
                    X(half) X(float)
#undef X
                        UNA(Relu, int32_t) MulAddDst(L<float>(), L<half>(), L<half>(), 64);
    Axpy(L<float>(), L<half>(), half(1), 64);
#define X(T) SCA(ShiftLeft, T) SCA(ShiftRight, T)
    X(int16_t)
    X(uint16_t)
    X(int32_t)
    X(uint32_t)
#undef X
#define X(T)                                                             \
    Duplicate(L<T>(), T(1), 64);                                         \
    Duplicate(L<T>(), T(1), (uint64_t)64, 1, 1, 8);                      \
    Duplicate(L<T>(), T(1), m, 1, 1, 8);                                 \
    Copy(L<T>(), L<T>(), (uint64_t)64, 1, CopyRepeatParams{1, 1, 8, 8}); \
    Copy(L<T>(), L<T>(), m, 1, CopyRepeatParams{1, 1, 8, 8});
        X(int16_t) X(uint16_t) X(half) X(bfloat16_t) X(int32_t) X(uint32_t) X(float)
#undef X
            CST(float, half, CAST_NONE) CST(float, bfloat16_t, CAST_NONE) CST(half, int8_t, CAST_NONE)
                CST(half, uint8_t, CAST_NONE) CST(float, int16_t, CAST_NONE) CST(int16_t, int32_t, CAST_NONE)
                    CST(half, float, CAST_ODD) CST(bfloat16_t, float, CAST_RINT) CST(int16_t, float, CAST_RINT)
                        CST(int32_t, float, CAST_RINT) CST(int16_t, half, CAST_RINT) CST(int32_t, half, CAST_RINT)
                            CST(int32_t, bfloat16_t, CAST_RINT) CST(float, int32_t, CAST_NONE)
                                CST(half, int16_t, CAST_NONE) CST(int8_t, half, CAST_NONE) CST(uint8_t, half, CAST_NONE)
                                    CST(float, float, CAST_RINT) CST(int64_t, float, CAST_RINT)
                                        CST(int64_t, int32_t, CAST_NONE) CST(float, int64_t, CAST_RINT)
                                            CST(int32_t, int64_t, CAST_NONE)
#define X(T)                                                                                            \
    RED(WholeReduceSum, T)                                                                              \
    RED(WholeReduceMax, T) RED(WholeReduceMin, T) BlockReduceSum<T>(L<T>(), L<T>(), 1, 64, 1, 1, 8);    \
    BlockReduceMax<T>(L<T>(), L<T>(), 1, m, 1, 1, 8);                                                   \
    BlockReduceMin<T>(L<T>(), L<T>(), 1, 64, 1, 1, 8);                                                  \
    PairReduceSum<T>(L<T>(), L<T>(), 1, 64, 1, 1, 8);                                                   \
    RepeatReduceSum<T>(L<T>(), L<T>(), 1, 64, 0, 1, 1, 8);                                              \
    ReduceSum<T>(L<T>(), L<T>(), L<T>(), 64);                                                           \
    ReduceSum<T>(L<T>(), L<T>(), L<T>(), 64, 1, 8);                                                     \
    ReduceSum<T>(L<T>(), L<T>(), L<T>(), m, 1, 8);                                                      \
    ReduceMax<T>(L<T>(), L<T>(), L<T>(), 64, true);                                                     \
    ReduceMin<T>(L<T>(), L<T>(), L<T>(), 64, 1, 8, false);                                              \
    ReduceMax<T>(L<T>(), L<T>(), L<T>(), m, 1, 8, true);                                                \
    Compare(L<uint8_t>(), L<T>(), L<T>(), CMPMODE::LT, 64);                                             \
    Compare(L<uint8_t>(), L<T>(), L<T>(), CMPMODE::NE, (uint64_t)64, 1, b);                             \
    CompareScalar(L<uint8_t>(), L<T>(), T(1), CMPMODE::GE, 64);                                         \
    CompareScalar(L<uint8_t>(), L<T>(), T(1), CMPMODE::GT, (uint64_t)64, 1, u);                         \
    Compares(L<uint8_t>(), L<T>(), T(1), CMPMODE::EQ, 64);                                              \
    Select(L<T>(), L<uint8_t>(), L<T>(), T(1), SELMODE::VSEL_TENSOR_SCALAR_MODE, 64);                   \
    Select(L<T>(), L<uint8_t>(), L<T>(), L<T>(), SELMODE::VSEL_CMPMASK_SPR, 64);                        \
    Select(L<T>(), L<uint8_t>(), L<T>(), L<T>(), SELMODE::VSEL_TENSOR_TENSOR_MODE, (uint64_t)64, 1, b); \
    Select(L<T>(), L<uint8_t>(), L<T>(), T(1), SELMODE::VSEL_TENSOR_SCALAR_MODE, m, 1, b);
                                                X(half) X(float)
#undef X
                                                    Compare(L<uint8_t>(), L<int32_t>(), L<int32_t>(), CMPMODE::EQ, 64);
#define X(T) Brcb(L<T>(), L<T>(), 1, BrcbRepeatParams{1, 8});
    X(half)
    X(float)
    X(uint16_t)
    X(int16_t) X(int32_t) X(uint32_t)
#undef X
#define X(T)                                                                    \
    {                                                                           \
        LocalTensor<T> ds[16], ss[16];                                          \
        TransDataTo5HD<T>(ds, ss, TransDataTo5HDParams{false, false, 1, 0, 0}); \
        uint64_t da[16], sa[16];                                                \
        TransDataTo5HD<T>(da, sa, TransDataTo5HDParams{false, false, 1, 0, 0}); \
    }
        X(int8_t) X(uint8_t) X(int16_t) X(uint16_t) X(half) X(int32_t) X(uint32_t) X(float)
#undef X
            GlobalTensor<half>
                g;
#define X(T)                                                                                                 \
    {                                                                                                        \
        GlobalTensor<T> g;                                                                                   \
        DataCopy(L<T>(), g, 64);                                                                             \
        DataCopy(g, L<T>(), 64);                                                                             \
        DataCopy(L<T>(), L<T>(), 64);                                                                        \
        DataCopy(L<T>(), g, DataCopyParams{1, 1, 0, 0});                                                     \
        DataCopy(g, L<T>(), DataCopyParams{1, 1, 0, 0});                                                     \
        DataCopyPad(L<T>(), g, DataCopyExtParams{1, 2, 0, 0, 0}, DataCopyPadExtParams<T>{true, 0, 1, T(0)}); \
        DataCopyPad(g, L<T>(), DataCopyExtParams{1, 2, 0, 0, 0});                                            \
        T v = g.GetValue(3);                                                                                 \
        g.SetValue(1, v);                                                                                    \
        L<T>().SetValue(0, v);                                                                               \
        v = L<T>().GetValue(1);                                                                              \
    }
    X(int8_t)
    X(uint8_t)
    X(int16_t)
    X(uint16_t) X(half) X(bfloat16_t) X(int32_t) X(uint32_t) X(float) X(int64_t) X(uint64_t)
#undef X
#define X(T)                                                                                      \
    {                                                                                             \
        uint64_t kept = 0;                                                                        \
        Gather(L<T>(), L<T>(), L<uint32_t>(), 0, 64);                                             \
        Gather(L<T>(), L<T>(), L<uint32_t>(), 0, (uint64_t)64, 1, 8);                             \
        Gather(L<T>(), L<T>(), L<uint32_t>(), 0, m, 1, 8);                                        \
        GatherMask(L<T>(), L<T>(), (uint8_t)1, false, 0, GatherMaskParams{1, 1, 8, 8}, kept);     \
        GatherMask(L<T>(), L<T>(), L<OfSize<T>>(), true, 70, GatherMaskParams{1, 1, 8, 8}, kept); \
    }
        X(int16_t) X(uint16_t) X(half) X(bfloat16_t) X(int32_t) X(uint32_t) X(float)
#undef X
            Gatherb(L<uint16_t>(), L<uint16_t>(), L<uint32_t>(), 1, GatherRepeatParams{1, 8});
    Gatherb(L<uint32_t>(), L<uint32_t>(), L<uint32_t>(), 1, GatherRepeatParams{1, 8});
#define X(T)                                                                                                     \
    {                                                                                                            \
        uint16_t const lengths[4] = {8, 8, 8, 8};                                                                \
        Sort32(L<T>(), L<T>(), L<uint32_t>(), 1);                                                                \
        MrgSort(L<T>(), MrgSortSrcList<T>(L<T>(), L<T>(), L<T>(), L<T>()), MrgSort4Info(lengths, false, 15, 1)); \
        LocalTensor<T> to = L<T>();                                                                              \
        CreateVecIndex(to, T(0), 64);                                                                            \
        CreateVecIndex(to, T(0), (uint64_t)64, 1, 1, 8);                                                         \
        CreateVecIndex(to, T(0), m, 1, 1, 8);                                                                    \
        ReduceRepeat<ReduceType::MAX, T>(L<T>(), L<T>(), 64, 1, 1, 1, 8);                                        \
        ReduceDataBlock<ReduceType::SUM, T>(L<T>(), L<T>(), 64, 1, 1, 1, 8);                                     \
        ReducePairElem<ReduceType::SUM, T>(L<T>(), L<T>(), m, 1, 1, 1, 8);                                       \
        Compare(L<T>(), L<T>(), CMPMODE::LT, (uint64_t)64, b);                                                   \
        T const sum = GetAccVal<T>();                                                                            \
        (void)sum;                                                                                               \
    }
    X(half)
    X(float)
#undef X
        uint16_t taken[4];
    GetMrgSortResult(taken[0], taken[1], taken[2], taken[3]);
    GetCmpMask(L<half>());
    Transpose(L<uint16_t>(), L<uint16_t>());
    SetPadValue(half(1));
    SyncAll();
    SetAtomicAdd<float>();
    SetAtomicMax<half>();
    SetAtomicMin<int32_t>();
    SetAtomicAdd<int8_t>();
    SetAtomicAdd<int16_t>();
    SetAtomicAdd<bfloat16_t>();
    SetAtomicNone();
    DisableDmaAtomic();
    CrossCoreSetFlag<2, PIPE_MTE3>(1);
    CrossCoreWaitFlag(1);
    CrossCoreSetFlag<0, PIPE_MTE3>(2);
    PipeBarrier<PIPE_ALL>();
    ICachePreLoad(1);
    SetVectorMask<half, MaskMode::COUNTER>(64);
    SetVectorMask<half>(1, 2);
    SetMaskCount();
    SetMaskNorm();
    ResetMask();
    LocalMemAllocator<> a;
    auto t = a.Alloc<TPosition::VECIN, float>(64);
    (void)t;
    TPipe p;
    TBufPool<TPosition::VECCALC> pool;
    p.InitBufPool(pool, 1024);
    TQueBind<TPosition::VECIN, TPosition::VECOUT, 1> q;
    pool.InitBuffer(q, 1, 32);
    TQue<TPosition::VECIN, 1> q2;
    p.InitBuffer(q2, 1, 32);
    auto x = q2.AllocTensor<float>();
    q2.EnQue(x);
    x = q2.DeQue<float>();
    q2.FreeTensor(x);
    TEventID e = p.AllocEventID<HardEvent::V_S>();
    p.ReleaseEventID<HardEvent::V_S>(e);
}
int main()
{
    all();
}
