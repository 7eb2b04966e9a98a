// Launches through the model, since a host compiler cannot parse the checkout's launch syntax.
#include "../../../../catlass/catlass/gemm/device/device_gemm.hpp"
