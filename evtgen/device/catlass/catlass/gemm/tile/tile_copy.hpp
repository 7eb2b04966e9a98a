// Names the copies of a BlockMmad. The stand-in moves no data between cube memories, so these are tags.
#ifndef CATLASS_GEMM_TILE_TILE_COPY_HPP
#define CATLASS_GEMM_TILE_TILE_COPY_HPP

#include "catlass/catlass.hpp"
#include "catlass/gemm/helper.hpp"

#if defined(CATLASS_ARCH) && CATLASS_ARCH == 3510
#include <type_traits>

#include "catlass/detail/tag_to_layout.hpp"
#endif

namespace Catlass::Gemm::Tile {

template <class ArchTag, class AType, class BType, class CType, class BiasType = void> struct TileCopy {
    using ElementA = typename AType::Element;
    using ElementB = typename BType::Element;
    using ElementAccumulator =
        typename Gemm::helper::ElementAccumulatorSelector<ElementA, ElementB>::ElementAccumulator;

    struct CopyGmToL1A {};
    struct CopyGmToL1B {};
    struct CopyL1ToL0A {};
    struct CopyL1ToL0B {};
    struct CopyL0CToGm {};
    struct BiasTypeSelector {};
    struct CopyGmToL1Bias {};
    struct CopyL1ToBT {};
};

#if defined(CATLASS_ARCH) && CATLASS_ARCH == 3510
/// Where the factors come from that the product is scaled by on its way out of L0C.
enum class ScaleGranularity { UNDEFINED = -1, NO_QUANT = 0, PER_TENSOR, PER_CHANNEL, PER_GROUP };

struct CopyToGM {};
struct CopyToL1 {};

/// The copies of a BlockMmadTla whose product goes to GM.
template <class ArchTag, class ElementA_, class LayoutTagA_, class ElementB_, class LayoutTagB_, class ElementC_,
          class LayoutTagC_, class ElementBias = void, bool ReluEnable_ = false,
          ScaleGranularity DEQUANT_GRANULARITY_ = ScaleGranularity::NO_QUANT, class L0CCopyMode = CopyToGM>
struct PackedTileCopyTla {
    using ElementA = ElementA_;
    using ElementB = ElementB_;
    using LayoutTagA = LayoutTagA_;
    using LayoutTagB = LayoutTagB_;
    using LayoutTagC = LayoutTagC_;
    // For programs that name them; the stand-in has no L1.
    using LayoutTagL1A = LayoutTagA;
    using LayoutTagL1B = LayoutTagB;
    using LayoutA = Catlass::detail::TagToLayout_t<ElementA, LayoutTagA>;
    using LayoutB = Catlass::detail::TagToLayout_t<ElementB, LayoutTagB>;
    using LayoutC = Catlass::detail::TagToLayout_t<ElementC_, LayoutTagC>;
    using ElementAccumulator =
        typename Gemm::helper::ElementAccumulatorSelector<ElementA, ElementB>::ElementAccumulator;

    /// A program may have its own in the place of this one, which waits for B and copies nothing.
    template <class TensorB> struct CopyGmToL1B {
        template <class TensorDst, class TensorSrc> CATLASS_DEVICE void operator()(TensorDst const &, TensorSrc const &)
        {}
    };

    static constexpr bool HAS_BIAS = !std::is_void_v<ElementBias>;
    static constexpr bool ReluEnable = ReluEnable_;
    static constexpr ScaleGranularity DEQUANT_GRANULARITY = DEQUANT_GRANULARITY_;
    static constexpr bool HAS_QUANT_TENSOR = DEQUANT_GRANULARITY == ScaleGranularity::PER_CHANNEL;

    static_assert(!ReluEnable && (HAS_QUANT_TENSOR || DEQUANT_GRANULARITY == ScaleGranularity::NO_QUANT) &&
                      std::is_same_v<L0CCopyMode, CopyToGM>,
                  "the CPU model does not have products that are changed on their way out of L0C");
};

/// What of a product goes to the UB of which vector core of the group: all to the first one's; or its first half, of rows
/// or of columns, there and the other half to the second one's.
enum class CopyL0CToUBMode { NO_SPLIT = 0, SPLIT_M, SPLIT_N, RESERVED };

/// The copies of one whose product goes to UB.
template <class ArchTag, class ElementA_, class LayoutTagA, class ElementB_, class LayoutTagB, class ElementC_,
          class LayoutTagC, class ElementBias = void, CopyL0CToUBMode CopyMode_ = CopyL0CToUBMode::NO_SPLIT,
          bool ReluEnable = false, ScaleGranularity DEQUANT_GRANULARITY = ScaleGranularity::NO_QUANT>
struct PackedTileCopyTlaToUB
    : public PackedTileCopyTla<ArchTag, ElementA_, LayoutTagA, ElementB_, LayoutTagB, ElementC_, LayoutTagC,
                               ElementBias, ReluEnable, DEQUANT_GRANULARITY> {
    static constexpr CopyL0CToUBMode CopyMode = CopyMode_;
};

namespace standin {

/// The same of operands in MX formats.
template <class Copies, class ElementMxScaleA_, class LayoutMxScaleA_, class ElementMxScaleB_, class LayoutMxScaleB_>
struct MxCopies : public Copies {
    using ElementMxScaleA = ElementMxScaleA_;
    using LayoutMxScaleA = LayoutMxScaleA_;
    using ElementMxScaleB = ElementMxScaleB_;
    using LayoutMxScaleB = LayoutMxScaleB_;

    static_assert(std::is_same_v<ElementMxScaleA, float8_e8m0_t> && std::is_same_v<ElementMxScaleB, float8_e8m0_t>,
                  "the scales of MX formats are of float8_e8m0_t");
};

}  // namespace standin

/// The copies of a BlockMmadTla whose operands have scales, for every 32 elements of K.
template <class ArchTag, class ElementA_, class LayoutTagA, class ElementB_, class LayoutTagB, class ElementMxScaleA,
          class LayoutMxScaleA, class ElementMxScaleB, class LayoutMxScaleB, class ElementC_, class LayoutTagC,
          class ElementBias = void, bool ReluEnable = false,
          ScaleGranularity DEQUANT_GRANULARITY = ScaleGranularity::NO_QUANT, class L0CCopyMode = CopyToGM>
struct PackedMxTileCopyTla
    : public standin::MxCopies<PackedTileCopyTla<ArchTag, ElementA_, LayoutTagA, ElementB_, LayoutTagB, ElementC_,
                                                 LayoutTagC, ElementBias, ReluEnable, DEQUANT_GRANULARITY, L0CCopyMode>,
                               ElementMxScaleA, LayoutMxScaleA, ElementMxScaleB, LayoutMxScaleB> {};

template <class ArchTag, class ElementA_, class LayoutTagA, class ElementB_, class LayoutTagB, class ElementMxScaleA,
          class LayoutMxScaleA, class ElementMxScaleB, class LayoutMxScaleB, class ElementC_, class LayoutTagC,
          class ElementBias = void, CopyL0CToUBMode CopyMode = CopyL0CToUBMode::NO_SPLIT,
          ScaleGranularity DEQUANT_GRANULARITY = ScaleGranularity::NO_QUANT>
struct PackedMxTileCopyTlaToUB
    : public standin::MxCopies<PackedTileCopyTlaToUB<ArchTag, ElementA_, LayoutTagA, ElementB_, LayoutTagB, ElementC_,
                                                     LayoutTagC, ElementBias, CopyMode, false, DEQUANT_GRANULARITY>,
                               ElementMxScaleA, LayoutMxScaleA, ElementMxScaleB, LayoutMxScaleB> {};
#endif

}  // namespace Catlass::Gemm::Tile

#endif  // CATLASS_GEMM_TILE_TILE_COPY_HPP
