// Mutants of the numbers that emitted code computes, all in one program: EVTGEN_MUTANT=SITE:NODE:CALL:VARIANT says at
// run time which of them it is. The text that is run has its calls replaced by those of the same names below, which do
// what AscendC's do unless they are the chosen one. With EVTGEN_MUTANT_REACHED=FILE the places that a run reaches are
// written there, one per line: SITE NODE CALL TYPE.
//
// A place is a site in the text; the node that runs it, by its number in the graph, and a hundred for each earlier phase;
// and within an elementwise operator, where a line may run several times for one tile, how many times it has run.
#ifndef EVTGEN_SABOTAGE_NUMBERS_HPP
#define EVTGEN_SABOTAGE_NUMBERS_HPP

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <numeric>
#include <set>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>

#include "kernel_operator.h"
#include "catlass/catlass.hpp"
#include "catlass/layout/layout.hpp"
#include "catlass/matrix_coord.hpp"

namespace mutant {

template <class T>
using Local = AscendC::LocalTensor<T>;
template <class T>
using Global = AscendC::GlobalTensor<T>;
using Catlass::MatrixCoord;
using Catlass::layout::RowMajor;

/// A parameter that takes its type from the others.
template <class T>
struct Same {
    using Type = T;
};
template <class T>
using SameType = typename Same<T>::Type;

// ---- which mutant it is, and where the run is

struct State {
    int site = -1;
    uint32_t node = 0;
    uint32_t call = 0;
    std::string kind;
    double amount = 0;

    uint32_t graphs = 0;  // of phases that have begun
    uint32_t next = 0;    // the number of the node that is visited next; 0 if it is the only one
    uint32_t inNode = 0;  // the one that runs; 0: none, or the only one
    bool counts = false;
    std::map<int, uint32_t> calls;

    char const* reachedPath = nullptr;
    std::set<std::tuple<int, uint32_t, uint32_t, std::string>> reached;

    State()
    {
        reachedPath = std::getenv("EVTGEN_MUTANT_REACHED");
        if (char const* chosen = std::getenv("EVTGEN_MUTANT")) {
            char name[32] = {};
            if (std::sscanf(chosen, "%d:%u:%u:%31[a-z-]=%lf", &site, &node, &call, name, &amount) < 4) {
                std::fprintf(stderr, "EVTGEN_MUTANT: %s\n", chosen);
                std::exit(2);
            }
            kind = name;
        }
    }
    ~State()
    {
        if (reachedPath == nullptr) {
            return;
        }
        std::FILE* file = std::fopen(reachedPath, "w");
        for (auto const& [at, node, call, type] : reached) {
            std::fprintf(file, "%d %u %u %s\n", at, node, call, type.c_str());
        }
        std::fclose(file);
    }
};

inline State state;

/// The node of a graph that is visited next.
template <class Graph>
void Next(uint32_t node)
{
    static uint32_t const graph = state.graphs++;
    state.next = 100 * graph + node + 1;
}

/// A tile begins, or the kernel.
inline void BeginTile()
{
    state.next = 0;
}

/// The part of a node's work that belongs to a stage. Where `counts`, it runs the same lines for every tile.
struct Node {
    explicit Node(bool counts)
    {
        state.inNode = state.next;
        state.counts = counts;
        state.calls.clear();
    }
    ~Node()
    {
        state.inNode = 0;
        state.counts = false;
    }
    Node(Node const&) = delete;
    Node& operator=(Node const&) = delete;
};

template <class T>
constexpr char const* NameOf()
{
    if constexpr (std::is_same_v<T, half>) {
        return "half";
    } else if constexpr (std::is_same_v<T, float>) {
        return "float";
    } else if constexpr (std::is_same_v<T, bfloat16_t>) {
        return "bfloat16_t";
    } else if constexpr (std::is_same_v<T, int32_t>) {
        return "int32_t";
    } else if constexpr (std::is_same_v<T, uint32_t>) {
        return "uint32_t";
    } else if constexpr (std::is_same_v<T, int64_t>) {
        return "int64_t";
    } else if constexpr (std::is_same_v<T, int16_t>) {
        return "int16_t";
    } else if constexpr (std::is_same_v<T, int8_t>) {
        return "int8_t";
    } else if constexpr (std::is_same_v<T, machine::Float4E2M1x2>) {
        return "float4_e2m1x2_t";
    } else if constexpr (std::is_same_v<T, fp8_e4m3fn_t>) {
        return "fp8_e4m3fn_t";
    } else if constexpr (std::is_same_v<T, fp8_e5m2_t>) {
        return "fp8_e5m2_t";
    } else {
        static_assert(std::is_same_v<T, uint8_t> || std::is_same_v<T, uint16_t>);
        return "mask";
    }
}

/// One run of a site.
class Call {
public:
    Call(int site, char const* type)
    {
        uint32_t const call = state.counts ? ++state.calls[site] : 0;
        chosen_ = site == state.site && state.inNode == state.node && call == state.call;
        if (state.reachedPath != nullptr) {
            state.reached.emplace(site, state.inNode, call, type);
        }
    }
    bool Is(char const* kind) const
    {
        return chosen_ && state.kind == kind;
    }

private:
    bool chosen_;
};

// ---- changed values

/// A value times the factor; of whole numbers the next one, or the negative; of two floats of 4 bits the next codes.
template <class T>
T Scaled(T value)
{
    if constexpr (std::is_same_v<T, machine::Float4E2M1x2>) {
        value.bits ^= 0x11;
        return value;
    } else if constexpr (std::is_integral_v<T>) {
        return static_cast<T>(state.amount == -1 ? -value : value + 1);
    } else {
        return static_cast<T>(static_cast<float>(static_cast<float>(value) * state.amount));
    }
}

/// A constant nearer to 0 by so many units of its first digit, 0.01 being one of its third; 0 becomes the amount itself,
/// and a whole number the next one.
template <class T>
T Constant(T value)
{
    if constexpr (std::is_integral_v<T>) {
        return static_cast<T>(value > 0 ? value - 1 : value + 1);
    } else {
        double const exact = static_cast<float>(value);
        if (exact == 0) {
            return static_cast<T>(static_cast<float>(state.amount));
        }
        double const unit = std::pow(10.0, std::floor(std::log10(std::fabs(exact))));
        return static_cast<T>(static_cast<float>(exact - std::copysign(unit, exact) * state.amount));
    }
}

/// An instruction on the vector pipe that AscendC does not have.
template <class F>
void OnVectors(F function)
{
    machine::Instruction instruction(machine::Pipe::V, "Mutant", machine::Here());
    instruction.Act(std::move(function));
    machine::Record(std::move(instruction));
}

template <class T>
void Change(T* values, uint32_t count)
{
    for (uint32_t i = 0; i < count / machine::kPacked<T>; ++i) {
        if constexpr (std::is_unsigned_v<T>) {
            values[i] = static_cast<T>(~values[i]);
        } else {
            values[i] = Scaled(values[i]);
        }
    }
}

/// Results times the factor, those of masks inverted.
template <class T>
void Scale(Local<T> const& dst, uint32_t count)
{
    OnVectors([values = AscendC::detail::AddressOf(dst), count] { Change(values, count); });
}

/// The same of each of several repeats.
template <class T>
void Scale(Local<T> const& dst, uint64_t lanes, uint8_t times, AscendC::BinaryRepeatParams const& strides)
{
    uint32_t const step = strides.dstRepStride * 32u / sizeof(T);
    for (uint32_t repeat = 0; repeat < times; ++repeat) {
        Scale(dst[repeat * step], static_cast<uint32_t>(lanes));
    }
}

inline void Invert(Local<uint8_t> const& mask, uint32_t count)
{
    Scale(mask, (count + 7) / 8);
}

// ---- calls on vectors

// How: a count, or lanes, repeats and their strides
#define MUTANT_BINARY(Name, Other)                                                                                  \
    template <class T, class... How>                                                                                \
    void Name(int site, Local<T> const& dst, Local<T> const& a, Local<T> const& b, How const&... how)               \
    {                                                                                                               \
        Call const call(site, NameOf<T>());                                                                         \
        if (call.Is("swap")) {                                                                                      \
            AscendC::Name(dst, b, a, how...);                                                                       \
        } else if (call.Is("exchange")) {                                                                           \
            AscendC::Other(dst, a, b, how...);                                                                      \
        } else {                                                                                                    \
            AscendC::Name(dst, a, b, how...);                                                                       \
        }                                                                                                           \
        if (call.Is("factor") || call.Is("invert")) {                                                               \
            Scale(dst, how...);                                                                                     \
        }                                                                                                           \
    }

MUTANT_BINARY(Add, Sub)
MUTANT_BINARY(Sub, Add)
MUTANT_BINARY(Max, Min)
MUTANT_BINARY(Min, Max)
MUTANT_BINARY(And, Or)
MUTANT_BINARY(Or, And)
MUTANT_BINARY(AddRelu, Add)
MUTANT_BINARY(SubRelu, Sub)
MUTANT_BINARY(MulAddDst, FusedMulAdd)
MUTANT_BINARY(FusedMulAdd, MulAddDst)
#undef MUTANT_BINARY

template <class T, class... How>
void Mul(int site, Local<T> const& dst, Local<T> const& a, Local<T> const& b, How const&... how)
{
    Call const call(site, NameOf<T>());
    if (!call.Is("exchange")) {
        AscendC::Mul(dst, a, b, how...);
    } else if constexpr (std::is_integral_v<T>) {
        AscendC::Add(dst, a, b, how...);
    } else {
        AscendC::Div(dst, a, b, how...);
    }
    if (call.Is("factor")) {
        Scale(dst, how...);
    }
}

template <class T, class... How>
void Div(int site, Local<T> const& dst, Local<T> const& a, Local<T> const& b, How const&... how)
{
    Call const call(site, NameOf<T>());
    if (call.Is("exchange")) {
        AscendC::Mul(dst, a, b, how...);
    } else {
        AscendC::Div(dst, call.Is("swap") ? b : a, call.Is("swap") ? a : b, how...);
    }
    if (call.Is("factor")) {
        Scale(dst, how...);
    }
}

#define MUTANT_UNARY(Name, Other)                                                \
    template <class T>                                                           \
    void Name(int site, Local<T> const& dst, Local<T> const& a, uint32_t count)  \
    {                                                                            \
        Call const call(site, NameOf<T>());                                      \
        if (call.Is("exchange")) {                                               \
            AscendC::Other(dst, a, count);                                       \
        } else {                                                                 \
            AscendC::Name(dst, a, count);                                        \
        }                                                                        \
        if (call.Is("factor") || call.Is("invert")) {                            \
            Scale(dst, count);                                                   \
        }                                                                        \
    }

MUTANT_UNARY(Abs, Relu)
MUTANT_UNARY(Relu, Abs)
MUTANT_UNARY(Exp, Abs)
MUTANT_UNARY(Ln, Abs)
MUTANT_UNARY(Sqrt, Abs)
MUTANT_UNARY(Not, Not)
#undef MUTANT_UNARY

#define MUTANT_SCALAR(Name, Other)                                                                          \
    template <class T>                                                                                      \
    void Name(int site, Local<T> const& dst, Local<T> const& a, SameType<T> const& scalar, uint32_t count)  \
    {                                                                                                       \
        Call const call(site, NameOf<T>());                                                                 \
        if (call.Is("exchange")) {                                                                          \
            AscendC::Other(dst, a, scalar, count);                                                          \
        } else {                                                                                            \
            AscendC::Name(dst, a, call.Is("constant") ? Constant(scalar) : scalar, count);                  \
        }                                                                                                   \
        if (call.Is("factor")) {                                                                            \
            Scale(dst, count);                                                                              \
        }                                                                                                   \
    }

MUTANT_SCALAR(Adds, Muls)
MUTANT_SCALAR(Muls, Adds)
MUTANT_SCALAR(Maxs, Mins)
MUTANT_SCALAR(Mins, Maxs)
MUTANT_SCALAR(Axpy, Muls)
MUTANT_SCALAR(ShiftLeft, Adds)
MUTANT_SCALAR(ShiftRight, ShiftLeft)
#undef MUTANT_SCALAR

// Of the lanes of a mask, or of so many. Instead of another call, the number is twice as much.
#define MUTANT_SCALAR_OF_LANES(Name)                                                                                \
    template <class T, class Lanes>                                                                                 \
    void Name(                                                                                                      \
        int site, Local<T> const& dst, Local<T> const& a, SameType<T> const& scalar, Lanes lanes, uint8_t repeats,  \
        AscendC::UnaryRepeatParams const& strides)                                                                  \
    {                                                                                                               \
        Call const call(site, NameOf<T>());                                                                         \
        T const other = call.Is("exchange") ? static_cast<T>(scalar + scalar) : scalar;                             \
        bool const changed = call.Is("factor") || call.Is("constant");                                              \
        AscendC::Name(dst, a, changed ? Constant(scalar) : other, lanes, repeats, strides);                         \
    }

MUTANT_SCALAR_OF_LANES(Adds)
MUTANT_SCALAR_OF_LANES(Muls)
#undef MUTANT_SCALAR_OF_LANES

/// Exchanged, it has no slope.
template <class T>
void LeakyRelu(int site, Local<T> const& dst, Local<T> const& a, SameType<T> const& scalar, uint32_t count)
{
    Call const call(site, NameOf<T>());
    if (call.Is("exchange")) {
        AscendC::Relu(dst, a, count);
    } else {
        AscendC::LeakyRelu(dst, a, call.Is("constant") ? Constant(scalar) : scalar, count);
    }
    if (call.Is("factor")) {
        Scale(dst, count);
    }
}

template <class T>
void Duplicate(int site, Local<T> const& dst, SameType<T> const& scalar, uint32_t count)
{
    Call const call(site, NameOf<T>());
    AscendC::Duplicate(dst, call.Is("constant") ? Constant(scalar) : scalar, count);
    if (call.Is("factor")) {
        Scale(dst, count);
    }
}

/// Of the lanes of a mask, or of so many, in several repeats.
template <class T, class Lanes>
void Duplicate(
    int site, Local<T> const& dst, SameType<T> const& scalar, Lanes lanes, uint8_t repeats, uint16_t blockStride,
    uint8_t repeatStride)
{
    Call const call(site, NameOf<T>());
    T const value = call.Is("factor") ? Scaled(scalar) : call.Is("constant") ? Constant(scalar) : scalar;
    AscendC::Duplicate(dst, value, lanes, repeats, blockStride, repeatStride);
}

/// The comparison that differs from one only where its operands are equal.
constexpr AscendC::CMPMODE AtEquality(AscendC::CMPMODE mode)
{
    switch (mode) {
        case AscendC::CMPMODE::GT:
            return AscendC::CMPMODE::GE;
        case AscendC::CMPMODE::GE:
            return AscendC::CMPMODE::GT;
        case AscendC::CMPMODE::LT:
            return AscendC::CMPMODE::LE;
        case AscendC::CMPMODE::LE:
            return AscendC::CMPMODE::LT;
        case AscendC::CMPMODE::EQ:
            return AscendC::CMPMODE::GE;
        default:
            return AscendC::CMPMODE::GT;
    }
}

template <class T>
void Compare(
    int site, Local<uint8_t> const& dst, Local<T> const& a, Local<T> const& b, AscendC::CMPMODE mode, uint32_t count)
{
    Call const call(site, NameOf<T>());
    if (call.Is("swap")) {
        AscendC::Compare(dst, b, a, mode, count);
    } else {
        AscendC::Compare(dst, a, b, call.Is("exchange") ? AtEquality(mode) : mode, count);
    }
    if (call.Is("invert")) {
        Invert(dst, count);
    }
}

template <class T, class Other>
void Select(
    int site, Local<T> const& dst, Local<uint8_t> const& mask, Local<T> const& a, Other const& b,
    AscendC::SELMODE mode, uint32_t count)
{
    Call const call(site, NameOf<T>());
    if (call.Is("invert")) {
        Invert(mask, count);
    }
    AscendC::Select(dst, mask, a, b, mode, count);
    if (call.Is("invert")) {
        Invert(mask, count);
    }
    if (call.Is("factor")) {
        Scale(dst, count);
    }
}

/// Another way to round, if this cast has one.
template <class To, class From>
constexpr AscendC::RoundMode OtherRounding(AscendC::RoundMode mode)
{
    auto const modes = AscendC::detail::kArch.Casts(machine::kElementTypeOf<From>, machine::kElementTypeOf<To>);
    bool const truncates = (modes & machine::SetOf(machine::Rounding::Trunc)) != 0;
    if (!truncates) {
        return mode;
    }
    return mode == AscendC::RoundMode::CAST_TRUNC ? AscendC::RoundMode::CAST_RINT : AscendC::RoundMode::CAST_TRUNC;
}

template <class To, class From>
void Cast(int site, Local<To> const& dst, Local<From> const& a, AscendC::RoundMode mode, uint32_t count)
{
    constexpr bool narrows = OtherRounding<To, From>(AscendC::RoundMode::CAST_RINT) != AscendC::RoundMode::CAST_RINT &&
                             (sizeof(To) < sizeof(From) || std::is_integral_v<To>);
    Call const call(site, (std::string(NameOf<To>()) + (narrows ? "<" : "")).c_str());
    AscendC::Cast(dst, a, call.Is("rounding") ? OtherRounding<To, From>(mode) : mode, count);
    if (call.Is("factor")) {
        Scale(dst, count);
    }
}

template <class T>
void Copy(
    int site, Local<T> const& dst, Local<T> const& a, uint64_t mask, uint8_t repeat,
    AscendC::CopyRepeatParams const& params)
{
    constexpr uint32_t perBlock = 32 / sizeof(T);
    Call const call(site, NameOf<T>());
    AscendC::Copy(dst, a, mask, repeat, params);
    if (call.Is("factor")) {
        OnVectors([values = AscendC::detail::AddressOf(dst), mask, repeat, params] {
            for (uint32_t r = 0; r < repeat; ++r) {
                for (uint32_t i = 0; i < mask; ++i) {
                    uint32_t const block = r * params.dstRepeatSize + i / perBlock * params.dstStride;
                    Change(values + block * perBlock + i % perBlock, 1);
                }
            }
        });
    }
}

template <class T> void DataCopy(int site, Local<T> const& dst, Local<T> const& a, uint32_t count)
{
    Call const call(site, NameOf<T>());
    AscendC::DataCopy(dst, a, count);
    if (call.Is("factor")) {
        Scale(dst, count);
    }
}

template <class T>
void Brcb(
    int site, Local<T> const& dst, Local<T> const& a, uint8_t repeat, AscendC::BrcbRepeatParams const& params)
{
    constexpr uint32_t perBlock = 32 / sizeof(T);
    Call const call(site, NameOf<T>());
    AscendC::Brcb(dst, a, repeat, params);
    if (call.Is("factor")) {
        OnVectors([values = AscendC::detail::AddressOf(dst), repeat, params] {
            for (uint32_t i = 0; i < repeat * 8u; ++i) {
                uint32_t const block = i / 8 * params.dstRepStride + i % 8 * params.dstBlkStride;
                Change(values + block * perBlock, perBlock);
            }
        });
    }
}

/// Exchanged, each element stays where it is.
template <class T>
void Gather(
    int site, Local<T> const& dst, Local<T> const& a, Local<uint32_t> const& offsets, uint32_t base, uint32_t count)
{
    Call const call(site, NameOf<T>());
    if (call.Is("exchange")) {
        AscendC::Muls(dst, a, static_cast<T>(1.0f), count);
    } else {
        AscendC::Gather(dst, a, offsets, base, count);
    }
    if (call.Is("factor")) {
        Scale(dst, count);
    }
}

/// Of the patterns that take one element of two, the other.
template <class T>
void GatherMask(
    int site, Local<T> const& dst, Local<T> const& a, uint8_t pattern, bool counts, uint32_t count,
    AscendC::GatherMaskParams const& params, uint64_t& taken)
{
    Call const call(site, NameOf<T>());
    uint8_t const other = pattern == 1 ? 2 : 1;
    AscendC::GatherMask(dst, a, call.Is("exchange") ? other : pattern, counts, count, params, taken);
    if (call.Is("factor")) {
        constexpr uint32_t perRepeat = 256 / sizeof(T);
        Scale(dst, (counts ? count : params.repeatTimes * perRepeat) / 2);
    }
}

/// Scaled, the lists have other values and other columns.
template <class T>
void Sort32(int site, Local<T> const& dst, Local<T> const& a, Local<uint32_t> const& columns, int32_t repeat)
{
    Call const call(site, NameOf<T>());
    AscendC::Sort32(dst, a, columns, repeat);
    if (call.Is("factor")) {
        Scale(dst, static_cast<uint32_t>(repeat) * 64);
    }
}

template <class T>
void MrgSort(
    int site, Local<T> const& dst, AscendC::MrgSortSrcList<T> const& lists, AscendC::MrgSort4Info const& info)
{
    Call const call(site, NameOf<T>());
    AscendC::MrgSort(dst, lists, info);
    if (call.Is("factor")) {
        uint32_t pairs = 0;
        for (uint16_t length : info.elementLengths) { pairs += length; }
        Scale(dst, pairs * 2);
    }
}

/// The HF32 mode of the matrix unit, or the other.
inline void SetHF32Mode(int site, bool on)
{
    AscendC::SetHF32Mode(Call(site, on ? "on" : "off").Is("exchange") ? !on : on);
}

// ---- reductions

template <class T>
void ReduceSum(Local<T> const& dst, Local<T> const& a, int32_t lanes, int32_t repeats, int32_t stride)
{
    AscendC::WholeReduceSum<T>(dst, a, lanes, repeats, 1, 1, stride);
}
template <class T>
void ReduceMax(Local<T> const& dst, Local<T> const& a, int32_t lanes, int32_t repeats, int32_t stride)
{
    AscendC::WholeReduceMax<T>(dst, a, lanes, repeats, 1, 1, stride, AscendC::ReduceOrder::ORDER_ONLY_VALUE);
}
template <class T>
void ReduceMin(Local<T> const& dst, Local<T> const& a, int32_t lanes, int32_t repeats, int32_t stride)
{
    AscendC::WholeReduceMin<T>(dst, a, lanes, repeats, 1, 1, stride, AscendC::ReduceOrder::ORDER_ONLY_VALUE);
}

#define MUTANT_REDUCE(Name, Own, Other)                                                                            \
    template <class T, class... Order>                                                                             \
    void Name(                                                                                                     \
        int site, Local<T> const& dst, Local<T> const& a, int32_t lanes, int32_t repeats, int32_t dstStride,       \
        int32_t blockStride, int32_t stride, Order... order)                                                       \
    {                                                                                                              \
        Call const call(site, NameOf<T>());                                                                        \
        if (call.Is("exchange")) {                                                                                 \
            Other(dst, a, lanes, repeats, stride);                                                                 \
        } else if (call.Is("first-lane")) {                                                                        \
            Own(dst, a, 1, repeats, stride);                                                                       \
        } else if (!call.Is("lane")) {                                                                             \
            AscendC::Name<T>(dst, a, lanes, repeats, dstStride, blockStride, stride, order...);                    \
        } else if (lanes > 1) {                                                                                    \
            Own(dst, a, lanes - 1, repeats, stride);                                                               \
        }                                                                                                          \
        if (call.Is("factor")) {                                                                                   \
            Scale(dst, static_cast<uint32_t>(repeats));                                                            \
        }                                                                                                          \
    }

MUTANT_REDUCE(WholeReduceSum, ReduceSum, ReduceMax)
MUTANT_REDUCE(WholeReduceMax, ReduceMax, ReduceMin)
MUTANT_REDUCE(WholeReduceMin, ReduceMin, ReduceMax)
#undef MUTANT_REDUCE

#define MUTANT_ATOMIC(Name, Other)           \
    template <class T>                       \
    void Name(int site)                      \
    {                                        \
        Call const call(site, NameOf<T>());  \
        if (call.Is("exchange")) {           \
            AscendC::Other<T>();             \
        } else if (!call.Is("plain")) {      \
            AscendC::Name<T>();              \
        }                                    \
    }

MUTANT_ATOMIC(SetAtomicAdd, SetAtomicMax)
MUTANT_ATOMIC(SetAtomicMax, SetAtomicMin)
MUTANT_ATOMIC(SetAtomicMin, SetAtomicMax)
#undef MUTANT_ATOMIC

/// Whether there is an odd row to reduce.
inline bool OddRow(int site, bool odd)
{
    return Call(site, odd ? "odd" : "even").Is("step") ? false : odd;
}

/// Rows to reduce.
template <class T>
T Rows(int site, T rows)
{
    Call const call(site, rows > 1 ? "rows" : "even");
    if (call.Is("first-rows")) {
        return std::min<T>(rows, state.amount);
    }
    return call.Is("step") && rows > 1 ? rows - 1 : rows;
}

/// What a reduction leaves as it is, or does not.
template <class T>
T Neutral(int site, T value)
{
    T const other = value == T{0} ? T{1} : static_cast<T>(-(value / 2));
    return Call(site, "value").Is("identity") ? other : value;
}

/// Rows but the last.
inline uint32_t Fewer(int site, uint32_t rows)
{
    return Call(site, "rows").Is("last-row") ? rows - 1 : rows;
}

/// The rows of a launch that are of no matmul.
template <class Problem>
size_t RoomOf(Problem const& problem)
{
    return problem.HasRoom() ? problem.m - std::accumulate(problem.rows.begin(), problem.rows.end(), size_t{0}) : 0;
}

/// What the caller of a reduction fills its output with.
template <class T>
void Start(int site, uint8_t* address, size_t bytes, T wrong)
{
    if (Call(site, NameOf<T>()).Is("identity")) {
        for (size_t i = 0; i < bytes / sizeof(T); ++i) {
            reinterpret_cast<T*>(address)[i] = wrong;
        }
    }
}

// ---- copies, tiles and blocks

template <class CopyGmToUb>
struct Load {
    int site;

    template <class T>
    void operator()(Local<T> const& ub, Global<T> const& gm, RowMajor const& layoutUb, RowMajor const& layoutGm) const
    {
        Call const call(site, NameOf<T>());
        uint32_t const row = call.Is("row-off") ? 1 : 0;
        uint32_t const column = call.Is("column-off") ? 1 : 0;
        uint32_t const rows = layoutGm.shape(0) - row;
        uint32_t const columns = layoutGm.shape(1) - column;
        if (row + column == 0) {
            CopyGmToUb{}(ub, gm, layoutUb, layoutGm);
        } else if (rows > 0 && columns > 0) {
            CopyGmToUb{}(
                ub, gm[row * layoutGm.stride(0) + column],
                RowMajor{rows, columns, static_cast<uint32_t>(layoutUb.stride(0))},
                RowMajor{rows, columns, static_cast<uint32_t>(layoutGm.stride(0))});
        }
    }
};

template <class CopyUbToGm>
struct Store {
    int site;

    template <class T>
    void operator()(Global<T> const& gm, Local<T> const& ub, RowMajor const& layoutGm, RowMajor const& layoutUb) const
    {
        Call const call(site, NameOf<T>());
        uint32_t const rows = layoutGm.shape(0) - (call.Is("last-row") ? 1 : 0);
        uint32_t const left = call.Is("last-column") ? 1 : call.Is("last-columns") ? state.amount : 0;
        uint32_t const columns = layoutGm.shape(1) - std::min<uint32_t>(left, layoutGm.shape(1));
        if (rows > 0 && columns > 0) {
            CopyUbToGm{}(
                gm, ub, RowMajor{rows, columns, static_cast<uint32_t>(layoutGm.stride(0))},
                RowMajor{rows, columns, static_cast<uint32_t>(layoutUb.stride(0))});
        }
    }
};

/// Visits a tile, or not the last one, or not the last row or column of the last one.
template <class Visit>
void Tile(int site, MatrixCoord const& shape, bool lastRows, bool lastColumns, Visit visit)
{
    Call const call(site, "tile");
    uint32_t const rows = shape.row() - (call.Is("last-row") && lastRows ? 1 : 0);
    uint32_t const columns = shape.column() - (call.Is("last-column") && lastColumns ? 1 : 0);
    if (rows > 0 && columns > 0 && !(call.Is("last-tile") && lastRows && lastColumns)) {
        visit(MatrixCoord{rows, columns});
    }
}

/// Whether a block is the last one and left out.
inline bool LeftOut(int site, uint32_t block, uint32_t blocks)
{
    return Call(site, "block").Is("last-block") && block + 1 == blocks;
}

// ---- matmuls of a launch. What is the same either way is not reached

/// How far behind its beginning for the first matmul something begins.
template <class T>
T Begin(int site, T offset)
{
    return Call(site, offset != 0 ? "offset" : "even").Is("first") ? T{0} : offset;
}

/// The number of a block of a matmul, whose first has that number in the launch.
inline uint32_t Block(int site, uint32_t first, uint32_t block)
{
    bool const later = first != 0 && block != 0;
    return Call(site, later ? "block" : "even").Is("neighbour") && later ? block - 1 : block;
}

/// A number, or another.
inline uint32_t Instead(int site, uint32_t value, uint32_t other)
{
    Call const call(site, value != other ? "number" : "even");
    if (call.Is("constant")) {
        return 1000 * value;
    }
    return call.Is("exchange") ? other : value;
}

// ---- arguments

/// An argument, or the same changed in a digit.
template <class T>
T Constant(int site, T value)
{
    return Call(site, NameOf<T>()).Is("constant") ? Constant(value) : value;
}

/// An argument, or the one beside it.
template <class T>
T Argument(int site, T value, SameType<T> neighbour)
{
    Call const call(site, "argument");
    return call.Is("neighbour") ? neighbour : value;
}

}  // namespace mutant

#endif  // EVTGEN_SABOTAGE_NUMBERS_HPP
