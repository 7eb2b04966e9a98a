// The cube's multiply-accumulate, which only a checkout's own BlockMmad would use.
#include "../../../../catlass/catlass/gemm/tile/tile_mmad.hpp"
