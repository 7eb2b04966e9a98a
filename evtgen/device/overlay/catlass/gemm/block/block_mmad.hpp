// With this directory before a Catlass checkout on the include path, the model's cube side replaces the checkout's.
#include "../../../../catlass/catlass/gemm/block/block_mmad.hpp"
