// Element types, enumerations and parameter structures, named and laid out as the AscendC reference documents them.
#pragma once

#include "../../machine/elements.hpp"
#include "../../machine/launch.hpp"
#include "../../machine/record.hpp"
#include "../../machine/targets.hpp"
#include "macros.h"

using half = machine::Half;
using bfloat16_t = machine::Bfloat16;
using float8_e4m3_t = machine::Float8E4M3;
using float8_e5m2_t = machine::Float8E5M2;
using fp8_e4m3fn_t = float8_e4m3_t;
using fp8_e5m2_t = float8_e5m2_t;

// Other elements of 8 and of 4 bits, the latter two in a byte. The model names the types, so that headers which mention
// them can be read, and computes nothing in them.
#define ASCENDC_SMALL_FLOAT(name) \
    struct name {                 \
        uint8_t storage;          \
    };
ASCENDC_SMALL_FLOAT(float8_e8m0_t)
ASCENDC_SMALL_FLOAT(hifloat8_t)
ASCENDC_SMALL_FLOAT(float4_e1m2x2_t)
using float4_e2m1x2_t = machine::Float4E2M1x2;
using fp4x2_e2m1_t = float4_e2m1x2_t;
using fp4x2_e1m2_t = float4_e1m2x2_t;

namespace AscendC {

using ::bfloat16_t;
using ::half;
using TEventID = int8_t;

using int4b_t = machine::Int4x2;

using fp8_e8m0_t = ::float8_e8m0_t;
using ::fp4x2_e1m2_t;
using ::fp4x2_e2m1_t;
/// Eight-bit floats whose blocks share a scale.
ASCENDC_SMALL_FLOAT(mx_fp8_e4m3_t)
ASCENDC_SMALL_FLOAT(mx_fp8_e5m2_t)
#undef ASCENDC_SMALL_FLOAT

using machine::Here;
using machine::Site;

namespace detail {

static_assert(machine::HasArch(CATLASS_ARCH), "CATLASS_ARCH is none of the architectures of machine/targets");
inline constexpr machine::ArchSpec const& kArch = machine::kArchs[machine::IndexOfArch(CATLASS_ARCH)];

}  // namespace detail

// The kind of core that code is compiled for. Kernels take it as a template argument; see g_coreType.
constexpr int32_t MIX = 0;
constexpr int32_t AIC = 1;
constexpr int32_t AIV = 2;

// clang-format off
enum class TPosition : uint8_t {
    GM, A1, A2, B1, B2, C1, C2, CO1, CO2, VECIN, VECOUT, VECCALC, LCM = VECCALC, SPM, SHM = SPM, TSCM, C2PIPE2GM,
    C2PIPE2LOCAL, MAX
};
// clang-format on
using QuePosition = TPosition;

/// Events from one pipe to another, in the order in which they are numbered: <source>_<target>.
// clang-format off
#define ASCENDC_EVENTS(X) \
    X(MTE2, MTE1) X(MTE1, MTE2) X(MTE1, M) X(M, MTE1) X(MTE2, V) X(V, MTE2) X(MTE3, V) X(V, MTE3) X(M, V) X(V, M) \
    X(V, V) X(MTE3, MTE1) X(MTE1, MTE3) X(MTE1, V) X(MTE2, M) X(M, MTE2) X(V, MTE1) X(M, FIX) X(FIX, M) \
    X(MTE3, MTE2) X(MTE2, MTE3) X(S, V) X(V, S) X(S, MTE2) X(MTE2, S) X(S, MTE3) X(MTE3, S) X(MTE2, FIX) \
    X(FIX, MTE2) X(FIX, S) X(M, S) X(FIX, MTE3) X(MTE1, FIX) X(FIX, MTE1) X(FIX, FIX) X(S, M) X(S, MTE1) X(MTE1, S) \
    X(S, FIX) X(FIX, V) X(V, FIX) X(M, MTE3) X(MTE3, M) X(MTE3, FIX)
// clang-format on
enum class HardEvent : uint8_t {
#define ASCENDC_EVENT(from, to) from##_##to,
    ASCENDC_EVENTS(ASCENDC_EVENT)
#undef ASCENDC_EVENT
        MAX,
};

enum class RoundMode : uint8_t {
    CAST_NONE = 0,
    CAST_RINT,
    CAST_FLOOR,
    CAST_CEIL,
    CAST_ROUND,
    CAST_TRUNC,
    CAST_ODD,
    CAST_HYBRID,
    UNKNOWN = 0xff  // of casts between registers that do not round
};

/// Element types as numbers, for tiling data.
// clang-format off
enum DataType {
    DT_FLOAT = 0, DT_FLOAT16, DT_INT8, DT_INT32, DT_UINT8, DT_INT16, DT_UINT16, DT_INT64, DT_UINT32, DT_UINT64,
    DT_BOOL, DT_DOUBLE, DT_BF16 = 26, DT_UNDEFINED
};
// clang-format on

enum class CMPMODE : uint8_t { LT = 0, GT, EQ, LE, GE, NE };
enum class SELMODE : uint8_t { VSEL_CMPMASK_SPR = 0, VSEL_TENSOR_SCALAR_MODE, VSEL_TENSOR_TENSOR_MODE };
enum class MaskMode : uint8_t { NORMAL = 0, COUNTER };
enum class ReduceOrder : uint8_t { ORDER_VALUE_INDEX = 0, ORDER_INDEX_VALUE, ORDER_ONLY_VALUE, ORDER_ONLY_INDEX };
enum class CacheRwMode : uint8_t { READ = 1, WRITE = 2, RW = 3 };
enum class CacheMode : uint8_t {
    CACHE_MODE_DISABLE = 0,
    CACHE_MODE_NORMAL = 1,
    CACHE_MODE_LAST = 2,
    CACHE_MODE_PERSISTENT = 4
};

constexpr int32_t DEFAULT_BLK_NUM = 8;
constexpr int32_t DEFAULT_BLK_STRIDE = 1;
constexpr uint8_t DEFAULT_REPEAT_STRIDE = 8;
constexpr uint64_t MASK_PLACEHOLDER = 0;
constexpr int32_t ONE_BLK_SIZE = 32;
constexpr int32_t DEFAULT_C0_SIZE = 32;
constexpr int32_t ONE_REPEAT_BYTE_SIZE = 256;
constexpr int32_t BLOCK_CUBE = 16;

/// Strides in data blocks of 32 bytes (UnaryRepeatParams, BinaryRepeatParams, CopyRepeatParams, BrcbRepeatParams
/// pages).
struct UnaryRepeatParams {
    UnaryRepeatParams() = default;
    UnaryRepeatParams(uint16_t dstBlkStrideIn, uint16_t srcBlkStrideIn, uint8_t dstRepStrideIn, uint8_t srcRepStrideIn)
        : dstBlkStride(dstBlkStrideIn), srcBlkStride(srcBlkStrideIn), dstRepStride(dstRepStrideIn),
          srcRepStride(srcRepStrideIn)
    {}
    UnaryRepeatParams(
        uint16_t dstBlkStrideIn, uint16_t srcBlkStrideIn, uint8_t dstRepStrideIn, uint8_t srcRepStrideIn,
        bool halfBlockIn)
        : UnaryRepeatParams(dstBlkStrideIn, srcBlkStrideIn, dstRepStrideIn, srcRepStrideIn)
    {
        halfBlock = halfBlockIn;
    }

    uint32_t blockNumber = DEFAULT_BLK_NUM;
    uint16_t dstBlkStride = DEFAULT_BLK_STRIDE;
    uint16_t srcBlkStride = DEFAULT_BLK_STRIDE;
    uint8_t dstRepStride = DEFAULT_REPEAT_STRIDE;
    uint8_t srcRepStride = DEFAULT_REPEAT_STRIDE;
    bool repeatStrideMode = false;
    bool strideSizeMode = false;
    bool halfBlock = false;
};

struct BinaryRepeatParams {
    BinaryRepeatParams() = default;
    BinaryRepeatParams(
        uint8_t dstBlkStrideIn, uint8_t src0BlkStrideIn, uint8_t src1BlkStrideIn, uint8_t dstRepStrideIn,
        uint8_t src0RepStrideIn, uint8_t src1RepStrideIn)
        : dstBlkStride(dstBlkStrideIn), src0BlkStride(src0BlkStrideIn), src1BlkStride(src1BlkStrideIn),
          dstRepStride(dstRepStrideIn), src0RepStride(src0RepStrideIn), src1RepStride(src1RepStrideIn)
    {}

    uint32_t blockNumber = DEFAULT_BLK_NUM;
    uint8_t dstBlkStride = DEFAULT_BLK_STRIDE;
    uint8_t src0BlkStride = DEFAULT_BLK_STRIDE;
    uint8_t src1BlkStride = DEFAULT_BLK_STRIDE;
    uint8_t dstRepStride = DEFAULT_REPEAT_STRIDE;
    uint8_t src0RepStride = DEFAULT_REPEAT_STRIDE;
    uint8_t src1RepStride = DEFAULT_REPEAT_STRIDE;
    bool repeatStrideMode = false;
    bool strideSizeMode = false;
};

struct CopyRepeatParams {
    CopyRepeatParams() = default;
    CopyRepeatParams(uint16_t dstStrideIn, uint16_t srcStrideIn, uint16_t dstRepeatSizeIn, uint16_t srcRepeatSizeIn)
        : dstStride(dstStrideIn), srcStride(srcStrideIn), dstRepeatSize(dstRepeatSizeIn), srcRepeatSize(srcRepeatSizeIn)
    {}

    uint16_t dstStride = 0;
    uint16_t srcStride = 0;
    uint16_t dstRepeatSize = 0;
    uint16_t srcRepeatSize = 0;
};

struct BrcbRepeatParams {
    BrcbRepeatParams() = default;
    BrcbRepeatParams(uint16_t dstBlkStrideIn, uint16_t dstRepStrideIn)
        : dstRepStride(dstRepStrideIn), dstBlkStride(dstBlkStrideIn)
    {}

    uint32_t blockNumber = DEFAULT_BLK_NUM;
    uint16_t dstRepStride = DEFAULT_REPEAT_STRIDE;
    uint16_t dstBlkStride = DEFAULT_BLK_STRIDE;
};

/// Lengths and gaps in data blocks of 32 bytes.
struct DataCopyParams {
    DataCopyParams() = default;
    DataCopyParams(uint16_t count, uint16_t len, uint16_t srcStrideIn, uint16_t dstStrideIn)
        : blockCount(count), blockLen(len), srcStride(srcStrideIn), dstStride(dstStrideIn), srcGap(srcStrideIn),
          dstGap(dstStrideIn)
    {}

    uint16_t blockCount = 1;
    uint16_t blockLen = 0;
    uint16_t srcStride = 0;
    uint16_t dstStride = 0;
    uint16_t srcGap = 0;
    uint16_t dstGap = 0;
};

/// Length in bytes; gaps in bytes on the GM side and in data blocks on the UB side.
struct DataCopyExtParams {
    using Stride = std::conditional_t<detail::kArch.signedCopyGaps, int64_t, uint32_t>;

    DataCopyExtParams() = default;
    DataCopyExtParams(uint16_t count, uint32_t len, Stride srcStrideIn, Stride dstStrideIn, uint32_t rsvIn)
        : blockCount(count), blockLen(len), srcStride(srcStrideIn), dstStride(dstStrideIn), rsv(rsvIn)
    {}

    uint16_t blockCount = 1;
    uint32_t blockLen = 0;
    Stride srcStride = 0;
    Stride dstStride = 0;
    uint32_t rsv = 0;
};

/// Padding of each block in elements, at most 32 bytes per side.
template <typename T> struct DataCopyPadExtParams {
    DataCopyPadExtParams() = default;
    DataCopyPadExtParams(bool isPadValue, uint8_t leftPadValue, uint8_t rightPadValue, T padValue)
        : isPad(isPadValue), leftPadding(leftPadValue), rightPadding(rightPadValue), paddingValue(padValue)
    {}

    bool isPad = false;
    uint8_t leftPadding = 0;
    uint8_t rightPadding = 0;
    T paddingValue = T(0);
};

struct DataCopyPadParams {
    bool isPad = false;
    uint8_t leftPadding = 0;
    uint8_t rightPadding = 0;
    uint64_t paddingValue = 0;
};

namespace detail {

template <class T, class... Allowed> constexpr bool IsOneOf = (std::is_same_v<T, Allowed> || ...);

inline int const architectureIsSet = (machine::SetArch(kArch), 0);

using machine::PipeOf;

constexpr machine::Space SpaceOf(TPosition position)
{
    switch (position) {
        case TPosition::GM: return machine::Space::GM;
        case TPosition::A1:
        case TPosition::B1:
        case TPosition::C1:
        case TPosition::TSCM: return machine::Space::L1;
        case TPosition::A2: return machine::Space::L0A;
        case TPosition::B2: return machine::Space::L0B;
        case TPosition::C2: return machine::Space::BT;
        case TPosition::CO1: return machine::Space::L0C;
        case TPosition::C2PIPE2GM: return machine::Space::FB;
        default: return machine::Space::UB;
    }
}

}  // namespace detail

}  // namespace AscendC

/// How a kernel finds its caches, which the model does not have; kernels define a variable of this type.
struct OpSystemRunCfg {
    uint64_t l2Cacheoffset;
};

/// The kind of core that a program is compiled for; where it is compiled once for both, a vector core. A macro shows in a
/// preprocessed text whether the two passes differ.
#ifdef EVTGEN_PASS_CUBE
#define g_coreType (::AscendC::AIC)
#elif defined(EVTGEN_PASS_VECTOR)
#define g_coreType (::AscendC::AIV)
#else
constexpr int32_t g_coreType = AscendC::AIV;
#endif
