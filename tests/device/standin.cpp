// D = A * B on the cube core, copied from C to D by the vector cores: the smallest kernel that uses the whole stand-in.
//
//   standin CASE M N K DIRECTORY     reads a.bin and b.bin there, writes d.bin
#include <fstream>
#include <iostream>
#include <string>
#include <vector>

#include "kernel_operator.h"  // before Catlass, which includes it for device compilers only

#include "catlass/arch/arch.hpp"
#include "catlass/arch/cross_core_sync.hpp"
#include "catlass/arch/resource.hpp"
#include "catlass/catlass.hpp"
#include "catlass/epilogue/block/block_epilogue.hpp"
#include "catlass/epilogue/dispatch_policy.hpp"
#include "catlass/epilogue/tile/tile_copy.hpp"
#include "catlass/gemm/block/block_mmad.hpp"
#include "catlass/gemm/block/block_swizzle.hpp"
#include "catlass/gemm/device/device_gemm.hpp"
#include "catlass/gemm/dispatch_policy.hpp"
#include "catlass/gemm/gemm_type.hpp"
#include "catlass/gemv_coord.hpp"
#include "catlass/layout/layout.hpp"
#include "catlass/status.hpp"
#include "golden.hpp"
#include "helper.hpp"
#include "tla/tuple.hpp"

using namespace Catlass;

template <class BlockMmad_, class BlockScheduler_> class MatmulCopy {
public:
    using BlockMmad = BlockMmad_;
    using BlockScheduler = BlockScheduler_;
    using ArchTag = typename BlockMmad::ArchTag;
    using L1TileShape = typename BlockMmad::L1TileShape;
    using ElementA = typename BlockMmad::ElementA;
    using ElementB = typename BlockMmad::ElementB;
    using ElementC = typename BlockMmad::ElementC;
    using LayoutA = typename BlockMmad::LayoutA;
    using LayoutB = typename BlockMmad::LayoutB;
    using CopyIn = Epilogue::Tile::CopyGm2Ub<ArchTag, Gemm::GemmType<ElementC, layout::RowMajor>>;
    using CopyOut = Epilogue::Tile::CopyUb2Gm<ArchTag, Gemm::GemmType<ElementC, layout::RowMajor>>;

    struct Arguments {
        GemmCoord problemShape;
        GM_ADDR ptrA;
        GM_ADDR ptrB;
        GM_ADDR ptrD;
    };

    struct Params {
        Arguments arguments;
        GM_ADDR ptrC;
    };

    static bool CanImplement(Arguments const& args) { return args.ptrD != nullptr; }

    static size_t GetWorkspaceSize(Arguments const& args)
    {
        return size_t{args.problemShape.m()} * args.problemShape.n() * sizeof(ElementC);
    }

    static Params ToUnderlyingArguments(Arguments const& args, uint8_t* workspace) { return Params{args, workspace}; }

    template <int32_t CORE_TYPE = g_coreType> CATLASS_DEVICE void operator()(Params const& params)
    {
        GemmCoord const problem = params.arguments.problemShape;
        BlockScheduler scheduler(problem, MakeCoord(L1TileShape::M, L1TileShape::N));
        layout::RowMajor const layoutC(problem.m(), problem.n());
        AscendC::GlobalTensor<ElementC> gmC;
        gmC.SetGlobalBuffer(reinterpret_cast<__gm__ ElementC*>(params.ptrC));

        if constexpr (CORE_TYPE == AscendC::AIC) {
            Multiply(params, scheduler, gmC, layoutC);
        } else {
            Copy(params, scheduler, gmC, layoutC);
        }
        AscendC::PipeBarrier<PIPE_ALL>();
    }

private:
    CATLASS_DEVICE
    void Multiply(
        Params const& params, BlockScheduler& scheduler, AscendC::GlobalTensor<ElementC>& gmC,
        layout::RowMajor const& layoutC)
    {
        GemmCoord const problem = params.arguments.problemShape;
        LayoutA const layoutA(problem.m(), problem.k());
        LayoutB const layoutB(problem.k(), problem.n());
        AscendC::GlobalTensor<ElementA> gmA;
        gmA.SetGlobalBuffer(reinterpret_cast<__gm__ ElementA*>(params.arguments.ptrA));
        AscendC::GlobalTensor<ElementB> gmB;
        gmB.SetGlobalBuffer(reinterpret_cast<__gm__ ElementB*>(params.arguments.ptrB));

        BlockMmad blockMmad(resource);
        for (uint32_t i = AscendC::GetBlockIdx(); i < scheduler.GetCoreLoops(); i += AscendC::GetBlockNum()) {
            GemmCoord const block = scheduler.GetBlockCoord(i);
            MatrixCoord const start{block.m() * L1TileShape::M, block.n() * L1TileShape::N};
            blockMmad(
                gmA[layoutA.GetOffset(MatrixCoord{start.row(), 0u})], layoutA,
                gmB[layoutB.GetOffset(MatrixCoord{0u, start.column()})], layoutB, gmC[layoutC.GetOffset(start)],
                layoutC, scheduler.GetActualBlockShape(block));
            Arch::CrossCoreSetFlagWithReverse<0x2, PIPE_FIX>(flagAicFinish);
        }
    }

    CATLASS_DEVICE
    void Copy(
        Params const& params, BlockScheduler& scheduler, AscendC::GlobalTensor<ElementC>& gmC,
        layout::RowMajor const& layoutC)
    {
        CopyIn copyIn;
        CopyOut copyOut;
        AscendC::GlobalTensor<ElementC> gmD;
        gmD.SetGlobalBuffer(reinterpret_cast<__gm__ ElementC*>(params.arguments.ptrD));
        auto ub = resource.ubBuf.template GetBufferByByte<ElementC>(0);
        uint32_t const group = AscendC::GetBlockIdx() / AscendC::GetSubBlockNum();

        AscendC::SetFlag<AscendC::HardEvent::MTE3_MTE2>(EVENT_ID0);
        for (uint32_t i = group; i < scheduler.GetCoreLoops(); i += AscendC::GetBlockNum()) {
            GemmCoord const block = scheduler.GetBlockCoord(i);
            MatrixCoord const extent = scheduler.GetActualBlockShape(block).GetCoordMN();
            uint32_t const half = CeilDiv<2>(extent.row());
            uint32_t const firstRow = half * static_cast<uint32_t>(AscendC::GetSubBlockIdx());
            MatrixCoord const start{block.m() * L1TileShape::M + firstRow, block.n() * L1TileShape::N};
            uint32_t const rows = firstRow < extent.row() ? std::min(half, extent.row() - firstRow) : 0;

            Arch::CrossCoreWaitFlagWithReverse<0x2, PIPE_MTE3>(flagAicFinish);
            if (rows == 0) { continue; }
            auto const layoutTile = layoutC.GetTileLayout(MatrixCoord{rows, extent.column()});
            auto const layoutUb = layout::RowMajor::template MakeLayoutInUb<ElementC>(layoutTile.shape());
            AscendC::WaitFlag<AscendC::HardEvent::MTE3_MTE2>(EVENT_ID0);
            copyIn(ub, gmC[layoutC.GetOffset(start)], layoutUb, layoutTile);
            AscendC::SetFlag<AscendC::HardEvent::MTE2_MTE3>(EVENT_ID0);
            AscendC::WaitFlag<AscendC::HardEvent::MTE2_MTE3>(EVENT_ID0);
            copyOut(gmD[layoutC.GetOffset(start)], ub, layoutTile, layoutUb);
            AscendC::SetFlag<AscendC::HardEvent::MTE3_MTE2>(EVENT_ID0);
        }
        AscendC::WaitFlag<AscendC::HardEvent::MTE3_MTE2>(EVENT_ID0);
    }

    Arch::CrossCoreFlagWithReverse<> flagAicFinish{0, 1};
    Arch::Resource<ArchTag> resource;
};

std::vector<uint8_t> ReadAll(std::string const& path)
{
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

uint8_t* ToDevice(std::vector<uint8_t> const& data)
{
    uint8_t* pointer = nullptr;
    ACL_CHECK(aclrtMalloc(reinterpret_cast<void**>(&pointer), data.size(), ACL_MEM_MALLOC_HUGE_FIRST));
    ACL_CHECK(aclrtMemcpy(pointer, data.size(), data.data(), data.size(), ACL_MEMCPY_HOST_TO_DEVICE));
    return pointer;
}

template <class A, class LayoutA, class B, class LayoutB, class C, class L1, class L0, uint32_t DIRECTION>
int Run(GemmOptions const& options, std::string const& directory)
{
    using BlockMmad = Gemm::Block::BlockMmad<
        Gemm::MmadAtlasA2Pingpong<!std::is_same_v<A, int8_t>>, L1, L0, Gemm::GemmType<A, LayoutA>,
        Gemm::GemmType<B, LayoutB>, Gemm::GemmType<C, layout::RowMajor>>;
    using Kernel = MatmulCopy<BlockMmad, Gemm::Block::GemmIdentityBlockSwizzle<3, DIRECTION>>;
    using Adapter = Gemm::Device::DeviceGemm<Kernel>;

    aclrtStream stream{nullptr};
    ACL_CHECK(aclInit(nullptr));
    ACL_CHECK(aclrtSetDevice(options.deviceId));
    ACL_CHECK(aclrtCreateStream(&stream));
    uint64_t fftsAddr{0};
    uint32_t fftsLen{0};
    RT_CHECK(rtGetC2cCtrlAddr(&fftsAddr, &fftsLen));

    std::vector<uint8_t> d(size_t{options.problemShape.m()} * options.problemShape.n() * sizeof(C));
    uint8_t* deviceA = ToDevice(ReadAll(directory + "/a.bin"));
    uint8_t* deviceB = ToDevice(ReadAll(directory + "/b.bin"));
    uint8_t* deviceD = nullptr;
    ACL_CHECK(aclrtMalloc(reinterpret_cast<void**>(&deviceD), d.size(), ACL_MEM_MALLOC_HUGE_FIRST));

    typename Kernel::Arguments arguments{options.problemShape, deviceA, deviceB, deviceD};
    if (Adapter::CanImplement(arguments) != Status::kSuccess) { return 1; }
    auto const cores = platform_ascendc::PlatformAscendCManager::GetInstance()->GetCoreNumAic();
    RunAdapter(Adapter{}, arguments, stream, cores, fftsAddr);
    ACL_CHECK(aclrtMemcpy(d.data(), d.size(), deviceD, d.size(), ACL_MEMCPY_DEVICE_TO_HOST));
    std::ofstream(directory + "/d.bin", std::ios::binary)
        .write(reinterpret_cast<char*>(d.data()), static_cast<std::streamsize>(d.size()));

    for (uint8_t* pointer : {deviceA, deviceB, deviceD}) { ACL_CHECK(aclrtFree(pointer)); }
    ACL_CHECK(aclrtDestroyStream(stream));
    ACL_CHECK(aclrtResetDevice(options.deviceId));
    ACL_CHECK(aclFinalize());
    return 0;
}

// What the reference of an example computes must be what the cube computes.
bool GoldenAgrees()
{
    GemmCoord const problem{3, 5, 7};
    std::vector<fp16_t> a(21);
    std::vector<fp16_t> b(35);
    std::vector<fp16_t> x(15);
    std::vector<float> expected(15);
    golden::FillRandomData<fp16_t>(a, -5.0f, 5.0f);
    golden::FillRandomData<fp16_t>(b, -5.0f, 5.0f);
    golden::FillRandomData<fp16_t>(x, -5.0f, 5.0f);
    layout::RowMajor const layoutD{3, 5};
    golden::ComputeMatmulElemWiseAdd(
        problem, a, layout::ColumnMajor{3, 7}, b, layout::RowMajor{7, 5}, x, expected, layoutD);
    std::vector<float> actual(15);
    using Matrix = machine::Matrix<fp16_t const>;
    float const* const noBias = nullptr;
    machine::Multiply(
        Matrix{a.data(), 1, 3}, Matrix{b.data(), 5, 1}, machine::Matrix<float>{actual.data(), 5, 1}, noBias, 3, 5, 7,
        machine::Combine::Store);
    for (size_t i = 0; i < actual.size(); ++i) { actual[i] += static_cast<float>(x[i]); }
    bool const equal = golden::CompareData(actual, expected, problem.k()).empty();
    actual[4] += 1.0f;
    return equal && golden::CompareData(actual, expected, problem.k()) == std::vector<uint64_t>{4};
}

static_assert(std::is_empty_v<tla::tuple<tla::Int<1>, tla::Int<2>>>);
static_assert(tla::get<1>(tla::tuple<int, float>(1, 2.5f)) == 2.5f);
static_assert(RoundUp<16>(17) == 32 && RoundUp(17, 16) == 32 && RoundDown<16>(17) == 16 && CeilDiv<16>(17) == 2);

int main(int argc, char const** argv)
{
    using Row = layout::RowMajor;
    using Column = layout::ColumnMajor;
    using L1 = GemmShape<128, 256, 256>;
    using L0 = GemmShape<128, 256, 64>;
    using L1Float = GemmShape<128, 128, 128>;
    using L0Float = GemmShape<128, 128, 32>;
    using L1Int8 = GemmShape<128, 256, 512>;
    using L0Int8 = GemmShape<128, 256, 128>;

    GemmOptions options;
    if (argc != 6 || options.Parse(argc - 2, argv + 1) != 0 || !GoldenAgrees()) { return 2; }
    std::string const name = argv[1];
    std::string const directory = argv[5];
    if (name == "half") { return Run<half, Row, half, Row, half, L1, L0, 0>(options, directory); }
    if (name == "half_float") { return Run<half, Row, half, Column, float, L1, L0, 1>(options, directory); }
    if (name == "bfloat16") {
        return Run<bfloat16_t, Column, bfloat16_t, Row, bfloat16_t, L1, L0, 0>(options, directory);
    }
    if (name == "float") { return Run<float, Column, float, Column, float, L1Float, L0Float, 1>(options, directory); }
    if (name == "int8") { return Run<int8_t, Row, int8_t, Row, int32_t, L1Int8, L0Int8, 0>(options, directory); }
    return 2;
}
