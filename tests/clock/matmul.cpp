// Matmuls with an epilogue whose times are published: program KIND [M N K].
//   matmul       8192^3 as asc-devkit's matmul_gelu_high_performance divides it: the matmul alone
//   fused        the same, with gelu of each block on the vector cores
//   gelu         gelu alone, of 8192 x 8192 floats
//   evt M N K    D = A * B + X: the emitted kernel of matmul_add_evt
//   hand M N K   the same with an epilogue written by hand
#include <acl/acl.h>
#include <tiling/platform/platform_ascendc.h>

#include <algorithm>
#include <cstdlib>
#include <string>

#include "kernel_operator.h"
#include "machine/launch.hpp"

#include "catlass/catlass.hpp"
#include "catlass/gemm/device/device_gemm.hpp"
#include "matmul_add_evt.hpp"

using namespace AscendC;
using namespace Catlass;

namespace {

uint8_t* Allocate(size_t elements, size_t size)
{
    void* device = nullptr;
    aclrtMalloc(&device, elements * size, ACL_MEM_MALLOC_HUGE_FIRST);
    return static_cast<uint8_t*>(device);
}

// ---- 8192^3 and gelu, on 24 cube cores

constexpr uint32_t kSize = 8192;
constexpr uint32_t kRows = 128;  // of a block
constexpr uint32_t kColumns = 256;
constexpr uint32_t kCores = 24;
constexpr uint32_t kCoreRows = 2048;
constexpr uint32_t kCoreColumns = 1536;

using Product = Gemm::Block::BlockMmad<
    Gemm::MmadAtlasA2Pingpong<true>, GemmShape<kRows, kColumns, 256>, GemmShape<kRows, kColumns, 64>,
    Gemm::GemmType<half, layout::RowMajor>, Gemm::GemmType<half, layout::ColumnMajor>,
    Gemm::GemmType<float, layout::RowMajor>>;

/// y = x / (1 + exp(-1.595769 (x + 0.044715 x^3)))
void Gelu(LocalTensor<float> const& y, LocalTensor<float> const& x, uint32_t count)
{
    auto const next = [] { PipeBarrier<PIPE_V>(); };
    Mul(y, x, x, count);
    next();
    Mul(y, y, x, count);
    next();
    Muls(y, y, 0.044715f, count);
    next();
    Add(y, x, y, count);
    next();
    Muls(y, y, -1.595769f, count);
    next();
    Exp(y, y, count);
    next();
    Adds(y, y, 1.0f, count);
    next();
    Div(y, x, y, count);
}

/// Calls f(row, column) for the first element of each block of a cube core.
template <class F> void ForEachBlock(uint32_t core, F&& f)
{
    uint32_t const firstRow = core % (kSize / kCoreRows) * kCoreRows;
    uint32_t const firstColumn = core / (kSize / kCoreRows) * kCoreColumns;
    for (uint32_t row = firstRow; row < firstRow + kCoreRows; row += kRows) {
        for (uint32_t column = firstColumn; column < std::min(kSize, firstColumn + kCoreColumns); column += kColumns) {
            f(row, column);
        }
    }
}

void MultiplyBlocks(uint8_t* a, uint8_t* b, uint8_t* c, bool signals)
{
    Arch::Resource<Arch::AtlasA2> resource;
    Product product(resource);
    GlobalTensor<half> gmA;
    GlobalTensor<half> gmB;
    GlobalTensor<float> gmC;
    gmA.SetGlobalBuffer(reinterpret_cast<half*>(a));
    gmB.SetGlobalBuffer(reinterpret_cast<half*>(b));
    gmC.SetGlobalBuffer(reinterpret_cast<float*>(c));
    layout::RowMajor const rows{kSize, kSize};
    layout::ColumnMajor const columns{kSize, kSize};
    ForEachBlock(static_cast<uint32_t>(GetBlockIdx()), [&](uint32_t row, uint32_t column) {
        product(
            gmA[uint64_t{row} * kSize], rows, gmB[uint64_t{column} * kSize], columns,
            gmC[uint64_t{row} * kSize + column], rows, GemmCoord(kRows, kColumns, kSize));
        if (signals) { CrossCoreSetFlag<2, PIPE_FIX>(8); }
    });
}

/// Half of a block, from and to C, with one buffer.
void GeluBlocks(uint8_t* c)
{
    constexpr uint32_t count = kRows / 2 * kColumns;
    LocalTensor<float> x(TPosition::VECCALC, 0, count);
    LocalTensor<float> y(TPosition::VECCALC, count * sizeof(float), count);
    GlobalTensor<float> gmC;
    gmC.SetGlobalBuffer(reinterpret_cast<float*>(c));
    constexpr auto bytes = static_cast<uint32_t>(kColumns * sizeof(float));
    constexpr auto gap = static_cast<uint32_t>((kSize - kColumns) * sizeof(float));
    SetFlag<HardEvent::V_MTE2>(0);
    SetFlag<HardEvent::MTE3_V>(0);
    ForEachBlock(static_cast<uint32_t>(GetBlockIdx()) / 2, [&](uint32_t row, uint32_t column) {
        CrossCoreWaitFlag(8);
        uint32_t const own = row + static_cast<uint32_t>(GetSubBlockIdx()) * kRows / 2;
        uint64_t const at = uint64_t{own} * kSize + column;
        WaitFlag<HardEvent::V_MTE2>(0);
        DataCopyPad(x, gmC[at], DataCopyExtParams{kRows / 2, bytes, gap, 0, 0}, DataCopyPadExtParams<float>{});
        SetFlag<HardEvent::MTE2_V>(0);
        WaitFlag<HardEvent::MTE2_V>(0);
        WaitFlag<HardEvent::MTE3_V>(0);
        Gelu(y, x, count);
        SetFlag<HardEvent::V_MTE2>(0);
        SetFlag<HardEvent::V_MTE3>(0);
        WaitFlag<HardEvent::V_MTE3>(0);
        DataCopyPad(gmC[at], y, DataCopyExtParams{kRows / 2, bytes, 0, gap, 0});
        SetFlag<HardEvent::MTE3_V>(0);
    });
    WaitFlag<HardEvent::V_MTE2>(0);
    WaitFlag<HardEvent::MTE3_V>(0);
}

void Multiply(bool fused)
{
    uint8_t* const a = Allocate(size_t{kSize} * kSize, sizeof(half));
    uint8_t* const b = Allocate(size_t{kSize} * kSize, sizeof(half));
    uint8_t* const c = Allocate(size_t{kSize} * kSize, sizeof(float));
    auto const kind = fused ? machine::KernelKind::Mix : machine::KernelKind::AicOnly;
    machine::Launch("matmul", kCores, kind, [&](machine::Role role) {
        if (role == machine::Role::AIC) {
            MultiplyBlocks(a, b, c, fused);
        } else {
            GeluBlocks(c);
        }
    });
}

// ---- D = A * B + X

using Shape = GemmCoord;

/// The epilogue of a block by hand: one buffer each for C, X and D, half of the block's rows per vector core.
class AddByHand {
public:
    AddByHand(uint8_t* x, uint8_t* d)
    {
        x_.SetGlobalBuffer(reinterpret_cast<half*>(x));
        d_.SetGlobalBuffer(reinterpret_cast<half*>(d));
        SetFlag<HardEvent::V_MTE2>(0);
        SetFlag<HardEvent::MTE3_V>(0);
    }
    ~AddByHand()
    {
        WaitFlag<HardEvent::V_MTE2>(0);
        WaitFlag<HardEvent::MTE3_V>(0);
    }

    /// `c`: the whole matrix of N columns; the block starts at row, column.
    void operator()(GlobalTensor<half> const& c, uint32_t n, uint32_t row, uint32_t column, Shape const& block)
    {
        uint32_t const half0 = (block.m() + 1) / 2;
        uint32_t const second = static_cast<uint32_t>(GetSubBlockIdx());
        uint32_t const rows = second == 0 ? half0 : block.m() - half0;
        if (rows == 0) { return; }
        uint64_t const at = uint64_t{row + second * half0} * n + column;
        uint32_t const pitch = (block.n() + 15) / 16 * 16;
        auto const blocks = static_cast<uint16_t>(rows);
        auto const bytes = static_cast<uint32_t>(block.n() * sizeof(half));
        auto const gap = static_cast<uint32_t>((n - block.n()) * sizeof(half));
        WaitFlag<HardEvent::V_MTE2>(0);
        DataCopyPad(left_, c[at], DataCopyExtParams{blocks, bytes, gap, 0, 0}, DataCopyPadExtParams<half>{});
        DataCopyPad(right_, x_[at], DataCopyExtParams{blocks, bytes, gap, 0, 0}, DataCopyPadExtParams<half>{});
        SetFlag<HardEvent::MTE2_V>(0);
        WaitFlag<HardEvent::MTE2_V>(0);
        WaitFlag<HardEvent::MTE3_V>(0);
        Add(sum_, left_, right_, rows * pitch);
        SetFlag<HardEvent::V_MTE2>(0);
        SetFlag<HardEvent::V_MTE3>(0);
        WaitFlag<HardEvent::V_MTE3>(0);
        DataCopyPad(d_[at], sum_, DataCopyExtParams{blocks, bytes, 0, gap, 0});
        SetFlag<HardEvent::MTE3_V>(0);
    }

private:
    static constexpr uint32_t kCount = 16384;

    GlobalTensor<half> x_;
    GlobalTensor<half> d_;
    LocalTensor<half> left_{TPosition::VECCALC, 0, kCount};
    // 256 bytes apart modulo 512, as an EVT has them: the sources of the Add never meet in a bank
    LocalTensor<half> right_{TPosition::VECCALC, kCount * 2 + 256, kCount};
    LocalTensor<half> sum_{TPosition::VECCALC, kCount * 4 + 256, kCount};
};

namespace add = Catlass::Evt::matmul_add_evt;

void ByHand(Shape const& shape, uint8_t* a, uint8_t* b, uint8_t* x, uint8_t* d, uint8_t* c)
{
    using Tile = add::BlockMmad::L1TileShape;
    auto const body = [&](machine::Role role) {
        add::BlockScheduler scheduler(shape, MakeCoord(Tile::M, Tile::N));
        Arch::Resource<Arch::AtlasA2> resource;
        Arch::CrossCoreFlagWithReverse<15> ready{0, 1};
        GlobalTensor<half> gmA;
        GlobalTensor<half> gmB;
        GlobalTensor<half> gmC;
        gmA.SetGlobalBuffer(reinterpret_cast<half*>(a));
        gmB.SetGlobalBuffer(reinterpret_cast<half*>(b));
        gmC.SetGlobalBuffer(reinterpret_cast<half*>(c));
        layout::RowMajor const layoutA{shape.m(), shape.k()};
        layout::RowMajor const layoutB{shape.k(), shape.n()};
        layout::RowMajor const layoutC{shape.m(), shape.n()};
        auto const forEachBlock = [&](uint32_t core, auto&& f) {
            for (uint32_t loop = core; loop < scheduler.GetCoreLoops(); loop += GetBlockNum()) {
                GemmCoord const block = scheduler.GetBlockCoord(loop);
                f(block * Tile::ToCoord(), scheduler.GetActualBlockShape(block));
            }
        };
        if (role == machine::Role::AIC) {
            add::BlockMmad product(resource);
            forEachBlock(static_cast<uint32_t>(GetBlockIdx()), [&](GemmCoord const& at, GemmCoord const& size) {
                product(
                    gmA[layoutA.GetOffset(at.GetCoordMK())], layoutA, gmB[layoutB.GetOffset(at.GetCoordKN())], layoutB,
                    gmC[layoutC.GetOffset(at.GetCoordMN())], layoutC, size);
                Arch::CrossCoreSetFlagWithReverse<2, PIPE_FIX>(ready);
            });
        } else {
            AddByHand epilogue(x, d);
            forEachBlock(static_cast<uint32_t>(GetBlockIdx()) / 2, [&](GemmCoord const& at, GemmCoord const& size) {
                Arch::CrossCoreWaitFlagWithReverse<2, PIPE_MTE3>(ready);
                epilogue(gmC, shape.n(), at.m(), at.n(), size);
            });
        }
        PipeBarrier<PIPE_ALL>();
    };
    auto* const platform = platform_ascendc::PlatformAscendCManager::GetInstance();
    machine::Launch("hand", platform->GetCoreNumAic(), machine::KernelKind::Mix, body);
}

/// The workspace has the whole of C, as in the program whose times are published.
using WithAllOfC = Gemm::Kernel::MatmulVisitor<add::BlockMmad, add::BlockEpilogue, add::BlockScheduler, 0>;

void Added(bool byHand, Shape const& shape)
{
    size_t const outputs = size_t{shape.m()} * shape.n();
    uint8_t* const a = Allocate(size_t{shape.m()} * shape.k(), sizeof(half));
    uint8_t* const b = Allocate(size_t{shape.k()} * shape.n(), sizeof(half));
    uint8_t* const x = Allocate(outputs, sizeof(half));
    uint8_t* const d = Allocate(outputs, sizeof(half));
    if (byHand) {
        ByHand(shape, a, b, x, d, Allocate(outputs, sizeof(half)));
        return;
    }
    add::Arguments arguments{};
    arguments.X = x;
    arguments.D = d;
    arguments.layoutX = layout::RowMajor{shape.m(), shape.n()};
    arguments.layoutD = arguments.layoutX;
    uint32_t const cores = platform_ascendc::PlatformAscendCManager::GetInstance()->GetCoreNumAic();
    Gemm::Device::DeviceGemm<WithAllOfC> kernel;
    WithAllOfC::Arguments const all{shape, a, b, arguments.ToEvt(), cores};
    kernel.Initialize(all, Allocate(kernel.GetWorkspaceSize(all), 1));
    kernel(nullptr, cores);
}

// ---- gelu alone: 48 vector cores, two rows of half of the columns at a time

void GeluAlone()
{
    constexpr uint32_t columns = 4096;
    constexpr uint32_t count = 2 * columns;
    constexpr uint32_t across = kSize / columns;
    constexpr uint32_t cores = 48;
    uint8_t* const from = Allocate(size_t{kSize} * kSize, sizeof(float));
    uint8_t* const to = Allocate(size_t{kSize} * kSize, sizeof(float));
    machine::Launch("gelu", cores, machine::KernelKind::AivOnly, [&](machine::Role) {
        GlobalTensor<float> gmX;
        GlobalTensor<float> gmY;
        gmX.SetGlobalBuffer(reinterpret_cast<float*>(from));
        gmY.SetGlobalBuffer(reinterpret_cast<float*>(to));
        auto const core = static_cast<uint32_t>(GetBlockIdx());
        uint32_t const first = core % across * columns;
        uint32_t const strips = cores / across;
        uint32_t const begin = core / across * kSize / strips;
        uint32_t const end = (core / across + 1) * kSize / strips;
        constexpr auto bytes = static_cast<uint32_t>(columns * sizeof(float));
        constexpr auto gap = static_cast<uint32_t>((kSize - columns) * sizeof(float));
        for (int32_t b = 0; b < 2; ++b) {
            SetFlag<HardEvent::V_MTE2>(b);
            SetFlag<HardEvent::MTE3_V>(b);
        }
        int32_t b = 0;
        for (uint32_t row = begin; row < end; row += 2, b = 1 - b) {
            auto const own = static_cast<uint32_t>(b);
            LocalTensor<float> x(TPosition::VECCALC, own * count * 4, count);
            LocalTensor<float> y(TPosition::VECCALC, (2 + own) * count * 4, count);
            auto const rows = static_cast<uint16_t>(std::min(2u, end - row));
            uint64_t const at = uint64_t{row} * kSize + first;
            WaitFlag<HardEvent::V_MTE2>(b);
            DataCopyPad(x, gmX[at], DataCopyExtParams{rows, bytes, gap, 0, 0}, DataCopyPadExtParams<float>{});
            SetFlag<HardEvent::MTE2_V>(b);
            WaitFlag<HardEvent::MTE2_V>(b);
            WaitFlag<HardEvent::MTE3_V>(b);
            Gelu(y, x, rows * columns);
            SetFlag<HardEvent::V_MTE2>(b);
            SetFlag<HardEvent::V_MTE3>(b);
            WaitFlag<HardEvent::V_MTE3>(b);
            DataCopyPad(gmY[at], y, DataCopyExtParams{rows, bytes, 0, gap, 0});
            SetFlag<HardEvent::MTE3_V>(b);
        }
        for (b = 0; b < 2; ++b) {
            WaitFlag<HardEvent::V_MTE2>(b);
            WaitFlag<HardEvent::MTE3_V>(b);
        }
    });
}

}  // namespace

int main(int argc, char** argv)
{
    std::string const kind = argc > 1 ? argv[1] : "";
    auto const number = [&](int i) { return static_cast<uint32_t>(std::atoi(argv[i])); };
    if (kind == "gelu") {
        GeluAlone();
    } else if (argc == 5) {
        Added(kind == "hand", Shape(number(2), number(3), number(4)));
    } else {
        Multiply(kind == "fused");
    }
    return 0;
}
