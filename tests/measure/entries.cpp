// Behind an entry for one matmul, BiasedMatmul: one for each other kernel, which all make their parameters on the device.
#include "batched.hpp"
#include "grouped.hpp"
#include "split.hpp"
#include "weights.hpp"

#define ENTRY(NAME, ...)                                                                                              \
    extern "C" __global__ __aicore__ void Run_##NAME(                                                                 \
        GM_ADDR a, GM_ADDR b, GM_ADDR bias, GM_ADDR d, GM_ADDR total, [[maybe_unused]] GM_ADDR groups, uint32_t m,    \
        uint32_t n, uint32_t k, [[maybe_unused]] uint32_t count, GM_ADDR workspace)                                   \
    {                                                                                                                 \
        using Kernel = Catlass::Evt::NAME::Kernel;                                                                    \
        auto epilogue = EpilogueOf<Catlass::Evt::NAME::Arguments>(bias, d, total, m, n);                              \
        Kernel::Params params = Kernel::ToUnderlyingArguments({__VA_ARGS__, a, b, epilogue.ToEvt()}, workspace);      \
        Kernel kernel;                                                                                                \
        if ASCEND_IS_AIC {                                                                                            \
            kernel.operator()<AscendC::AIC>(params);                                                                  \
        }                                                                                                             \
        if ASCEND_IS_AIV {                                                                                            \
            kernel.operator()<AscendC::AIV>(params);                                                                  \
        }                                                                                                             \
    }

/// Several matmuls share what is added and what is summed.
template <class Arguments>
CATLASS_HOST_DEVICE auto Share(Arguments& epilogue) -> decltype(void(epilogue.strideBias))
{
    epilogue.strideBias = epilogue.strideTotal = 0;
}
CATLASS_HOST_DEVICE void Share(...) {}

template <class Arguments>
CATLASS_HOST_DEVICE Arguments EpilogueOf(GM_ADDR bias, GM_ADDR d, GM_ADDR total, uint32_t m, uint32_t n)
{
    Arguments epilogue;
    epilogue.bias = bias;
    epilogue.layoutBias = {1, n};
    epilogue.D = d;
    epilogue.layoutD = {m, n};
    epilogue.total = total;
    epilogue.layoutTotal = {1, 1};
    Share(epilogue);
    return epilogue;
}

ENTRY(batched, count, {m, n, k})
ENTRY(grouped, {m, n, k}, count, groups)
ENTRY(split, {m, n, k})
ENTRY(weights, {m, n, k})

// What a host asks before a launch.
template <class Kernel>
size_t WorkspaceOf(typename Kernel::Arguments arguments)
{
    auto verdict = Kernel::CanImplement(arguments);
    return verdict ? Kernel::GetWorkspaceSize(arguments) : 0;
}
template size_t WorkspaceOf<Catlass::Evt::biased::Kernel>(Catlass::Evt::biased::Kernel::Arguments);
template size_t WorkspaceOf<Catlass::Evt::batched::Kernel>(Catlass::Evt::batched::Kernel::Arguments);
template size_t WorkspaceOf<Catlass::Evt::grouped::Kernel>(Catlass::Evt::grouped::Kernel::Arguments);
template size_t WorkspaceOf<Catlass::Evt::split::Kernel>(Catlass::Evt::split::Kernel::Arguments);
template size_t WorkspaceOf<Catlass::Evt::weights::Kernel>(Catlass::Evt::weights::Kernel::Arguments);

#ifndef ENTRIES_ALONE
#include <cmath>
#include <iostream>
#include <vector>

#include "helper.hpp"

constexpr uint32_t M = 150, N = 300, K = 600, COUNT = 2;

/// Numbers on the host, and on the device.
template <class T>
struct Tensor {
    std::vector<T> host;
    uint8_t* device{nullptr};

    explicit Tensor(size_t count, uint32_t seed = 0) : host(count, T(0))
    {
        for (size_t i = 0; seed != 0 && i < count; ++i) {
            host[i] = T(static_cast<float>((i * seed >> 4) % 3) - 1);
        }
        Upload();
    }

    void Upload()
    {
        ACL_CHECK(aclrtMalloc(reinterpret_cast<void**>(&device), Size() + 1, ACL_MEM_MALLOC_HUGE_FIRST));
        ACL_CHECK(aclrtMemcpy(device, Size(), host.data(), Size(), ACL_MEMCPY_HOST_TO_DEVICE));
    }

    void ToHost()
    {
        ACL_CHECK(aclrtSynchronizeDevice());
        ACL_CHECK(aclrtMemcpy(host.data(), Size(), device, Size(), ACL_MEMCPY_DEVICE_TO_HOST));
    }

    size_t Size() const
    {
        return host.size() * sizeof(T);
    }
};

/// Launches a kernel on operands of its own, and compares D = relu(A * B + bias) and the sum of all of D. The rows of
/// matmul i end at ends[i]; one that has a B of its own has it at i.
template <class ElementB, class Kernel, class Launch>
void Check(char const* name, typename Kernel::Arguments arguments, std::vector<uint32_t> ends, bool hasTotal, Launch launch)
{
    size_t const rows = ends.back();
    Tensor<half> a(rows * K, 7919), bias(N, 104729), d(rows * N);
    Tensor<ElementB> b(ends.size() * K * N, 3571);
    Tensor<float> total(1);
    Tensor<uint8_t> workspace(Kernel::GetWorkspaceSize(arguments));
    launch(a.device, b.device, bias.device, d.device, total.device, workspace.device);
    d.ToHost();
    total.ToHost();
    double sum = 0;
    size_t wrong = 0;
    for (size_t row = 0, matmul = 0; row < rows; ++row) {
        matmul += row == ends[matmul] ? 1 : 0;
        for (size_t column = 0; column < N; ++column) {
            float c = static_cast<float>(bias.host[column]);
            for (size_t i = 0; i < K; ++i) {
                c += static_cast<float>(a.host[row * K + i])
                     * static_cast<float>(b.host[(matmul * K + i) * N + column]);
            }
            c = c > 0 ? c : 0;
            sum += c;
            wrong += static_cast<float>(d.host[row * N + column]) == c ? 0 : 1;
        }
    }
    bool same = wrong == 0 && sum > 0 && (!hasTotal || total.host[0] == sum);
    std::cout << name << (same ? " is right" : " is wrong") << std::endl;
}

int main()
{
    using namespace Catlass;
    aclrtStream stream{nullptr};
    GemmCoord const shape{M, N, K};
    uint8_t byte;
    auto const plain = [&](auto evt) {
        return EpilogueOf<decltype(evt)>(&byte, &byte, &byte, M, N).ToEvt();
    };
    Evt::biased::Arguments biased{&byte, {1, N}, &byte, {M, N}};
    Check<half, Evt::biased::Kernel>(
        "biased", {shape, &byte, &byte, biased.ToEvt()}, {M}, false,
        [&](auto a, auto b, auto bias, auto d, auto, auto workspace) {
            BiasedMatmul<<<20, nullptr, stream>>>(0, a, b, bias, d, M, N, K, workspace);
        });
    Check<half, Evt::batched::Kernel>(
        "batched", {COUNT, shape, &byte, &byte, plain(Evt::batched::Arguments{})}, {M, 2 * M}, true,
        [&](auto a, auto b, auto bias, auto d, auto total, auto workspace) {
            Run_batched<<<20, nullptr, stream>>>(a, b, bias, d, total, nullptr, M, N, K, COUNT, workspace);
        });
    Tensor<int64_t> groups(2);
    groups.host = {40, M};
    groups.Upload();
    Check<half, Evt::grouped::Kernel>(
        "grouped", {shape, COUNT, &byte, &byte, &byte, plain(Evt::grouped::Arguments{})}, {40, M}, true,
        [&](auto a, auto b, auto bias, auto d, auto total, auto workspace) {
            Run_grouped<<<20, nullptr, stream>>>(a, b, bias, d, total, groups.device, M, N, K, COUNT, workspace);
        });
    Check<half, Evt::split::Kernel>(
        "split", {shape, &byte, &byte, plain(Evt::split::Arguments{})}, {M}, true,
        [&](auto a, auto b, auto bias, auto d, auto total, auto workspace) {
            Run_split<<<20, nullptr, stream>>>(a, b, bias, d, total, nullptr, M, N, K, 1, workspace);
        });
    Check<int8_t, Evt::weights::Kernel>(
        "weights", {shape, &byte, &byte, plain(Evt::weights::Arguments{})}, {M}, true,
        [&](auto a, auto b, auto bias, auto d, auto total, auto workspace) {
            Run_weights<<<20, nullptr, stream>>>(a, b, bias, d, total, nullptr, M, N, K, 1, workspace);
        });
}
#endif
