// The declarations of torch_npu (v2.x, torch_npu/csrc/core/npu/NPUStream.h) that the device part of an extension uses, so
// that it compiles without torch_npu. Nothing defines them.
#pragma once

#include <c10/core/Device.h>

typedef void* aclrtStream;

namespace c10_npu {

class NPUStream {
public:
    aclrtStream stream() const;
    aclrtStream stream(bool need_empty) const;  // true: waits until what is queued for the stream is on it
};

NPUStream getCurrentNPUStream(c10::DeviceIndex device_index = -1);

}  // namespace c10_npu
