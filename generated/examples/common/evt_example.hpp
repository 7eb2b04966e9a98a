// Shared by the example programs of epilogues: the command line, buffers, the launch, and the golden result.
#ifndef EVT_EXAMPLE_HPP
#define EVT_EXAMPLE_HPP

#include <cmath>
#include <cstdlib>
#include <iostream>
#include <limits>
#include <type_traits>
#include <vector>

#include "catlass/gemm/device/device_gemm.hpp"
#include "catlass/gemm_coord.hpp"
#include "catlass/layout/layout.hpp"
#include "catlass/status.hpp"

#include "golden.hpp"
#include "helper.hpp"

// Catlass v1.0 and v1.1 keep the host's 16-bit types beside helper.hpp, which does not include them. They are declared
// only; angle brackets let an include path come first that defines them as well.
#if !__has_include("options.hpp")
#include <bfloat16.h>
#include <fp16_t.h>
#endif

namespace Catlass::evt_example {

using op::bfloat16;
using op::fp16_t;

#if CATLASS_ARCH == 3510
/// A float of 8 bits on the host, so many of them after the point. A number is rounded to nearest, ties to even, and
/// what is too large becomes infinite, or NaN where there is no infinity.
template <int MANTISSA, bool INFINITE>
struct Float8 {
    static constexpr int BIAS = (1 << (6 - MANTISSA)) - 1;
    static constexpr int TOP = INFINITE ? 0x7f >> MANTISSA << MANTISSA : 0x7f; // the least that is not finite

    uint8_t bits{0};

    Float8() = default;

    explicit Float8(float value) : bits(std::isnan(value) ? 0x7f : TOP)
    {
        if (std::isfinite(value)) {
            int exponent = 0;
            std::frexp(value, &exponent);
            exponent = value == 0.0f || exponent < 2 - BIAS ? 0 : exponent - 2 + BIAS;
            float units = std::nearbyint(std::ldexp(std::fabs(value), BIAS + MANTISSA - 1 - exponent));
            float code = units + static_cast<float>(exponent << MANTISSA);
            bits = code < TOP ? static_cast<uint8_t>(code) : TOP;
        }
        bits |= std::signbit(value) ? 0x80 : 0;
    }

    explicit operator float() const
    {
        int magnitude = bits & 0x7f;
        int exponent = magnitude >> MANTISSA > 0 ? (magnitude >> MANTISSA) - 1 : 0;
        float value =
            std::ldexp(static_cast<float>(magnitude - (exponent << MANTISSA)), exponent + 1 - BIAS - MANTISSA);
        if (magnitude >= TOP) {
            value = INFINITE && magnitude == TOP ? INFINITY : NAN;
        }
        return bits & 0x80 ? -value : value;
    }
};

using float8_e4m3fn = Float8<3, false>;
using float8_e5m2 = Float8<2, true>;
#endif

/// The command line: m n k [deviceId]
struct Options {
    GemmCoord problemShape{128, 128, 128};
    int32_t deviceId{0};

    bool Parse(int argc, char const** argv)
    {
        if (argc < 4 || argc > 5) {
            std::cerr << "usage: " << argv[0] << " m n k [deviceId]" << std::endl;
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
        if (count > 0) {
            ACL_CHECK(aclrtMalloc(reinterpret_cast<void**>(&device), Size(), ACL_MEM_MALLOC_HUGE_FIRST));
        }
    }

    ~Buffer()
    {
        if (device != nullptr) {
            ACL_CHECK(aclrtFree(device));
        }
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

    /// Small whole numbers, unlike golden::FillRandomData: the sums of their products are exact in any order.
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

/// Address of the flags between cores. RT_CHECK exists where helper.hpp declares rtGetC2cCtrlAddr, up to Catlass v1.5.
inline uint64_t SyncAddress()
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

/// Runs the kernel on all cores and waits for it; false if it cannot implement the arguments.
template <class Kernel>
bool Launch(typename Kernel::Arguments arguments, aclrtStream stream)
{
    using Matmul = Gemm::Device::DeviceGemm<Kernel>;
    Matmul matmul;
    arguments.aicCoreNum = platform_ascendc::PlatformAscendCManager::GetInstance()->GetCoreNumAic();
    if (matmul.CanImplement(arguments) != Status::kSuccess) {
        std::cerr << "The problem cannot be implemented." << std::endl;
        return false;
    }
    Buffer<uint8_t> workspace(matmul.GetWorkspaceSize(arguments));
    matmul.Initialize(arguments, workspace.device);
    matmul(stream, arguments.aicCoreNum, SyncAddress());
    ACL_CHECK(aclrtSynchronizeStream(stream));
    return true;
}

/// A * B on the host, row by row.
template <class ElementA, class ElementB>
std::vector<float> Multiply(GemmCoord const& problemShape, Buffer<ElementA> const& a, Buffer<ElementB> const& b)
{
    layout::RowMajor layoutA{problemShape.m(), problemShape.k()};
    layout::RowMajor layoutB{problemShape.k(), problemShape.n()};
    layout::RowMajor layoutC{problemShape.m(), problemShape.n()};
    std::vector<float> product(static_cast<size_t>(problemShape.m()) * problemShape.n());
    golden::ComputeMatmul(problemShape, a.host, layoutA, b.host, layoutB, product, layoutC);
    return product;
}

/// The value rounded to Element.
template <class Element>
float Round(float value)
{
    return static_cast<float>(static_cast<Element>(value));
}

/// Von Neumann rounding: a number that is not whole becomes odd.
inline float ToOdd(float value)
{
    float towardsZero = std::trunc(value);
    bool odd = std::fmod(towardsZero, 2.0f) != 0.0f;
    return towardsZero == value || odd ? towardsZero : towardsZero + std::copysign(1.0f, value);
}

/// The value rounded by toWhole to so many significant bits, none finer than two to the least exponent.
template <class ToWhole>
float Directed(float value, int bits, int leastExponent, ToWhole toWhole)
{
    if (!std::isfinite(value)) {
        return value;
    }
    int exponent = 0;
    std::frexp(value, &exponent);
    exponent = exponent - bits > leastExponent ? exponent - bits : leastExponent;
    return std::ldexp(toWhole(std::ldexp(value, -exponent)), exponent);
}

/// The value rounded by toWhole, and kept within the range of Element.
template <class Element, class ToWhole>
float Saturate(float value, ToWhole toWhole)
{
    if (std::isnan(value)) {
        return 0.0f;
    }
    double lowest = std::numeric_limits<Element>::lowest();
    double highest = std::numeric_limits<Element>::max();
    double whole = toWhole(value);
    return static_cast<float>(whole < lowest ? lowest : whole > highest ? highest : whole);
}

/// Copies the result to the host and compares it; k is the number of products summed for each element of C.
///
/// golden::CompareData does not treat infinities or NaNs as equal, so these are compared first.
template <class Element>
bool Matches(char const* name, Buffer<Element>& result, std::vector<float> expected, uint32_t k)
{
    result.ToHost();
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

/// The main function of an example: run(options, stream) between the set-up of the device and its end.
template <class Run>
int RunExample(int argc, char const** argv, Run run)
{
    Options options;
    if (!options.Parse(argc, argv)) {
        return -1;
    }
    aclrtStream stream{nullptr};
    ACL_CHECK(aclInit(nullptr));
    ACL_CHECK(aclrtSetDevice(options.deviceId));
    ACL_CHECK(aclrtCreateStream(&stream));
    bool success = run(options, stream);
    ACL_CHECK(aclrtDestroyStream(stream));
    ACL_CHECK(aclrtResetDevice(options.deviceId));
    ACL_CHECK(aclFinalize());
    if (!success) {
        return 1;
    }
    std::cout << "Compare success." << std::endl;
    return 0;
}

} // namespace Catlass::evt_example

#endif // EVT_EXAMPLE_HPP
