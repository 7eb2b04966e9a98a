#ifndef CATLASS_EPILOGUE_FUSION_VISITOR_COMPUTE_HPP
#define CATLASS_EPILOGUE_FUSION_VISITOR_COMPUTE_HPP

#include "catlass/epilogue/fusion/operations.hpp"
#include "catlass/epilogue/fusion/visitor_impl.hpp"

namespace Catlass::Epilogue::Fusion {

/// The scratch of an operator, in bytes for each element of its result; none unless it says so.
template <class Fn, class = void>
struct ScratchOf {
    using Element = uint8_t;
    static constexpr uint32_t BYTES = 0;
};

template <class Fn>
struct ScratchOf<Fn, std::void_t<typename Fn::ElementScratch>> {
    using Element = typename Fn::ElementScratch;
    static constexpr uint32_t BYTES = Fn::SCRATCH_BYTES;
};

/// Whether a barrier stands among an operator's calls.
template <class Fn, class = void>
struct HasBarrier : std::false_type {};

template <class Fn>
struct HasBarrier<Fn, std::void_t<decltype(Fn::HAS_BARRIER)>> : std::bool_constant<Fn::HAS_BARRIER> {};

/// An elementwise operator: COMPUTE applies ComputeFn to the inputs, all of type ElementCompute.
///
/// The whole tile is computed on, the padding at the end of its rows included; nobody reads that.
template <template <class> class ComputeFn, class ElementCompute>
struct VisitorCompute : VisitorImpl<> {
    using VisitorImpl<>::VisitorImpl;
    using ElementOutput = ElementCompute;

    static constexpr bool PENDING = true;
    static constexpr bool READS_IN_COMPUTE = true;
    static constexpr bool HAS_BARRIER = HasBarrier<ComputeFn<ElementCompute>>::value;
    static constexpr uint32_t STRIDE_ALIGN = BYTE_PER_BLK / sizeof(ElementCompute);

    using ElementScratch = typename ScratchOf<ComputeFn<ElementCompute>>::Element;
    static constexpr uint32_t SCRATCH_BYTES = ScratchOf<ComputeFn<ElementCompute>>::BYTES;

    struct Arguments {};

    CATLASS_HOST_DEVICE static constexpr uint32_t UbBytes(uint32_t computeLength)
    {
        return computeLength * (sizeof(ElementCompute) + SCRATCH_BYTES);
    }

    struct Callbacks : EmptyCallbacks {
        AscendC::LocalTensor<ElementCompute> ubOut;
        AscendC::LocalTensor<ElementScratch> ubScratch;

        CATLASS_DEVICE
        Callbacks(
            AscendC::LocalTensor<ElementCompute> const& ubOut_, AscendC::LocalTensor<ElementScratch> const& ubScratch_)
            : ubOut(ubOut_)
            , ubScratch(ubScratch_)
        {
        }

        template <class... ElementInputs>
        CATLASS_DEVICE AscendC::LocalTensor<ElementCompute> const& visit(
            MatrixCoord const& /*globalTileOffset*/, MatrixCoord const& /*localTileOffset*/,
            MatrixCoord const& /*tileShape*/, uint32_t calCount, VisitStage stage,
            AscendC::LocalTensor<ElementInputs> const&... inputs)
        {
            static_assert(
                (true && ... && std::is_same_v<ElementInputs, ElementCompute>),
                "VisitorCompute: every input must have the type ElementCompute; insert a VisitorCast");
            if (HasStage(stage, VisitStage::COMPUTE)) {
                if constexpr (SCRATCH_BYTES > 0) {
                    ComputeFn<ElementCompute>{}(ubOut, calCount, ubScratch, inputs...);
                } else {
                    ComputeFn<ElementCompute>{}(ubOut, calCount, inputs...);
                }
                SynchronizeIfAll(stage);
            }
            return ubOut;
        }
    };

    template <class ArchTag, class ComputeLength>
    CATLASS_DEVICE auto get_callbacks(Arch::Resource<ArchTag>& resource, uint32_t& ubOffset, ComputeLength)
    {
        constexpr uint32_t length = ComputeLength::value;
        auto ubOut = TakeUb<ElementCompute>(resource, ubOffset, length * sizeof(ElementCompute));
        auto ubScratch = TakeUb<ElementScratch>(resource, ubOffset, length * SCRATCH_BYTES);
        return Callbacks{ubOut, ubScratch};
    }
};

}  // namespace Catlass::Epilogue::Fusion

#endif  // CATLASS_EPILOGUE_FUSION_VISITOR_COMPUTE_HPP
