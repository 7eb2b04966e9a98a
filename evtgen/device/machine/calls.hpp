// The AscendC calls of calls.def as an enumeration, with the facts that the file lists for each.
#pragma once

#include <cstddef>
#include <cstdint>

namespace machine {

enum class Op : uint8_t {
#define EVT_ARITH(name, shape, domain, price, off, value) name,
#define EVT_CALL(name) name,
#include "calls.def"
#undef EVT_ARITH
#undef EVT_CALL
};

/// The operands of a call; Own: its signatures are its own.
enum class Shape : uint8_t { Unary, Binary, Scalar, Flexible, Function, Fill, Move, Accumulate, AccumulateScalar, Own };

/// The kind of element that a call computes with.
enum class Domain : uint8_t { Numbers, Floats, Integers, Bits, Bytes, None };

/// The cost class of a repeat where targets/ have no price of the call.
enum class PriceClass : uint8_t { Simple, Iterates };

/// How far a float of a call may be off on a device, by its page.
enum class Off : uint8_t { Exact, Ulp, Quotient, Short };

struct OpInfo {
    char const* name;
    Shape shape;
    Domain domain;
    PriceClass price;
    Off off;
};

inline constexpr OpInfo kOps[] = {
#define EVT_ARITH(name, shape, domain, price, off, value) \
    {#name, Shape::shape, Domain::domain, PriceClass::price, Off::off},
#define EVT_CALL(name) {#name, Shape::Own, Domain::None, PriceClass::Simple, Off::Exact},
#include "calls.def"
#undef EVT_ARITH
#undef EVT_CALL
};
constexpr size_t kOpCount = sizeof(kOps) / sizeof(kOps[0]);

constexpr OpInfo const& InfoOf(Op op) { return kOps[static_cast<size_t>(op)]; }

constexpr bool ReadsFirst(Op op) { return InfoOf(op).shape != Shape::Fill; }

constexpr bool ReadsSecond(Op op) { return InfoOf(op).shape == Shape::Binary || InfoOf(op).shape == Shape::Accumulate; }

/// Whether a call also reads its destination.
constexpr bool ReadsDestination(Op op)
{
    return InfoOf(op).shape == Shape::Accumulate || InfoOf(op).shape == Shape::AccumulateScalar;
}

}  // namespace machine
