// Result of host-side calls such as DeviceGemm::CanImplement (Catlass v1.5).
#ifndef CATLASS_STATUS_HPP
#define CATLASS_STATUS_HPP

namespace Catlass {

enum class Status { kSuccess, kInvalid };

}  // namespace Catlass

#endif  // CATLASS_STATUS_HPP
