// BlockEpilogue: processes one block of C on the vector cores. The primary template only; the specialisation comes
// with the epilogue.
#ifndef CATLASS_EPILOGUE_BLOCK_BLOCK_EPILOGUE_HPP
#define CATLASS_EPILOGUE_BLOCK_BLOCK_EPILOGUE_HPP

#include "catlass/catlass.hpp"

namespace Catlass::Epilogue::Block {

template <class DispatchPolicy, class... Args> class BlockEpilogue {
    static_assert(DEPENDENT_FALSE<DispatchPolicy>, "no epilogue for this dispatch policy and these arguments");
};

}  // namespace Catlass::Epilogue::Block

#if defined(CATLASS_ARCH) && CATLASS_ARCH == 3510
#include "catlass/epilogue/block/block_epilogue_visitor.hpp"
#endif

#endif  // CATLASS_EPILOGUE_BLOCK_BLOCK_EPILOGUE_HPP
