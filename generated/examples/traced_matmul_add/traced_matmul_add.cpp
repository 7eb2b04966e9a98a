// The dimension of AscendC's ShapeInfo is not used; zero saves stack.
#ifndef K_MAX_SHAPE_DIM
#define K_MAX_SHAPE_DIM 0
#endif

#include <cmath>
#include <cstdlib>
#include <iostream>
#include <vector>

#include "catlass/gemm/device/device_gemm.hpp"
#include "catlass/layout/layout.hpp"
#include "catlass/status.hpp"

#include "golden.hpp"
#include "helper.hpp"
#include "traced_matmul_add.hpp"

using namespace Catlass;

using Options = GemmOptions;

namespace {

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

    /// Whole numbers from -5 to 5: sums of their products are exact, so the golden result is too.
    void FillRandom()
    {
        for (auto& element : host) {
            element = static_cast<Element>(static_cast<float>(rand() % 11 - 5));
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
[[maybe_unused]] float Round(float value)
{
    return static_cast<float>(static_cast<Element>(value));
}

template <class Element>
bool Matches(char const* name, Buffer<Element> const& result, std::vector<float> const& expected, uint32_t k)
{
    std::vector<uint64_t> errorIndices = golden::CompareData(result.host, expected, k);
    if (!errorIndices.empty()) {
        std::cerr << "Compare failed. " << name << ", error count: " << errorIndices.size() << std::endl;
    }
    return errorIndices.empty();
}

bool Run(Options const& options)
{
    aclrtStream stream{nullptr};
    ACL_CHECK(aclInit(nullptr));
    ACL_CHECK(aclrtSetDevice(options.deviceId));
    ACL_CHECK(aclrtCreateStream(&stream));

    uint32_t m = options.problemShape.m();
    uint32_t n = options.problemShape.n();
    uint32_t k = options.problemShape.k();
    bool success = true;
    {
        Buffer<fp16_t> a(static_cast<size_t>(m) * k);
        a.FillRandom();
        Buffer<fp16_t> b(static_cast<size_t>(k) * n);
        b.FillRandom();
        Buffer<fp16_t> tensorX(static_cast<size_t>(m) * n);
        tensorX.FillRandom();
        Buffer<fp16_t> tensorD(static_cast<size_t>(m) * n);

        traced_matmul_add::Arguments epilogue;
        epilogue.X = tensorX.device;
        epilogue.layoutX = layout::RowMajor{m, n};
        epilogue.D = tensorD.device;
        epilogue.layoutD = layout::RowMajor{m, n};

        // FFTS address and number of cube cores of the current hardware
        uint64_t fftsAddr{0};
        uint32_t fftsLen{0};
        RT_CHECK(rtGetC2cCtrlAddr(&fftsAddr, &fftsLen));
        auto aicCoreNum = platform_ascendc::PlatformAscendCManager::GetInstance()->GetCoreNumAic();

        using Matmul = Gemm::Device::DeviceGemm<traced_matmul_add::Kernel>;
        Matmul::Arguments arguments{options.problemShape, a.device, b.device, epilogue.ToEvt()};
        Matmul matmul;
        if (matmul.CanImplement(arguments) != Status::kSuccess) {
            std::cerr << "The problem cannot be implemented." << std::endl;
            return false;
        }
        Buffer<uint8_t> workspace(matmul.GetWorkspaceSize(arguments));
        matmul.Initialize(arguments, workspace.device);
        matmul(stream, aicCoreNum, fftsAddr);
        ACL_CHECK(aclrtSynchronizeStream(stream));

        // The golden result, rounded where the device rounds
        auto const& hostA = a.host;
        auto const& hostB = b.host;
        auto const& hostX = tensorX.host;
        tensorD.ToHost();
        std::vector<float> goldenD(tensorD.host.size());
        for (size_t row = 0; row < m; ++row) {
            for (size_t column = 0; column < n; ++column) {
                float acc = 0;
                for (size_t i = 0; i < k; ++i) {
                    acc += static_cast<float>(hostA[row * k + i]) * static_cast<float>(hostB[i * n + column]);
                }
                float accLoad = Round<fp16_t>(acc);
                float auxLoadX = static_cast<float>(hostX[row * n + column]);
                float plus = Round<fp16_t>(accLoad + auxLoadX);
                goldenD[row * n + column] = plus;
            }
        }

        success = Matches("D", tensorD, goldenD, k) && success;
    }

    ACL_CHECK(aclrtDestroyStream(stream));
    ACL_CHECK(aclrtResetDevice(options.deviceId));
    ACL_CHECK(aclFinalize());
    return success;
}

}  // namespace

int main(int argc, char const** argv)
{
    Options options;
    if (options.Parse(argc, argv) != 0) {
        return -1;
    }
    if (!Run(options)) {
        return 1;
    }
    std::cout << "Compare success." << std::endl;
    return 0;
}
