#ifndef CATLASS_EPILOGUE_FUSION_VISITOR_AUX_SCATTER_HPP
#define CATLASS_EPILOGUE_FUSION_VISITOR_AUX_SCATTER_HPP

#include "catlass/epilogue/tile/copy_ub_to_gm.hpp"
#include "catlass/gemm/gemm_type.hpp"
#include "catlass/layout/layout.hpp"
#include "catlass/epilogue/fusion/visitor_impl.hpp"

namespace Catlass::Epilogue::Fusion {

/// A user's tensor of which a list of numbers names the rows to write: STORE copies each row of the tile to one of
/// them, straight from the input's buffer, and leaves out rows whose number is negative or that of no row. No other
/// number may be there twice. Returns its input.
///
/// S reads the numbers of the tile's rows, which lie packed in GM, and each row is copied on its own. A launch has one
/// such tensor: that of a matmul, or of all whose rows it has.
template <class Element_, class Layout_ = layout::RowMajor>
struct VisitorAuxScatter : VisitorImpl<> {
    using Element = Element_;
    using Layout = Layout_;
    using ElementOutput = Element;

    static_assert(std::is_same_v<Layout, layout::RowMajor>, "VisitorAuxScatter writes row-major tensors");

    static constexpr bool FORWARDS = true;
    static constexpr bool READS_IN_STORE = true;
    static constexpr uint32_t STRIDE_ALIGN = BYTE_PER_BLK / sizeof(Element);

    struct Arguments {
        GM_ADDR ptr_aux{nullptr};
        Layout layout{};
        GM_ADDR ptr_rows{nullptr};
        layout::RowMajor layout_rows{};
    };

    using Params = Arguments;

    template <class ProblemShape>
    CATLASS_HOST_DEVICE static Params to_underlying_arguments(ProblemShape const&, Arguments const& args, GM_ADDR)
    {
        return args;
    }

    template <class ProblemShape>
    static Verdict can_implement(ProblemShape const& problemShape, Arguments const& args)
    {
        return {detail::RefusalOfRows(problemShape, args)};
    }

    CATLASS_HOST_DEVICE
    VisitorAuxScatter()
    {}

    CATLASS_HOST_DEVICE
    VisitorAuxScatter(Params const& params_) : params(params_)
    {}

    template <class ArchTag>
    struct Callbacks : EmptyCallbacks {
        AscendC::GlobalTensor<CopiedAs<Element>> gmAux;
        AscendC::GlobalTensor<int32_t> gmRows;
        Params params;

        CATLASS_DEVICE
        Callbacks(Params const& params_) : params(params_)
        {
            gmAux.SetGlobalBuffer(reinterpret_cast<__gm__ CopiedAs<Element>*>(params.ptr_aux));
            gmRows.SetGlobalBuffer(reinterpret_cast<__gm__ int32_t*>(params.ptr_rows));
        }

        template <VisitStage STAGE, class ElementInput>
        CATLASS_DEVICE AscendC::LocalTensor<Element> visit(
            MatrixCoord const& globalTileOffset, MatrixCoord const& /*localTileOffset*/, MatrixCoord const& tileShape,
            uint32_t calCount, AscendC::LocalTensor<ElementInput> const& input)
        {
            static_assert(std::is_same_v<ElementInput, Element>, "VisitorAuxScatter: insert a VisitorCast");
            if constexpr (HasStage(STAGE, VisitStage::STORE)) {
                auto ubRows = input.template ReinterpretCast<CopiedAs<Element>>();
                uint32_t stride = TileStride(tileShape, calCount);
                layout::RowMajor layoutRow{1u, tileShape.column()};
                for (uint32_t i = 0; i < tileShape.row(); ++i) {
                    // A negative number is larger than any
                    auto row = static_cast<uint32_t>(gmRows.GetValue(globalTileOffset.row() + i));
                    if (row < params.layout.shape(0)) {
                        CopyUbToGm{}(
                            gmAux[OffsetOf(params.layout, MatrixCoord{row, globalTileOffset.column()})],
                            ubRows[i * stride], layoutRow, layoutRow);
                    }
                }
                SynchronizeIfAll<STAGE>();
            }
            return input;
        }

    private:
        using CopyUbToGm = Epilogue::Tile::CopyUb2Gm<ArchTag, Gemm::GemmType<CopiedAs<Element>, Layout>>;
    };

    template <class ArchTag, class ComputeLength>
    CATLASS_DEVICE auto get_callbacks(Arch::Resource<ArchTag>&, UbParts const&, ComputeLength)
    {
        return Callbacks<ArchTag>{params};
    }

private:
    Params params;
};

} // namespace Catlass::Epilogue::Fusion

#endif // CATLASS_EPILOGUE_FUSION_VISITOR_AUX_SCATTER_HPP
