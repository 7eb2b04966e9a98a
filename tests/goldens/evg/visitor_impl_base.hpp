#ifndef CATLASS_EPILOGUE_FUSION_EXTENDED_VISITOR_IMPL_BASE_HPP
#define CATLASS_EPILOGUE_FUSION_EXTENDED_VISITOR_IMPL_BASE_HPP

#include <type_traits>

#include "catlass/catlass.hpp"
#include "catlass/arch/resource.hpp"
#include "catlass/epilogue/fusion/visitor_impl.hpp"
#include "catlass/layout/layout.hpp"
#include "tla/layout.hpp"
#include "tla/tensor.hpp"

namespace Catlass::Epilogue::Fusion::Extended {

// Nodes and operators that the visitor framework of Catlass, in Catlass::Epilogue::Fusion, does not have. They are
// used beside its own, in the same visitors, and keep its interface:
//
//   visit<Stage, ArchTag>(tensorTile, alignedTileShape, globalOffset, inputs...)
//
// The tile has tensorTile.shape() rows and columns; its rows are alignedTileShape.column() elements apart in UB.
// LOAD runs on MTE2 alone, COMPUTE on V alone, STORE on MTE3 alone, and the caller's flags order them: LOAD overwrites
// what COMPUTE of the last tile but one has read, COMPUTE what its STORE has read. So STORE must read nothing that LOAD
// has written: the next LOAD but one does not wait for it.

/// What one repeat of a vector instruction covers.
constexpr uint32_t BLK_NUM_PER_REPEAT = 8;
constexpr uint32_t BYTE_PER_REPEAT = BLK_NUM_PER_REPEAT * BYTE_PER_BLK;

/// Bytes of UB after which the groups of banks start again. Two repeats that start half of it apart never meet in one.
constexpr uint32_t BANK_PERIOD = 2 * BYTE_PER_REPEAT;

/// The most rows of a tile that nodes work on row by row: one instruction reaches them with a repeat for each.
constexpr uint32_t MAX_TILE_ROWS = 240;

/// Orders what V does next behind what it has done. Ascend950 does so by itself.
CATLASS_DEVICE void BarrierV()
{}

/// Fills the rows of a tile behind the first: each is the one before it plus step. As many as there are at a time.
template <class Element>
CATLASS_DEVICE void ContinueRows(AscendC::LocalTensor<Element> const& ub, uint32_t rows, uint32_t stride, Element step)
{
    for (uint32_t done = 1; done < rows; done *= 2) {
        uint32_t more = rows - done < done ? rows - done : done;
        AscendC::Adds(ub[done * stride], ub, static_cast<Element>(done) * step, more * stride);
    }
}

} // namespace Catlass::Epilogue::Fusion::Extended

#endif // CATLASS_EPILOGUE_FUSION_EXTENDED_VISITOR_IMPL_BASE_HPP
