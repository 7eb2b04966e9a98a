// The calls beyond elementwise arithmetic, each against a plain loop. Prints
// what is wrong; the exit status says whether anything was. With the argument
// "pipeline BUFFERS", runs a load-compute-store loop instead, for timing and
// trace.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <functional>
#include <string>

#include "../../evtgen/device/machine/memory.hpp"
#include "kernel_operator.h"

using namespace AscendC;

namespace {

int failures = 0;

void Expect(char const* what, int at, float got, float want)
{
    if (!(got == want)) {
        std::printf("%s[%d]: %g, expected %g\n", what, at, static_cast<double>(got), static_cast<double>(want));
        ++failures;
    }
}

constexpr int kCount = 256;

float Value(int i) { return static_cast<float>((i * 37) % 101 - 50); }

struct Buffers {
    LocalTensor<float> a, b, c, d;
    LocalTensor<half> h;
    LocalTensor<uint8_t> bits;

    Buffers()
    {
        TPipe pipe;
        TBuf<TPosition::VECCALC> buf;
        pipe.InitBuffer(buf, 64 * 1024);
        LocalTensor<uint8_t> const ub = buf.Get<uint8_t>();
        a = ub.ReinterpretCast<float>();
        b = ub[8 * 1024].ReinterpretCast<float>();
        c = ub[16 * 1024].ReinterpretCast<float>();
        d = ub[24 * 1024].ReinterpretCast<float>();
        h = ub[32 * 1024].ReinterpretCast<half>();
        bits = ub[40 * 1024];
        for (int i = 0; i < kCount; ++i) {
            a.SetValue(i, Value(i));
            b.SetValue(i, Value(i + 13));
        }
        PipeBarrier<PIPE_ALL>();
    }
};

void Reductions()
{
    Buffers u;
    float sum = 0;
    int first = 0;
    for (int i = 0; i < kCount; ++i) {
        sum += Value(i);
        first = Value(i) > Value(first) ? i : first;
    }
    ReduceSum(u.c, u.a, u.d, kCount);
    ReduceMax(u.c[8], u.a, u.d, kCount, true);
    PipeBarrier<PIPE_V>();
    ReduceMin(u.c[16], u.a, u.d, 64, 4, 8);
    WholeReduceSum(u.c[24], u.a, 64, 4, 1, 1, 8);
    WholeReduceMax(u.c[32], u.a, 64, 4, 1, 1, 8, ReduceOrder::ORDER_ONLY_VALUE);
    RepeatReduceSum(u.c[40], u.a, 4, 10, 0, 1, 1, 8);
    BlockReduceSum(u.c[48], u.a, 4, 64, 1, 1, 8);
    BlockReduceMax(u.c[80], u.a, 4, 64, 1, 1, 8);
    PairReduceSum(u.c[128], u.a, 4, 64, 1, 1, 8);
    PipeBarrier<PIPE_ALL>();
    Expect("ReduceSum", 0, u.c.GetValue(0), sum);
    Expect("ReduceMax", 0, u.c.GetValue(8), 50);
    Expect(
        "ReduceMax index", 0, static_cast<float>(u.c.ReinterpretCast<int32_t>().GetValue(9)),
        static_cast<float>(first));
    Expect("ReduceMin", 0, u.c.GetValue(16), -50);
    for (int r = 0; r < 4; ++r) {
        float whole = 0;
        float ten = 0;
        float largest = Value(64 * r);
        for (int i = 64 * r; i < 64 * r + 64; ++i) {
            whole += Value(i);
            ten += i < 64 * r + 10 ? Value(i) : 0;
            largest = std::max(largest, Value(i));
        }
        Expect("WholeReduceSum", r, u.c.GetValue(24 + r), whole);
        Expect("WholeReduceMax", r, u.c.GetValue(32 + r), largest);
        Expect("RepeatReduceSum", r, u.c.GetValue(40 + r), ten);
    }
    for (int g = 0; g < 32; ++g) {
        float block = 0;
        float largest = Value(8 * g);
        for (int i = 8 * g; i < 8 * g + 8; ++i) {
            block += Value(i);
            largest = std::max(largest, Value(i));
        }
        Expect("BlockReduceSum", g, u.c.GetValue(48 + g), block);
        Expect("BlockReduceMax", g, u.c.GetValue(80 + g), largest);
    }
    for (int p = 0; p < 128; ++p) {
        Expect("PairReduceSum", p, u.c.GetValue(128 + p), Value(2 * p) + Value(2 * p + 1));
    }
}

void Selections()
{
    Buffers u;
    Compare(u.bits, u.a, u.b, CMPMODE::LT, kCount);
    Compares(u.bits[64], u.a, 0.0f, CMPMODE::GE, kCount);
    PipeBarrier<PIPE_V>();
    Select(u.c, u.bits, u.a, u.b, SELMODE::VSEL_TENSOR_TENSOR_MODE, kCount);
    Select(u.d, u.bits[64], u.a, -1.0f, SELMODE::VSEL_TENSOR_SCALAR_MODE, kCount);
    Select(u.c[kCount], u.bits, u.a, u.b, SELMODE::VSEL_CMPMASK_SPR, kCount);
    PipeBarrier<PIPE_ALL>();
    for (int i = 0; i < kCount; ++i) {
        Expect(
            "Compare", i, static_cast<float>(u.bits.GetValue(i / 8) >> (i % 8) & 1), Value(i) < Value(i + 13) ? 1 : 0);
        Expect("Select tensor", i, u.c.GetValue(i), std::min(Value(i), Value(i + 13)));
        Expect("Select scalar", i, u.d.GetValue(i), Value(i) >= 0 ? Value(i) : -1);
        bool const bit = Value(i % 64) < Value(i % 64 + 13);
        Expect("Select same bits", i, u.c.GetValue(kCount + i), bit ? Value(i) : Value(i + 13));
    }
}

void Masks()
{
    Buffers u;
    Duplicate(u.c, 7.0f, kCount);
    Duplicate(u.d, 7.0f, kCount);
    Cast(u.h, u.a, RoundMode::CAST_NONE, kCount);
    PipeBarrier<PIPE_V>();
    uint64_t mask[2] = {0x5555555555555555u, 0};
    Add(u.c, u.a, u.b, mask, 4, BinaryRepeatParams(1, 1, 1, 8, 8, 8));
    // Not the first of its block, which is where an operand begins all the same
    uint64_t odd[2] = {0xAAAAAAAAAAAAAAAAu, 0};
    Adds(u.c[1536], u.a, 5.0f, odd, 1, UnaryRepeatParams());
    // Every second block of the source, gathered; one row of the other source for
    // all repeats.
    Mul(u.d, u.a, u.b, uint64_t{32}, 2, BinaryRepeatParams(1, 2, 1, 4, 8, 0));
    Cast(u.d[512], u.h, RoundMode::CAST_NONE, uint64_t{64}, 4, UnaryRepeatParams(1, 1, 8, 4));
    SetMaskCount();
    SetVectorMask<float, MaskMode::COUNTER>(100);
    Adds<float, false>(u.c[512], u.a, 1.0f, MASK_PLACEHOLDER, 1, UnaryRepeatParams());
    SetMaskNorm();
    SetVectorMask<float>(3);
    Copy<float, false>(u.c[1024], u.a, MASK_PLACEHOLDER, 2, CopyRepeatParams(1, 1, 8, 8));
    ResetMask();
    PipeBarrier<PIPE_ALL>();
    for (int i = 0; i < kCount; ++i) {
        Expect("Add by bits", i, u.c.GetValue(i), i % 2 == 0 ? Value(i) + Value(i + 13) : 7);
        Expect("Cast by mask", i, u.d.GetValue(512 + i), Value(i));
    }
    for (int r = 0; r < 2; ++r) {
        for (int i = 0; i < 32; ++i) {
            float const want = Value(r * 64 + i / 8 * 16 + i % 8) * Value(i + 13);
            Expect("Mul by strides", r * 32 + i, u.d.GetValue(r * 32 + i), want);
        }
        for (int i = 0; i < 3; ++i) { Expect("Copy by mask", i, u.c.GetValue(1024 + r * 64 + i), Value(r * 64 + i)); }
    }
    for (int i = 1; i < 64; i += 2) { Expect("Adds by bits", i, u.c.GetValue(1536 + i), Value(i) + 5); }
    for (int i = 0; i < 100; ++i) { Expect("Adds by counter", i, u.c.GetValue(512 + i), Value(i) + 1); }
}

void Fused()
{
    Buffers u;
    Duplicate(u.c, 3.0f, kCount);
    Duplicate(u.d, 3.0f, kCount);
    Cast(u.h, u.a, RoundMode::CAST_NONE, kCount);
    Brcb(u.c[512], u.a, 2, BrcbRepeatParams(1, 8));
    PipeBarrier<PIPE_V>();
    MulAddDst(u.c, u.a, u.b, kCount);
    Axpy(u.d, u.h, half(2), kCount);
    PipeBarrier<PIPE_V>();
    AddRelu(u.b, u.a, u.b, kCount);
    PipeBarrier<PIPE_ALL>();
    for (int i = 0; i < kCount; ++i) {
        Expect("MulAddDst", i, u.c.GetValue(i), 3 + Value(i) * Value(i + 13));
        Expect("Axpy", i, u.d.GetValue(i), 3 + 2 * Value(i));
        Expect("AddRelu", i, u.b.GetValue(i), std::max(0.0f, Value(i) + Value(i + 13)));
    }
    for (int i = 0; i < 16 * 8; ++i) { Expect("Brcb", i, u.c.GetValue(512 + i), Value(i / 8)); }
}

/// Sixteen blocks of T at `from`, transposed to `to` by lists of addresses,
/// `repeats` times. With `shuffled`, the order of the sources is not that of
/// their addresses.
template <class T> void Transposition(char const* name, uint8_t repeats, bool shuffled, bool highHalf)
{
    constexpr uint32_t perBlock = sizeof(T) == 1 ? 16 : 32 / sizeof(T);
    constexpr uint32_t stride = 32 / sizeof(T);
    uint32_t const half = highHalf ? 16 : 0;
    TPipe pipe;
    TBuf<TPosition::VECCALC> buf;
    pipe.InitBuffer(buf, 16 * 1024);
    LocalTensor<T> const from = buf.GetWithOffset<T>(8192 / sizeof(T), 0);
    LocalTensor<T> const to = buf.GetWithOffset<T>(8192 / sizeof(T), 8192);
    for (uint32_t i = 0; i < 16 * stride * repeats; ++i) {
        if (i % stride - half < perBlock) { from.SetValue(i, static_cast<T>(static_cast<float>(i % 120))); }
    }
    PipeBarrier<PIPE_ALL>();
    uint64_t sources[16];
    uint64_t destinations[16];
    LocalTensor<T> rows[16];
    LocalTensor<T> columns[16];
    for (uint32_t i = 0; i < 16; ++i) {
        uint32_t const row = shuffled ? 2 * (i % 8) + i / 8 : i;
        rows[i] = from[row * stride * repeats];
        sources[i] = row * stride * repeats * sizeof(T) + from.GetPhyAddr();
        columns[i] = to[i * stride];
        destinations[i] = i * stride * sizeof(T) + to.GetPhyAddr();
    }
    uint16_t const forward = repeats == 1 ? 0 : 16;
    TransDataTo5HDParams const params{
        highHalf, highHalf, repeats, forward, static_cast<uint16_t>(repeats == 1 ? 0 : 1)};
    if (repeats == 1) {
        TransDataTo5HD(columns, rows, params);
    } else {
        TransDataTo5HD<T>(destinations, sources, params);
    }
    PipeBarrier<PIPE_ALL>();
    for (uint32_t repeat = 0; repeat < repeats; ++repeat) {
        for (uint32_t at = 0; at < 16 * perBlock; ++at) {
            T const want = rows[at % 16].GetValue(repeat * stride + half + at / 16);
            T const got = columns[at / perBlock].GetValue(repeat * 16 * stride + half + at % perBlock);
            Expect(name, static_cast<int>(at), static_cast<float>(got), static_cast<float>(want));
        }
    }
}

void Transpositions()
{
    Transposition<float>("TransDataTo5HD of float", 1, false, false);
    Transposition<float>("TransDataTo5HD of float, shuffled, three times", 3, true, false);
    Transposition<half>("TransDataTo5HD of half", 1, true, false);
    Transposition<half>("TransDataTo5HD of half, four times", 4, false, false);
    Transposition<int8_t>("TransDataTo5HD of int8_t, low half", 1, false, false);
    Transposition<int8_t>("TransDataTo5HD of int8_t, high half", 2, false, true);
}

/// Comparing and selecting next to padding: only lanes that are defined may be
/// stored.
void PaddedSelection(GM_ADDR in, GM_ADDR out)
{
    Buffers u;
    GlobalTensor<float> from;
    GlobalTensor<float> to;
    from.SetGlobalBuffer(reinterpret_cast<float*>(in));
    to.SetGlobalBuffer(reinterpret_cast<float*>(out));
    LocalTensor<float> const x = u.d[1024];
    DataCopyPad(x, from, DataCopyExtParams(1, 12, 0, 0, 0), DataCopyPadExtParams<float>());
    SetFlag<HardEvent::MTE2_V>(0);
    WaitFlag<HardEvent::MTE2_V>(0);
    Compares(u.bits, x, 0.0f, CMPMODE::GT, 64);
    PipeBarrier<PIPE_V>();
    Select(u.c, u.bits, x, 0.0f, SELMODE::VSEL_TENSOR_SCALAR_MODE, 64);
    SetFlag<HardEvent::V_MTE3>(0);
    WaitFlag<HardEvent::V_MTE3>(0);
    DataCopyPad(to, u.c, DataCopyExtParams(1, 12, 0, 0, 0));
}

/// Sixteen tiles through load, compute and store with so many buffers.
void Pipeline(GM_ADDR in, GM_ADDR out, int buffers)
{
    constexpr uint32_t tile = 8192;
    TPipe pipe;
    TBuf<TPosition::VECCALC> buf;
    pipe.InitBuffer(buf, 3 * tile * sizeof(float));
    LocalTensor<float> const ub = buf.Get<float>();
    GlobalTensor<float> from;
    GlobalTensor<float> to;
    from.SetGlobalBuffer(reinterpret_cast<float*>(in));
    to.SetGlobalBuffer(reinterpret_cast<float*>(out));
    for (int b = 0; b < buffers; ++b) { SetFlag<HardEvent::MTE3_MTE2>(b); }
    for (int t = 0; t < 16; ++t) {
        int const b = t % buffers;
        LocalTensor<float> const x = ub[static_cast<uint32_t>(b) * tile];
        WaitFlag<HardEvent::MTE3_MTE2>(b);
        DataCopy(x, from[static_cast<uint64_t>(t) * tile], tile);
        SetFlag<HardEvent::MTE2_V>(b);
        WaitFlag<HardEvent::MTE2_V>(b);
        Exp(x, x, tile);
        SetFlag<HardEvent::V_MTE3>(b);
        WaitFlag<HardEvent::V_MTE3>(b);
        DataCopy(to[static_cast<uint64_t>(t) * tile], x, tile);
        SetFlag<HardEvent::MTE3_MTE2>(b);
    }
    for (int b = 0; b < buffers; ++b) { WaitFlag<HardEvent::MTE3_MTE2>(b); }
}

/// Copies by the older structures and of bools, and calls as operators.
void OtherForms(GM_ADDR in, GM_ADDR out)
{
    Buffers u;
    GlobalTensor<float> from;
    GlobalTensor<float> to;
    GlobalTensor<bool> flags;
    from.SetGlobalBuffer(reinterpret_cast<float*>(in));
    to.SetGlobalBuffer(reinterpret_cast<float*>(out));
    flags.SetGlobalBuffer(reinterpret_cast<bool*>(out) + 64);
    LocalTensor<float> x = u.d[1024];
    x.SetSize(24);
    LocalTensor<float> y = u.c;
    y.SetSize(24);
    LocalTensor<bool> const truth = u.d[2048].ReinterpretCast<bool>();
    DataCopyPad(x, from, {2, 12, 4, 1}, {});  // three numbers, a gap of one: 32 bytes each, and as many
                                              // between them
    DataCopyPad(truth, flags, {1, 3, 0, 0}, {true, 0, 0, 0});
    SetFlag<HardEvent::MTE2_V>(0);
    WaitFlag<HardEvent::MTE2_V>(0);
    y = x + x;
    PipeBarrier<PIPE_V>();
    y = y - x;
    SetFlag<HardEvent::V_MTE3>(0);
    WaitFlag<HardEvent::V_MTE3>(0);
    DataCopyPad(to, y, {2, 12, 1, 4});
    DataCopyPad(flags[8], truth, {1, 3, 0, 0});
    DumpTensor(flags, 7, 3);
    DumpTensor(y, 8, 3);
}

/// Sums of int32_t as halves, times a scale, which a later scale does not change.
void Dequantized()
{
    Buffers u;
    LocalTensor<int32_t> const sums = u.d[1024].ReinterpretCast<int32_t>();
    for (uint32_t i = 0; i < 64; ++i) { sums.SetValue(i, static_cast<int32_t>(i) * 100 - 3000); }
    SetFlag<HardEvent::S_V>(0);
    WaitFlag<HardEvent::S_V>(0);
    SetDeqScale(half(0.25f));
    Cast(u.h, sums, RoundMode::CAST_NONE, 64);
    SetDeqScale(half(2.0f));
    SetFlag<HardEvent::V_S>(0);
    WaitFlag<HardEvent::V_S>(0);
    for (int i = 0; i < 64; ++i) {
        Expect("SetDeqScale", i, u.h.GetValue(static_cast<uint32_t>(i)), half((i * 100 - 3000) * 0.25f));
    }

    SetDeqScale(half(0.5f));
    AddDeqRelu(u.h, sums, sums, 64);
    PipeBarrier<PIPE_ALL>();
    for (int i = 0; i < 64; ++i) {
        Expect("AddDeqRelu", i, u.h.GetValue(static_cast<uint32_t>(i)), half(std::max(0.0f, (i * 100 - 3000) * 1.0f)));
    }
}

/// NaN is neither equal nor unequal on Atlas A2/A3 (annex, table of Compare).
void ComparedNan()
{
    Buffers u;
    (void)u.a.GetValue(3);
    u.a.SetValue(3, std::nanf(""));
    PipeBarrier<PIPE_ALL>();
    Compare(u.bits, u.a, u.b, CMPMODE::NE, 64);
    PipeBarrier<PIPE_ALL>();
    Expect("Compare by NE", 3, (u.bits.GetValue(0) >> 3) & 1, 0);
    Expect("Compare by NE", 2, (u.bits.GetValue(0) >> 2) & 1, Value(2) != Value(15) ? 1.0f : 0.0f);
}

/// int16_t to 8 bits, in one half of each data block; the other stays.
void DequantizedBytes()
{
    Buffers u;
    auto const shorts = u.a.ReinterpretCast<int16_t>();
    auto const bytes = u.bits.ReinterpretCast<int8_t>();
    auto const scales = u.c.ReinterpretCast<uint64_t>();
    auto const value = [](int i) { return i * 3 - 90; };
    for (int i = 0; i < 64; ++i) { shorts.SetValue(static_cast<uint32_t>(i), static_cast<int16_t>(value(i))); }
    auto const fill = [&bytes](bool upper) {
        for (uint32_t i = 0; i < 128; ++i) {
            if ((i % 32 >= 16) != upper) { bytes.SetValue(i, static_cast<int8_t>(77)); }
        }
        PipeBarrier<PIPE_ALL>();
    };
    auto const expect = [&](char const* what, bool upper, auto const& wanted) {
        PipeBarrier<PIPE_ALL>();
        for (int i = 0; i < 128; ++i) {
            bool const written = (i % 32 >= 16) == upper;
            int const from = i / 32 * 16 + i % 16;
            float const want = written ? std::min(std::max(std::nearbyint(wanted(from)), -128.0f), 127.0f) : 77.0f;
            Expect(what, i, bytes.GetValue(static_cast<uint32_t>(i)), want);
        }
    };
    fill(false);
    SetDeqScale(1.5f, -20, true);
    CastDequant<int8_t, int16_t, false, false>(bytes, shorts, 64);
    expect("CastDequant", false, [&](int i) { return static_cast<float>(value(i)) * 1.5f - 20; });
    fill(true);
    SetDeqScale(1.00048828125f, 0, true);  // 1 + 2^-11, of which the hardware reads ten bits
    CastDequant<int8_t, int16_t, true, false, true>(bytes, shorts, 64, 1, {1, 1, 8, 8});
    expect("CastDequant by mask", true, [&](int i) { return static_cast<float>(value(i)); });

    float factors[VDEQ_TENSOR_SIZE];
    int16_t offsets[VDEQ_TENSOR_SIZE];
    bool signs[VDEQ_TENSOR_SIZE];
    for (int i = 0; i < VDEQ_TENSOR_SIZE; ++i) {
        factors[i] = static_cast<float>(i) / 8;
        offsets[i] = static_cast<int16_t>(-i);
        signs[i] = true;
    }
    fill(true);
    SetDeqScale(scales, VdeqInfo(factors, offsets, signs));
    SetFlag<HardEvent::S_V>(0);
    WaitFlag<HardEvent::S_V>(0);
    CastDequant<int8_t, int16_t>(bytes, shorts, 64);
    expect("CastDequant by lane", true, [&](int i) {
        return static_cast<float>(value(i)) * factors[i % 16] + static_cast<float>(offsets[i % 16]);
    });
}

struct Tiling {
    uint32_t rows;
    uint16_t columns;
    float scale;
    uint8_t last[3];
};

/// What an operator's kernel reads of its tiling.
void Tilings(GM_ADDR tiling)
{
    REGISTER_TILING_DEFAULT(Tiling);
    GET_TILING_DATA(all, tiling);
    Expect("GET_TILING_DATA", 0, static_cast<float>(all.rows), 3);
    Expect("GET_TILING_DATA", 1, all.scale, 0.5f);
    Expect("GET_TILING_DATA", 2, all.last[2], 9);
    GET_TILING_DATA_MEMBER(Tiling, scale, scale, tiling);
    Expect("GET_TILING_DATA_MEMBER", 0, scale, 0.5f);
    GET_TILING_DATA_PTR_WITH_STRUCT(Tiling, there, tiling);
    COPY_TILING_WITH_STRUCT(Tiling, *there, copy);
    Expect("COPY_TILING_WITH_STRUCT", 0, copy->columns, 7);
    Expect("TILING_KEY_IS", 0, TILING_KEY_IS(21) && !TILING_KEY_IS(0), 1);
}

void OnOneCore(char const* name, std::function<void()> const& body)
{
    machine::Launch(name, 1, machine::KernelKind::AivOnly, [&](machine::Role) { body(); });
}

void CheckOtherForms(GM_ADDR in, GM_ADDR out)
{
    float numbers[8];
    for (int i = 0; i < 8; ++i) { numbers[i] = Value(i); }
    uint8_t bytes[128] = {};
    bytes[65] = 1;
    machine::WriteGlobal(in, numbers, sizeof(numbers));
    machine::WriteGlobal(out, bytes, sizeof(bytes));
    OnOneCore("forms", [&] { OtherForms(in, out); });
    machine::ReadGlobal(bytes, out, sizeof(bytes));
    machine::ReadGlobal(numbers, out, sizeof(numbers));
    for (int i = 0; i < 8; ++i) { Expect("DataCopyPad", i, numbers[i], i % 4 == 3 ? 0.0f : Value(i)); }
    for (int i = 0; i < 4; ++i) { Expect("DataCopyPad of bool", i, bytes[72 + i], i == 1 ? 1.0f : 0.0f); }
}

void CheckTilings(GM_ADDR in)
{
    Tiling const tiling{3, 7, 0.5f, {1, 2, 9}};
    machine::WriteGlobal(in, &tiling, sizeof(tiling));
    ICPU_SET_TILING_KEY(21);
    OnOneCore("tilings", [&] { Tilings(in); });
}

}  // namespace

int main(int argc, char** argv)
{
    constexpr size_t bytes = 16 * 8192 * sizeof(float);
    auto* in = static_cast<GM_ADDR>(machine::AllocateGlobal(bytes));
    auto* out = static_cast<GM_ADDR>(machine::AllocateGlobal(bytes));
    machine::FillGlobal(in, 0, bytes);
    if (argc == 3 && std::string(argv[1]) == "pipeline") {
        OnOneCore("pipeline", [&] { Pipeline(in, out, std::stoi(argv[2])); });
        return 0;
    }
    OnOneCore("reductions", Reductions);
    OnOneCore("selections", Selections);
    OnOneCore("masks", Masks);
    OnOneCore("fused", Fused);
    OnOneCore("transpositions", Transpositions);
    OnOneCore("dequantized", Dequantized);
    OnOneCore("bytes", DequantizedBytes);
    OnOneCore("nan", ComparedNan);
    OnOneCore("padded", [&] { PaddedSelection(in, out); });
    CheckOtherForms(in, out);
    CheckTilings(in);
    return failures == 0 ? 0 : 1;
}
