// D = A * B + bias by BlockMmadTla, copied to D by the vector cores: from a workspace in GM, or from UB, to which the cube
// core's product goes. One group of cores, so each buffer is used again from block to block.
//
//   tla CASE ORDER M N K DIRECTORY     reads a.bin, b.bin and bias.bin there, writes d.bin
//
// ORDER is `whole`, or what is left out: `ready`, the flag that says that a product is there; `free`, the one that says
// that it has been stored and the next may come; `second`, the latter from the second vector core only. Or `odd`: the
// second vector core stores the rows of its part one further on. Or `narrow` and `crooked`: rows in UB start before the
// last one ends, and on no data block.
#include <cstring>
#include <fstream>
#include <string>
#include <vector>

#include "kernel_operator.h"  // before Catlass, which includes it for device compilers only

#include "catlass/arch/cross_core_sync.hpp"
#include "catlass/arch/resource.hpp"
#include "catlass/epilogue/tile/copy_gm_to_ub_tla.hpp"
#include "catlass/epilogue/tile/copy_ub_to_gm_tla.hpp"
#include "catlass/gemm/block/block_mmad.hpp"
#include "catlass/gemm/block/block_swizzle.hpp"
#include "catlass/gemm/dispatch_policy.hpp"
#include "machine/keep.hpp"
#include "machine/launch.hpp"
#include "machine/memory.hpp"
#include "tla/layout.hpp"
#include "tla/tensor.hpp"

using namespace Catlass;

namespace {

using ArchTag = Arch::Ascend950;
using Mode = Gemm::Tile::CopyL0CToUBMode;
using L1TileShape = tla::Shape<tla::Int<48>, tla::Int<80>, tla::Int<64>>;
using L0TileShape = tla::Shape<tla::Int<48>, tla::Int<80>, tla::Int<32>>;
constexpr uint32_t TILE_M = tla::get<0>(L1TileShape{});
constexpr uint32_t TILE_N = tla::get<1>(L1TileShape{});

struct Order {
    bool ready = true;            // the vector cores wait for the product
    bool free[2] = {true, true};  // the cube core waits until it is stored, by each vector core
    bool odd = false;
    int64_t stride = TILE_N;  // of rows in UB
};

template <class A, class LayoutTagA, class LayoutTagB, class C, class Bias, class TileCopy, bool TO_UB, Mode MODE>
struct Kernel {
    using BlockMmad =
        Gemm::Block::BlockMmadTla<Gemm::MmadPingpong<ArchTag, true>, L1TileShape, L0TileShape, A, A, C, Bias, TileCopy>;
    using Scheduler = Gemm::Block::GemmIdentityBlockSwizzle<3, 0>;

    GemmCoord problem;
    GM_ADDR ptrA;
    GM_ADDR ptrB;
    GM_ADDR ptrBias;
    GM_ADDR ptrC;  // a block
    GM_ADDR ptrD;
    Order order;

    void operator()() const
    {
        Arch::Resource<ArchTag> resource;
        Scheduler scheduler(problem, MakeCoord(TILE_M, TILE_N));
        BlockMmad blockMmad(resource);
        if ASCEND_IS_AIV { Give(); }
        for (uint32_t i = 0; i < scheduler.GetCoreLoops(); ++i) {
            GemmCoord const block = scheduler.GetBlockCoord(i);
            GemmCoord const actual = scheduler.GetActualBlockShape(block);
            if ASCEND_IS_AIC {
                Take();
                Multiply(blockMmad, resource, block, actual);
                Announce();
            } else {
                Await();
                Store(resource, block, actual);
                Give();
            }
        }
        if ASCEND_IS_AIC { Take(); }
        AscendC::PipeBarrier<PIPE_ALL>();
    }

private:
    template <class Element, class LayoutTag> static auto TensorOf(GM_ADDR data, uint32_t rows, uint32_t columns)
    {
        AscendC::GlobalTensor<Element> gm;
        gm.SetGlobalBuffer(reinterpret_cast<__gm__ Element*>(data));
        return tla::MakeTensor(gm, tla::MakeLayout<Element, LayoutTag>(rows, columns), Arch::PositionGM{});
    }

    /// The part of a product that a vector core has in its UB, or all of it in the cube core's.
    auto InUb(Arch::Resource<ArchTag>& resource, uint32_t rows, uint32_t columns) const
    {
        auto const layout =
            tla::MakeLayout(tla::MakeShape(rows, columns), tla::MakeStride(order.stride, tla::Int<1>{}));
        return tla::MakeTensor(resource.ubBuf.template GetBufferByByte<C>(TO_UB ? 256 : 0), layout, Arch::PositionUB{});
    }

    void Multiply(
        BlockMmad& blockMmad, Arch::Resource<ArchTag>& resource, GemmCoord const& block, GemmCoord const& actual) const
    {
        auto const a = TensorOf<A, LayoutTagA>(ptrA, problem.m(), problem.k());
        auto const b = TensorOf<A, LayoutTagB>(ptrB, problem.k(), problem.n());
        auto const rows = [&] {
            if constexpr (std::is_same_v<LayoutTagA, layout::VectorLayout>) {
                return GetTile(a, tla::MakeCoord(0u), tla::MakeShape(actual.k()));
            } else {
                return GetTile(a, tla::MakeCoord(block.m() * TILE_M, 0u), tla::MakeShape(actual.m(), actual.k()));
            }
        };
        auto blockA = rows();
        auto blockB = GetTile(b, tla::MakeCoord(0u, block.n() * TILE_N), tla::MakeShape(actual.k(), actual.n()));
        auto const store = [&](auto c) {
            if constexpr (std::is_void_v<Bias>) {
                blockMmad(blockA, blockB, c, actual);
            } else {
                auto const bias = TensorOf<Bias, layout::VectorLayout>(ptrBias, 1, problem.n());
                auto blockBias = GetTile(bias, tla::MakeCoord(block.n() * TILE_N), tla::MakeShape(actual.n()));
                blockMmad(blockA, blockB, c, actual, blockBias);
            }
        };
        if constexpr (TO_UB) {
            store(InUb(resource, actual.m(), actual.n()));
        } else {
            store(TensorOf<C, layout::RowMajor>(ptrC, actual.m(), actual.n()));
        }
    }

    void Store(Arch::Resource<ArchTag>& resource, GemmCoord const& block, GemmCoord const& actual) const
    {
        uint32_t const core = static_cast<uint32_t>(AscendC::GetSubBlockIdx());
        uint32_t firstRow = 0;
        uint32_t firstColumn = 0;
        uint32_t rows = actual.m();
        uint32_t columns = actual.n();
        if (MODE == Mode::NO_SPLIT) {
            rows = core == 0 ? rows : 0;
        } else if (MODE == Mode::SPLIT_N) {
            firstColumn = core * RoundUp<32>(columns) / 2;
            columns = firstColumn < columns ? std::min(RoundUp<32>(columns) / 2, columns - firstColumn) : 0;
        } else {
            firstRow = core * CeilDiv<2>(rows);
            rows = firstRow < rows ? std::min(CeilDiv<2>(rows), rows - firstRow) : 0;
        }
        if (rows == 0 || columns == 0) { return; }
        uint32_t const skipped = order.odd && core == 1 ? 1 : 0;
        auto const part = InUb(resource, rows + skipped, columns);
        auto ub = GetTile(part, tla::MakeCoord(skipped, 0u), tla::MakeShape(rows, columns));
        if constexpr (!TO_UB) {
            auto const c = TensorOf<C, layout::RowMajor>(ptrC, actual.m(), actual.n());
            auto from = GetTile(c, tla::MakeCoord(firstRow, firstColumn), tla::MakeShape(rows, columns));
            AscendC::SetFlag<AscendC::HardEvent::MTE3_MTE2>(EVENT_ID0);
            AscendC::WaitFlag<AscendC::HardEvent::MTE3_MTE2>(EVENT_ID0);
            Epilogue::Tile::CopyGm2UbTla<ArchTag, decltype(from), decltype(ub)>{}(ub, from);
            AscendC::SetFlag<AscendC::HardEvent::MTE2_MTE3>(EVENT_ID0);
            AscendC::WaitFlag<AscendC::HardEvent::MTE2_MTE3>(EVENT_ID0);
        }
        auto const d = TensorOf<C, layout::RowMajor>(ptrD, problem.m(), problem.n());
        auto to = GetTile(
            d, tla::MakeCoord(block.m() * TILE_M + firstRow, block.n() * TILE_N + firstColumn),
            tla::MakeShape(rows, columns));
        Epilogue::Tile::CopyUb2GmTla<ArchTag, decltype(ub), decltype(to)>{}(to, ub);
    }

    // Flags: 0 says that a product is there, 1 that there is room for one. Through UB each vector core has its own.

    void Announce() const
    {
        if (TO_UB && order.ready) {
            AscendC::CrossCoreSetFlag<4, PIPE_FIX>(0);
            AscendC::CrossCoreSetFlag<4, PIPE_FIX>(16);
        } else if (order.ready) {
            AscendC::CrossCoreSetFlag<2, PIPE_FIX>(0);
        }
    }
    void Await() const
    {
        if (TO_UB && order.ready) {
            AscendC::CrossCoreWaitFlag<4, PIPE_MTE3>(0);
        } else if (order.ready) {
            AscendC::CrossCoreWaitFlag<2, PIPE_MTE2>(0);
        }
    }
    void Give() const
    {
        if (TO_UB && order.free[AscendC::GetSubBlockIdx()]) {
            AscendC::CrossCoreSetFlag<4, PIPE_MTE3>(1);
        } else if (!TO_UB && order.free[0]) {
            AscendC::CrossCoreSetFlag<2, PIPE_MTE2>(1);
        }
    }
    void Take() const
    {
        if (TO_UB) {
            for (uint16_t core = 0; core < 2; ++core) {
                if (order.free[core]) { AscendC::CrossCoreWaitFlag<4, PIPE_FIX>(static_cast<uint16_t>(1 + 16 * core)); }
            }
        } else if (order.free[0]) {
            AscendC::CrossCoreWaitFlag<2, PIPE_FIX>(1);
        }
    }
};

std::vector<uint8_t> ReadAll(std::string const& path)
{
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

GM_ADDR ToDevice(std::vector<uint8_t> const& data)
{
    auto* const pointer = static_cast<GM_ADDR>(machine::AllocateGlobal(data.size()));
    machine::WriteGlobal(pointer, data.data(), data.size());
    return pointer;
}

template <class A, class TagA, class TagB, class C, class Bias, class TileCopy, bool TO_UB, Mode MODE>
int Run(GemmCoord const& problem, Order const& order, std::string const& directory)
{
    size_t const size = size_t{problem.m()} * problem.n() * sizeof(C);
    std::vector<uint8_t> d(size);
    std::vector<uint8_t> kept(size);
    Kernel<A, TagA, TagB, C, Bias, TileCopy, TO_UB, MODE> const kernel{
        problem,
        ToDevice(ReadAll(directory + "/a.bin")),
        ToDevice(ReadAll(directory + "/b.bin")),
        ToDevice(ReadAll(directory + "/bias.bin")),
        static_cast<GM_ADDR>(machine::AllocateGlobal(TILE_M * TILE_N * sizeof(C))),
        static_cast<GM_ADDR>(machine::AllocateGlobal(size)),
        order};
    machine::Keep({{kernel.ptrA, kernel.ptrB, 0, problem.m(), 0, problem.n()}}, kept.data(), problem.n());
    machine::Launch("MatmulTla", 1, machine::KernelKind::Mix, [&](machine::Role) { kernel(); });
    machine::ReadGlobal(d.data(), kernel.ptrD, size);
    if (order.ready && order.free[0] && order.free[1] && !order.odd && order.stride == TILE_N && kept != d) {
        return 3;
    }
    std::ofstream(directory + "/d.bin", std::ios::binary)
        .write(reinterpret_cast<char*>(d.data()), static_cast<std::streamsize>(d.size()));
    return 0;
}

template <class A, class TagA, class TagB, class C, class Bias = void>
int ThroughGm(GemmCoord const& problem, Order const& order, std::string const& directory)
{
    using Copy = Gemm::Tile::PackedTileCopyTla<ArchTag, A, TagA, A, TagB, C, layout::RowMajor, Bias>;
    return Run<A, TagA, TagB, C, Bias, Copy, false, Mode::SPLIT_M>(problem, order, directory);
}

template <class A, class TagA, class TagB, class C, Mode MODE, class Bias = void>
int ThroughUb(GemmCoord const& problem, Order const& order, std::string const& directory)
{
    using Copy = Gemm::Tile::PackedTileCopyTlaToUB<ArchTag, A, TagA, A, TagB, C, layout::RowMajor, Bias, MODE>;
    return Run<A, TagA, TagB, C, Bias, Copy, true, MODE>(problem, order, directory);
}

using Row = layout::RowMajor;
using Column = layout::ColumnMajor;

// Layouts and tiles, at compile time
constexpr auto LAYOUT = tla::MakeLayout<float, Row>(5u, 7u);
static_assert(
    LAYOUT(tla::MakeCoord(2u, 3u)) == 17 && tla::MakeLayout<float, Column>(5u, 7u)(tla::MakeCoord(2, 3)) == 17);
static_assert(tla::detail::isRowMajor<decltype(LAYOUT)>::value && !tla::detail::isColumnMajor<decltype(LAYOUT)>::value);
static_assert(tla::detail::isVector<decltype(tla::MakeLayout(7u))>::value);
static_assert(std::is_same_v<Catlass::detail::TagToLayout_t<float, Row>, std::remove_const_t<decltype(LAYOUT)>>);
constexpr auto EDGE = tla::GetTileLayout(LAYOUT, tla::MakeShape(4u, 4u), tla::MakeCoord(3u, 8u));
static_assert(tla::get<0>(EDGE.originShape()) == 2 && tla::get<1>(EDGE.originShape()) == 0);
static_assert(tla::get<0>(EDGE.shape()) == 4 && tla::get<0>(EDGE.stride()) == 7 && EDGE.template stride<1>() == 1);
static_assert(tla::rank_v<tla::Shape<int, int>> == 2 && tla::depth_v<tla::Shape<int, tla::Shape<int>>> == 2);

}  // namespace

int main(int argc, char const** argv)
{
    if (argc != 7) { return 2; }
    std::string const name = argv[1];
    std::string const left = argv[2];
    std::string const directory = argv[6];
    auto const number = [argv](int i) { return static_cast<uint32_t>(std::stoul(argv[i])); };
    GemmCoord const problem{number(3), number(4), number(5)};
    Order const order{
        left != "ready",
        {left != "free", left != "free" && left != "second"},
        left == "odd",
        left == "narrow"    ? TILE_N - 8
        : left == "crooked" ? TILE_N + 4
                            : TILE_N};
    if (name == "gm_half") { return ThroughGm<half, Row, Row, float>(problem, order, directory); }
    if (name == "gm_vector") {
        return ThroughGm<float, layout::VectorLayout, Column, float>(problem, order, directory);
    }
    if (name == "gm_bias") {
        return ThroughGm<bfloat16_t, Column, Column, bfloat16_t, float>(problem, order, directory);
    }
    if (name == "ub_float") { return ThroughUb<float, Row, Column, float, Mode::SPLIT_M>(problem, order, directory); }
    if (name == "ub_bias") {
        return ThroughUb<half, Column, Row, float, Mode::SPLIT_M, float>(problem, order, directory);
    }
    if (name == "ub_columns") { return ThroughUb<half, Row, Row, float, Mode::SPLIT_N>(problem, order, directory); }
    if (name == "ub_one") { return ThroughUb<half, Row, Row, bfloat16_t, Mode::NO_SPLIT>(problem, order, directory); }
    return 2;
}
