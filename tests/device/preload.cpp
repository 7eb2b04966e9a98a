// The policies that only a checkout has: when each of them stores a block, and when it runs callbacks. The argument is the
// policy; each call, callback and stored element of C that changed is printed in the order in which it came.
#include <cstdio>
#include <string>
#include <vector>

#include "catlass/gemm/block/block_mmad.hpp"
#include "catlass/layout/layout.hpp"

using namespace Catlass;

namespace {

using Tile = GemmShape<32, 32, 32>;
using Half = Gemm::GemmType<half, layout::RowMajor>;
using Float = Gemm::GemmType<float, layout::RowMajor>;

constexpr uint32_t SIDE = 32;
constexpr uint32_t DEPTH = 80;  // three tiles
constexpr uint32_t BLOCKS = 3;

struct Say {
    char const* what;
    uint32_t block;

    void operator()() const { std::printf("%s %u\n", what, block); }
};

/// The matrices of one block each, of ones; C starts as zeros.
struct Matrices {
    half* a[BLOCKS];
    half* b[BLOCKS];
    float* c[BLOCKS];
    float* bias;

    Matrices()
    {
        std::vector<half> const ones(SIDE * DEPTH, half(1));
        std::vector<float> const ramp = [] {
            std::vector<float> values(SIDE);
            for (uint32_t i = 0; i < SIDE; ++i) { values[i] = static_cast<float>(i); }
            return values;
        }();
        bias = static_cast<float*>(machine::AllocateGlobal(SIDE * sizeof(float)));
        machine::WriteGlobal(bias, ramp.data(), SIDE * sizeof(float));
        for (uint32_t i = 0; i < BLOCKS; ++i) {
            a[i] = static_cast<half*>(machine::AllocateGlobal(SIDE * DEPTH * sizeof(half)));
            b[i] = static_cast<half*>(machine::AllocateGlobal(SIDE * DEPTH * sizeof(half)));
            c[i] = static_cast<float*>(machine::AllocateGlobal(SIDE * SIDE * sizeof(float)));
            machine::WriteGlobal(a[i], ones.data(), SIDE * DEPTH * sizeof(half));
            machine::WriteGlobal(b[i], ones.data(), SIDE * DEPTH * sizeof(half));
            machine::FillGlobal(c[i], 0, SIDE * SIDE * sizeof(float));
        }
    }

    void Print() const
    {
        for (float const* block : c) {
            std::vector<float> host(SIDE * SIDE);
            machine::ReadGlobal(host.data(), block, host.size() * sizeof(float));
            std::printf("C %g %g\n", static_cast<double>(host[0]), static_cast<double>(host[SIDE * SIDE - 1]));
        }
    }
};

template <class T> AscendC::GlobalTensor<T> Tensor(T* data)
{
    AscendC::GlobalTensor<T> tensor;
    tensor.SetGlobalBuffer(data);
    return tensor;
}

layout::RowMajor const LAYOUT_A{SIDE, DEPTH};
layout::RowMajor const LAYOUT_B{DEPTH, SIDE};
layout::RowMajor const LAYOUT_C{SIDE, SIDE};
GemmCoord const SHAPE{SIDE, SIDE, DEPTH};

template <class Policy, class BiasType = void>
using Mmad = Gemm::Block::BlockMmad<Policy, Tile, Tile, Half, Half, Float, BiasType>;

template <class F> void OnCube(F&& body)
{
    machine::Launch("preload", 1, machine::KernelKind::AicOnly, [&](machine::Role) { body(); });
}

/// Three blocks, then SynchronizeBlock; each callback says its name.
template <class Policy, bool BOTH, bool SYNCHRONIZES> void Async(Matrices const& matrices)
{
    std::vector<Say> before;
    std::vector<Say> after;
    for (uint32_t i = 0; i < BLOCKS; ++i) {
        before.push_back({"before", i});
        after.push_back({"after", i});
    }
    OnCube([&] {
        Arch::Resource<Arch::AtlasA2> resource;
        Mmad<Policy> mmad(resource);
        for (uint32_t i = 0; i < BLOCKS; ++i) {
            std::printf("call %u\n", i);
            if constexpr (BOTH) {
                mmad(
                    Tensor(matrices.a[i]), LAYOUT_A, Tensor(matrices.b[i]), LAYOUT_B, Tensor(matrices.c[i]), LAYOUT_C,
                    SHAPE, MakeCallback(&before[i]), MakeCallback(&after[i]));
            } else {
                mmad(
                    Tensor(matrices.a[i]), LAYOUT_A, Tensor(matrices.b[i]), LAYOUT_B, Tensor(matrices.c[i]), LAYOUT_C,
                    SHAPE, MakeCallback(&after[i]));
            }
        }
        if constexpr (SYNCHRONIZES) {
            std::printf("synchronize\n");
            mmad.SynchronizeBlock();
        }
        std::printf("end\n");
    });
}

void Preload(Matrices const& matrices)
{
    OnCube([&] {
        Arch::Resource<Arch::AtlasA2> resource;
        Mmad<Gemm::MmadAtlasA2Preload<true, false>> mmad(resource);
        for (uint32_t i = 0; i < BLOCKS; ++i) {
            uint32_t const next = i + 1 < BLOCKS ? i + 1 : i;
            mmad(
                Tensor(matrices.a[i]), LAYOUT_A, Tensor(matrices.b[i]), LAYOUT_B, Tensor(matrices.c[i]), LAYOUT_C,
                Tensor(matrices.a[next]), Tensor(matrices.b[next]), SHAPE, SHAPE, i == 0, i + 1 < BLOCKS);
        }
    });
}

void Bias(Matrices const& matrices)
{
    OnCube([&] {
        Arch::Resource<Arch::AtlasA2> resource;
        Mmad<Gemm::MmadAtlasA2PingpongBias<true>, Gemm::GemmType<float, layout::VectorLayout>> mmad(resource);
        for (uint32_t i = 0; i < BLOCKS; ++i) {
            mmad(
                Tensor(matrices.a[i]), LAYOUT_A, Tensor(matrices.b[i]), LAYOUT_B, Tensor(matrices.c[i]), LAYOUT_C,
                Tensor(matrices.bias), SHAPE);
        }
    });
}

}  // namespace

int main(int argc, char** argv)
{
    std::string const which = argc > 1 ? argv[1] : "";
    Matrices const matrices;
    if (which == "preload") {
        Preload(matrices);
    } else if (which == "bias") {
        Bias(matrices);
    } else if (which == "async") {
        Async<Gemm::MmadAtlasA2PreloadAsync<1, 2, 2, 2, 1, false, false>, false, true>(matrices);
    } else if (which == "four ahead") {
        Async<Gemm::MmadAtlasA2PreloadAsyncWithCallback<4, 4, 2, 2, 1, false, false>, true, true>(matrices);
    } else if (which == "three ahead") {
        Async<Gemm::MmadAtlasA2PreloadAsyncWithCallback<3, 3, 2, 2, 1, false, false>, true, true>(matrices);
    } else if (which == "unsynchronized") {
        Async<Gemm::MmadAtlasA2PreloadAsyncWithCallback<1, 2, 2, 2, 1, false, false>, true, false>(matrices);
    } else {
        return 2;
    }
    matrices.Print();
    return 0;
}
