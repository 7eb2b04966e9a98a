// The accumulator: LOAD copies the tile from GM, or it lies in UB, where the cube core has put it.
#ifndef CATLASS_EPILOGUE_FUSION_VISITOR_ACC_LOAD_HPP
#define CATLASS_EPILOGUE_FUSION_VISITOR_ACC_LOAD_HPP

#include "catlass/epilogue/fusion/visitor_impl.hpp"
#include "catlass/epilogue/tile/copy_gm_to_ub_tla.hpp"
#include "tla/layout.hpp"
#include "tla/tensor.hpp"

namespace Catlass::Epilogue::Fusion {

namespace standin {
struct NoArguments {};
}  // namespace standin

template <class Element, bool USE_UB_WORKSPACE = false> struct VisitorAccLoad : StandInNode<standin::NoArguments> {
    using StandInNode<standin::NoArguments>::StandInNode;
    using ElementOutput = Element;
    using Arguments = standin::NoArguments;

    struct Callbacks : EmptyCallbacks {
        AscendC::LocalTensor<Element> ubAcc;

        CATLASS_DEVICE Callbacks() {}
        CATLASS_DEVICE Callbacks(AscendC::LocalTensor<Element> const &ubAcc_) : ubAcc(ubAcc_) {}

        template <VisitStage STAGE, class ArchTag, class TensorC>
        CATLASS_DEVICE AscendC::LocalTensor<Element> const &visit(TensorC const &tensorTile,
                                                                  MatrixCoord const &alignedTileShape,
                                                                  MatrixCoord const & /*globalOffset*/)
        {
            if constexpr (USE_UB_WORKSPACE) {
                ubAcc = tensorTile.data()[static_cast<uint64_t>(tensorTile.layout()(tensorTile.coord()))];
            } else if constexpr (STAGE == VisitStage::LOAD) {
                auto const layout =
                    tla::MakeLayout(tensorTile.shape(), tla::MakeStride(alignedTileShape.column(), tla::Int<1>{}));
                auto const tensorUb = tla::MakeTensor(ubAcc, layout, Arch::PositionUB{});
                Tile::CopyGm2UbTla<ArchTag, TensorC, std::remove_const_t<decltype(tensorUb)>>{}(tensorUb, tensorTile);
            }
            return ubAcc;
        }
    };

    template <class ArchTag>
    CATLASS_DEVICE auto get_callbacks(Arch::Resource<ArchTag> &resource, uint32_t &ub_offset, uint32_t compute_length)
    {
        if constexpr (USE_UB_WORKSPACE) {
            return Callbacks();
        } else {
            return Callbacks(this->template Buffer<Element>(resource, ub_offset, compute_length));
        }
    }
};

}  // namespace Catlass::Epilogue::Fusion

#endif  // CATLASS_EPILOGUE_FUSION_VISITOR_ACC_LOAD_HPP
