// Times the epilogue of matmul_add_evt.hpp, D = C + X, on the CPU model, with C given: program ROWS COLUMNS REPEATS
// Prints the seconds of each launch.
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include <acl/acl.h>
#include <tiling/platform/platform_ascendc.h>

#include "kernel_operator.h"

#include "catlass/catlass.hpp"
#include "catlass/gemm/device/device_gemm.hpp"
#include "matmul_add_evt.hpp"

namespace {

/// The vector half of MatmulVisitor, without the matmul before it and the flags between the two.
class EpilogueOnly {
public:
    using Epilogue = Catlass::Evt::matmul_add_evt::BlockEpilogue;
    using BlockScheduler = Catlass::Evt::matmul_add_evt::BlockScheduler;
    using Arguments = typename Catlass::Evt::matmul_add_evt::Kernel::Arguments;
    using L1TileShape = typename Catlass::Evt::matmul_add_evt::BlockMmad::L1TileShape;

    struct Params {
        Catlass::GemmCoord problemShape;
        GM_ADDR ptrC;
        typename Epilogue::Params epilogue;
    };

    static bool CanImplement(Arguments const&) { return true; }
    static size_t GetWorkspaceSize(Arguments const&) { return 0; }

    static Params ToUnderlyingArguments(Arguments const& args, uint8_t* c)
    {
        return {args.problemShape, c,
                {Catlass::Evt::matmul_add_evt::EVT::to_underlying_arguments(args.problemShape, args.evt_args, nullptr)}};
    }

    template <int32_t CORE_TYPE = g_coreType>
    CATLASS_DEVICE void operator()(Params const& params)
    {
        if constexpr (CORE_TYPE == AscendC::AIV) {
            BlockScheduler scheduler(params.problemShape, Catlass::MakeCoord(L1TileShape::M, L1TileShape::N));
            Epilogue epilogue(resource, params.epilogue);
            AscendC::GlobalTensor<half> gmC;
            gmC.SetGlobalBuffer(reinterpret_cast<__gm__ half*>(params.ptrC));
            Catlass::layout::RowMajor layoutC{params.problemShape.m(), params.problemShape.n()};
            Catlass::GemmCoord blockShape = L1TileShape::ToCoord();
            uint32_t group = AscendC::GetBlockIdx() / AscendC::GetSubBlockNum();
            for (uint32_t loop = group; loop < scheduler.GetCoreLoops(); loop += AscendC::GetBlockNum()) {
                auto block = scheduler.GetBlockCoord(loop);
                auto shape = scheduler.GetActualBlockShape(block);
                auto offset = block.GetCoordMN() * blockShape.GetCoordMN();
                epilogue(
                    blockShape, block, shape, gmC[layoutC.GetOffset(offset)],
                    layoutC.GetTileLayout(shape.GetCoordMN()));
            }
        }
        AscendC::PipeBarrier<PIPE_ALL>();
    }

private:
    Catlass::Arch::Resource<Catlass::Arch::AtlasA2> resource;
};

uint8_t* Upload(std::vector<half> const& values)
{
    void* device = nullptr;
    size_t bytes = values.size() * sizeof(half);
    if (aclrtMalloc(&device, bytes, ACL_MEM_MALLOC_HUGE_FIRST) != ACL_SUCCESS
        || aclrtMemcpy(device, bytes, values.data(), bytes, ACL_MEMCPY_HOST_TO_DEVICE) != ACL_SUCCESS) {
        std::exit(1);
    }
    return static_cast<uint8_t*>(device);
}

}  // namespace

int main(int argc, char** argv)
{
    if (argc != 4) {
        return 2;
    }
    auto rows = static_cast<uint32_t>(std::atoi(argv[1]));
    auto columns = static_cast<uint32_t>(std::atoi(argv[2]));
    size_t elements = size_t{rows} * columns;
    std::vector<half> values(elements);
    for (size_t i = 0; i < elements; ++i) {
        values[i] = static_cast<half>(static_cast<float>(static_cast<int>(i % 11) - 5));
    }
    uint8_t* c = Upload(values);
    Catlass::Evt::matmul_add_evt::Arguments arguments{};
    arguments.X = Upload(values);
    arguments.D = Upload(std::vector<half>(elements));
    arguments.layoutX = Catlass::layout::RowMajor{rows, columns};
    arguments.layoutD = arguments.layoutX;

    Catlass::Gemm::Device::DeviceGemm<EpilogueOnly> kernel;
    kernel.Initialize({Catlass::GemmCoord{rows, columns, 1}, nullptr, nullptr, arguments.ToEvt()}, c);
    uint32_t cores = platform_ascendc::PlatformAscendCManager::GetInstance()->GetCoreNumAic();
    aclrtStream stream = nullptr;
    aclrtCreateStream(&stream);
    for (int i = 0; i < std::atoi(argv[3]); ++i) {
        auto start = std::chrono::steady_clock::now();
        kernel(stream, cores);
        aclrtSynchronizeStream(stream);
        std::printf("%.6f\n", std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
    }
    std::vector<half> result(elements);
    size_t bytes = elements * sizeof(half);
    aclrtMemcpy(result.data(), bytes, arguments.D, bytes, ACL_MEMCPY_DEVICE_TO_HOST);
    for (size_t i = 0; i < elements; ++i) {
        if (static_cast<float>(result[i]) != 2 * static_cast<float>(values[i])) {
            std::fprintf(stderr, "wrong at %zu\n", i);
            return 1;
        }
    }
    return 0;
}
