// Times products of matrices as the stand-in for the cube computes them: cube ELEMENT M N K REPEATS
// A block is as BlockMmad's; all of them are one product. Prints the seconds of the CPU of each.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <vector>

#include "machine/cube.hpp"

namespace {

constexpr uint32_t kRows = 128;
constexpr uint32_t kColumns = 256;

template <class Element>
int Time(uint32_t m, uint32_t n, uint32_t k, int repeats)
{
    using Sum = machine::SumOf<Element>;
    std::vector<Element> a(size_t{m} * k);
    std::vector<Element> b(size_t{k} * n);
    std::vector<Sum> c(size_t{m} * n);
    for (size_t i = 0; i < a.size(); ++i) {
        a[i] = static_cast<Element>(static_cast<int>(i * 7 % 11) - 5);
    }
    for (size_t i = 0; i < b.size(); ++i) {
        b[i] = static_cast<Element>(static_cast<int>(i * 5 % 13) - 6);
    }
    Sum const* const noBias = nullptr;
    for (int repeat = 0; repeat < repeats; ++repeat) {
        std::clock_t const start = std::clock();
        for (uint32_t row = 0; row < m; row += kRows) {
            for (uint32_t column = 0; column < n; column += kColumns) {
                machine::Multiply(
                    machine::Matrix<Element const>{&a[size_t{row} * k], k, 1},
                    machine::Matrix<Element const>{&b[column], n, 1},
                    machine::Matrix<Sum>{&c[size_t{row} * n + column], n, 1}, noBias, std::min(kRows, m - row),
                    std::min(kColumns, n - column), k, machine::Combine::Store);
            }
        }
        std::printf("%.6f\n", static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC);
    }
    return 0;
}

}  // namespace

int main(int argc, char** argv)
{
    if (argc != 6) {
        return 2;
    }
    auto const m = static_cast<uint32_t>(std::atoi(argv[2]));
    auto const n = static_cast<uint32_t>(std::atoi(argv[3]));
    auto const k = static_cast<uint32_t>(std::atoi(argv[4]));
    int const repeats = std::atoi(argv[5]);
    if (std::strcmp(argv[1], "half") == 0) {
        return Time<machine::Half>(m, n, k, repeats);
    }
    if (std::strcmp(argv[1], "bfloat16") == 0) {
        return Time<machine::Bfloat16>(m, n, k, repeats);
    }
    if (std::strcmp(argv[1], "float") == 0) {
        return Time<float>(m, n, k, repeats);
    }
    if (std::strcmp(argv[1], "int8") == 0) {
        return Time<int8_t>(m, n, k, repeats);
    }
    return 2;
}
