// A matrix in GM: STORE writes the tile, straight from its input's buffer. Returns its input.
#ifndef CATLASS_EPILOGUE_FUSION_VISITOR_AUX_STORE_HPP
#define CATLASS_EPILOGUE_FUSION_VISITOR_AUX_STORE_HPP

#include "catlass/epilogue/fusion/visitor_aux_load.hpp"
#include "catlass/epilogue/tile/copy_ub_to_gm_tla.hpp"

namespace Catlass::Epilogue::Fusion {

template <class Element, class Layout> struct VisitorAuxStore : StandInNode<standin::MatrixArguments<Layout>> {
    using StandInNode<standin::MatrixArguments<Layout>>::StandInNode;
    using ElementOutput = Element;
    using Arguments = standin::MatrixArguments<Layout>;

    template <class ProblemShape> static bool can_implement(ProblemShape const &, Arguments const &args)
    {
        return args.ptr_aux != nullptr;
    }

    struct Callbacks : EmptyCallbacks {
        Arguments const *params;

        CATLASS_DEVICE Callbacks(Arguments const *params_) : params(params_) {}

        template <VisitStage STAGE, class ArchTag, class TensorC, class ElementInput>
        CATLASS_DEVICE AscendC::LocalTensor<ElementInput> const &visit(TensorC const &tensorTile,
                                                                       MatrixCoord const &alignedTileShape,
                                                                       MatrixCoord const &globalOffset,
                                                                       AscendC::LocalTensor<ElementInput> const &input)
        {
            static_assert(std::is_same_v<ElementInput, Element>, "VisitorAuxStore: insert a VisitorCast");
            if constexpr (STAGE == VisitStage::STORE) {
                auto const tile =
                    standin::TileInGm<Element>(params->ptr_aux, params->layout, globalOffset, tensorTile.shape());
                auto const layout =
                    tla::MakeLayout(tensorTile.shape(), tla::MakeStride(alignedTileShape.column(), tla::Int<1>{}));
                auto const tensor = tla::MakeTensor(input, layout, Arch::PositionUB{});
                using Copy = Tile::CopyUb2GmTla<ArchTag, std::remove_const_t<decltype(tensor)>,
                                                std::remove_const_t<decltype(tile)>>;
                Copy{}(tile, tensor);
            }
            return input;
        }
    };

    template <class ArchTag> CATLASS_DEVICE auto get_callbacks(Arch::Resource<ArchTag> &, uint32_t &, uint32_t)
    {
        return Callbacks(&this->params);
    }
};

}  // namespace Catlass::Epilogue::Fusion

#endif  // CATLASS_EPILOGUE_FUSION_VISITOR_AUX_STORE_HPP
