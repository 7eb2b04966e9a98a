// One call of AscendC per line of the standard input, by whichever headers this is compiled against:
//   name type form count mask low high repeat dstBlock aBlock bBlock dstRepeat aRepeat bRepeat mode scalar seed
// Prints per call which bytes of UB each pipe reads and writes, and a hash of UB afterwards. A reduction of everything is
// one instruction of V in the model, and several of V and S in AscendC, which go through a buffer of the caller's: their
// pipes are not told apart, and that buffer does not count. Nor do the bytes of UB that AscendC keeps. form: 0 by count, 1 by the
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
constexpr uint32_t kGathered = 4096;  // bytes that offsets point into

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
std::string scalars;
uint8_t* ub = nullptr;
bool watching = false;

/// Whether the running case is a reduction of everything.
bool reducesAll = false;

bool Counts(uint64_t byte) { return byte < (reducesAll ? 3 * kArea : kBytes); }

void Note(std::string const& what, machine::Region const& region)
{
    if (region.space != machine::Space::UB || region.scratch
        || !Counts(static_cast<uint64_t>(static_cast<uint8_t*>(region.base) - ub))) {
        return;
    }
    std::vector<bool>& bytes = touched[what];
    bytes.resize(kBytes + 64 * 1024);
    region.ForEachRun([&bytes](uint8_t const* at, uint64_t length) {
        for (uint64_t i = 0; i < length; ++i) { bytes.at(static_cast<size_t>(at - ub) + i) = true; }
    });
}

/// A result of S.
void Scalar(char const* what, uint64_t value) { scalars += std::string(" ") + what + " " + std::to_string(value); }

void Print()
{
    std::printf("%s", scalars.c_str());
    for (auto const& [what, bytes] : touched) {
        std::printf(" %s", what.c_str());
        for (size_t i = 0; i < bytes.size(); ++i) {
            if (bytes[i] && (i == 0 || !bytes[i - 1])) {
                size_t end = i;
                while (end < bytes.size() && bytes[end]) { ++end; }
                std::printf(" %zu-%zu", i, end);
            }
        }
    }
}

constexpr machine::ArchSpec const& kTarget = machine::kArchs[machine::IndexOfArch(2201)];

template <class T, machine::Op op> constexpr bool kTakes = machine::Holds<T>::In(kTarget.Takes(op));

template <class T> struct Operands {
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
        case 0: counted(); break;
        case 1: masked(static_cast<uint64_t>(c.mask)); break;
        case 2: masked(bits); break;
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

template <class T> bool Run(Case const& c)
{
    Operands<T> const o;
    [[maybe_unused]] uint8_t const repeat = static_cast<uint8_t>(c.repeat);
    T const scalar = static_cast<T>(static_cast<float>(c.scalar));
    BinaryRepeatParams const p2(
        static_cast<uint8_t>(c.dstBlock), static_cast<uint8_t>(c.aBlock), static_cast<uint8_t>(c.bBlock),
        static_cast<uint8_t>(c.dstRepeat), static_cast<uint8_t>(c.aRepeat), static_cast<uint8_t>(c.bRepeat));
    UnaryRepeatParams const p1(
        static_cast<uint16_t>(c.dstBlock), static_cast<uint16_t>(c.aBlock), static_cast<uint8_t>(c.dstRepeat),
        static_cast<uint8_t>(c.aRepeat));
    int32_t const count = static_cast<int32_t>(c.count);
    T const distance = static_cast<T>(static_cast<float>(c.mode * 5));  // of a shift, in bits
    uint16_t const block = static_cast<uint16_t>(c.dstBlock);
    uint8_t const row = static_cast<uint8_t>(c.dstRepeat);
    LocalTensor<uint32_t> const words = o.b.template ReinterpretCast<uint32_t>();

// What a case of the name does, where T has the call.
#define CALL_OF(Name, ...) \
    if (c.name == #Name) { \
        __VA_ARGS__;       \
        return true;       \
    }
// In every form; Types: the template arguments before isSetMask; tail: the parameters after the repeats.
#define CALL_FORMS(Name, Types, tail, ...)                                                                       \
    if constexpr (kTakes<T, machine::Op::Name>) {                                                                \
        if (c.name == #Name) {                                                                                   \
            InForm<T>(                                                                                           \
                c, [&] { Name(__VA_ARGS__, count); }, [&](auto mask) { Name(__VA_ARGS__, mask, repeat, tail); }, \
                [&] { Name<Types, false>(__VA_ARGS__, MASK_PLACEHOLDER, repeat, tail); });                       \
            return true;                                                                                         \
        }                                                                                                        \
    }
// By count in form 0, by a mask in the others.
#define CALL_EITHER(Name, counted, masked) \
    if (c.name == #Name) {                 \
        c.form == 0 ? counted : masked;    \
        return true;                       \
    }
#define CALL_BINARY(Name) CALL_FORMS(Name, T, p2, o.dst, o.a, o.b)
#define CALL_UNARY(Name) CALL_FORMS(Name, T, p1, o.dst, o.a)
#define CALL_SCALAR(Name) CALL_FORMS(Name, T, p1, o.dst, o.a, scalar)
#define BOTH_TYPES T, T
#define BLOCK_AND_ROW block, row
    // clang-format off
    CALL_BINARY(Add) CALL_BINARY(Sub) CALL_BINARY(Mul) CALL_BINARY(Div) CALL_BINARY(Max) CALL_BINARY(Min)
    CALL_BINARY(And) CALL_BINARY(Or) CALL_BINARY(AddRelu) CALL_BINARY(SubRelu) CALL_BINARY(FusedMulAdd)
    CALL_BINARY(FusedMulAddRelu) CALL_UNARY(Relu) CALL_UNARY(Abs) CALL_UNARY(Exp) CALL_UNARY(Ln) CALL_UNARY(Sqrt)
    CALL_UNARY(Rsqrt) CALL_UNARY(Reciprocal) CALL_UNARY(Not) CALL_SCALAR(Adds) CALL_SCALAR(Muls) CALL_SCALAR(Maxs)
    CALL_SCALAR(Mins) CALL_SCALAR(LeakyRelu)
    CALL_FORMS(MulAddDst, BOTH_TYPES, p2, o.dst, o.a, o.b)
    CALL_FORMS(Axpy, BOTH_TYPES, p1, o.dst, o.a, scalar)
    CALL_FORMS(Duplicate, T, BLOCK_AND_ROW, o.dst, scalar)
    CALL_FORMS(ShiftLeft, T, p1, o.dst, o.a, distance)
    CALL_FORMS(ShiftRight, T, p1, o.dst, o.a, distance)
        // clang-format on
        if constexpr (kTakes<T, machine::Op::Gather>)
    {
        // Content has offsets in b.
        LocalTensor<T> const source(TPosition::VECIN, kArea, (kGathered + 96) / sizeof(T));
        uint32_t const base = (c.bBlock - 1) * 32;
        uint16_t const step = static_cast<uint16_t>(c.dstRepeat);
        if (c.name == "Gather") {
            InForm<T>(
                c, [&] { Gather(o.dst, source, words, base, c.count); },
                [&](auto mask) { Gather(o.dst, source, words, base, mask, repeat, step); }, [] {});
            return true;
        }
        if (c.name == "GatherMask") {
            using Bits = std::conditional_t<sizeof(T) == 2, uint16_t, uint32_t>;
            uint64_t kept = 0;
            bool const counts = c.form == 0;
            GatherMaskParams const p(
                static_cast<uint8_t>(c.aBlock), static_cast<uint16_t>(c.repeat), static_cast<uint16_t>(c.aRepeat),
                static_cast<uint8_t>(c.bRepeat));
            if (c.mode == 0) {
                GatherMask(o.dst, o.a, o.b.template ReinterpretCast<Bits>(), counts, c.count, p, kept);
            } else {
                GatherMask(o.dst, o.a, static_cast<uint8_t>(1 + c.seed % 7), counts, c.count, p, kept);
            }
            Scalar("kept", kept);
            return true;
        }
    }
    if constexpr (kTakes<T, machine::Op::Gatherb>) {
        LocalTensor<T> const source(TPosition::VECIN, kArea, kGathered / sizeof(T));
        GatherRepeatParams const p(static_cast<uint8_t>(c.dstBlock), row);
        CALL_OF(Gatherb, Gatherb(o.dst, source, words, repeat, p))
    }
    if constexpr (kTakes<T, machine::Op::Sort32>) {
        CALL_OF(Sort32, Sort32(o.dst, o.a, words, repeat))
        if (c.name == "MrgSort") {
            uint16_t const longest = static_cast<uint16_t>(c.mask);
            uint16_t lengths[] = {longest, longest, longest, longest};
            MrgSort4Info info(lengths, false, 15, repeat);
            if (c.mode != 0) {
                lengths[1] = static_cast<uint16_t>(c.dstRepeat + 1);
                info = MrgSort4Info(lengths, c.mode == 1, static_cast<uint16_t>(c.seed % 2 == 0 ? 7 : 3), 1);
            }
            uint32_t const list = 8 / sizeof(T) * longest;
            MrgSort(o.dst, MrgSortSrcList<T>(o.a, o.a[list], o.a[2 * list], o.a[3 * list]), info);
            uint16_t taken[4];
            GetMrgSortResult(taken[0], taken[1], taken[2], taken[3]);
            Scalar("taken", taken[0] + (uint64_t{taken[1]} << 16));
            return true;
        }
    }
    if constexpr (kTakes<T, machine::Op::Transpose>) { CALL_OF(Transpose, Transpose(o.dst, o.a)) }
    if constexpr (kTakes<T, machine::Op::TransDataTo5HD>) {
        if (c.name == "TransDataTo5HD") {
            LocalTensor<T> to[16];
            LocalTensor<T> source[16];
            for (uint32_t i = 0; i < 16; ++i) {
                to[i] = o.dst[i * c.dstBlock * 32 / sizeof(T)];
                source[i] = o.a[i * c.aBlock * 32 / sizeof(T)];
            }
            TransDataTo5HD<T>(
                to, source,
                TransDataTo5HDParams(
                    false, false, repeat, static_cast<uint16_t>(c.dstRepeat), static_cast<uint16_t>(c.aRepeat)));
            return true;
        }
    }
    if constexpr (kTakes<T, machine::Op::Copy>) {
        CopyRepeatParams const p(
            block, static_cast<uint16_t>(c.aBlock), static_cast<uint16_t>(c.dstRepeat),
            static_cast<uint16_t>(c.aRepeat));
        if (c.name == "Copy") {
            InForm<T>(
                c, [] {}, [&](auto mask) { Copy(o.dst, o.a, mask, repeat, p); },
                [&] { Copy<T, false>(o.dst, o.a, MASK_PLACEHOLDER, repeat, p); });
            return true;
        }
    }
    if constexpr (kTakes<T, machine::Op::Brcb>) {
        CALL_OF(Brcb, Brcb(o.dst, o.a, repeat, BrcbRepeatParams(block, static_cast<uint16_t>(c.dstRepeat))))
    }
    int32_t const mask = static_cast<int32_t>(c.mask);
    int32_t const times = static_cast<int32_t>(c.repeat);
    int32_t const step = static_cast<int32_t>(c.aRepeat);
    if constexpr (kTakes<T, machine::Op::Compare>) {
        uint64_t const full = 256 / sizeof(T);
        uint32_t const whole = static_cast<uint32_t>((c.count + full - 1) / full * full);
        CMPMODE const comparison = static_cast<CMPMODE>(c.seed % 6);
        SELMODE const mode = c.mode == 0 ? SELMODE::VSEL_CMPMASK_SPR : SELMODE::VSEL_TENSOR_TENSOR_MODE;
        LocalTensor<uint8_t> const bits = o.dst.template ReinterpretCast<uint8_t>();
        LocalTensor<uint8_t> const chosen = o.tmp.template ReinterpretCast<uint8_t>();
        uint64_t const first = c.mask;
        bool const withIndex = c.mode == 1;
        CALL_EITHER(
            Compare, Compare(bits, o.a, o.b, comparison, whole), Compare(bits, o.a, o.b, comparison, full, repeat, p2))
        CALL_EITHER(
            CompareScalar, CompareScalar(bits, o.a, scalar, comparison, whole),
            CompareScalar(bits, o.a, scalar, comparison, full, repeat, p1))
        CALL_EITHER(
            Compares, Compares(bits, o.a, scalar, comparison, whole),
            Compares(bits, o.a, scalar, comparison, full, repeat, p1))
        if (c.mode == 1) {
            constexpr SELMODE kScalar = SELMODE::VSEL_TENSOR_SCALAR_MODE;
            CALL_EITHER(
                Select, Select(o.dst, chosen, o.a, scalar, kScalar, c.count),
                Select(o.dst, chosen, o.a, scalar, kScalar, first, repeat, p2))
        }
        CALL_EITHER(
            Select, Select(o.dst, chosen, o.a, o.b, mode, c.count),
            Select(o.dst, chosen, o.a, o.b, mode, first, repeat, p2))
        CALL_EITHER(ReduceSum, ReduceSum(o.dst, o.a, o.tmp, count), ReduceSum(o.dst, o.a, o.tmp, mask, times, step))
        CALL_EITHER(
            ReduceMax, ReduceMax(o.dst, o.a, o.tmp, count, withIndex),
            ReduceMax(o.dst, o.a, o.tmp, mask, times, step, withIndex))
        CALL_EITHER(
            ReduceMin, ReduceMin(o.dst, o.a, o.tmp, count, withIndex),
            ReduceMin(o.dst, o.a, o.tmp, mask, times, step, withIndex))
    }
    if constexpr (kTakes<T, machine::Op::WholeReduceSum>) {
        int32_t const to = static_cast<int32_t>(c.dstRepeat);
        int32_t const from = static_cast<int32_t>(c.aBlock);
        ReduceOrder const order = static_cast<ReduceOrder>(c.mode % 4);
        CALL_OF(WholeReduceSum, WholeReduceSum(o.dst, o.a, mask, times, to, from, step))
        CALL_OF(WholeReduceMax, WholeReduceMax(o.dst, o.a, mask, times, to, from, step, order))
        CALL_OF(WholeReduceMin, WholeReduceMin(o.dst, o.a, mask, times, to, from, step, order))
        CALL_OF(RepeatReduceSum, RepeatReduceSum(o.dst, o.a, times, mask, 0, from, to, step))
        CALL_OF(BlockReduceSum, BlockReduceSum(o.dst, o.a, times, mask, to, from, step))
        CALL_OF(BlockReduceMax, BlockReduceMax(o.dst, o.a, times, mask, to, from, step))
        CALL_OF(BlockReduceMin, BlockReduceMin(o.dst, o.a, times, mask, to, from, step))
        CALL_OF(ReduceRepeat, ReduceRepeat<ReduceType::MAX, T>(o.dst, o.a, mask, times, to, from, step, order))
        CALL_OF(ReduceDataBlock, ReduceDataBlock<ReduceType::SUM, T>(o.dst, o.a, mask, times, to, from, step))
        CALL_OF(ReducePairElem, ReducePairElem<ReduceType::SUM, T>(o.dst, o.a, mask, times, to, from, step))
        CALL_OF(PairReduceSum, PairReduceSum(o.dst, o.a, times, mask, to, from, step))
    }
    return false;
}

/// A conversion; the type of a case is "from>to".
template <class S, class D> bool Convert(Case const& c)
{
    LocalTensor<D> const dst(TPosition::VECOUT, 0, kArea / sizeof(D));
    LocalTensor<S> const a(TPosition::VECIN, kArea, kArea / sizeof(S));
    RoundMode const mode = static_cast<RoundMode>(c.mode);
    UnaryRepeatParams const p(
        static_cast<uint16_t>(c.dstBlock), static_cast<uint16_t>(c.aBlock), static_cast<uint8_t>(c.dstRepeat),
        static_cast<uint8_t>(c.aRepeat));
    uint8_t const repeat = static_cast<uint8_t>(c.repeat);
    using Wider = std::conditional_t<(sizeof(D) > sizeof(S)), D, S>;
    InForm<Wider>(
        c, [&] { Cast(dst, a, mode, c.count); }, [&](auto mask) { Cast(dst, a, mode, mask, repeat, p); },
        [&] { Cast<D, S, false>(dst, a, mode, MASK_PLACEHOLDER, repeat, p); });
    return true;
}

bool RunCast(Case const& c)
{
#define CONVERT(S, D) \
    if (c.type == #S ">" #D) { return Convert<S, D>(c); }
    // clang-format off
    CONVERT(half, float) CONVERT(half, int32_t) CONVERT(half, int16_t) CONVERT(half, int8_t) CONVERT(half, uint8_t)
    CONVERT(bfloat16_t, float) CONVERT(bfloat16_t, int32_t) CONVERT(int8_t, half) CONVERT(uint8_t, half)
    CONVERT(int16_t, half) CONVERT(int16_t, float) CONVERT(int32_t, float) CONVERT(int32_t, int16_t)
    CONVERT(float, float) CONVERT(float, half) CONVERT(float, bfloat16_t) CONVERT(float, int16_t)
    CONVERT(float, int32_t)
        // clang-format on
        return false;
}

bool RunAs(Case const& c)
{
    if (c.name == "Cast") { return RunCast(c); }
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
    if (c.name == "Gather" || c.name == "Gatherb") {
        uint32_t const unit = c.name == "Gatherb" ? 32 : type == "float" || type == "int32_t" ? 4 : 2;
        for (uint32_t at = 2 * kArea; at < 3 * kArea; at += sizeof(uint32_t)) {
            uint32_t const offset = static_cast<uint32_t>(random() % (kGathered / unit)) * unit;
            __builtin_memcpy(&bytes[at], &offset, sizeof(offset));
        }
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
        std::string const pipe = reducesAll ? "V" : machine::PipeName(instruction.pipe);
        std::string const name = instruction.name;
        for (size_t i = 0; i < instruction.readCount; ++i) {
            machine::Region region = instruction.reads[i];
            if (i == 0 && (name == "Gather" || name == "Gatherb")) {
                region.length = 1;  // where it starts: AscendC does not tell its intrinsics how long a source is
            }
            Note(pipe + ".reads", region);
        }
        for (size_t i = 0; i < instruction.writeCount; ++i) { Note(pipe + ".writes", instruction.writes[i]); }
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
        scalars.clear();
        reducesAll = c.name == "ReduceSum" || c.name == "ReduceMax" || c.name == "ReduceMin";
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
        for (size_t i = 0; Counts(i); ++i) { hash = (hash ^ result[i]) * 0x100000001b3u; }
        std::printf("%s %016llx", known ? "ran" : "unknown", static_cast<unsigned long long>(hash));
        Print();
        std::puts("");
    }
}
