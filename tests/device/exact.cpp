// Runs one vector call over a file of elements, so that its results can be compared bit by bit with numpy's.
//   exact OP TYPE A B OUT            OP(a, b) or OP(a), element by element
//   exact cast SRC DST MODE A OUT
#include <cstdio>
#include <cstring>
#include <functional>
#include <string>
#include <vector>

#include "../../evtgen/device/machine/memory.hpp"
#include "kernel_operator.h"

using namespace AscendC;

namespace {

constexpr uint32_t kTile = 4096;

std::vector<uint8_t> ReadFile(char const* path)
{
    std::vector<uint8_t> bytes;
    if (std::FILE* file = std::fopen(path, "rb")) {
        std::fseek(file, 0, SEEK_END);
        bytes.resize(static_cast<size_t>(std::ftell(file)));
        std::rewind(file);
        bytes.resize(std::fread(bytes.data(), 1, bytes.size(), file));
        std::fclose(file);
    }
    return bytes;
}

GM_ADDR ToDevice(std::vector<uint8_t> const& bytes)
{
    auto* device = static_cast<GM_ADDR>(machine::AllocateGlobal(bytes.size()));
    machine::WriteGlobal(device, bytes.data(), bytes.size());
    return device;
}

template <typename T> GlobalTensor<T> Global(GM_ADDR address)
{
    GlobalTensor<T> tensor;
    tensor.SetGlobalBuffer(reinterpret_cast<T*>(address));
    return tensor;
}

template <typename T> void Load(LocalTensor<T> const& to, GlobalTensor<T> const& from, uint32_t n)
{
    DataCopyPad(to, from, DataCopyExtParams(1, n * sizeof(T), 0, 0, 0), DataCopyPadExtParams<T>());
}

/// Runs `compute(dst, a, b, n)` tile by tile.
template <typename D, typename S, typename F> void Tiles(GM_ADDR a, GM_ADDR b, GM_ADDR d, uint32_t count, F compute)
{
    machine::Launch("exact", 1, machine::KernelKind::AivOnly, [&](machine::Role) {
        TPipe pipe;
        TBuf<TPosition::VECCALC> buf;
        pipe.InitBuffer(buf, 3 * kTile * 8);
        LocalTensor<uint8_t> const ub = buf.Get<uint8_t>();
        auto const ua = ub.ReinterpretCast<S>();
        auto const vb = ub[kTile * 8].ReinterpretCast<S>();
        auto const vd = ub[kTile * 16].ReinterpretCast<D>();
        for (uint32_t at = 0; at < count; at += kTile) {
            uint32_t const n = std::min(kTile, count - at);
            Load(ua, Global<S>(a)[at], n);
            Load(vb, Global<S>(b)[at], n);
            PipeBarrier<PIPE_ALL>();
            compute(vd, ua, vb, n);
            PipeBarrier<PIPE_ALL>();
            DataCopyPad(Global<D>(d)[at], vd, DataCopyExtParams(1, n * sizeof(D), 0, 0, 0));
            PipeBarrier<PIPE_ALL>();
        }
    });
}

/// Whether the call has a form with a count for this type.
template <detail::Op op, typename T> constexpr bool kTaken = detail::Takes<op, T, detail::Form::Count>();

#define EXACT_CALL(Name, taken, ...)                                \
    if constexpr (kTaken<detail::Op::taken, T>) {                   \
        if (op == #Name)                                            \
            compute = [](Tensor x, Tensor y, Tensor z, int32_t n) { \
                (void)z;                                            \
                __VA_ARGS__;                                        \
            };                                                      \
    }

template <typename T> void RunOp(std::string const& op, GM_ADDR a, GM_ADDR b, GM_ADDR d, uint32_t count)
{
    using Tensor = LocalTensor<T>;
    std::function<void(Tensor, Tensor, Tensor, int32_t)> compute;
    EXACT_CALL(Add, Add, Add(x, y, z, n))
    EXACT_CALL(Sub, Sub, Sub(x, y, z, n))
    EXACT_CALL(Mul, Mul, Mul(x, y, z, n))
    EXACT_CALL(Div, Div, Div(x, y, z, n))
    EXACT_CALL(Max, Max, Max(x, y, z, n))
    EXACT_CALL(Min, Min, Min(x, y, z, n))
    EXACT_CALL(Prelu, Prelu, Prelu(x, y, z, n))
    EXACT_CALL(Relu, Relu, Relu(x, y, n))
    EXACT_CALL(Abs, Abs, Abs(x, y, n))
    EXACT_CALL(Exp, Exp, Exp(x, y, n))
    EXACT_CALL(Ln, Ln, Ln(x, y, n))
    EXACT_CALL(Sqrt, Sqrt, Sqrt(x, y, n))
    EXACT_CALL(Rsqrt, Rsqrt, Rsqrt(x, y, n))
    EXACT_CALL(Reciprocal, Reciprocal, Reciprocal(x, y, n))
    EXACT_CALL(Silu, Silu, Silu(x, y, n))
    EXACT_CALL(Adds, Adds, Adds(x, y, T(3), n))
    EXACT_CALL(Muls, Muls, Muls(x, y, T(3), n))
    EXACT_CALL(Maxs, Maxs, Maxs(x, y, T(3), n))
    EXACT_CALL(Mins, Mins, Mins(x, y, T(3), n))
    EXACT_CALL(Subs, Subs, Subs(x, y, T(3), n))
    EXACT_CALL(RSubs, Subs, Subs(x, T(3), y, n))
    EXACT_CALL(Divs, Divs, Divs(x, y, T(3), n))
    EXACT_CALL(RDivs, Divs, Divs(x, T(3), y, n))
    EXACT_CALL(Axpy, Axpy, Adds(x, z, T(0), n); PipeBarrier<PIPE_V>(); Axpy(x, y, T(3), n))
    EXACT_CALL(FusedMulAdd, FusedMulAdd, Adds(x, y, T(0), n); PipeBarrier<PIPE_V>(); FusedMulAdd(x, y, z, n))
    Tiles<T, T>(a, b, d, count, compute);
}

template <typename D, typename S> void RunCast(RoundMode mode, GM_ADDR a, std::vector<uint8_t>& out, uint32_t count)
{
    out.resize(count * sizeof(D));
    auto* d = static_cast<GM_ADDR>(machine::AllocateGlobal(out.size()));
    Tiles<D, S>(a, a, d, count, [mode](LocalTensor<D> x, LocalTensor<S> y, LocalTensor<S>, uint32_t n) {
        Cast(x, y, mode, n);
    });
    machine::ReadGlobal(out.data(), d, out.size());
}

void WriteFile(char const* path, std::vector<uint8_t> const& bytes)
{
    std::FILE* file = std::fopen(path, "wb");
    std::fwrite(bytes.data(), 1, bytes.size(), file);
    std::fclose(file);
}

/// Host arithmetic of bfloat16_t, which vectors of 2201 do not have.
std::vector<uint8_t> HostBfloat(std::string const& op, std::vector<uint8_t> const& a, std::vector<uint8_t> const& b)
{
    std::vector<uint8_t> out(a.size());
    auto const* x = reinterpret_cast<bfloat16_t const*>(a.data());
    auto const* y = reinterpret_cast<bfloat16_t const*>(b.data());
    auto* d = reinterpret_cast<bfloat16_t*>(out.data());
    for (size_t i = 0; i < a.size() / 2; ++i) {
        d[i] = op == "Add" ? x[i] + y[i] : op == "Sub" ? x[i] - y[i] : op == "Mul" ? x[i] * y[i] : x[i] / y[i];
    }
    return out;
}

}  // namespace

int main(int argc, char** argv)
{
    std::string const op = argv[1];
    if (op == "cast" && argc == 7) {
        std::string const pair = std::string(argv[2]) + ">" + argv[3];
        auto const mode = static_cast<RoundMode>(std::stoi(argv[4]));
        std::vector<uint8_t> const a = ReadFile(argv[5]);
        GM_ADDR const da = ToDevice(a);
        std::vector<uint8_t> out;
        auto const count = [&a](size_t size) { return static_cast<uint32_t>(a.size() / size); };
        if (pair == "half>float") RunCast<float, half>(mode, da, out, count(2));
        if (pair == "bf16>float") RunCast<float, bfloat16_t>(mode, da, out, count(2));
        if (pair == "float>half") RunCast<half, float>(mode, da, out, count(4));
        if (pair == "float>bf16") RunCast<bfloat16_t, float>(mode, da, out, count(4));
        if (pair == "float>int16") RunCast<int16_t, float>(mode, da, out, count(4));
        if (pair == "float>int32") RunCast<int32_t, float>(mode, da, out, count(4));
        if (pair == "half>int8") RunCast<int8_t, half>(mode, da, out, count(2));
        if (pair == "half>uint8") RunCast<uint8_t, half>(mode, da, out, count(2));
        if (pair == "half>int16") RunCast<int16_t, half>(mode, da, out, count(2));
        if (pair == "half>int32") RunCast<int32_t, half>(mode, da, out, count(2));
        if (pair == "bf16>int32") RunCast<int32_t, bfloat16_t>(mode, da, out, count(2));
        if (pair == "int8>half") RunCast<half, int8_t>(mode, da, out, count(1));
        if (pair == "int16>half") RunCast<half, int16_t>(mode, da, out, count(2));
        if (pair == "int16>float") RunCast<float, int16_t>(mode, da, out, count(2));
        if (pair == "int32>float") RunCast<float, int32_t>(mode, da, out, count(4));
        if (pair == "int32>int16") RunCast<int16_t, int32_t>(mode, da, out, count(4));
        WriteFile(argv[6], out);
        return out.empty() ? 2 : 0;
    }
    if (argc != 6) { return 2; }
    std::string const type = argv[2];
    std::vector<uint8_t> const a = ReadFile(argv[3]);
    std::vector<uint8_t> const b = ReadFile(argv[4]);
    if (type == "bf16" && !kTaken<detail::Op::Add, bfloat16_t>) {
        WriteFile(argv[5], HostBfloat(op, a, b));
        return 0;
    }
    std::vector<uint8_t> out(a.size());
    auto* d = static_cast<GM_ADDR>(machine::AllocateGlobal(out.size()));
    if (type == "half") RunOp<half>(op, ToDevice(a), ToDevice(b), d, static_cast<uint32_t>(a.size() / 2));
    if (type == "float") RunOp<float>(op, ToDevice(a), ToDevice(b), d, static_cast<uint32_t>(a.size() / 4));
    if (type == "int32") RunOp<int32_t>(op, ToDevice(a), ToDevice(b), d, static_cast<uint32_t>(a.size() / 4));
    if (type == "bf16") RunOp<bfloat16_t>(op, ToDevice(a), ToDevice(b), d, static_cast<uint32_t>(a.size() / 2));
    if (type == "int8") RunOp<int8_t>(op, ToDevice(a), ToDevice(b), d, static_cast<uint32_t>(a.size()));
    if (type == "int16") RunOp<int16_t>(op, ToDevice(a), ToDevice(b), d, static_cast<uint32_t>(a.size() / 2));
    machine::ReadGlobal(out.data(), d, out.size());
    WriteFile(argv[5], out);
    return 0;
}
