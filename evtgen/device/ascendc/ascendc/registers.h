// The vector unit's registers (AscendC::Reg, NPU architecture 3510), by name only: headers that mention them can be read,
// and code that uses them is refused where it is instantiated. The model runs vector code written for tensors.
#pragma once

#include "types.h"

#if CATLASS_ARCH == 3510

/// How an instruction leaves an address behind.
enum { POST_UPDATE = 1 };

namespace AscendC {

constexpr uint32_t VECTOR_REG_WIDTH = 256;

namespace Reg {

enum class MaskMergeMode { UNKNOWN, MERGING, ZEROING };
enum class PostLiteral { POST_MODE_NORMAL, POST_MODE_UPDATE };
enum class RegLayout { UNKNOWN = -1, ZERO, ONE, TWO, THREE };
enum class SatMode { UNKNOWN = -1, NO_SAT, SAT };
enum class MaskPattern { ALL, VL1, VL2, VL3, VL4, VL8, VL16, VL32, VL64, VL128, M3, M4, H, Q, ALLF = 15 };
enum class MaskDist { DIST_NORM, DIST_US, DIST_DS, DIST_PACK };
enum class DataCopyMode { NORM, DATA_BLOCK_LOAD, DATA_BLOCK_COPY };
enum class MemType { VEC_STORE, VEC_LOAD, SCALAR_STORE, SCALAR_LOAD, VEC_ALL, SCALAR_ALL };
enum class HighLowPart { LOWEST, HIGHEST };
enum class ReduceType { SUM, MAX, MIN };
// clang-format off
enum class LoadDist {
    DIST_NORM, DIST_BRC_B8, DIST_BRC_B16, DIST_BRC_B32, DIST_US_B8, DIST_US_B16, DIST_DS_B8, DIST_DS_B16,
    DIST_UNPACK_B8, DIST_UNPACK_B16, DIST_UNPACK_B32, DIST_UNPACK4_B8, DIST_BLK, DIST_E2B_B16, DIST_E2B_B32,
    DIST_DINTLV_B8, DIST_DINTLV_B16, DIST_DINTLV_B32
};
enum class StoreDist {
    DIST_NORM, DIST_NORM_B8, DIST_NORM_B16, DIST_NORM_B32, DIST_FIRST_ELEMENT_B8, DIST_FIRST_ELEMENT_B16,
    DIST_FIRST_ELEMENT_B32, DIST_PACK_B16, DIST_PACK_B32, DIST_PACK_B64, DIST_PACK4_B32, DIST_INTLV_B8,
    DIST_INTLV_B16, DIST_INTLV_B32
};
// clang-format on

struct CastTrait {
    RegLayout layoutMode = RegLayout::UNKNOWN;
    SatMode satMode = SatMode::UNKNOWN;
    MaskMergeMode mrgMode = MaskMergeMode::ZEROING;
    RoundMode roundMode = RoundMode::CAST_NONE;
};

/// How exactly an instruction works that iterates.
struct IterationMode {
    MaskMergeMode mrgMode = MaskMergeMode::ZEROING;
    bool precisionMode = false;
};
using DivSpecificMode = IterationMode;
using ExpSpecificMode = IterationMode;
using LnSpecificMode = IterationMode;
using SqrtSpecificMode = IterationMode;

template <typename T> struct RegTensor {};
struct MaskReg {};
struct AddrReg {};
struct UnalignReg {};
using UnalignRegForLoad = UnalignReg;
using UnalignRegForStore = UnalignReg;

namespace detail {

/// What a call gives, if it may be instantiated.
template <typename Result, typename... Arguments> Result Refuse()
{
    static_assert(
        sizeof...(Arguments) == 0 && !std::is_same_v<Result, Result>, "the CPU model does not have vector registers");
    return Result();
}

/// Functions of numbers, such as Catlass's Min, have the same names.
template <typename... Arguments>
using OfRegisters = std::enable_if_t<!(std::is_arithmetic_v<std::decay_t<Arguments>> && ...), int>;

}  // namespace detail

// A call with any template arguments: types, then values, or traits of casts.
#define ASCENDC_REGISTER_CALL(Result, Name)                                                                    \
    template <typename... Arguments, detail::OfRegisters<Arguments...> = 0> inline Result Name(Arguments&&...) \
    {                                                                                                          \
        return detail::Refuse<Result, Arguments...>();                                                         \
    }                                                                                                          \
    template <typename T, typename... Arguments> inline Result Name(Arguments&&...)                            \
    {                                                                                                          \
        return detail::Refuse<Result, T, Arguments...>();                                                      \
    }                                                                                                          \
    template <typename T, typename U, typename... Arguments> inline Result Name(Arguments&&...)                \
    {                                                                                                          \
        return detail::Refuse<Result, T, Arguments...>();                                                      \
    }                                                                                                          \
    template <auto first, auto... rest, typename... Arguments> inline Result Name(Arguments&&...)              \
    {                                                                                                          \
        return detail::Refuse<Result, std::bool_constant<first == first>, Arguments...>();                     \
    }                                                                                                          \
    template <typename T, auto first, auto... rest, typename... Arguments> inline Result Name(Arguments&&...)  \
    {                                                                                                          \
        return detail::Refuse<Result, T, Arguments...>();                                                      \
    }                                                                                                          \
    template <typename T, typename U, auto first, auto... rest, typename... Arguments>                         \
    inline Result Name(Arguments&&...)                                                                         \
    {                                                                                                          \
        return detail::Refuse<Result, T, Arguments...>();                                                      \
    }                                                                                                          \
    template <typename T, auto first, typename U, auto... rest, typename... Arguments>                         \
    inline Result Name(Arguments&&...)                                                                         \
    {                                                                                                          \
        return detail::Refuse<Result, T, Arguments...>();                                                      \
    }                                                                                                          \
    template <auto first, typename T, typename U, auto... rest, typename... Arguments>                         \
    inline Result Name(Arguments&&...)                                                                         \
    {                                                                                                          \
        return detail::Refuse<Result, T, Arguments...>();                                                      \
    }                                                                                                          \
    template <typename T, typename U, CastTrait const& trait, typename... Arguments>                           \
    inline Result Name(Arguments&&...)                                                                         \
    {                                                                                                          \
        return detail::Refuse<Result, T, Arguments...>();                                                      \
    }
// clang-format off
#define ASCENDC_REGISTER_CALLS(X) \
    X(Abs) X(Add) X(And) X(Arange) X(Axpy) X(Cast) X(Compare) X(Compares) X(CompareScalar) X(DataCopy) \
    X(DataCopyUnAlign) X(DataCopyUnAlignPost) X(DataCopyUnAlignPre) X(DeInterleave) X(Div) X(Duplicate) X(Exp) \
    X(ExpSub) X(FusedExpSub) X(Gather) X(Interleave) X(Ln) X(LoadAlign) X(LoadUnAlign) X(LoadUnAlignPre) \
    X(LocalMemBar) X(MaskAnd) X(MaskNot) X(MaskOr) X(Max) X(Maxs) X(Min) X(Mins) X(Move) X(Mul) X(MulAddDst) \
    X(MulDstAdd) X(Muls) X(Adds) X(Neg) X(Not) X(Or) X(Pack) X(Reduce) X(ReduceMax) X(ReduceMaxWithDataBlock) \
    X(ReduceMin) X(ReduceSum) X(Relu) X(Select) X(ShiftLeft) X(ShiftLefts) X(ShiftRight) X(ShiftRights) X(Sqrt) \
    X(Squeeze) X(StoreAlign) X(StoreUnAlign) X(StoreUnAlignPost) X(Sub) X(Truncate) X(UnPack) X(Xor)
// clang-format on
#define ASCENDC_VOID(Name) ASCENDC_REGISTER_CALL(void, Name)
ASCENDC_REGISTER_CALLS(ASCENDC_VOID)
ASCENDC_REGISTER_CALL(MaskReg, CreateMask)
ASCENDC_REGISTER_CALL(MaskReg, UpdateMask)
ASCENDC_REGISTER_CALL(AddrReg, CreateAddrReg)
#undef ASCENDC_VOID
#undef ASCENDC_REGISTER_CALLS
#undef ASCENDC_REGISTER_CALL

}  // namespace Reg

/// The older name.
namespace MicroAPI = Reg;

}  // namespace AscendC

#endif  // CATLASS_ARCH == 3510
