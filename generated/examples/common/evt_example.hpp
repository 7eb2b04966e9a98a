// Shared by the example programs of epilogues: the command line, buffers, the launch, and the golden result.
#ifndef EVT_EXAMPLE_HPP
#define EVT_EXAMPLE_HPP

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <iostream>
#include <limits>
#include <string>
#include <type_traits>
#include <vector>

#include "catlass/gemm/device/device_gemm.hpp"
#include "catlass/gemm_coord.hpp"
#include "catlass/layout/layout.hpp"

#include "golden.hpp"
#include "helper.hpp"

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

/// The command line: m n k [deviceId], or of several matmuls: count m n k [deviceId] [shared]
struct Options {
    GemmCoord problemShape{128, 128, 128};
    int32_t deviceId{0};
    uint32_t count{1};  // matmuls
    bool shared{false}; // all matmuls have the tensors in common that they may

    /// Where there are several matmuls, countName is what the program calls their number.
    bool Parse(int argc, char const** argv, char const* countName)
    {
        bool several = countName != nullptr;
        char const** shape = argv + (several ? 2 : 1);
        char const** last = argv + argc;
        shared = several && last - shape > 3 && std::string(last[-1]) == "shared";
        last -= shared ? 1 : 0;
        if (last - shape < 3 || last - shape > 4) {
            std::string before = several ? std::string(countName) + " " : "";
            std::string behind = several ? "] [shared]" : "]";
            std::cerr << "usage: " << argv[0] << " " << before << "m n k [deviceId" << behind << std::endl;
            return false;
        }
        count = several ? static_cast<uint32_t>(std::atoi(argv[1])) : 1;
        for (int i = 0; i < 3; ++i) {
            problemShape[i] = static_cast<uint32_t>(std::atoi(shape[i]));
        }
        deviceId = last - shape == 4 ? std::atoi(shape[3]) : 0;
        return true;
    }
};

/// Where the rows of each of several matmuls end among those of all, if each has m.
inline std::vector<int64_t> EqualEnds(size_t count, uint32_t m)
{
    std::vector<int64_t> ends(count);
    for (size_t i = 0; i < count; ++i) {
        ends[i] = static_cast<int64_t>((i + 1) * m);
    }
    return ends;
}

/// Where the rows of each group end among m, at random: some may be left over. Every third group is empty.
inline std::vector<int64_t> RandomEnds(size_t count, uint32_t m)
{
    std::vector<int64_t> ends(count);
    for (int64_t& end : ends) {
        end = rand() % (int64_t{m} + 1);
    }
    std::sort(ends.begin(), ends.end());
    for (size_t i = 1; i < count; i += 3) {
        ends[i] = ends[i - 1];
    }
    return ends;
}

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
        if (!host.empty()) {
            ACL_CHECK(aclrtMemcpy(device, Size(), host.data(), Size(), ACL_MEMCPY_HOST_TO_DEVICE));
        }
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

    /// The numbers of all rows, each once.
    void FillRows()
    {
        for (size_t row = 0; row < host.size(); ++row) {
            size_t other = static_cast<size_t>(rand()) % (row + 1);
            host[row] = host[other];
            host[other] = static_cast<Element>(row);
        }
        ToDevice();
    }

    void Fill(float value)
    {
        host.assign(host.size(), static_cast<Element>(value));
        ToDevice();
    }
};

/// Address of the flags between cores.
inline uint64_t SyncAddress()
{
    void* address{nullptr};
    ACL_CHECK(aclrtGetHardwareSyncAddr(&address));
    return reinterpret_cast<uint64_t>(address);
}

/// Tells the kernel how many cube cores there are, if its arguments ask for that.
template <class Arguments>
auto SetCores(Arguments& arguments, uint32_t count) -> decltype(void(arguments.aicCoreNum = count))
{
    arguments.aicCoreNum = count;
}
[[maybe_unused]] inline void SetCores(...)
{}

/// Says why a kernel refuses; Catlass's own do not tell.
template <class Verdict>
void PrintRefusal(Verdict const& verdict)
{
    std::cerr << "The problem cannot be implemented: " << verdict.reason;
    if (verdict.node >= 0) {
        std::cerr << ", in node " << verdict.node << " of the epilogue";
    }
    std::cerr << "." << std::endl;
}
inline void PrintRefusal(bool)
{
    std::cerr << "The problem cannot be implemented." << std::endl;
}

// A kernel in batch mode starts when there are free cores for all of it, where the toolkit has that mode.
#ifdef __schedmode__
#define EVT_BATCH_MODE __schedmode__(1)
#else
#define EVT_BATCH_MODE
#endif

/// The entry of a kernel whose vector cores wait for each other: on several streams two of them could hold each other's
/// cores for ever.
template <class Kernel>
EVT_BATCH_MODE CATLASS_GLOBAL void RunInBatchMode(typename Kernel::Params params, [[maybe_unused]] uint64_t syncAddress)
{
#if !defined(CATLASS_ARCH) || CATLASS_ARCH == 2201
    AscendC::SetSyncBaseAddr(syncAddress);
#endif
    Kernel kernel;
    if ASCEND_IS_AIC {
        kernel.template operator()<AscendC::AIC>(params);
    }
    if ASCEND_IS_AIV {
        kernel.template operator()<AscendC::AIV>(params);
    }
}

/// Runs the kernel on all cores and waits for it; false if it cannot implement the arguments, and then says why. start:
/// launches the entry of a kernel that has one of its own.
template <class Kernel, class... Start>
bool Launch(typename Kernel::Arguments arguments, aclrtStream stream, Start const&... start)
{
    uint32_t aicCoreNum = platform_ascendc::PlatformAscendCManager::GetInstance()->GetCoreNumAic();
    SetCores(arguments, aicCoreNum);
    auto const verdict = Kernel::CanImplement(arguments);
    if (!verdict) {
        PrintRefusal(verdict);
        return false;
    }
    Buffer<uint8_t> workspace(Kernel::GetWorkspaceSize(arguments));
    if constexpr (sizeof...(Start) > 0) {
        (start(Kernel::ToUnderlyingArguments(arguments, workspace.device), aicCoreNum, SyncAddress()), ...);
    } else {
        Gemm::Device::DeviceGemm<Kernel> matmul;
        matmul.Initialize(arguments, workspace.device);
        matmul(stream, aicCoreNum, SyncAddress());
    }
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

/// The layout of a packed matrix.
template <class Layout, class Element>
Layout LayoutOf(uint32_t rows, uint32_t columns)
{
    if constexpr (Layout::RANK == 2) {
        return Layout{rows, columns};
    } else {
        return Layout::template MakeLayout<Element>(rows, columns);
    }
}

/// Elements of a matrix, with those that fill up its last fractals.
template <class Layout>
size_t SizeOf(Layout const& layout)
{
    size_t size = 0;
    for (int i = 0; i < Layout::RANK; ++i) {
        size = std::max(size, static_cast<size_t>(layout.shape(i) * layout.stride(i)));
    }
    return size;
}

/// The elements of one of several matrices.
template <class Element, class Layout>
std::vector<Element> Part(std::vector<Element> const& elements, size_t first, Layout const& layout)
{
    size_t end = std::min(elements.size(), first + SizeOf(layout));
    return std::vector<Element>(elements.data() + first, elements.data() + end);
}

/// A * B on the host, row by row, where the operands begin at these elements.
template <class ElementA, class LayoutA, class ElementB, class LayoutB>
std::vector<float> Multiply(
    GemmCoord const& problemShape, Buffer<ElementA> const& a, LayoutA const& layoutA, size_t firstA,
    Buffer<ElementB> const& b, LayoutB const& layoutB, size_t firstB)
{
    layout::RowMajor layoutC{problemShape.m(), problemShape.n()};
    std::vector<float> product(static_cast<size_t>(problemShape.m()) * problemShape.n());
    golden::ComputeMatmul(
        problemShape, Part(a.host, firstA, layoutA), layoutA, Part(b.host, firstB, layoutB), layoutB, product, layoutC);
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

/// Copies the result to the host and compares what is expected of it; k is the number of products summed for each
/// element of C.
///
/// golden::CompareData does not treat infinities or NaNs as equal, so these are compared first.
template <class Element>
bool Matches(char const* name, Buffer<Element>& result, std::vector<float> expected, uint32_t k)
{
    result.ToHost();
    std::vector<Element> actual(result.host.data(), result.host.data() + expected.size());
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

/// The main function of an example: run(options, stream) between the set-up of the device and its end. Where there are
/// several matmuls, countName is what the command line calls their number.
template <class Run>
int RunExample(int argc, char const** argv, Run run, char const* countName = nullptr)
{
    Options options;
    if (!options.Parse(argc, argv, countName)) {
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
