// Conversions of single values by the machine. Standard input has a line "source destination mode value" for each, the
// types by their AscendC names, a float in hexadecimal. Prints the result, "none" where the machine has no such
// conversion. With arguments "source destination mode", standard input and output are the values' own bytes.
#include <cmath>
#include <cstdio>
#include <cstring>
#include <iostream>
#include <iterator>
#include <string>
#include <vector>

#include "../../evtgen/device/machine/convert.hpp"

using namespace machine;

namespace {

struct Type {
    char const* name;
    ElementType type;
};
constexpr Type kTypes[] = {
    {"int4b_t", ElementType::I4},          {"int8_t", ElementType::I8},         {"uint8_t", ElementType::U8},
    {"int16_t", ElementType::I16},         {"uint16_t", ElementType::U16},      {"int32_t", ElementType::I32},
    {"uint32_t", ElementType::U32},        {"int64_t", ElementType::I64},       {"half", ElementType::F16},
    {"bfloat16_t", ElementType::BF16},     {"float", ElementType::F32},         {"double", ElementType::F64},
    {"fp8_e4m3fn_t", ElementType::F8E4M3}, {"fp8_e5m2_t", ElementType::F8E5M2}, {"fp4x2_e2m1_t", ElementType::F4E2M1},
};

bool Find(std::string const& name, ElementType& type)
{
    for (Type const& known : kTypes) {
        if (name == known.name) {
            type = known.type;
            return true;
        }
    }
    return false;
}

Rounding ModeOf(std::string const& name)
{
    constexpr char const* names[] = {"NONE", "RINT", "FLOOR", "CEIL", "ROUND", "TRUNC", "ODD"};
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); ++i) {
        if (name == names[i]) { return static_cast<Rounding>(i); }
    }
    std::abort();
}

/// The value in the type's bits. Floats of 16 and 8 bits take the nearest.
uint64_t Encode(ElementType type, std::string const& text)
{
    uint64_t bits = 0;
    auto const put = [&bits](auto value) { std::memcpy(&bits, &value, sizeof(value)); };
    switch (type) {
        case ElementType::F16: put(FloatToHalfBits(std::stof(text))); break;
        case ElementType::BF16: put(FloatToBfloatBits(std::stof(text))); break;
        case ElementType::F8E4M3: put(Float8E4M3(std::stof(text))); break;
        case ElementType::F8E5M2: put(Float8E5M2(std::stof(text))); break;
        case ElementType::F4E2M1:
            while (Float4E2M1x2(static_cast<int>(bits))[0] != std::stof(text)) { ++bits; }
            break;
        case ElementType::F32: put(std::stof(text)); break;
        case ElementType::F64: put(std::stod(text)); break;
        default: put(static_cast<int64_t>(std::stoll(text)));
    }
    return bits;
}

void Print(ElementType type, uint64_t bits)
{
    auto const get = [&bits](auto value) {
        std::memcpy(&value, &bits, sizeof(value));
        return value;
    };
    switch (type) {
        case ElementType::F16: std::printf("%a\n", static_cast<double>(HalfBitsToFloat(get(uint16_t{})))); break;
        case ElementType::BF16: std::printf("%a\n", static_cast<double>(static_cast<float>(get(Bfloat16{})))); break;
        case ElementType::F8E4M3:
            std::printf("%a\n", static_cast<double>(static_cast<float>(get(Float8E4M3{}))));
            break;
        case ElementType::F8E5M2:
            std::printf("%a\n", static_cast<double>(static_cast<float>(get(Float8E5M2{}))));
            break;
        case ElementType::F32: std::printf("%a\n", static_cast<double>(get(float{}))); break;
        case ElementType::F4E2M1: std::printf("%a\n", static_cast<double>(get(Float4E2M1x2{})[0])); break;
        case ElementType::I4: std::printf("%d\n", get(Int4x2{})[0]); break;
        case ElementType::I8: std::printf("%d\n", get(int8_t{})); break;
        case ElementType::U8: std::printf("%d\n", get(uint8_t{})); break;
        case ElementType::I16: std::printf("%d\n", get(int16_t{})); break;
        case ElementType::I32: std::printf("%d\n", get(int32_t{})); break;
        default: std::printf("%lld\n", static_cast<long long>(get(int64_t{})));
    }
}

/// All of standard input, as values of a type, to standard output as values of another. False where there is no such
/// conversion.
bool ConvertBytes(std::string const& source, std::string const& destination, std::string const& mode)
{
    ElementType from;
    ElementType to;
    ConvertFn const convert = Find(source, from) && Find(destination, to) ? FindConvert(to, from) : nullptr;
    if (convert == nullptr) { return false; }
    std::vector<char> const given{std::istreambuf_iterator<char>(std::cin), std::istreambuf_iterator<char>()};
    // Two of 4 bits lie in a byte, and are converted together
    auto const packed = [](ElementType type) { return type == ElementType::I4 || type == ElementType::F4E2M1 ? 2 : 1; };
    size_t const packedFrom = packed(from), packedTo = packed(to);
    size_t const count = given.size() / SizeOf(from) * packedFrom;
    std::vector<char> results(count / packedTo * SizeOf(to));
    convert(results.data(), given.data(), count / (packedFrom * packedTo), ModeOf(mode));
    std::cout.write(results.data(), static_cast<std::streamsize>(results.size()));
    return true;
}

}  // namespace

int main(int argc, char** argv)
{
    if (argc == 4) { return ConvertBytes(argv[1], argv[2], argv[3]) ? 0 : 2; }
    std::string source;
    std::string destination;
    std::string mode;
    std::string value;
    while (std::cin >> source >> destination >> mode >> value) {
        ElementType from;
        ElementType to;
        ConvertFn const convert = Find(source, from) && Find(destination, to) ? FindConvert(to, from) : nullptr;
        if (convert == nullptr) {
            std::puts("none");
            continue;
        }
        uint64_t const bits = Encode(from, value);
        uint64_t result = 0;
        convert(&result, &bits, 1, ModeOf(mode));
        Print(to, result);
    }
}
