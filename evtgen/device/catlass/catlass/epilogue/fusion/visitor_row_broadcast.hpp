// A row in GM: LOAD copies its part to the tile's first row, COMPUTE copies that to the others.
#ifndef CATLASS_EPILOGUE_FUSION_VISITOR_ROW_BROADCAST_HPP
#define CATLASS_EPILOGUE_FUSION_VISITOR_ROW_BROADCAST_HPP

#include "catlass/epilogue/fusion/visitor_aux_load.hpp"

namespace Catlass::Epilogue::Fusion {

namespace standin {

template <class Layout> struct RowArguments {
    GM_ADDR ptr_row = nullptr;
    Layout layout = {};
};

}  // namespace standin

template <class Element, class Layout> struct VisitorRowBroadcast : StandInNode<standin::RowArguments<Layout>> {
    using StandInNode<standin::RowArguments<Layout>>::StandInNode;
    using ElementOutput = Element;
    using Arguments = standin::RowArguments<Layout>;

    template <class ProblemShape> static bool can_implement(ProblemShape const &, Arguments const &args)
    {
        return args.ptr_row != nullptr;
    }

    struct Callbacks : EmptyCallbacks {
        AscendC::LocalTensor<Element> ubOut;
        Arguments const *params;

        CATLASS_DEVICE Callbacks(AscendC::LocalTensor<Element> const &ubOut_, Arguments const *params_)
            : ubOut(ubOut_), params(params_)
        {}

        template <VisitStage STAGE, class ArchTag, class TensorC>
        CATLASS_DEVICE AscendC::LocalTensor<Element> const &visit(TensorC const &tensorTile,
                                                                  MatrixCoord const &alignedTileShape,
                                                                  MatrixCoord const &globalOffset)
        {
            uint32_t const stride = alignedTileShape.column();
            if constexpr (STAGE == VisitStage::LOAD) {
                auto const tile =
                    standin::TileInGm<Element>(params->ptr_row, params->layout, MatrixCoord{0u, globalOffset.column()},
                                               tla::MakeShape(tla::Int<1>{}, tla::get<1>(tensorTile.shape())));
                standin::CopyIn<ArchTag>(ubOut, tile, stride);
            }
            if constexpr (STAGE == VisitStage::COMPUTE) {
                for (uint32_t row = 1; row < tla::get<0>(tensorTile.shape()); ++row) {
                    AscendC::DataCopy(ubOut[row * stride], ubOut, stride);
                }
            }
            return ubOut;
        }
    };

    template <class ArchTag>
    CATLASS_DEVICE auto get_callbacks(Arch::Resource<ArchTag> &resource, uint32_t &ub_offset, uint32_t compute_length)
    {
        return Callbacks(this->template Buffer<Element>(resource, ub_offset, compute_length), &this->params);
    }
};

}  // namespace Catlass::Epilogue::Fusion

#endif  // CATLASS_EPILOGUE_FUSION_VISITOR_ROW_BROADCAST_HPP
