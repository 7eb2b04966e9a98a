// Inputs, reference results and comparison for example programs.
#ifndef EXAMPLES_COMMON_GOLDEN_HPP
#define EXAMPLES_COMMON_GOLDEN_HPP

#include "golden/compare_data.hpp"
#include "golden/fill_data.hpp"
#include "golden/matmul.hpp"

#endif  // EXAMPLES_COMMON_GOLDEN_HPP
