#include "arith.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <type_traits>

#include "arch.hpp"
#include "config.hpp"
#include "convert.hpp"
#include "saturation.hpp"

namespace machine {

namespace {

__extension__ using Wide = __int128;

/// A number that ends at its type's limits with each sum and product; a float at those of a half, and NaN becomes zero.
template <class T> struct Saturating {
    T value;

    Saturating(T number) : value(number) {}
    operator T() const { return value; }
};

Saturating<float> Within(float exact)
{
    constexpr float most = 65504.0f;
    return std::isnan(exact) ? 0.0f : std::fabs(exact) >= 65520.0f ? std::copysign(most, exact) : exact;
}
template <class T> Saturating<T> Within(Wide exact)
{
    auto const low = static_cast<Wide>(std::numeric_limits<T>::min());
    auto const high = static_cast<Wide>(std::numeric_limits<T>::max());
    return static_cast<T>(std::min(std::max(exact, low), high));
}

/// An integer as unsigned, so that overflow wraps.
template <class T> using Unsigned = std::make_unsigned_t<T>;

template <class T> T Sum(T a, T b)
{
    if constexpr (std::is_floating_point_v<T>) {
        return a + b;
    } else {
        return static_cast<T>(Unsigned<T>(a) + Unsigned<T>(b));
    }
}

template <class T> Saturating<T> Sum(Saturating<T> a, Saturating<T> b)
{
    if constexpr (std::is_floating_point_v<T>) {
        return Within(a.value + b.value);
    } else {
        return Within<T>(Wide(a.value) + Wide(b.value));
    }
}

template <class T> T Difference(T a, T b)
{
    if constexpr (std::is_floating_point_v<T>) {
        return a - b;
    } else {
        return static_cast<T>(Unsigned<T>(a) - Unsigned<T>(b));
    }
}

template <class T> Saturating<T> Difference(Saturating<T> a, Saturating<T> b)
{
    return Within<T>(Wide(a.value) - Wide(b.value));
}

template <class T> T Product(T a, T b)
{
    if constexpr (std::is_floating_point_v<T>) {
        return a * b;
    } else {
        return static_cast<T>(static_cast<uint64_t>(a) * static_cast<uint64_t>(b));
    }
}

template <class T> Saturating<T> Product(Saturating<T> a, Saturating<T> b)
{
    if constexpr (std::is_floating_point_v<T>) {
        return Within(a.value * b.value);
    } else {
        return Within<T>(Wide(a.value) * Wide(b.value));
    }
}

/// Of integers, towards zero. What the device makes of a division by zero no page says: *assumed* that it is zero.
template <class T> T Quotient(T a, T b)
{
    if constexpr (std::is_floating_point_v<T>) {
        return a / b;
    } else if (b == 0) {
        return 0;
    } else if constexpr (std::is_signed_v<T>) {
        return b == -1 ? Difference(T(0), a) : static_cast<T>(a / b);
    } else {
        return static_cast<T>(a / b);
    }
}

template <class T> Saturating<T> Quotient(Saturating<T> a, Saturating<T> b)
{
    return b.value == 0 ? Saturating<T>(0) : Within<T>(Wide(a.value) / Wide(b.value));
}

template <class T> T Magnitude(T a)
{
    if constexpr (std::is_floating_point_v<T>) {
        return std::fabs(a);
    } else {
        return a < 0 ? Difference(T(0), a) : a;
    }
}

/// By the width and more, nothing is left but the sign (ShiftLeft and ShiftRight pages, Ascend 950).
template <class T> T ShiftedLeft(T a, T s)
{
    constexpr auto width = 8 * sizeof(T);
    return static_cast<uint64_t>(s) < width ? static_cast<T>(static_cast<uint64_t>(a) << static_cast<uint64_t>(s))
                                            : T(0);
}

template <class T> T ShiftedRight(T a, T s)
{
    constexpr uint64_t width = 8 * sizeof(T);
    auto const by = std::min(static_cast<uint64_t>(s), width - 1);
    T const shifted = static_cast<T>(a >> by);
    return by == static_cast<uint64_t>(s) ? shifted : static_cast<T>(shifted >> 1);
}

template <class T> T Maximum(T a, T b) { return (a >= b || a != a) ? a : b; }

template <class T> T Minimum(T a, T b) { return (a <= b || a != a) ? a : b; }

template <class T> T Rectified(T a) { return Maximum(a, T(0)); }

/// One element of each operation; T is float or an integer.
template <Op op, class T> T Apply(T d, T a, T b, T s)
{
    (void)d, (void)a, (void)b, (void)s;
#define EVT_ARITH(name, shape, domain, price, off, value) \
    if constexpr (op == Op::name) { return static_cast<T>(value); }
#define EVT_CALL(name)
#include "calls.def"
#undef EVT_ARITH
#undef EVT_CALL
}

/// Of a stored type: the least normal number, and the least that is rounded to one.
template <class T> struct Normal;
template <> struct Normal<float> {
    static constexpr float kLeast = 0x1p-126f;
    static constexpr float kRoundsUp = kLeast;
};
template <> struct Normal<Half> {
    static constexpr float kLeast = 0x1p-14f;
    static constexpr float kRoundsUp = 0x1p-14f - 0x1p-25f;
};

/// A zero of the same sign for what is below `least`.
float Flushed(float value, float least) { return std::fabs(value) < least ? std::copysign(0.0f, value) : value; }

/// With subnormals of the stored type taken for zero, and zero for one as the result.
template <class Stored, float (*apply)(float, float, float, float)>
float ApplyFlushing(float d, float a, float b, float s)
{
    constexpr float least = Normal<Stored>::kLeast;
    float const result = apply(d, Flushed(a, least), Flushed(b, least), Flushed(s, least));
    return Flushed(result, Normal<Stored>::kRoundsUp);
}

/// A number that the operands of a call decide: a device gives the same for the same, on every core and at all times.
uint64_t Drawn(Op op, float a, float b, float s)
{
    uint64_t bits = *GetConfig().noise * 0x9e3779b97f4a7c15u + static_cast<uint64_t>(op);
    for (float const operand : {a, b, s}) {
        bits = (bits ^ FloatToBits(operand)) * 0xbf58476d1ce4e5b9u;
        bits ^= bits >> 31;
    }
    return bits;
}

/// `value` of a stored type, so many neighbours further from zero.
float Moved(float value, int by, float) { return BitsToFloat(FloatToBits(value) + static_cast<uint32_t>(by)); }
float Moved(float value, int by, Half)
{
    return Half::FromBits(static_cast<uint16_t>(FloatToHalfBits(value) + static_cast<unsigned>(by)));
}

/// Off by as much as the call's page allows at most, in either direction. Zeros, subnormals and infinities stay.
template <Op op, class Stored, float (*apply)(float, float, float, float)>
float ApplyNoisy(float d, float a, float b, float s)
{
    float const value = Stored(apply(d, a, b, s));
    uint64_t const drawn = Drawn(op, a, b, s);
    float result;
    if constexpr (InfoOf(op).off == Off::Short) {
        constexpr float most = sizeof(Stored) == 2 ? 2e-3f : 2e-4f;
        result = Stored(value * (1.0f + most * (static_cast<float>(drawn % 2001) / 1000.0f - 1.0f)));
    } else {
        auto const most = InfoOf(op).off == Off::Quotient ? static_cast<int>(Arch().divisionUlp) : 1;
        result = Moved(value, static_cast<int>(drawn % static_cast<uint64_t>(2 * most + 1)) - most, Stored());
    }
    bool const ordinary = std::fabs(value) >= Normal<Stored>::kLeast && std::fabs(result) >= Normal<Stored>::kLeast;
    return ordinary && std::isfinite(value) && std::isfinite(result) ? result : value;
}

/// With the number before the tensor, for a call that takes both.
template <Op op, class T> T ApplyReversed(T d, T a, T b, T s) { return Apply<op, T>(d, s, b, a); }

/// Each step of the call saturates: of floats of the calls that add to a product, of integers of all.
template <Op op, class T> T ApplySaturating(T d, T a, T b, T s) { return Apply<op, Saturating<T>>(d, a, b, s); }
template <Op op, class T> T ApplySaturatingReversed(T d, T a, T b, T s) { return ApplySaturating<op, T>(d, s, b, a); }

template <Op op, class T, T (*apply)(T, T, T, T) = Apply<op, T>>
void Plain(void* dst, void const* a, void const* b, void const* scalar, size_t count)
{
    auto* d = static_cast<T*>(dst);
    auto const* x = static_cast<T const*>(a);
    auto const* y = static_cast<T const*>(b);
    T s = 0;
    if (scalar != nullptr) { std::memcpy(&s, scalar, sizeof(s)); }
    for (size_t i = 0; i < count; ++i) {
        d[i] =
            apply(ReadsDestination(op) ? d[i] : T(0), ReadsFirst(op) ? x[i] : T(0), ReadsSecond(op) ? y[i] : T(0), s);
    }
}

constexpr size_t kChunk = 512;

void Decode(float* to, Half const* from, size_t count) { HalfToFloat(to, &from->bits, count); }
void Encode(Half* to, float const* from, size_t count) { FloatToHalf(&to->bits, from, count); }
template <class T> void Decode(float* to, T const* from, size_t count) { std::copy_n(from, count, to); }
template <class T> void Encode(T* to, float const* from, size_t count) { std::copy_n(from, count, to); }

/// A float of 16 bits whose infinities become its largest numbers and whose NaN becomes zero where it is stored.
template <class T> struct Bounded {
    T value;
};
template <class T> void Decode(float* to, Bounded<T> const* from, size_t count) { Decode(to, &from->value, count); }
template <class T> void Encode(Bounded<T>* to, float const* from, size_t count)
{
    Encode(&to->value, from, count);
    for (size_t i = 0; i < count; ++i) { to[i].value = Bound(to[i].value); }
}

/// D and S are stored types; the arithmetic is float.
template <Op op, class D, class S, float (*apply)(float, float, float, float) = Apply<op, float>>
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
        if constexpr (ReadsDestination(op)) Decode(d, static_cast<D const*>(dst) + begin, n);
        if constexpr (ReadsFirst(op)) Decode(x, static_cast<S const*>(a) + begin, n);
        if constexpr (ReadsSecond(op)) Decode(y, static_cast<S const*>(b) + begin, n);
        for (size_t i = 0; i < n; ++i) {
            d[i] = apply(
                ReadsDestination(op) ? d[i] : 0.0f, ReadsFirst(op) ? x[i] : 0.0f, ReadsSecond(op) ? y[i] : 0.0f, s);
        }
        Encode(static_cast<D*>(dst) + begin, d, n);
    }
}

/// Elements of T's size, whatever their type.
template <Op op, class T> void Raw(void* dst, void const* a, void const*, void const* scalar, size_t count)
{
    if constexpr (ReadsFirst(op)) {
        std::memmove(dst, a, count * sizeof(T));
    } else {
        T value;
        std::memcpy(&value, scalar, sizeof(T));
        std::fill_n(static_cast<T*>(dst), count, value);
    }
}

/// Whether results of the type are bound now. Floats of 32 bits never are (annex, edge values of vector calls).
bool Bounds(ElementType type)
{
    return CurrentSaturation().floats
           && (type == ElementType::F16 || (type == ElementType::BF16 && Arch().bfloatSaturates));
}

/// Halves that are bound; a sum of a product is so at both steps.
template <Op op, float (*apply)(float, float, float, float)> ArithFn FindBounded()
{
    if constexpr (ReadsDestination(op)) {
        return InFloat<op, Bounded<Half>, Half, ApplySaturating<op, float>>;
    } else {
        return InFloat<op, Bounded<Half>, Half, apply>;
    }
}

template <Op op, bool reversed> ArithFn FindFloats(ElementType type)
{
    constexpr auto apply = reversed ? ApplyReversed<op, float> : Apply<op, float>;
    bool const bounds = Bounds(type);
    switch (type) {
        case ElementType::F16: return bounds ? FindBounded<op, apply>() : InFloat<op, Half, Half, apply>;
        case ElementType::BF16:
            return bounds ? InFloat<op, Bounded<Bfloat16>, Bfloat16, apply> : InFloat<op, Bfloat16, Bfloat16, apply>;
        case ElementType::F32: return Plain<op, float, apply>;
        default: return nullptr;
    }
}

template <Op op, class T, bool reversed> ArithFn FindInteger()
{
    if constexpr (InfoOf(op).domain == Domain::Numbers) {
        constexpr auto saturating = reversed ? ApplySaturatingReversed<op, T> : ApplySaturating<op, T>;
        if (CurrentSaturation().integers) { return Plain<op, T, saturating>; }
    }
    constexpr auto apply = reversed ? ApplyReversed<op, T> : Apply<op, T>;
    return Plain<op, T, apply>;
}

template <Op op, bool reversed> ArithFn FindIntegers(ElementType type)
{
    switch (type) {
        case ElementType::I8: return FindInteger<op, int8_t, reversed>();
        case ElementType::U8: return FindInteger<op, uint8_t, reversed>();
        case ElementType::I16: return FindInteger<op, int16_t, reversed>();
        case ElementType::U16: return FindInteger<op, uint16_t, reversed>();
        case ElementType::I32: return FindInteger<op, int32_t, reversed>();
        case ElementType::U32: return FindInteger<op, uint32_t, reversed>();
        case ElementType::I64: return FindInteger<op, int64_t, reversed>();
        case ElementType::U64: return FindInteger<op, uint64_t, reversed>();
        default: return nullptr;
    }
}

/// f of an unsigned number of the type's size.
template <class F> ArithFn BySize(ElementType type, F&& f)
{
    switch (SizeOf(type)) {
        case 1: return f(uint8_t{});
        case 2: return f(uint16_t{});
        case 4: return f(uint32_t{});
        default: return f(uint64_t{});
    }
}

template <Op op> ArithFn FindBits(ElementType type)
{
    return BySize(type, [](auto zero) -> ArithFn { return Plain<op, decltype(zero)>; });
}

template <Op op> ArithFn FindBytes(ElementType type)
{
    return BySize(type, [](auto zero) -> ArithFn { return Raw<op, decltype(zero)>; });
}

template <Op op> constexpr bool Iterates() { return InfoOf(op).price == PriceClass::Iterates; }

/// That of a call that iterates, where subnormals are flushed or results are off; else null.
template <Op op, class Result, class Stored, float (*apply)(float, float, float, float)> ArithFn FindOwn()
{
    bool const noisy = GetConfig().noise.has_value();
    if (Arch().flushesSubnormals) {
        constexpr auto flushing = ApplyFlushing<Stored, apply>;
        return noisy ? InFloat<op, Result, Stored, ApplyNoisy<op, Stored, flushing>>
                     : InFloat<op, Result, Stored, flushing>;
    }
    return noisy ? InFloat<op, Result, Stored, ApplyNoisy<op, Stored, apply>> : nullptr;
}

template <Op op, bool reversed> ArithFn FindOwn(ElementType type)
{
    constexpr auto apply = reversed ? ApplyReversed<op, float> : Apply<op, float>;
    switch (type) {
        case ElementType::F16:
            return Bounds(type) ? FindOwn<op, Bounded<Half>, Half, apply>() : FindOwn<op, Half, Half, apply>();
        case ElementType::F32: return FindOwn<op, float, float, apply>();
        default: return nullptr;
    }
}

/// `reversed`: with the number first.
template <Op op, bool reversed = false> ArithFn Find(ElementType type)
{
    constexpr Domain domain = InfoOf(op).domain;
    if constexpr (Iterates<op>()) {
        ArithFn const found = FindOwn<op, reversed>(type);
        if (found != nullptr) { return found; }
    }
    if constexpr (domain == Domain::Numbers) {
        ArithFn const found = FindFloats<op, reversed>(type);
        return found != nullptr ? found : FindIntegers<op, reversed>(type);
    } else if constexpr (domain == Domain::Floats) {
        return FindFloats<op, reversed>(type);
    } else if constexpr (domain == Domain::Integers) {
        return FindIntegers<op, reversed>(type);
    } else if constexpr (domain == Domain::Bits) {
        return FindBits<op>(type);
    } else if constexpr (domain == Domain::Bytes) {
        return FindBytes<op>(type);
    } else {
        return nullptr;
    }
}

}  // namespace

ArithFn FindArith(Op op, ElementType type)
{
    switch (op) {
#define EVT_ARITH(name, ...) \
    case Op::name: return Find<Op::name>(type);
#define EVT_CALL(name) \
    case Op::name: return nullptr;
#include "calls.def"
#undef EVT_ARITH
#undef EVT_CALL
    }
    return nullptr;
}

ArithFn FindReversed(Op op, ElementType type)
{
    switch (op) {
        case Op::Subs: return Find<Op::Subs, true>(type);
        case Op::Divs: return Find<Op::Divs, true>(type);
        default: return nullptr;
    }
}

ArithFn FindMixed(Op op, ElementType dst, ElementType src)
{
    if (dst == src) { return FindArith(op, dst); }
    if (dst == ElementType::F32 && src == ElementType::F16) {
        if (op == Op::Axpy) { return InFloat<Op::Axpy, float, Half>; }
        if (op == Op::MulAddDst) { return InFloat<Op::MulAddDst, float, Half>; }
    }
    return nullptr;
}

}  // namespace machine
