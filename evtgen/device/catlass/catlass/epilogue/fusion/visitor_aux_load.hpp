// A matrix in GM: LOAD copies the tile.
#ifndef CATLASS_EPILOGUE_FUSION_VISITOR_AUX_LOAD_HPP
#define CATLASS_EPILOGUE_FUSION_VISITOR_AUX_LOAD_HPP

#include "catlass/epilogue/fusion/visitor_impl.hpp"
#include "catlass/epilogue/tile/copy_gm_to_ub_tla.hpp"
#include "tla/layout.hpp"
#include "tla/tensor.hpp"

namespace Catlass::Epilogue::Fusion {

namespace standin {

template <class Layout> struct MatrixArguments {
    GM_ADDR ptr_aux = nullptr;
    Layout layout = {};
};

/// The tile of `shape` at `offset` of a tensor in GM.
template <class Element, class Layout, class Shape>
CATLASS_DEVICE auto TileInGm(GM_ADDR address, Layout const &layout, MatrixCoord const &offset, Shape const &shape)
{
    AscendC::GlobalTensor<Element> gm;
    gm.SetGlobalBuffer(reinterpret_cast<__gm__ Element *>(address));
    return tla::GetTile(tla::MakeTensor(gm, layout, Arch::PositionGM{}), tla::MakeCoord(offset.row(), offset.column()),
                        shape);
}

/// LOAD of a tile: its rows lie `stride` elements apart in UB.
template <class ArchTag, class Element, class Tile>
CATLASS_DEVICE void CopyIn(AscendC::LocalTensor<Element> const &ub, Tile const &tile, uint32_t stride)
{
    auto const layout = tla::MakeLayout(tile.shape(), tla::MakeStride(stride, tla::Int<1>{}));
    auto const tensor = tla::MakeTensor(ub, layout, Arch::PositionUB{});
    Epilogue::Tile::CopyGm2UbTla<ArchTag, Tile, std::remove_const_t<decltype(tensor)>>{}(tensor, tile);
}

}  // namespace standin

template <class Element, class Layout> struct VisitorAuxLoad : StandInNode<standin::MatrixArguments<Layout>> {
    using StandInNode<standin::MatrixArguments<Layout>>::StandInNode;
    using ElementOutput = Element;
    using Arguments = standin::MatrixArguments<Layout>;

    template <class ProblemShape> static bool can_implement(ProblemShape const &, Arguments const &args)
    {
        return args.ptr_aux != nullptr;
    }

    struct Callbacks : EmptyCallbacks {
        AscendC::LocalTensor<Element> ubAux;
        Arguments const *params;

        CATLASS_DEVICE Callbacks(AscendC::LocalTensor<Element> const &ubAux_, Arguments const *params_)
            : ubAux(ubAux_), params(params_)
        {}

        template <VisitStage STAGE, class ArchTag, class TensorC>
        CATLASS_DEVICE AscendC::LocalTensor<Element> const &visit(TensorC const &tensorTile,
                                                                  MatrixCoord const &alignedTileShape,
                                                                  MatrixCoord const &globalOffset)
        {
            if constexpr (STAGE == VisitStage::LOAD) {
                auto const tile =
                    standin::TileInGm<Element>(params->ptr_aux, params->layout, globalOffset, tensorTile.shape());
                standin::CopyIn<ArchTag>(ubAux, tile, alignedTileShape.column());
            }
            return ubAux;
        }
    };

    template <class ArchTag>
    CATLASS_DEVICE auto get_callbacks(Arch::Resource<ArchTag> &resource, uint32_t &ub_offset, uint32_t compute_length)
    {
        return Callbacks(this->template Buffer<Element>(resource, ub_offset, compute_length), &this->params);
    }
};

}  // namespace Catlass::Epilogue::Fusion

#endif  // CATLASS_EPILOGUE_FUSION_VISITOR_AUX_LOAD_HPP
