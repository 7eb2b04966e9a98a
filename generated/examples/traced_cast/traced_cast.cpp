// The dimension of AscendC's ShapeInfo is not used; zero saves stack.
#ifndef K_MAX_SHAPE_DIM
#define K_MAX_SHAPE_DIM 0
#endif

// With it come the standard's headers, which some releases of Catlass want before their own.
#include "evt_example.hpp"

#include "traced_cast.hpp"

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
    Buffer<fp16_t> tensorX(static_cast<size_t>(m) * n);
    Buffer<fp16_t> tensorD(static_cast<size_t>(m) * n);
    tensorX.FillRandom();

    Evt::traced_cast::Arguments epilogue;
    epilogue.X = tensorX.device;
    epilogue.layoutX = layout::RowMajor{m, n};
    epilogue.D = tensorD.device;
    epilogue.layoutD = layout::RowMajor{m, n};

    using Kernel = Evt::traced_cast::Kernel;
    if (!Launch<Kernel>({options.problemShape, a.device, b.device, epilogue.ToEvt()}, stream)) {
        return false;
    }

    // The golden result, rounded where the device rounds
    std::vector<float> const product = Multiply(options.problemShape, a, b);
    auto const& hostX = tensorX.host;
    std::vector<float> goldenD(tensorD.host.size());
    for (size_t row = 0; row < m; ++row) {
        for (size_t column = 0; column < n; ++column) {
            float acc = product[row * n + column];
            float accLoad = Round<fp16_t>(acc);
            float castCToFloat = accLoad;
            float auxLoadX = static_cast<float>(hostX[row * n + column]);
            float castXToFloat = auxLoadX;
            float plus = castCToFloat + castXToFloat;
            float castPlusToHalf = Round<fp16_t>(plus);
            goldenD[row * n + column] = castPlusToHalf;
        }
    }

    bool success = true;
    success = Matches("D", tensorD, goldenD, k) && success;
    return success;
}

} // namespace

int main(int argc, char const** argv)
{
    return RunExample(argc, argv, Run);
}
