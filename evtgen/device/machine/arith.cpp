#include "arith.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <type_traits>

#include "convert.hpp"

namespace machine {

namespace {

/// What a type computes in: halves in float, integers unsigned so that overflow wraps.
template <class T>
struct Compute {
    using type = std::make_unsigned_t<T>;
};
template <>
struct Compute<float> {
    using type = float;
};

template <class T>
T Maximum(T a, T b)
{
    return (a >= b || a != a) ? a : b;
}

template <class T>
T Minimum(T a, T b)
{
    return (a <= b || a != a) ? a : b;
}

template <class T>
T Relu(T a)
{
    return Maximum(a, T(0));
}

/// One element of each operation; T is float or an integer.
template <Op op, class T>
T Apply(T d, T a, T b, T s)
{
    using U = typename Compute<T>::type;
    (void)d, (void)a, (void)b, (void)s;
    if constexpr (op == Op::Add)
        return static_cast<T>(U(a) + U(b));
    else if constexpr (op == Op::Sub)
        return static_cast<T>(U(a) - U(b));
    else if constexpr (op == Op::Mul)
        return static_cast<T>(int64_t(1) * a * b);
    else if constexpr (op == Op::Div)
        return a / b;
    else if constexpr (op == Op::Max)
        return Maximum(a, b);
    else if constexpr (op == Op::Min)
        return Minimum(a, b);
    else if constexpr (op == Op::And)
        return static_cast<T>(a & b);
    else if constexpr (op == Op::Or)
        return static_cast<T>(a | b);
    else if constexpr (op == Op::AddRelu)
        return Relu(static_cast<T>(U(a) + U(b)));
    else if constexpr (op == Op::SubRelu)
        return Relu(static_cast<T>(U(a) - U(b)));
    else if constexpr (op == Op::MulAddDst)
        return static_cast<T>(a * b + d);
    else if constexpr (op == Op::FusedMulAdd)
        return static_cast<T>(d * a + b);
    else if constexpr (op == Op::FusedMulAddRelu)
        return Relu(static_cast<T>(d * a + b));
    else if constexpr (op == Op::Relu)
        return Relu(a);
    else if constexpr (op == Op::Abs)
        return std::fabs(a);
    else if constexpr (op == Op::Exp)
        return std::exp(a);
    else if constexpr (op == Op::Ln)
        return std::log(a);
    else if constexpr (op == Op::Sqrt)
        return std::sqrt(a);
    else if constexpr (op == Op::Rsqrt)
        return T(1) / std::sqrt(a);
    else if constexpr (op == Op::Reciprocal)
        return T(1) / a;
    else if constexpr (op == Op::Not)
        return static_cast<T>(~a);
    else if constexpr (op == Op::Copy)
        return a;
    else if constexpr (op == Op::Adds)
        return static_cast<T>(U(a) + U(s));
    else if constexpr (op == Op::Muls)
        return static_cast<T>(int64_t(1) * a * s);
    else if constexpr (op == Op::Maxs)
        return Maximum(a, s);
    else if constexpr (op == Op::Mins)
        return Minimum(a, s);
    else if constexpr (op == Op::LeakyRelu)
        return a >= T(0) ? a : a * s;
    else if constexpr (op == Op::Axpy)
        return static_cast<T>(a * s + d);
    else if constexpr (op == Op::ShiftLeft)
        return static_cast<T>(U(a) << U(s));
    else if constexpr (op == Op::ShiftRight)
        return static_cast<T>(a >> s);
    else
        return s;
}

template <>
inline float Apply<Op::Mul, float>(float, float a, float b, float)
{
    return a * b;
}
template <>
inline float Apply<Op::Muls, float>(float, float a, float, float s)
{
    return a * s;
}

constexpr bool ReadsA(Op op)
{
    return op != Op::Fill;
}
constexpr bool ReadsB(Op op)
{
    return op <= Op::FusedMulAddRelu;
}
constexpr bool ReadsDst(Op op)
{
    return op == Op::MulAddDst || op == Op::FusedMulAdd || op == Op::FusedMulAddRelu || op == Op::Axpy;
}

template <Op op, class T>
void Plain(void* dst, void const* a, void const* b, void const* scalar, size_t count)
{
    auto* d = static_cast<T*>(dst);
    auto const* x = static_cast<T const*>(a);
    auto const* y = static_cast<T const*>(b);
    T s = 0;
    if (scalar != nullptr) {
        std::memcpy(&s, scalar, sizeof(s));
    }
    for (size_t i = 0; i < count; ++i) {
        d[i] = Apply<op, T>(ReadsDst(op) ? d[i] : T(0), ReadsA(op) ? x[i] : T(0), ReadsB(op) ? y[i] : T(0), s);
    }
}

constexpr size_t kChunk = 512;

void Decode(float* to, Half const* from, size_t count)
{
    HalfToFloat(to, &from->bits, count);
}
void Encode(Half* to, float const* from, size_t count)
{
    FloatToHalf(&to->bits, from, count);
}
void Decode(float* to, Bfloat16 const* from, size_t count)
{
    std::copy_n(from, count, to);
}
void Encode(Bfloat16* to, float const* from, size_t count)
{
    std::copy_n(from, count, to);
}
void Decode(float* to, float const* from, size_t count)
{
    std::copy_n(from, count, to);
}
void Encode(float* to, float const* from, size_t count)
{
    std::copy_n(from, count, to);
}

/// D and S are stored types; the arithmetic is float.
template <Op op, class D, class S>
void InFloat(void* dst, void const* a, void const* b, void const* scalar, size_t count)
{
    float d[kChunk];
    float x[kChunk];
    float y[kChunk];
    float s = 0;
    if (scalar != nullptr) {
        S stored;
        std::memcpy(&stored, scalar, sizeof(stored));
        s = stored;
    }
    for (size_t begin = 0; begin < count; begin += kChunk) {
        size_t const n = std::min(kChunk, count - begin);
        if constexpr (ReadsDst(op))
            Decode(d, static_cast<D const*>(dst) + begin, n);
        if constexpr (ReadsA(op))
            Decode(x, static_cast<S const*>(a) + begin, n);
        if constexpr (ReadsB(op))
            Decode(y, static_cast<S const*>(b) + begin, n);
        for (size_t i = 0; i < n; ++i) {
            d[i] = Apply<op, float>(ReadsDst(op) ? d[i] : 0.0f, ReadsA(op) ? x[i] : 0.0f, ReadsB(op) ? y[i] : 0.0f, s);
        }
        Encode(static_cast<D*>(dst) + begin, d, n);
    }
}

template <class T>
void CopyAll(void* dst, void const* a, void const*, void const*, size_t count)
{
    std::memmove(dst, a, count * sizeof(T));
}

template <class T>
void FillAll(void* dst, void const*, void const*, void const* scalar, size_t count)
{
    T value;
    std::memcpy(&value, scalar, sizeof(T));
    std::fill_n(static_cast<T*>(dst), count, value);
}

template <Op op>
ArithFn FindFloats(ElementType type)
{
    switch (type) {
        case ElementType::F16:
            return InFloat<op, Half, Half>;
        case ElementType::BF16:
            return InFloat<op, Bfloat16, Bfloat16>;
        case ElementType::F32:
            return Plain<op, float>;
        default:
            return nullptr;
    }
}

template <Op op>
ArithFn FindIntegers(ElementType type)
{
    switch (type) {
        case ElementType::I8:
            return Plain<op, int8_t>;
        case ElementType::I16:
            return Plain<op, int16_t>;
        case ElementType::U16:
            return Plain<op, uint16_t>;
        case ElementType::I32:
            return Plain<op, int32_t>;
        case ElementType::U32:
            return Plain<op, uint32_t>;
        default:
            return nullptr;
    }
}

template <Op op>
ArithFn FindNumbers(ElementType type)
{
    ArithFn const found = FindFloats<op>(type);
    return found != nullptr ? found : FindIntegers<op>(type);
}

size_t SizeOf(ElementType type)
{
    static constexpr size_t sizes[] = {1, 1, 2, 2, 4, 4, 8, 8, 2, 2, 4, 8};
    return sizes[static_cast<size_t>(type)];
}

}  // namespace

ArithFn FindArith(Op op, ElementType type)
{
    switch (op) {
        case Op::Add:
            return FindNumbers<Op::Add>(type);
        case Op::Sub:
            return FindNumbers<Op::Sub>(type);
        case Op::Mul:
            return FindNumbers<Op::Mul>(type);
        case Op::Div:
            return FindFloats<Op::Div>(type);
        case Op::Max:
            return FindNumbers<Op::Max>(type);
        case Op::Min:
            return FindNumbers<Op::Min>(type);
        case Op::And:
            return FindIntegers<Op::And>(type);
        case Op::Or:
            return FindIntegers<Op::Or>(type);
        case Op::AddRelu:
            return FindNumbers<Op::AddRelu>(type);
        case Op::SubRelu:
            return FindNumbers<Op::SubRelu>(type);
        case Op::MulAddDst:
            return FindNumbers<Op::MulAddDst>(type);
        case Op::FusedMulAdd:
            return FindFloats<Op::FusedMulAdd>(type);
        case Op::FusedMulAddRelu:
            return FindFloats<Op::FusedMulAddRelu>(type);
        case Op::Relu:
            return FindNumbers<Op::Relu>(type);
        case Op::Abs:
            return FindFloats<Op::Abs>(type);
        case Op::Exp:
            return FindFloats<Op::Exp>(type);
        case Op::Ln:
            return FindFloats<Op::Ln>(type);
        case Op::Sqrt:
            return FindFloats<Op::Sqrt>(type);
        case Op::Rsqrt:
            return FindFloats<Op::Rsqrt>(type);
        case Op::Reciprocal:
            return FindFloats<Op::Reciprocal>(type);
        case Op::Not:
            return FindIntegers<Op::Not>(type);
        case Op::Adds:
            return FindNumbers<Op::Adds>(type);
        case Op::Muls:
            return FindNumbers<Op::Muls>(type);
        case Op::Maxs:
            return FindNumbers<Op::Maxs>(type);
        case Op::Mins:
            return FindNumbers<Op::Mins>(type);
        case Op::LeakyRelu:
            return FindFloats<Op::LeakyRelu>(type);
        case Op::Axpy:
            return FindFloats<Op::Axpy>(type);
        case Op::ShiftLeft:
            return FindIntegers<Op::ShiftLeft>(type);
        case Op::ShiftRight:
            return FindIntegers<Op::ShiftRight>(type);
        case Op::Copy:
            switch (SizeOf(type)) {
                case 1:
                    return CopyAll<uint8_t>;
                case 2:
                    return CopyAll<uint16_t>;
                case 4:
                    return CopyAll<uint32_t>;
                default:
                    return CopyAll<uint64_t>;
            }
        case Op::Fill:
            switch (SizeOf(type)) {
                case 1:
                    return FillAll<uint8_t>;
                case 2:
                    return FillAll<uint16_t>;
                case 4:
                    return FillAll<uint32_t>;
                default:
                    return FillAll<uint64_t>;
            }
    }
    return nullptr;
}

ArithFn FindMixed(Op op, ElementType dst, ElementType src)
{
    if (dst == src) {
        return FindArith(op, dst);
    }
    if (dst == ElementType::F32 && src == ElementType::F16) {
        if (op == Op::Axpy)
            return InFloat<Op::Axpy, float, Half>;
        if (op == Op::MulAddDst)
            return InFloat<Op::MulAddDst, float, Half>;
    }
    return nullptr;
}

}  // namespace machine
