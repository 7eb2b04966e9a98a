// One call of AscendC per line of the standard input, by whichever headers this is compiled against:
//   name type form count mask low high repeat dstBlock aBlock bBlock dstRepeat aRepeat bRepeat mode scalar seed
// Prints per call which bytes of UB each pipe reads and writes, and a hash of UB afterwards. form: 0 by count, 1 by the
// first elements, 2 by bits, 3 by the core's mask, 4 in counter mode.
#include <algorithm>
#include <array>
#include <cstdio>
#include <iostream>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "kernel_operator.h"
#include "machine/launch.hpp"
#include "machine/memory.hpp"
#include "machine/record.hpp"
#include "machine/targets.hpp"

using namespace AscendC;

namespace {

constexpr uint32_t kArea = 44 * 1024;
constexpr uint32_t kBytes = 4 * kArea;

struct Case {
    std::string name, type;
    int form;
    uint32_t count, mask;
    uint64_t low, high;
    uint32_t repeat;
    uint32_t dstBlock, aBlock, bBlock, dstRepeat, aRepeat, bRepeat, mode;
    int scalar;
    uint32_t seed;
};

/// Per pipe and direction, which bytes of UB.
std::map<std::string, std::vector<bool>> touched;
uint8_t* ub = nullptr;
bool watching = false;

void Note(std::string const& what, machine::Region const& region)
{
    if (region.space != machine::Space::UB || region.scratch) {
        return;
    }
    std::vector<bool>& bytes = touched[what];
    bytes.resize(kBytes + 64 * 1024);
    region.ForEachRun([&bytes](uint8_t const* at, uint64_t length) {
        for (uint64_t i = 0; i < length; ++i) {
            bytes.at(static_cast<size_t>(at - ub) + i) = true;
        }
    });
}

void Print()
{
    for (auto const& [what, bytes] : touched) {
        std::printf(" %s", what.c_str());
        for (size_t i = 0; i < bytes.size(); ++i) {
            if (bytes[i] && (i == 0 || !bytes[i - 1])) {
                size_t end = i;
                while (end < bytes.size() && bytes[end]) {
                    ++end;
                }
                std::printf(" %zu-%zu", i, end);
            }
        }
    }
}

constexpr machine::ArchSpec const& kTarget = machine::kArchs[machine::IndexOfArch(2201)];

template <class T, machine::Op op>
constexpr bool kTakes = machine::Holds<T>::In(kTarget.Takes(op));

template <class T>
struct Operands {
    LocalTensor<T> dst{TPosition::VECOUT, 0, kArea / sizeof(T)};
    LocalTensor<T> a{TPosition::VECIN, kArea, kArea / sizeof(T)};
    LocalTensor<T> b{TPosition::VECIN, 2 * kArea, kArea / sizeof(T)};
    LocalTensor<T> tmp{TPosition::VECCALC, 3 * kArea, kArea / sizeof(T)};
};

/// Runs `masked(mask)` in the form of the case; `counted` in form 0.
template <class T, class Counted, class Masked, class OfCore>
void InForm(Case const& c, Counted&& counted, Masked&& masked, OfCore&& ofCore)
{
    uint64_t bits[2] = {c.low, sizeof(T) == 2 ? c.high : 0};
    switch (c.form) {
        case 0:
            counted();
            break;
        case 1:
            masked(static_cast<uint64_t>(c.mask));
            break;
        case 2:
            masked(bits);
            break;
        case 3:
            SetVectorMask<T>(bits[1], bits[0]);
            ofCore();
            ResetMask();
            break;
        default:
            SetMaskCount();
            SetVectorMask<T, MaskMode::COUNTER>(0, c.count);
            ofCore();
            SetMaskNorm();
            ResetMask();
    }
}

template <class T>
bool Run(Case const& c)
{
    Operands<T> const o;
    uint8_t const repeat = static_cast<uint8_t>(c.repeat);
    T const scalar = static_cast<T>(static_cast<float>(c.scalar));
    BinaryRepeatParams const p2(
        static_cast<uint8_t>(c.dstBlock), static_cast<uint8_t>(c.aBlock), static_cast<uint8_t>(c.bBlock),
        static_cast<uint8_t>(c.dstRepeat), static_cast<uint8_t>(c.aRepeat), static_cast<uint8_t>(c.bRepeat));
    UnaryRepeatParams const p1(
        static_cast<uint16_t>(c.dstBlock), static_cast<uint16_t>(c.aBlock), static_cast<uint8_t>(c.dstRepeat),
        static_cast<uint8_t>(c.aRepeat));
    int32_t const count = static_cast<int32_t>(c.count);
    (void)scalar;
    (void)repeat;
    (void)count;

#define CALL_BINARY(Name)                                                                                              \
    if constexpr (kTakes<T, machine::Op::Name>) {                                                                      \
        if (c.name == #Name) {                                                                                         \
            InForm<T>(                                                                                                 \
                c, [&] { Name(o.dst, o.a, o.b, count); }, [&](auto mask) { Name(o.dst, o.a, o.b, mask, repeat, p2); }, \
                [&] { Name<T, false>(o.dst, o.a, o.b, MASK_PLACEHOLDER, repeat, p2); });                               \
            return true;                                                                                               \
        }                                                                                                              \
    }
#define CALL_UNARY(Name)                                                                                     \
    if constexpr (kTakes<T, machine::Op::Name>) {                                                            \
        if (c.name == #Name) {                                                                               \
            InForm<T>(                                                                                       \
                c, [&] { Name(o.dst, o.a, count); }, [&](auto mask) { Name(o.dst, o.a, mask, repeat, p1); }, \
                [&] { Name<T, false>(o.dst, o.a, MASK_PLACEHOLDER, repeat, p1); });                          \
            return true;                                                                                     \
        }                                                                                                    \
    }
#define CALL_SCALAR(Name)                                                                   \
    if constexpr (kTakes<T, machine::Op::Name>) {                                           \
        if (c.name == #Name) {                                                              \
            InForm<T>(                                                                      \
                c, [&] { Name(o.dst, o.a, scalar, count); },                                \
                [&](auto mask) { Name(o.dst, o.a, scalar, mask, repeat, p1); },             \
                [&] { Name<T, false>(o.dst, o.a, scalar, MASK_PLACEHOLDER, repeat, p1); }); \
            return true;                                                                    \
        }                                                                                   \
    }
    CALL_BINARY(Add)
    CALL_BINARY(Sub)
    CALL_BINARY(Mul)
    CALL_BINARY(Div)
    CALL_BINARY(Max)
    CALL_BINARY(Min)
    CALL_BINARY(And)
    CALL_BINARY(Or)
    CALL_BINARY(AddRelu)
    CALL_BINARY(SubRelu)
    CALL_UNARY(Relu)
    CALL_UNARY(Abs)
    CALL_UNARY(Exp)
    CALL_UNARY(Ln)
    CALL_UNARY(Sqrt)
    CALL_UNARY(Rsqrt)
    CALL_UNARY(Reciprocal)
    CALL_UNARY(Not)
    CALL_SCALAR(Adds)
    CALL_SCALAR(Muls)
    CALL_SCALAR(Maxs)
    CALL_SCALAR(Mins)
    CALL_SCALAR(LeakyRelu)
    if constexpr (kTakes<T, machine::Op::Duplicate>) {
        uint16_t const block = static_cast<uint16_t>(c.dstBlock);
        uint8_t const row = static_cast<uint8_t>(c.dstRepeat);
        if (c.name == "Duplicate") {
            InForm<T>(
                c, [&] { Duplicate(o.dst, scalar, count); },
                [&](auto mask) { Duplicate(o.dst, scalar, mask, repeat, block, row); },
                [&] { Duplicate<T, false>(o.dst, scalar, MASK_PLACEHOLDER, repeat, block, row); });
            return true;
        }
    }
    if constexpr (kTakes<T, machine::Op::Copy>) {
        CopyRepeatParams const p(
            static_cast<uint16_t>(c.dstBlock), static_cast<uint16_t>(c.aBlock), static_cast<uint16_t>(c.dstRepeat),
            static_cast<uint16_t>(c.aRepeat));
        if (c.name == "Copy") {
            InForm<T>(
                c, [] {}, [&](auto mask) { Copy(o.dst, o.a, mask, repeat, p); },
                [&] { Copy<T, false>(o.dst, o.a, MASK_PLACEHOLDER, repeat, p); });
            return true;
        }
    }
    if constexpr (kTakes<T, machine::Op::WholeReduceSum>) {
        int32_t const mask = static_cast<int32_t>(c.mask);
        int32_t const row = static_cast<int32_t>(c.dstRepeat);
        int32_t const block = static_cast<int32_t>(c.aBlock);
        int32_t const step = static_cast<int32_t>(c.aRepeat);
        int32_t const times = static_cast<int32_t>(c.repeat);
        ReduceOrder const order = static_cast<ReduceOrder>(c.mode % 4);
        if (c.name == "WholeReduceSum") {
            WholeReduceSum(o.dst, o.a, mask, times, row, block, step);
            return true;
        }
        if (c.name == "WholeReduceMax") {
            WholeReduceMax(o.dst, o.a, mask, times, row, block, step, order);
            return true;
        }
        if (c.name == "WholeReduceMin") {
            WholeReduceMin(o.dst, o.a, mask, times, row, block, step, order);
            return true;
        }
        if (c.name == "RepeatReduceSum") {
            RepeatReduceSum(o.dst, o.a, times, mask, 0, block, row, step);
            return true;
        }
        if (c.name == "BlockReduceSum") {
            BlockReduceSum(o.dst, o.a, times, mask, row, block, step);
            return true;
        }
        if (c.name == "BlockReduceMax") {
            BlockReduceMax(o.dst, o.a, times, mask, row, block, step);
            return true;
        }
        if (c.name == "BlockReduceMin") {
            BlockReduceMin(o.dst, o.a, times, mask, row, block, step);
            return true;
        }
        if (c.name == "PairReduceSum") {
            PairReduceSum(o.dst, o.a, times, mask, row, block, step);
            return true;
        }
    }
    return false;
}

bool RunAs(Case const& c)
{
    return c.type == "half"       ? Run<half>(c)
           : c.type == "float"    ? Run<float>(c)
           : c.type == "int16_t"  ? Run<int16_t>(c)
           : c.type == "uint16_t" ? Run<uint16_t>(c)
                                  : Run<int32_t>(c);
}

/// Small numbers of the case's type.
std::vector<uint8_t> Content(Case const& c)
{
    std::string const type = c.type.substr(0, c.type.find('>'));
    std::vector<uint8_t> bytes(kBytes);
    std::mt19937 random(c.seed);
    auto const fill = [&](auto zero) {
        using T = decltype(zero);
        for (size_t i = 0; i < kBytes / sizeof(T); ++i) {
            T const value = static_cast<T>(static_cast<float>(static_cast<int>(random() % 401) - 200) / 4);
            __builtin_memcpy(&bytes[i * sizeof(T)], &value, sizeof(T));
        }
    };
    if (type == "half") {
        fill(half(0.0f));
    } else if (type == "bfloat16_t") {
        fill(bfloat16_t(0.0f));
    } else if (type == "float") {
        fill(0.0f);
    } else if (type == "int32_t") {
        fill(int32_t{0});
    } else {
        fill(int16_t{0});
    }
    return bytes;
}

}  // namespace

// Between the machine's calls and its own Record, by the linker.
void Real(machine::Instruction&& instruction) __asm__("__real__ZN7machine6RecordEONS_11InstructionE");
void Wrapped(machine::Instruction&& instruction) __asm__("__wrap__ZN7machine6RecordEONS_11InstructionE");
void Wrapped(machine::Instruction&& instruction)
{
    if (watching) {
        std::string const pipe = machine::PipeName(instruction.pipe);
        for (size_t i = 0; i < instruction.readCount; ++i) {
            Note(pipe + ".reads", instruction.reads[i]);
        }
        for (size_t i = 0; i < instruction.writeCount; ++i) {
            Note(pipe + ".writes", instruction.writes[i]);
        }
    }
    Real(std::move(instruction));
}

int main()
{
    auto* const from = static_cast<uint8_t*>(machine::AllocateGlobal(kBytes));
    auto* const to = static_cast<uint8_t*>(machine::AllocateGlobal(kBytes));
    Case c;
    while (std::cin >> c.name >> c.type >> c.form >> c.count >> c.mask >> c.low >> c.high >> c.repeat >> c.dstBlock
           >> c.aBlock >> c.bBlock >> c.dstRepeat >> c.aRepeat >> c.bRepeat >> c.mode >> c.scalar >> c.seed) {
        std::vector<uint8_t> const content = Content(c);
        machine::WriteGlobal(from, content.data(), kBytes);
        touched.clear();
        bool known = false;
        machine::Launch("agreement", 1, machine::KernelKind::AivOnly, [&](machine::Role) {
            TPipe pipe;
            GlobalTensor<int32_t> in;
            GlobalTensor<int32_t> out;
            in.SetGlobalBuffer(reinterpret_cast<__gm__ int32_t*>(from));
            out.SetGlobalBuffer(reinterpret_cast<__gm__ int32_t*>(to));
            LocalTensor<int32_t> const all(TPosition::VECIN, 0, kBytes / sizeof(int32_t));
            ub = static_cast<uint8_t*>(machine::LocalAddress(machine::Space::UB, 0, kBytes));
            DataCopy(all, in, kBytes / sizeof(int32_t));
            PipeBarrier<PIPE_ALL>();
            watching = true;
            known = RunAs(c);
            watching = false;
            PipeBarrier<PIPE_ALL>();
            DataCopy(out, all, kBytes / sizeof(int32_t));
        });
        std::vector<uint8_t> result(kBytes);
        machine::ReadGlobal(result.data(), to, kBytes);
        uint64_t hash = 0xcbf29ce484222325u;
        for (uint8_t const byte : result) {
            hash = (hash ^ byte) * 0x100000001b3u;
        }
        std::printf("%s %016llx", known ? "ran" : "unknown", static_cast<unsigned long long>(hash));
        Print();
        std::puts("");
    }
}
