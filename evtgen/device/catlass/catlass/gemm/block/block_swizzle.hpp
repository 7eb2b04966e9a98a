// The order in which cores take the blocks of C.
#ifndef CATLASS_GEMM_BLOCK_BLOCK_SWIZZLE_HPP
#define CATLASS_GEMM_BLOCK_BLOCK_SWIZZLE_HPP

#include "catlass/catlass.hpp"
#include "catlass/detail/alignment.hpp"
#include "catlass/gemm_coord.hpp"
#include "catlass/matrix_coord.hpp"

namespace Catlass::Gemm::Block {

/// C is cut into bands SwizzleOffset blocks thick: of block rows (direction 0) or of block columns (direction 1). Bands
/// come one after another, every other one backwards, and within a band the blocks across its thickness come first. So
/// blocks that run at the same time share operands.
template <uint32_t SwizzleOffset = 1, uint32_t SwizzleDirection = 0> struct GemmIdentityBlockSwizzle {
    static_assert(SwizzleDirection <= 1, "the direction is 0 or 1");

    GemmCoord problemShape;
    MatrixCoord tileMN;
    MatrixCoord loopsMN;

    CATLASS_DEVICE GemmIdentityBlockSwizzle() {}

    CATLASS_DEVICE GemmIdentityBlockSwizzle(GemmCoord const &problemShape_, MatrixCoord const &tileMN_)
    {
        Update(problemShape_, tileMN_);
    }

    CATLASS_DEVICE GemmIdentityBlockSwizzle(GemmCoord const &problemShape_, MatrixCoord const &tileMN_,
                                            MatrixCoord const &loopsMN_)
        : problemShape(problemShape_), tileMN(tileMN_), loopsMN(loopsMN_)
    {}

    CATLASS_DEVICE void Update(GemmCoord const &problemShape_, MatrixCoord const &tileMN_)
    {
        Update(problemShape_, tileMN_, CeilDiv(MatrixCoord(problemShape_.GetCoordMN()), tileMN_));
    }

    CATLASS_DEVICE void Update(GemmCoord const &problemShape_, MatrixCoord const &tileMN_, MatrixCoord const &loopsMN_)
    {
        problemShape = problemShape_;
        tileMN = tileMN_;
        loopsMN = loopsMN_;
    }

    /// Number of blocks of C.
    CATLASS_DEVICE uint32_t GetCoreLoops() const { return loopsMN.row() * loopsMN.column(); }

    CATLASS_DEVICE uint32_t GetBatchIdx(uint32_t taskIdx) { return taskIdx / GetCoreLoops(); }

    CATLASS_DEVICE GemmCoord GetBlockCoord(uint32_t taskIdx)
    {
        // `across` counts blocks through the bands, `along` blocks down the length of a band.
        uint32_t const acrossCount = loopsMN[SwizzleDirection];
        uint32_t const alongCount = loopsMN[1 - SwizzleDirection];

        uint32_t const index = taskIdx % GetCoreLoops();
        uint32_t const band = index / (SwizzleOffset * alongCount);
        uint32_t const indexInBand = index % (SwizzleOffset * alongCount);
        uint32_t const firstAcross = band * SwizzleOffset;
        uint32_t const thickness =
            acrossCount - firstAcross < SwizzleOffset ? acrossCount - firstAcross : SwizzleOffset;

        uint32_t const across = firstAcross + indexInBand % thickness;
        uint32_t along = indexInBand / thickness;
        if (band % 2 == 1) { along = alongCount - 1 - along; }
        if constexpr (SwizzleDirection == 0) {
            return GemmCoord{across, along, 0};
        } else {
            return GemmCoord{along, across, 0};
        }
    }

    /// The block's extent: smaller than the tile at the lower and right edges of C.
    CATLASS_DEVICE GemmCoord GetActualBlockShape(GemmCoord blockCoord)
    {
        MatrixCoord const start{blockCoord.m() * tileMN.row(), blockCoord.n() * tileMN.column()};
        MatrixCoord const rest = MatrixCoord(problemShape.GetCoordMN()) - start;
        MatrixCoord const extent = MatrixCoord::Min(rest, tileMN);
        return GemmCoord{extent.row(), extent.column(), problemShape.k()};
    }
};

}  // namespace Catlass::Gemm::Block

#endif  // CATLASS_GEMM_BLOCK_BLOCK_SWIZZLE_HPP
