// BlockEpilogue of a graph of visitors for Ascend950 (Catlass v1.6, EVG). A vector core takes its half of the block's rows
// in tiles of up to COMPUTE_LENGTH elements, whole rows or a part of one, with two buffers in turn.
#ifndef CATLASS_EPILOGUE_BLOCK_BLOCK_EPILOGUE_VISITOR_HPP
#define CATLASS_EPILOGUE_BLOCK_BLOCK_EPILOGUE_VISITOR_HPP

#if defined(CATLASS_ARCH) && CATLASS_ARCH == 3510

#include <algorithm>

#include "catlass/arch/resource.hpp"
#include "catlass/catlass.hpp"
#include "catlass/epilogue/block/block_epilogue.hpp"
#include "catlass/epilogue/dispatch_policy.hpp"
#include "catlass/epilogue/fusion/visitor_impl_base.hpp"
#include "catlass/gemm_coord.hpp"
#include "catlass/matrix_coord.hpp"
#include "tla/layout.hpp"
#include "tla/tensor.hpp"

namespace Catlass::Epilogue::Block {

template <bool USE_UB_WORKSPACE_, class ArchTag_, class ComputeLength_, class EVG_, class ElementC_>
class BlockEpilogue<EpilogueVisitor<USE_UB_WORKSPACE_>, ArchTag_, ComputeLength_, EVG_, ElementC_> {
public:
    static constexpr bool USE_UB_WORKSPACE = USE_UB_WORKSPACE_;
    static constexpr uint32_t COMPUTE_LENGTH = ComputeLength_::value;
    static_assert(COMPUTE_LENGTH % BYTE_PER_C0 == 0, "COMPUTE_LENGTH must be a multiple of BYTE_PER_C0");
    using ArchTag = ArchTag_;
    using EVG = EVG_;
    using ElementC = ElementC_;

    struct Params {
        typename EVG::Params evg_params;

        Params() {}
        Params(typename EVG::Params const &params) : evg_params(params) {}
    };

    CATLASS_DEVICE BlockEpilogue(Arch::Resource<ArchTag> &resource, Params const &params)
        : evg_(params.evg_params), resource_(resource)
    {
        if ASCEND_IS_AIV {
            for (int32_t buffer = 0; buffer < BUFFERS; ++buffer) {
                AscendC::SetFlag<AscendC::HardEvent::V_MTE2>(buffer);
                AscendC::SetFlag<AscendC::HardEvent::MTE3_V>(buffer);
            }
        }
    }

    CATLASS_DEVICE ~BlockEpilogue()
    {
        if ASCEND_IS_AIV {
            for (int32_t buffer = 0; buffer < BUFFERS; ++buffer) {
                AscendC::WaitFlag<AscendC::HardEvent::V_MTE2>(buffer);
                AscendC::WaitFlag<AscendC::HardEvent::MTE3_V>(buffer);
            }
        }
    }

    /// The block of the accumulator at the start of UB. Its rows are as far apart as those of its tiles.
    CATLASS_DEVICE auto GetMmadUbTensor(GemmCoord const &block)
    {
        static_assert(USE_UB_WORKSPACE, "the accumulator is in GM");
        auto const layout = tla::MakeLayout(tla::MakeShape(block.m(), block.n()),
                                            tla::MakeStride(RoundUp<BYTE_PER_C0>(block.n()), tla::Int<1>{}));
        return tla::MakeTensor(resource_.ubBuf.template GetBufferByByte<ElementC>(0), layout, Arch::PositionUB{});
    }

    template <class TensorC>
    CATLASS_DEVICE void operator()(GemmCoord const &blockShapeMNK, GemmCoord const &blockCoordMNK,
                                   GemmCoord const &actualBlockShapeMNK, TensorC const &tensorBlockC)
    {
        MatrixCoord const block = actualBlockShapeMNK.GetCoordMN();
        uint32_t const half = CeilDiv(block.row(), static_cast<uint32_t>(AscendC::GetSubBlockNum()));
        uint32_t const firstRow = std::min(block.row(), half * static_cast<uint32_t>(AscendC::GetSubBlockIdx()));
        uint32_t const rows = std::min(half, block.row() - firstRow);
        uint32_t const columns = block.column();
        MatrixCoord const origin = blockCoordMNK.GetCoordMN() * blockShapeMNK.GetCoordMN() + MatrixCoord{firstRow, 0u};
        // In UB each vector core finds its rows at the beginning.
        auto const share = tla::GetTile(tensorBlockC, tla::MakeCoord(USE_UB_WORKSPACE ? 0u : firstRow, 0u),
                                        tla::MakeShape(rows, columns));

        uint32_t offset = USE_UB_WORKSPACE ? ArchTag::L0C_SIZE / 2 : 0;
        auto first = evg_.get_callbacks(resource_, offset, COMPUTE_LENGTH);
        auto second = evg_.get_callbacks(resource_, offset, COMPUTE_LENGTH);

        uint32_t const stride = RoundUp<BYTE_PER_C0>(columns);
        uint32_t const tileRows = columns <= COMPUTE_LENGTH ? std::max(1u, COMPUTE_LENGTH / stride) : 1;
        uint32_t const tileColumns = std::min(columns, COMPUTE_LENGTH);
        int32_t buffer = 0;
        for (uint32_t row = 0; row < rows; row += tileRows) {
            // All parts of a row go through the same buffer.
            for (uint32_t column = 0; column < columns; column += tileColumns) {
                MatrixCoord const shape{std::min(tileRows, rows - row), std::min(tileColumns, columns - column)};
                MatrixCoord const at{row, column};
                if (buffer == 0) {
                    RunTile(first, share, at, shape, origin + at, buffer);
                } else {
                    RunTile(second, share, at, shape, origin + at, buffer);
                }
            }
            buffer = 1 - buffer;
        }
    }

private:
    static constexpr int32_t BUFFERS = 2;

    template <class Callbacks, class TensorC>
    CATLASS_DEVICE void RunTile(Callbacks &callbacks, TensorC const &share, MatrixCoord const &at,
                                MatrixCoord const &shape, MatrixCoord const &globalOffset, int32_t buffer)
    {
        using Stage = Fusion::VisitStage;
        auto const tile =
            tla::GetTile(share, tla::MakeCoord(at.row(), at.column()), tla::MakeShape(shape.row(), shape.column()));
        MatrixCoord const aligned{shape.row(), RoundUp<BYTE_PER_C0>(shape.column())};

        // Nothing orders a LOAD behind the STORE of two tiles before.
        AscendC::WaitFlag<AscendC::HardEvent::V_MTE2>(buffer);
        callbacks.template visit<Stage::LOAD, ArchTag>(tile, aligned, globalOffset);
        AscendC::SetFlag<AscendC::HardEvent::MTE2_V>(buffer);

        AscendC::WaitFlag<AscendC::HardEvent::MTE2_V>(buffer);
        AscendC::WaitFlag<AscendC::HardEvent::MTE3_V>(buffer);
        callbacks.template visit<Stage::COMPUTE, ArchTag>(tile, aligned, globalOffset);
        AscendC::SetFlag<AscendC::HardEvent::V_MTE2>(buffer);
        AscendC::SetFlag<AscendC::HardEvent::V_MTE3>(buffer);

        AscendC::WaitFlag<AscendC::HardEvent::V_MTE3>(buffer);
        callbacks.template visit<Stage::STORE, ArchTag>(tile, aligned, globalOffset);
        AscendC::SetFlag<AscendC::HardEvent::MTE3_V>(buffer);
    }

    EVG evg_;
    Arch::Resource<ArchTag> &resource_;
};

}  // namespace Catlass::Epilogue::Block

#endif  // CATLASS_ARCH == 3510

#endif  // CATLASS_EPILOGUE_BLOCK_BLOCK_EPILOGUE_VISITOR_HPP
