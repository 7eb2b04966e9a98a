// The cube's tile copies, which only a checkout's own BlockMmad would use.
#include "../../../../catlass/catlass/gemm/tile/tile_copy.hpp"

#include "catlass/gemm/tile/copy_gm_to_l1.hpp"
