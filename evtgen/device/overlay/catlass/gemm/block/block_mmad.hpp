// With this directory before a Catlass checkout on the include path, the checkout's cube side gives way to the model's.
#include "../../../../catlass/catlass/gemm/block/block_mmad.hpp"
