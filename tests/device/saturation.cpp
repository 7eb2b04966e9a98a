// What calls make of results beyond their type, in every mode of the CTRL register (pages of SetCtrlSpr, SetSaturationFlag
// and Cast, and the annexes of edge values). Prints what is wrong; the exit status says whether anything was. The argument
// says what bit 48 is at a launch's start: "stay" or "bound".
#include <cmath>
#include <cstdio>
#include <cstring>
#include <limits>
#include <vector>

#include "../../evtgen/device/machine/memory.hpp"
#include "kernel_operator.h"

using namespace AscendC;

namespace {

constexpr uint32_t kLanes = 16;
constexpr float kInf = std::numeric_limits<float>::infinity();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr float kMost = 65504.0f;
bool boundAtStart = false;
GM_ADDR atomics;
int failures = 0;

void Expect(char const* what, double got, double want)
{
    if (got == want || (std::isnan(got) && std::isnan(want))) { return; }
    std::printf("%s: %g, expected %g\n", what, got, want);
    ++failures;
}

struct Buffers {
    LocalTensor<uint8_t> ub;
    uint32_t used = 0;

    Buffers()
    {
        TPipe pipe;
        TBuf<TPosition::VECCALC> buf;
        pipe.InitBuffer(buf, 64 * 1024);
        ub = buf.Get<uint8_t>();
    }

    template <typename T> LocalTensor<T> New()
    {
        used += 256;
        return ub[used - 256].ReinterpretCast<T>();
    }

    /// A tensor of these numbers, and zeros.
    template <typename T> LocalTensor<T> Of(std::vector<double> const& values)
    {
        LocalTensor<T> const tensor = New<T>();
        for (uint32_t i = 0; i < kLanes; ++i) {
            tensor.SetValue(i, static_cast<T>(static_cast<float>(i < values.size() ? values[i] : 0.0)));
        }
        PipeBarrier<PIPE_ALL>();
        return tensor;
    }
};

template <typename T> void Compare(char const* what, LocalTensor<T> const& got, std::vector<double> const& want)
{
    PipeBarrier<PIPE_ALL>();
    for (size_t i = 0; i < want.size(); ++i) { Expect(what, static_cast<float>(got.GetValue(i)), want[i]); }
}

/// Each `want` is for floats that saturate, then for those that stay.
void Floats(bool bound)
{
    Buffers u;
    auto const either = [bound](std::vector<double> const& saturated, std::vector<double> const& stays) {
        return bound ? saturated : stays;
    };
    auto const halves = u.Of<half>({kInf, -kInf, kNan, kMost, 1});
    auto const most = u.Of<half>({kMost, kMost, kMost, kMost, kMost});
    auto const sum = u.New<half>();
    Add(sum, halves, most, kLanes);
    Compare("Add of halves", sum, either({kMost, -kMost, 0, kMost, kMost}, {kInf, -kInf, kNan, kInf, kMost}));
    Abs(sum, halves, kLanes);
    Compare("Abs of halves", sum, either({kMost, kMost, 0, kMost, 1}, {kInf, kInf, kNan, kMost, 1}));
    Max(sum, halves, most, kLanes);
    Compare("Max of halves", sum, either({kMost, kMost, 0, kMost, kMost}, {kInf, kMost, kNan, kMost, kMost}));
    Ln(sum, u.Of<half>({0, -1, 1}), kLanes);
    Compare("Ln of halves", sum, either({-kMost, 0, 0}, {-kInf, kNan, 0}));
    // The product is bound before the sum (annex, table of Axpy).
    auto const added = u.Of<half>({-kMost, 0, kNan, 0, 5});
    Axpy(added, u.Of<half>({kMost, kMost, 1, kNan, kNan}), static_cast<half>(kMost), kLanes);
    Compare("Axpy of halves", added, either({0, kMost, 0, 0, 5}, {kInf, kInf, kNan, kNan, kNan}));
    // Each sum of the tree is bound: NaN and 1 are 0 (annex, table of ReduceSum).
    std::vector<double> ones(kLanes, 1.0);
    ones[0] = kNan;
    WholeReduceSum(sum, u.Of<half>(ones), kLanes, 1, 1, 1, 8);
    Compare("WholeReduceSum of halves", sum, either({14}, {kNan}));
    WholeReduceMax(sum, halves, kLanes, 1, 1, 1, 8);
    Compare("WholeReduceMax of halves", sum, either({0}, {kNan}));

    auto const floats = u.Of<float>({kInf, -kInf, kNan, 1e6, 1});
    Cast(sum, floats, RoundMode::CAST_RINT, kLanes);
    Compare("Cast to half", sum, either({kMost, -kMost, 0, kMost, 1}, {kInf, -kInf, kNan, kInf, 1}));
    Cast(sum, floats, RoundMode::CAST_FLOOR, kLanes);
    Compare("Cast to half, down", sum, either({kMost, -kMost, 0, kMost}, {kInf, -kInf, kNan, kMost}));
    auto const bfloats = u.New<bfloat16_t>();
    Cast(bfloats, floats, RoundMode::CAST_RINT, kLanes);
    auto const largest = static_cast<double>(static_cast<float>(bfloat16_t::FromBits(0x7f7f)));
    Compare("Cast to bfloat16_t", bfloats, either({largest, -largest, 0}, {kInf, -kInf, kNan}));
    SetDeqScale(static_cast<half>(4));
    Cast(sum, u.Of<int32_t>({1 << 20, -(1 << 20), 2}), RoundMode::CAST_NONE, kLanes);
    Compare("Cast of int32_t to half", sum, either({kMost, -kMost, 8}, {kInf, -kInf, 8}));

    // What no mode changes.
    auto const wide = u.New<float>();
    Add(wide, floats, floats, kLanes);
    Compare("Add of floats", wide, {kInf, -kInf, kNan, 2e6});
    Cast(wide, halves, RoundMode::CAST_NONE, kLanes);
    Compare("Cast to float", wide, {kInf, -kInf, kNan, kMost});
    Duplicate(sum, static_cast<half>(kInf), kLanes);
    Compare("Duplicate of a half", sum, {kInf});
    auto const whole = u.New<int32_t>();
    Cast(whole, floats, RoundMode::CAST_RINT, kLanes);
    Compare("Cast to int32_t", whole, {2147483648.0, -2147483648.0, 0, 1e6});

    GlobalTensor<half> global;
    global.SetGlobalBuffer(reinterpret_cast<half*>(atomics));
    auto const move = [&](LocalTensor<half> const& from) {
        DataCopy(global, from, kLanes);
        PipeBarrier<PIPE_ALL>();
    };
    move(most);
    SetAtomicAdd<half>();
    move(halves);
    SetAtomicNone();
    DataCopy(sum, global, kLanes);
    Compare("atomic sums of halves", sum, either({kMost, -kMost, 0, kMost}, {kInf, -kInf, kNan, kInf}));

#if CATLASS_ARCH == 3510
    auto const eight = u.New<fp8_e4m3fn_t>();
    Cast(eight, u.Of<float>({1e6, -1e6, kNan, 448, 1}), RoundMode::CAST_RINT, kLanes);
    Cast(wide, eight, RoundMode::CAST_NONE, kLanes);
    Compare("Cast to fp8_e4m3fn_t", wide, either({448, -448, 0, 448, 1}, {kNan, kNan, kNan, 448, 1}));
    SetCtrlSpr<50, 50>(1);
    auto const five = u.New<fp8_e5m2_t>();
    Cast(five, u.Of<float>({1e6, -kInf, kNan}), RoundMode::CAST_RINT, kLanes);
    SetCtrlSpr<50, 50>(0);
    Cast(wide, five, RoundMode::CAST_NONE, kLanes);
    Compare("Cast to fp8_e5m2_t", wide, either({57344, -57344, kNan}, {kInf, -kInf, kNan}));
    Add(bfloats, u.Of<bfloat16_t>({kInf, kNan}), u.Of<bfloat16_t>({1, 1}), kLanes);
    Compare("Add of bfloat16_t", bfloats, {kInf, kNan});  // not one of those that saturate
#endif
}

void Integers(bool saturates)
{
    Buffers u;
    SetSaturationFlag<SaturationMode::INT>(saturates);
    auto const shorts = u.Of<int16_t>({32767, -32768, -32768, 5});
    auto const sum = u.New<int16_t>();
    Add(sum, shorts, u.Of<int16_t>({32767, -32768, 32767, 5}), kLanes);
    Compare(
        "Add of int16_t", sum,
        saturates ? std::vector<double>{32767, -32768, -1, 10} : std::vector<double>{-2, 0, -1, 10});
    Muls(sum, shorts, static_cast<int16_t>(2), kLanes);
    Compare("Muls of int16_t", sum, saturates ? std::vector<double>{32767, -32768} : std::vector<double>{-2, 0});
    auto const words = u.Of<int32_t>({-2147483648.0, 3});
    auto const difference = u.New<int32_t>();
    Sub(difference, words, u.Of<int32_t>({3, 5}), kLanes);
    Compare("Sub of int32_t", difference, {saturates ? -2147483648.0 : 2147483648.0, -2});
}

void Casts(bool cut)
{
    Buffers u;
    SetSaturationFlag<SaturationMode::CAST>(!cut);
    auto const to = u.New<int16_t>();
    Cast(to, u.Of<float>({1e6, -1e6, kInf, kNan, 2.5}), RoundMode::CAST_RINT, kLanes);
    Compare("Cast of float to int16_t", to, {cut ? 16960.0 : 32767, cut ? -16960.0 : -32768, 32767, 0, 2});
    auto const bytes = u.New<uint8_t>();
    Cast(bytes, u.Of<half>({257, -kInf, 255}), RoundMode::CAST_RINT, kLanes);
    Compare("Cast of half to uint8_t", bytes, {cut ? 1.0 : 255, 0, 255});
    Cast(to, u.Of<int32_t>({65537, -40000}), RoundMode::CAST_NONE, kLanes);
    Compare("Cast of int32_t to int16_t", to, {cut ? 1.0 : 32767, cut ? 25536.0 : -32768});
}

/// An instruction has the mode in which it is issued, whenever it runs.
void IssuedBefore()
{
    Buffers u;
    auto const sum = u.New<half>();
    auto const later = u.New<half>();
    auto const ones = u.Of<half>({1});
    auto const infinite = u.Of<half>({kInf});
    SetSaturationFlag<SaturationMode::FLOAT>(false);
    Add(sum, infinite, ones, kLanes);
    SetSaturationFlag<SaturationMode::FLOAT>(true);
    Add(later, infinite, ones, kLanes);
    SetSaturationFlag<SaturationMode::FLOAT>(false);
    Compare("issued without saturation", sum, {kInf});
    Compare("issued with it", later, {kMost});
}

void Registers()
{
    SetCtrlSpr<48, 48>(1);
    Expect("the flag", GetSaturationFlag<SaturationMode::FLOAT>(), 0);
    SetSaturationFlag<SaturationMode::FLOAT>(true);
    Expect("bit 48", static_cast<double>(GetCtrlSpr<48, 48>()), 0);
    Expect("the flag of casts", GetSaturationFlag<SaturationMode::CAST>(), 1);
    Expect("the flag of integers", GetSaturationFlag<SaturationMode::INT>(), 0);
#if CATLASS_ARCH == 3510
    SetCtrlSpr<48, 48>(1);
    ResetCtrlSpr<48, 48>();
    Expect("bit 48, reset", static_cast<double>(GetCtrlSpr<48, 48>()), 0);
    Expect("bit 60", static_cast<double>(GetCtrlSpr<60, 60>()), 1);
    // A pipe begins as InitSocState leaves the core: with all but bit 48 as by default.
    SetCtrlSpr<59, 59>(1);
    {
        TPipe pipe;
        Expect("bit 59, in a pipe", static_cast<double>(GetCtrlSpr<59, 59>()), 0);
    }
    SetCtrlSpr<59, 59>(1);
    SetCtrlSpr<48, 48>(1);
    InitSocState();
    Expect("bit 59, after InitSocState", static_cast<double>(GetCtrlSpr<59, 59>()), 0);
    Expect("bit 48, after InitSocState", static_cast<double>(GetCtrlSpr<48, 48>()), 1);
#endif
}

void Kernel()
{
    Expect("bit 48 at the start", static_cast<double>(GetCtrlSpr<48, 48>()), boundAtStart ? 0 : 1);
    Floats(boundAtStart);
    SetSaturationFlag<SaturationMode::FLOAT>(true);
    Floats(true);
    SetSaturationFlag<SaturationMode::FLOAT>(false);
    Floats(false);
    Integers(false);
    Integers(true);
    SetSaturationFlag<SaturationMode::INT>(false);
    Casts(false);
    Casts(true);
    SetSaturationFlag<SaturationMode::CAST>(true);
    IssuedBefore();
    Registers();
    SetSaturationFlag<SaturationMode::FLOAT>(boundAtStart);
}

}  // namespace

int main(int, char** argv)
{
    boundAtStart = std::strcmp(argv[1], "bound") == 0;
    atomics = static_cast<GM_ADDR>(machine::AllocateGlobal(kLanes * sizeof(half)));
    machine::Launch("saturation", 1, machine::KernelKind::AivOnly, [](machine::Role) { Kernel(); });
    return failures == 0 ? 0 : 1;
}
