// What the copies of a block matmul are written with (pages of Fixpipe and of DataCopy with Nd2NzParams). The model computes a
// block as one instruction and calls none of them: they are declared, and not defined.
#pragma once

#include "tensor.h"

enum class QuantMode_t : uint64_t { NoQuant = 0, VDEQF16 = 10, DEQF16 };

namespace AscendC {

struct Nd2NzParams {
    Nd2NzParams(uint16_t, uint16_t, uint16_t, uint16_t, uint16_t, uint16_t, uint16_t, uint16_t);
};

template <typename T> void DataCopy(const LocalTensor<T>& dst, const GlobalTensor<T>& src, const Nd2NzParams& params);

enum class CO2Layout : uint8_t { NZ = 0, ROW_MAJOR };
struct FixpipeConfig {
    CO2Layout format;
};
constexpr FixpipeConfig CFG_ROW_MAJOR{CO2Layout::ROW_MAJOR};

struct FixpipeParamsV220 {
    uint16_t nSize, mSize, srcStride;
    uint32_t dstStride;
    QuantMode_t quantPre;
    uint8_t unitFlag;
};

template <typename T, typename U, const FixpipeConfig& config>
void Fixpipe(
    const GlobalTensor<T>& dst, const LocalTensor<U>& src, const LocalTensor<uint64_t>& scales,
    const FixpipeParamsV220& params);

}  // namespace AscendC
