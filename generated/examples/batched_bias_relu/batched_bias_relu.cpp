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

/// Computes the matmuls on the device, and compares the outputs with numpy's.
bool Run(Data const& data, aclrtStream stream)
{
    [[maybe_unused]] uint32_t m = data.problemShape.m();
    [[maybe_unused]] uint32_t n = data.problemShape.n();
    Buffer a(data, "gemm.A");
    Buffer b(data, "gemm.B");
    Buffer tensorBias(data, "bias");
    Buffer tensorD(data, "D");

    Evt::batched_bias_relu::Arguments epilogue;
    epilogue.bias = tensorBias.device;
    epilogue.layoutBias = layout::RowMajor{1, n};
    epilogue.D = tensorD.device;
    epilogue.layoutD = layout::RowMajor{m, n};

    using Kernel = Evt::batched_bias_relu::Kernel;
    int64_t stride = data.shared ? 0 : Kernel::PACKED;
    epilogue.strideBias = stride;
    Kernel::Arguments arguments{data.count, data.problemShape, a.device, b.device, epilogue.ToEvt()};
    arguments.strideB = stride;
    if (!Launch<Kernel>(arguments, stream)) {
        return false;
    }

    bool success = true;
    success = Matches<fp16_t>(data, "D", tensorD) && success;
    return success;
}

} // namespace

int main(int argc, char const** argv)
{
    return RunExample(argc, argv, Run);
}
