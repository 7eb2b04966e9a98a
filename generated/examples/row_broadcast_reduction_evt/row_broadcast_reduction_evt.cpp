// The dimension of AscendC's ShapeInfo is not used; zero saves stack.
#ifndef K_MAX_SHAPE_DIM
#define K_MAX_SHAPE_DIM 0
#endif

#include <cmath>
#include <cstdlib>
#include <iostream>
#include <limits>
#include <type_traits>
#include <vector>

#include "catlass/gemm/device/device_gemm.hpp"
#include "catlass/layout/layout.hpp"
#include "catlass/status.hpp"

#include "golden.hpp"
#include "helper.hpp"
#include "row_broadcast_reduction_evt.hpp"

// Catlass v1.0 and v1.1 keep the host's 16-bit types beside helper.hpp, which does not include them.
#if !__has_include("options.hpp")
#include "bfloat16.h"
#include "fp16_t.h"
#endif

using namespace Catlass;
using op::bfloat16;
using op::fp16_t;

namespace {

/// The command line: m n k [deviceId]
struct Options {
    GemmCoord problemShape{128, 128, 128};
    int32_t deviceId{0};

    bool Parse(int argc, char const** argv)
    {
        if (argc < 4 || argc > 5) {
            std::cerr << "usage: row_broadcast_reduction_evt m n k [deviceId]" << std::endl;
            return false;
        }
        for (int i = 0; i < 3; ++i) {
            problemShape[i] = static_cast<uint32_t>(std::atoi(argv[1 + i]));
        }
        deviceId = argc == 5 ? std::atoi(argv[4]) : 0;
        return true;
    }
};

/// A host vector and its copy on the device.
template <class Element>
struct Buffer {
    std::vector<Element> host;
    uint8_t* device{nullptr};

    explicit Buffer(size_t count) : host(count)
    {
        ACL_CHECK(aclrtMalloc(reinterpret_cast<void**>(&device), Size(), ACL_MEM_MALLOC_HUGE_FIRST));
    }

    ~Buffer()
    {
        ACL_CHECK(aclrtFree(device));
    }

    Buffer(Buffer const&) = delete;
    Buffer& operator=(Buffer const&) = delete;

    size_t Size() const
    {
        return host.size() * sizeof(Element);
    }

    void ToDevice()
    {
        ACL_CHECK(aclrtMemcpy(device, Size(), host.data(), Size(), ACL_MEMCPY_HOST_TO_DEVICE));
    }

    void ToHost()
    {
        ACL_CHECK(aclrtMemcpy(host.data(), Size(), device, Size(), ACL_MEMCPY_DEVICE_TO_HOST));
    }

    /// Small whole numbers: the sums of their products are exact, in whatever order they are added.
    void FillRandom()
    {
        int low = std::is_unsigned_v<Element> ? 0 : -5;
        for (auto& element : host) {
            element = static_cast<Element>(static_cast<float>(low + rand() % (6 - low)));
        }
        ToDevice();
    }

    void Fill(float value)
    {
        host.assign(host.size(), static_cast<Element>(value));
        ToDevice();
    }
};

/// The value as it is after rounding to Element.
template <class Element>
float Round(float value)
{
    return static_cast<float>(static_cast<Element>(value));
}

/// Whether the result is the expected one; what is not finite on both sides in the same way is equal.
template <class Element>
bool Matches(char const* name, Buffer<Element> const& result, std::vector<float> expected, uint32_t k)
{
    std::vector<Element> actual = result.host;
    for (size_t i = 0; i < actual.size(); ++i) {
        auto value = static_cast<float>(actual[i]);
        bool bothNan = std::isnan(value) && std::isnan(expected[i]);
        if (bothNan || (std::isinf(value) && value == expected[i])) {
            actual[i] = static_cast<Element>(0.0f);
            expected[i] = 0.0f;
        }
    }
    std::vector<uint64_t> errorIndices = golden::CompareData(actual, expected, k);
    if (!errorIndices.empty()) {
        std::cerr << "Compare failed. " << name << ", error count: " << errorIndices.size() << std::endl;
    }
    return errorIndices.empty();
}

/// Address of the flags between cores. RT_CHECK exists where helper.hpp declares rtGetC2cCtrlAddr, up to Catlass v1.5.
uint64_t SyncAddress()
{
#ifdef RT_CHECK
    uint64_t address{0};
    uint32_t length{0};
    RT_CHECK(rtGetC2cCtrlAddr(&address, &length));
    return address;
#else
    void* address{nullptr};
    ACL_CHECK(aclrtGetHardwareSyncAddr(&address));
    return reinterpret_cast<uint64_t>(address);
#endif
}

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
    tensorRow.FillRandom();
    Buffer<fp16_t> tensorD(static_cast<size_t>(m) * n);
    Buffer<float> tensorRowOut(n);

    Evt::row_broadcast_reduction_evt::Arguments epilogue;
    epilogue.row = tensorRow.device;
    epilogue.layoutRow = layout::RowMajor{1, n};
    epilogue.D = tensorD.device;
    epilogue.layoutD = layout::RowMajor{m, n};
    epilogue.row_out = tensorRowOut.device;
    epilogue.layoutRowOut = layout::RowMajor{1, n};
    tensorRowOut.Fill(static_cast<float>(epilogue.identityRowOut));

    // number of cube cores of the current hardware
    auto aicCoreNum = platform_ascendc::PlatformAscendCManager::GetInstance()->GetCoreNumAic();

    using Matmul = Gemm::Device::DeviceGemm<Evt::row_broadcast_reduction_evt::Kernel>;
    Matmul::Arguments arguments{options.problemShape, a.device, b.device, epilogue.ToEvt()};
    Matmul matmul;
    if (matmul.CanImplement(arguments) != Status::kSuccess) {
        std::cerr << "The problem cannot be implemented." << std::endl;
        return false;
    }
    Buffer<uint8_t> workspace(matmul.GetWorkspaceSize(arguments));
    matmul.Initialize(arguments, workspace.device);
    matmul(stream, aicCoreNum, SyncAddress());
    ACL_CHECK(aclrtSynchronizeStream(stream));

    // The golden result, rounded where the device rounds
    auto const& hostA = a.host;
    auto const& hostB = b.host;
    auto const& hostRow = tensorRow.host;
    tensorD.ToHost();
    std::vector<float> goldenD(tensorD.host.size());
    tensorRowOut.ToHost();
    std::vector<float> goldenRowOut(tensorRowOut.host.size(), 0.0f);
    for (size_t row = 0; row < m; ++row) {
        for (size_t column = 0; column < n; ++column) {
            float acc = 0;
            for (size_t i = 0; i < k; ++i) {
                acc += static_cast<float>(hostA[row * k + i]) * static_cast<float>(hostB[i * n + column]);
            }
            float accLoad = Round<fp16_t>(acc);
            float rowBroadcastRow = static_cast<float>(hostRow[column]);
            float plus = Round<fp16_t>(accLoad + rowBroadcastRow);
            goldenD[row * n + column] = plus;
            float castToFloat32 = plus;
            goldenRowOut[column] = goldenRowOut[column] + castToFloat32;
        }
    }

    bool success = true;
    success = Matches("D", tensorD, goldenD, k) && success;
    success = Matches("row_out", tensorRowOut, goldenRowOut, k) && success;
    return success;
}

}  // namespace

int main(int argc, char const** argv)
{
    Options options;
    if (!options.Parse(argc, argv)) {
        return -1;
    }
    aclrtStream stream{nullptr};
    ACL_CHECK(aclInit(nullptr));
    ACL_CHECK(aclrtSetDevice(options.deviceId));
    ACL_CHECK(aclrtCreateStream(&stream));
    bool success = Run(options, stream);
    ACL_CHECK(aclrtDestroyStream(stream));
    ACL_CHECK(aclrtResetDevice(options.deviceId));
    ACL_CHECK(aclFinalize());
    if (!success) {
        return 1;
    }
    std::cout << "Compare success." << std::endl;
    return 0;
}
