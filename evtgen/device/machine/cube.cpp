#include "cube.hpp"

#include <algorithm>
#include <cstring>

namespace machine {

namespace {

constexpr uint32_t kDepth = 128;          // of one pass over k: a strip of B then stays in the first-level cache
constexpr uint32_t kPitch = kDepth + 16;  // of packed rows of A, so that they do not meet in a set of the cache

#if defined(__x86_64__)
// Not the sets with fused operations alone: the sums are the same on CPUs that have none. Compiled with
// -ffp-contract=off, which toolchain.py gives.
#define EVT_SET avx512
#define EVT_TARGET __attribute__((target("avx512f,avx512vl,avx512bw,avx512dq")))
#define EVT_BYTES 64
#include "cube.def"

#define EVT_SET avx2
#define EVT_TARGET __attribute__((target("avx2")))
#define EVT_BYTES 32
#include "cube.def"
#endif

#define EVT_SET everywhere
#define EVT_TARGET
#define EVT_BYTES 16
#include "cube.def"

}  // namespace

template <class ElementA, class ElementB> std::vector<Multiplier<ElementA, ElementB>> const& Multipliers()
{
    static std::vector<Multiplier<ElementA, ElementB>> const all{
#if defined(__x86_64__)
        avx512::MultiplierFor<ElementA, ElementB>(
            "avx512", __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl")
                          && __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq")),
        avx2::MultiplierFor<ElementA, ElementB>("avx2", __builtin_cpu_supports("avx2")),
#endif
        everywhere::MultiplierFor<ElementA, ElementB>("everywhere", true),
    };
    return all;
}

template std::vector<Multiplier<Half>> const& Multipliers<Half>();
template std::vector<Multiplier<Bfloat16>> const& Multipliers<Bfloat16>();
template std::vector<Multiplier<float>> const& Multipliers<float>();
template std::vector<Multiplier<int8_t>> const& Multipliers<int8_t>();
template std::vector<Multiplier<Float8E4M3>> const& Multipliers<Float8E4M3>();
template std::vector<Multiplier<Float8E5M2>> const& Multipliers<Float8E5M2>();
template std::vector<Multiplier<Float8E4M3, Float8E5M2>> const& Multipliers<Float8E4M3, Float8E5M2>();
template std::vector<Multiplier<Float8E5M2, Float8E4M3>> const& Multipliers<Float8E5M2, Float8E4M3>();

namespace {

template <class Sum, class C> void Round(Sum const* __restrict sums, C* __restrict results, uint32_t count)
{
    for (uint32_t i = 0; i < count; ++i) { results[i] = static_cast<C>(sums[i]); }
}

}  // namespace

void RoundSums(float const* sums, Half* results, uint32_t count) { Round(sums, results, count); }
void RoundSums(float const* sums, Bfloat16* results, uint32_t count) { Round(sums, results, count); }
void RoundSums(float const* sums, float* results, uint32_t count) { Round(sums, results, count); }
void RoundSums(int32_t const* sums, int32_t* results, uint32_t count) { Round(sums, results, count); }

}  // namespace machine
