// Command lines of example programs.
#ifndef EXAMPLES_COMMON_OPTIONS_HPP
#define EXAMPLES_COMMON_OPTIONS_HPP

#include <cstdlib>
#include <initializer_list>
#include <iostream>
#include <string>

#include "catlass/gemm_coord.hpp"
#include "catlass/gemv_coord.hpp"

#define STRINGIFY(x) #x
#define TOSTRING(x) STRINGIFY(x)

#ifndef CATLASS_EXAMPLE_NAME
#define CATLASS_EXAMPLE_NAME catlass_example
#endif

namespace Catlass::detail {

/// Reads the numbers `sizes` and then, if there is one more argument, the device id. Returns 0, or -1 with the usage
/// printed when the count of arguments fits neither.
inline int ParseSizes(int argc, char const **argv, std::initializer_list<uint32_t *> sizes, int32_t &deviceId,
                      std::string const &usage)
{
    int const required = 1 + static_cast<int>(sizes.size());
    if (argc != required && argc != required + 1) {
        std::cerr << TOSTRING(CATLASS_EXAMPLE_NAME) << " " << usage << std::endl;
        return -1;
    }
    int index = 1;
    for (uint32_t *size : sizes) { *size = static_cast<uint32_t>(std::atoi(argv[index++])); }
    if (index < argc) { deviceId = std::atoi(argv[index]); }
    return 0;
}

}  // namespace Catlass::detail

struct GemmOptions {
    std::string const HELPER = "m n k [device_id]";

    Catlass::GemmCoord problemShape{128, 128, 128};
    int32_t deviceId{0};

    int Parse(int argc, char const **argv)
    {
        return Catlass::detail::ParseSizes(argc, argv, {&problemShape.m(), &problemShape.n(), &problemShape.k()},
                                           deviceId, HELPER);
    }
};

struct GemvOptions {
    std::string const HELPER = "m n [device_id]";

    Catlass::GemvCoord problemShape{128, 128};
    int32_t deviceId{0};

    int Parse(int argc, char const **argv)
    {
        return Catlass::detail::ParseSizes(argc, argv, {&problemShape.m(), &problemShape.n()}, deviceId, HELPER);
    }
};

struct GroupedGemmOptions {
    std::string const HELPER = "problem_count m n k [device_id]";

    Catlass::GemmCoord problemShape{128, 128, 128};
    uint32_t problemCount{1};
    int32_t deviceId{0};

    int Parse(int argc, char const **argv)
    {
        return Catlass::detail::ParseSizes(
            argc, argv, {&problemCount, &problemShape.m(), &problemShape.n(), &problemShape.k()}, deviceId, HELPER);
    }
};

#endif  // EXAMPLES_COMMON_OPTIONS_HPP
