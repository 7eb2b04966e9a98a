// The dimension of AscendC's ShapeInfo is not used; zero saves stack.
#ifndef K_MAX_SHAPE_DIM
#define K_MAX_SHAPE_DIM 0
#endif

// With it come the standard's headers, which some releases of Catlass want before their own.
#include "evt_example.hpp"

#include "row_broadcast_reduction_evt.hpp"

using namespace Catlass;
using namespace Catlass::evt_example;

namespace {

/// Computes the problem on the device and on the host, and compares.
bool Run(Options const& options, aclrtStream stream)
{
    uint32_t m = options.problemShape.m();
    uint32_t n = options.problemShape.n();
    uint32_t k = options.problemShape.k();
    Buffer<fp16_t> a(static_cast<size_t>(m) * k);
    a.FillRandom();
    Buffer<fp16_t> b(static_cast<size_t>(k) * n);
    b.FillRandom();
    Buffer<fp16_t> tensorRow(n);
    Buffer<fp16_t> tensorD(static_cast<size_t>(m) * n);
    Buffer<float> tensorRowOut(n);
    tensorRow.FillRandom();

    Evt::row_broadcast_reduction_evt::Arguments epilogue;
    epilogue.row = tensorRow.device;
    epilogue.layoutRow = layout::RowMajor{1, n};
    epilogue.D = tensorD.device;
    epilogue.layoutD = layout::RowMajor{m, n};
    epilogue.row_out = tensorRowOut.device;
    epilogue.layoutRowOut = layout::RowMajor{1, n};
    tensorRowOut.Fill(static_cast<float>(epilogue.identityRowOut));

    using Kernel = Evt::row_broadcast_reduction_evt::Kernel;
    if (!Launch<Kernel>({options.problemShape, a.device, b.device, epilogue.ToEvt()}, stream)) {
        return false;
    }

    // The golden result, rounded where the device rounds
    std::vector<float> const product = Multiply(options.problemShape, a, b);
    auto const& hostRow = tensorRow.host;
    std::vector<float> goldenD(tensorD.host.size());
    std::vector<float> goldenRowOut(tensorRowOut.host.size(), 0.0f);
    for (size_t row = 0; row < m; ++row) {
        for (size_t column = 0; column < n; ++column) {
            float acc = product[row * n + column];
            float accLoad = Round<fp16_t>(acc);
            float rowBroadcastRow = static_cast<float>(hostRow[column]);
            float plus = Round<fp16_t>(accLoad + rowBroadcastRow);
            goldenD[row * n + column] = plus;
            float castPlusToFloat = plus;
            goldenRowOut[column] = goldenRowOut[column] + castPlusToFloat;
        }
    }

    bool success = true;
    success = Matches("D", tensorD, goldenD, k) && success;
    success = Matches("row_out", tensorRowOut, goldenRowOut, k) && success;
    return success;
}

} // namespace

int main(int argc, char const** argv)
{
    return RunExample(argc, argv, Run);
}
