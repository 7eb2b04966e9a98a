#ifndef CATLASS_EPILOGUE_FUSION_VISITOR_SCALAR_BROADCAST_HPP
#define CATLASS_EPILOGUE_FUSION_VISITOR_SCALAR_BROADCAST_HPP

#include "catlass/layout/layout.hpp"
#include "catlass/epilogue/fusion/visitor_impl.hpp"

namespace Catlass::Epilogue::Fusion {

/// A user's single value in GM: its tile is filled once, before all others, and again for each matmul that has a value
/// of its own; no stage has work for it.
///
/// With NULL_DEFAULT a null pointer stands for Arguments::null_default.
template <class Element_, class Layout_ = layout::RowMajor, bool NULL_DEFAULT = false>
struct VisitorScalarBroadcast : VisitorImpl<> {
    using Element = Element_;
    using Layout = Layout_;
    using ElementOutput = Element;

    static_assert(std::is_same_v<Layout, layout::RowMajor>, "VisitorScalarBroadcast reads a row-major 1 x 1 tensor");

    static constexpr bool KEPT = true;

    static constexpr bool HAS_ROWS = false;
    static constexpr bool HAS_COLUMNS = false;

    struct Arguments {
        GM_ADDR ptr_scalar{nullptr};
        Layout layout{};
        Element null_default{};
        int64_t problem_stride{PACKED};
    };

    using Params = Arguments;

    template <class ProblemShape>
    CATLASS_HOST_DEVICE static Params to_underlying_arguments(
        ProblemShape const& problemShape, Arguments const& args, GM_ADDR)
    {
        return detail::Resolved(problemShape, args, HAS_ROWS);
    }

    template <class ProblemShape>
    static Verdict can_implement(ProblemShape const& problemShape, Arguments const& args)
    {
        if (args.ptr_scalar == nullptr) {
            return {NULL_DEFAULT ? nullptr : "ptr_scalar is null"};
        }
        return {detail::RefusalOf<VisitorScalarBroadcast>(problemShape, args, detail::Access::READS)};
    }

    CATLASS_HOST_DEVICE static constexpr UbParts UbNeed(uint32_t computeLength)
    {
        UbParts need;
        need.tile = computeLength * sizeof(Element);
        return need;
    }

    CATLASS_HOST_DEVICE
    VisitorScalarBroadcast()
    {}

    CATLASS_HOST_DEVICE
    VisitorScalarBroadcast(Params const& params_) : params(params_)
    {}

    template <uint32_t COMPUTE_LENGTH>
    struct Callbacks : EmptyCallbacks {
        AscendC::LocalTensor<Element> ubTile;
        Params params;

        CATLASS_DEVICE
        Callbacks(AscendC::LocalTensor<Element> const& ubTile_, Params const& params_)
            : ubTile(ubTile_), params(params_)
        {}

        CATLASS_DEVICE
        void begin_epilogue()
        {
            if (params.problem_stride == 0) {
                Fill(Problem{});
            }
        }

        CATLASS_DEVICE
        void begin_problem(Problem const& problem)
        {
            if (params.problem_stride != 0) {
                // The last tiles of the matmul before read the tile
                AscendC::PipeBarrier<PIPE_ALL>();
                Fill(problem);
            }
        }

        template <VisitStage STAGE>
        CATLASS_DEVICE AscendC::LocalTensor<Element> const& visit(
            MatrixCoord const& /*globalTileOffset*/, MatrixCoord const& /*localTileOffset*/,
            MatrixCoord const& /*tileShape*/, uint32_t /*calCount*/)
        {
            return ubTile;
        }

    private:
        CATLASS_DEVICE
        void Fill(Problem const& problem)
        {
            Element value = params.null_default;
            if (!NULL_DEFAULT || params.ptr_scalar != nullptr) {
                AscendC::GlobalTensor<Element> gmScalar;
                detail::MoveTo(gmScalar, params.ptr_scalar, params.problem_stride, problem);
                // What S has in its cache may be older than what other cores have written
                AscendC::DataCacheCleanAndInvalid<
                    Element, AscendC::CacheLine::SINGLE_CACHE_LINE, AscendC::DcciDst::CACHELINE_OUT>(gmScalar);
                value = gmScalar.GetValue(0);
            }
            AscendC::Duplicate(ubTile, value, COMPUTE_LENGTH);
            // From here on, neither V nor MTE3 has to wait before it reads the tile
            AscendC::PipeBarrier<PIPE_ALL>();
        }
    };

    template <class ArchTag, class ComputeLength>
    CATLASS_DEVICE auto get_callbacks(Arch::Resource<ArchTag>& resource, UbParts const& ub, ComputeLength)
    {
        return Callbacks<ComputeLength::value>{resource.ubBuf.template GetBufferByByte<Element>(ub.tile), params};
    }

private:
    Params params;
};

} // namespace Catlass::Epilogue::Fusion

#endif // CATLASS_EPILOGUE_FUSION_VISITOR_SCALAR_BROADCAST_HPP
