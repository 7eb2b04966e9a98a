// Vector instructions whose times are published: program SCENARIO.
//   1 to 8  1000 Adds of 4096 floats, one after another, with operands where asc-devkit's bank_conflict_ub has them
//   write STRIDE, read STRIDE
//           one Adds of 4096 floats, whose destination or source has its blocks that many blocks apart
//   strided, counted
//           1000 Adds like them, of which x takes every other block; the second in counter mode
#include <acl/acl.h>

#include <cstdlib>
#include <cstring>

#include "kernel_operator.h"
#include "machine/launch.hpp"

using namespace AscendC;

namespace {

constexpr uint32_t kFloats = 4096;
constexpr uint8_t kRepeats = 64;

struct Case {
    uint32_t x, y, z;                   // bytes of UB
    uint8_t blockStride, repeatStride;  // of x
};

constexpr Case kCases[] = {
    {0, 0x10100, 0x20000, 1, 8}, {0, 0x4000, 0x10000, 1, 8},  {0, 0x10000, 0x14100, 1, 8}, {0, 0x10100, 0x4000, 1, 8},
    {0, 0x10100, 0x4020, 1, 8},  {0, 0x10100, 0x10100, 1, 8}, {0, 0x10100, 0x10100, 0, 1}, {0, 0x10100, 0x10100, 0, 8},
};

void Adds1000(Case const& one)
{
    LocalTensor<float> x(TPosition::VECCALC, one.x, kFloats);
    LocalTensor<float> y(TPosition::VECCALC, one.y, kFloats);
    LocalTensor<float> z(TPosition::VECCALC, one.z, kFloats);
    for (int i = 0; i < 1000; ++i) {
        Add(z, x, y, uint64_t{64}, kRepeats, {1, one.blockStride, 1, 8, one.repeatStride, 8});
    }
}

void AddsWith(uint8_t dstStride, uint8_t srcStride)
{
    LocalTensor<float> x(TPosition::VECCALC, 0, kFloats);
    LocalTensor<float> z(TPosition::VECCALC, 0x20000, kFloats);
    Adds(z, x, 1.0f, uint64_t{64}, kRepeats, {dstStride, srcStride, 1, 1});
}

void AddsOfEveryOtherBlock(bool counted)
{
    LocalTensor<float> x(TPosition::VECCALC, 0, 2 * kFloats);
    LocalTensor<float> y(TPosition::VECCALC, 0x10100, kFloats);
    LocalTensor<float> z(TPosition::VECCALC, 0x20000, kFloats);
    if (counted) {
        SetMaskCount();
        SetVectorMask<float, MaskMode::COUNTER>(0, kFloats);
    } else {
        SetVectorMask<float>(0, ~uint64_t{0});
    }
    for (int i = 0; i < 1000; ++i) {
        Add<float, false>(z, x, y, MASK_PLACEHOLDER, counted ? 1 : kRepeats, {1, 2, 1, 8, 16, 8});
    }
    ResetMask();
    SetMaskNorm();
}

}  // namespace

int main(int argc, char** argv)
{
    if (argc < 2) { return 2; }
    char const* const scenario = argv[1];
    machine::Launch("vector", 1, machine::KernelKind::AivOnly, [=](machine::Role) {
        if (argc == 3) {
            auto const stride = static_cast<uint8_t>(std::atoi(argv[2]));
            bool const writes = std::strcmp(scenario, "write") == 0;
            AddsWith(writes ? stride : 1, writes ? 1 : stride);
        } else if (int const number = std::atoi(scenario)) {
            Adds1000(kCases[number - 1]);
        } else {
            AddsOfEveryOtherBlock(std::strcmp(scenario, "counted") == 0);
        }
    });
    return 0;
}
