// Keywords of the device language, defined away for host compilers.
#pragma once

#include <cassert>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "predefined.h"

#define GM_ADDR __gm__ uint8_t*

/// The kind of core that is running, in a kernel for both kinds.
#define ASCEND_IS_AIC (::machine::CurrentRole() == ::machine::Role::AIC)
#define ASCEND_IS_AIV (::machine::CurrentRole() == ::machine::Role::AIV)

namespace machine {

/// The kind of core that a kernel is for (KERNEL_TASK_TYPE_DEFAULT page), for whoever reads the preprocessed text.
enum class TaskType {
    KERNEL_TYPE_AIV_ONLY,
    KERNEL_TYPE_AIC_ONLY,
    KERNEL_TYPE_MIX_AIV_1_0,
    KERNEL_TYPE_MIX_AIC_1_0,
    KERNEL_TYPE_MIX_AIC_1_1,
    KERNEL_TYPE_MIX_AIC_1_2
};

}  // namespace machine

#define KERNEL_TASK_TYPE_DEFAULT(type) static_cast<void>(::machine::TaskType::type)
#define KERNEL_TASK_TYPE(key, type) static_cast<void>(::machine::TaskType::type)

using std::size_t;

// Device code calls these without a namespace; on the device they also take numbers of two types.
template <class T> constexpr T const& max(T const& a, T const& b) { return a < b ? b : a; }
template <class T> constexpr T const& min(T const& a, T const& b) { return b < a ? b : a; }

#include "keywords.h"
