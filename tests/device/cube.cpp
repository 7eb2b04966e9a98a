// The stand-in's products against plain loops in the documented order, bit by bit, for every set of instructions that
// this CPU has. Prints the sets, then a digest of all results: the same on every machine.
//   cube
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "machine/cube.hpp"

using namespace machine;

namespace {

/// Numbers of any magnitude that a product of two can have without leaving float, so that every rounding shows.
class Numbers {
public:
    float Next()
    {
        state_ = state_ * 6364136223846793005u + 1442695040888963407u;
        auto const mantissa = static_cast<float>(static_cast<int32_t>(state_ >> 32)) / 2147483648.0f;
        return mantissa * BitsToFloat((127 - 10 + static_cast<uint32_t>(state_ >> 20 & 15)) << 23);
    }

private:
    uint64_t state_ = 14;
};

template <class Element> Element Of(float number)
{
    return std::is_integral_v<Element> ? static_cast<Element>(static_cast<int32_t>(number * 2) % 128)
                                       : static_cast<Element>(number);
}

template <class Sum> Sum Plain(Sum sum, Sum a, Sum b)
{
    Sum volatile const product = a * b;  // a compiler may not fuse it with the sum
    return sum + product;
}

uint64_t g_digest = 14695981039346656037u;

void Digest(void const* data, size_t bytes)
{
    for (size_t i = 0; i < bytes; ++i) {
        g_digest = (g_digest ^ static_cast<uint8_t const*>(data)[i]) * 1099511628211u;
    }
}

template <class C> C Combined(C before, C value, Combine combine)
{
    switch (combine) {
        case Combine::Add: return static_cast<C>(before + value);
        case Combine::Max: return before < value ? value : before;
        case Combine::Min: return value < before ? value : before;
        default: return value;
    }
}

template <class ElementA, class ElementB, class C>
void Compare(uint32_t m, uint32_t n, uint32_t k, bool columnsOfA, bool columnsOfB, bool biased, Combine combine)
{
    using Sum = SumOf<ElementA>;
    constexpr uint32_t kPadding = 3;  // of rows of c: it must stay
    Numbers numbers;
    std::vector<ElementA> a(size_t{m} * k);
    std::vector<ElementB> b(size_t{k} * n);
    std::vector<Sum> bias(n);
    std::vector<C> before(size_t{m} * (n + kPadding));
    for (ElementA& element : a) { element = Of<ElementA>(numbers.Next()); }
    for (ElementB& element : b) { element = Of<ElementB>(numbers.Next()); }
    for (Sum& element : bias) { element = static_cast<Sum>(numbers.Next() * 16); }
    for (C& element : before) { element = static_cast<C>(numbers.Next()); }
    Matrix<ElementA const> const left{a.data(), columnsOfA ? 1 : k, columnsOfA ? m : 1};
    Matrix<ElementB const> const right{b.data(), columnsOfB ? 1 : n, columnsOfB ? k : 1};

    std::vector<C> expected = before;
    for (uint32_t row = 0; row < m; ++row) {
        for (uint32_t column = 0; column < n; ++column) {
            Sum sum = biased ? bias[column] : Sum{};
            for (uint32_t i = 0; i < k; ++i) {
                sum = Plain(sum, static_cast<Sum>(left.At(row, i)), static_cast<Sum>(right.At(i, column)));
            }
            C& target = expected[size_t{row} * (n + kPadding) + column];
            target = Combined(target, static_cast<C>(sum), combine);
        }
    }
    Digest(expected.data(), expected.size() * sizeof(C));
    for (Multiplier<ElementA, ElementB> const& multiplier : Multipliers<ElementA, ElementB>()) {
        if (!multiplier.supported) { continue; }
        std::vector<C> actual = before;
        Matrix<C> const result{actual.data(), n + kPadding, 1};
        Multiply(multiplier, left, right, result, biased ? bias.data() : nullptr, m, n, k, combine);
        if (std::memcmp(actual.data(), expected.data(), actual.size() * sizeof(C)) != 0) {
            std::printf("%s differs at %u x %u x %u\n", multiplier.name, m, n, k);
            std::exit(1);
        }
    }
}

template <class ElementA, class C, class ElementB = ElementA> void CompareAll()
{
    constexpr uint32_t kShapes[][3] = {{1, 1, 1},   {3, 5, 7},     {5, 31, 129},  {6, 32, 128},
                                       {7, 33, 17}, {13, 65, 257}, {24, 16, 300}, {1, 100, 40}};
    for (auto const& shape : kShapes) {
        for (int layout = 0; layout < 4; ++layout) {
            auto const combine = static_cast<Combine>(layout);
            Compare<ElementA, ElementB, C>(
                shape[0], shape[1], shape[2], layout % 2 != 0, layout / 2 != 0, layout % 3 == 0, combine);
        }
    }
}

/// Every code of a float of 8 bits times one.
template <class Element> void CompareCodes()
{
    Element codes[256];
    for (int code = 0; code < 256; ++code) { codes[code].bits = static_cast<uint8_t>(code); }
    Element const one(1);
    for (Multiplier<Element> const& multiplier : Multipliers<Element>()) {
        if (!multiplier.supported) { continue; }
        float results[256];
        Multiply(
            multiplier, Matrix<Element const>{codes, 1, 256}, Matrix<Element const>{&one, 1, 1},
            Matrix<float>{results, 1, 1}, static_cast<float const*>(nullptr), 256, 1, 1, Combine::Store);
        for (int code = 0; code < 256; ++code) {
            auto const exact = static_cast<float>(codes[code]);
            if (results[code] != exact && (results[code] == results[code] || exact == exact)) {
                std::printf("%s differs at code %d\n", multiplier.name, code);
                std::exit(1);
            }
        }
    }
}

}  // namespace

int main()
{
    CompareAll<Half, float>();
    CompareAll<Half, Half>();
    CompareAll<Half, Bfloat16>();
    CompareAll<Bfloat16, Bfloat16>();
    CompareAll<Bfloat16, float>();
    CompareAll<float, float>();
    CompareAll<float, Half>();
    CompareAll<int8_t, int32_t>();
    CompareAll<Float8E4M3, float>();
    CompareAll<Float8E5M2, Half>();
    CompareAll<Float8E4M3, float, Float8E5M2>();
    CompareAll<Float8E5M2, Bfloat16, Float8E4M3>();
    CompareCodes<Float8E4M3>();
    CompareCodes<Float8E5M2>();
    for (Multiplier<float> const& multiplier : Multipliers<float>()) {
        std::printf("%s%s\n", multiplier.name, multiplier.supported ? "" : " missing");
    }
    std::printf("%016llx\n", static_cast<unsigned long long>(g_digest));
    return 0;
}
