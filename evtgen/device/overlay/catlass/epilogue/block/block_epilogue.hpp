// The primary template, and of the checkout's own epilogues the element-wise ones. The others are for kernels that the
// model does not run (attention, dequantisation), and would have to be parsed for every program.
#include "../../../../catlass/catlass/epilogue/block/block_epilogue.hpp"

#if __has_include("catlass/epilogue/block/block_epilogue_elemwise_one_source.hpp")
#include "catlass/epilogue/block/block_epilogue_elemwise_one_source.hpp"
#endif
#if __has_include("catlass/epilogue/block/block_epilogue_elemwise_no_source.hpp")
#include "catlass/epilogue/block/block_epilogue_elemwise_no_source.hpp"
#endif
