// What device code finds without including anything, and without a namespace.
#include <cstring>
#include <string>

#include "kernel_operator.h"
// The standard's header, last: its assert must still be the device's.
#include <cassert>

static_assert(min(10, size_t{3}) == 3 && max(10, size_t{3}) == 10 && min(uint32_t{7}, 2.5) == 2.5);
static_assert(std::is_same_v<decltype(min(10, size_t{3})), size_t> && std::is_same_v<decltype(min(1, 2)), int const&>);

static_assert(likely(true) && !unlikely(false));

static_assert(AscendC::IsSameType<half, half>::value && !AscendC::IsSameType<half, float>::value);
static_assert(AscendC::Std::is_one_of_v<float, half, float> && !AscendC::Std::is_one_of_v<float, half, int8_t>);
static_assert(AscendC::Std::min(4u, 3u) == 3u && AscendC::Std::max(int64_t{4}, int64_t{3}) == 4);
static_assert(AscendC::CeilDivision(7, 4) == 2 && AscendC::CeilDivision(8, 4) == 2 && AscendC::CeilDivision(8, 0) == 0);

static_assert(sizeof(float8_e4m3_t) == 1 && sizeof(float8_e5m2_t) == 1 && sizeof(float8_e8m0_t) == 1);
static_assert(sizeof(float4_e2m1x2_t) == 1 && sizeof(float4_e1m2x2_t) == 1 && sizeof(hifloat8_t) == 1);
// Two elements of 4 bits: the first in the low half
static_assert(float4_e2m1x2_t{0xf1}[0] == 0.5F && float4_e2m1x2_t{0xf1}[1] == -6.0F);
static_assert(sizeof(AscendC::mx_fp8_e4m3_t) == 1 && sizeof(AscendC::mx_fp8_e5m2_t) == 1);
static_assert(std::is_same_v<AscendC::fp8_e8m0_t, float8_e8m0_t> && !std::is_same_v<float8_e4m3_t, float8_e5m2_t>);

static_assert(std::is_same_v<decltype(AscendC::LocalTensor<half>().GetPhyAddr()), uint64_t>);

inline __gm__ struct OpSystemRunCfg g_opSystemRunCfg {
    0
};

int main(int argc, char** argv)
{
    AscendC::ICachePreLoad(1);
    std::string const which = argc > 1 ? argv[1] : "";
    assert(argc > 0);
    assert(argc > 0, "never printed: %d", argc);
    if (which == "plain") {
        assert(argc == 7);
    } else if (which == "message") {
        assert(argc == 7, "argc is not seven, 100 %%");
    } else if (which == "arguments") {
        assert(argc == 7, "%d and %f and %s", argc, half(1.5f), "text");
    }
    return 0;
}
