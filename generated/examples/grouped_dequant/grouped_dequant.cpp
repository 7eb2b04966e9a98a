// The dimension of AscendC's ShapeInfo is not used; zero saves stack.
#ifndef K_MAX_SHAPE_DIM
#define K_MAX_SHAPE_DIM 0
#endif

// With it come the standard's headers, which some releases of Catlass want before their own.
#include "evt_example.hpp"

#include "grouped_dequant.hpp"

using namespace Catlass;
using namespace Catlass::evt_example;

namespace {

/// Computes the matmuls on the device and on the host, and compares.
bool Run(Options const& options, aclrtStream stream)
{
    uint32_t m = options.problemShape.m();
    uint32_t n = options.problemShape.n();
    uint32_t k = options.problemShape.k();
    size_t count = options.count;
    size_t parts = options.shared ? 1 : count; // of what all matmuls may have in common
    std::vector<int64_t> const ends = RandomEnds(count, m);
    Buffer<int64_t> groups(count);
    groups.host = ends;
    groups.ToDevice();
    auto layoutA = LayoutOf<layout::RowMajor, int8_t>(m, k);
    Buffer<int8_t> a(SizeOf(layoutA));
    a.FillRandom();
    auto layoutB = LayoutOf<layout::RowMajor, int8_t>(k, n);
    Buffer<int8_t> b(parts * SizeOf(layoutB));
    b.FillRandom();
    Buffer<float> tensorScale(parts * n);
    Buffer<float> tensorTokenScale(m);
    Buffer<fp16_t> tensorD(static_cast<size_t>(m) * n);
    tensorScale.FillRandom();
    tensorTokenScale.FillRandom();

    Evt::grouped_dequant::Arguments epilogue;
    epilogue.scale = tensorScale.device;
    epilogue.layoutScale = layout::RowMajor{1, n};
    epilogue.token_scale = tensorTokenScale.device;
    epilogue.layoutTokenScale = layout::RowMajor{m, 1};
    epilogue.D = tensorD.device;
    epilogue.layoutD = layout::RowMajor{m, n};

    using Kernel = Evt::grouped_dequant::Kernel;
    int64_t stride = options.shared ? 0 : Kernel::PACKED;
    epilogue.strideScale = stride;
    Kernel::Arguments arguments{options.problemShape, options.count, groups.device, a.device, b.device,
                                epilogue.ToEvt()};
    arguments.strideB = stride;
    if (!Launch<Kernel>(arguments, stream)) {
        return false;
    }

    // The golden result, rounded where the device rounds
    std::vector<float> expectedD(static_cast<size_t>(ends.back()) * n);
    for (size_t index = 0, firstRow = 0; index < count; firstRow = static_cast<size_t>(ends[index++])) {
        auto rows = static_cast<uint32_t>(static_cast<size_t>(ends[index]) - firstRow);
        size_t part = options.shared ? 0 : index;
        std::vector<float> const product = Multiply(
            GemmCoord{rows, n, k}, a, layoutA, firstRow * static_cast<size_t>(layoutA.stride(0)), b, layoutB,
            part * SizeOf(layoutB));
        auto const* hostScale = tensorScale.host.data() + part * n;
        auto const* hostTokenScale = tensorTokenScale.host.data() + firstRow;
        float* goldenD = expectedD.data() + firstRow * n;
        for (size_t row = 0; row < rows; ++row) {
            for (size_t column = 0; column < n; ++column) {
                float acc = product[row * n + column];
                float accLoad = acc;
                float castCToFloat = accLoad;
                float rowBroadcastScale = static_cast<float>(hostScale[column]);
                float multiplies = castCToFloat * rowBroadcastScale;
                float colBroadcastTokenScale = static_cast<float>(hostTokenScale[row]);
                float multiplies2 = multiplies * colBroadcastTokenScale;
                float castMultipliesToHalf = Round<fp16_t>(multiplies2);
                goldenD[row * n + column] = castMultipliesToHalf;
            }
        }
    }

    bool success = true;
    success = Matches("D", tensorD, expectedD, k) && success;
    return success;
}

} // namespace

int main(int argc, char const** argv)
{
    return RunExample(argc, argv, Run, "groupCount");
}
