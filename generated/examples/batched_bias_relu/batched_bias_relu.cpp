// The dimension of AscendC's ShapeInfo is not used; zero saves stack.
#ifndef K_MAX_SHAPE_DIM
#define K_MAX_SHAPE_DIM 0
#endif

// With it come the standard's headers, which some releases of Catlass want before their own.
#include "evt_example.hpp"

#include "batched_bias_relu.hpp"

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
    std::vector<int64_t> const ends = EqualEnds(count, m);
    auto layoutA = LayoutOf<layout::RowMajor, fp16_t>(m, k);
    Buffer<fp16_t> a(count * SizeOf(layoutA));
    a.FillRandom();
    auto layoutB = LayoutOf<layout::RowMajor, fp16_t>(k, n);
    Buffer<fp16_t> b(parts * SizeOf(layoutB));
    b.FillRandom();
    Buffer<fp16_t> tensorBias(parts * n);
    Buffer<fp16_t> tensorD(count * m * n);
    tensorBias.FillRandom();

    Evt::batched_bias_relu::Arguments epilogue;
    epilogue.bias = tensorBias.device;
    epilogue.layoutBias = layout::RowMajor{1, n};
    epilogue.D = tensorD.device;
    epilogue.layoutD = layout::RowMajor{m, n};

    using Kernel = Evt::batched_bias_relu::Kernel;
    int64_t stride = options.shared ? 0 : Kernel::PACKED;
    epilogue.strideBias = stride;
    Kernel::Arguments arguments{options.count, options.problemShape, a.device, b.device, epilogue.ToEvt()};
    arguments.strideB = stride;
    if (!Launch<Kernel>(arguments, stream)) {
        return false;
    }

    // The golden result, rounded where the device rounds
    std::vector<float> expectedD(tensorD.host.size());
    for (size_t index = 0, firstRow = 0; index < count; firstRow = static_cast<size_t>(ends[index++])) {
        auto rows = static_cast<uint32_t>(static_cast<size_t>(ends[index]) - firstRow);
        size_t part = options.shared ? 0 : index;
        std::vector<float> const product =
            Multiply(GemmCoord{rows, n, k}, a, layoutA, index * SizeOf(layoutA), b, layoutB, part * SizeOf(layoutB));
        auto const* hostBias = tensorBias.host.data() + part * n;
        float* goldenD = expectedD.data() + index * m * n;
        for (size_t row = 0; row < rows; ++row) {
            for (size_t column = 0; column < n; ++column) {
                float acc = product[row * n + column];
                float accLoad = Round<fp16_t>(acc);
                float rowBroadcastBias = static_cast<float>(hostBias[column]);
                float addRelu = Round<fp16_t>(std::fmax(accLoad + rowBroadcastBias, 0.0f));
                goldenD[row * n + column] = addRelu;
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
    return RunExample(argc, argv, Run, "batchCount");
}
