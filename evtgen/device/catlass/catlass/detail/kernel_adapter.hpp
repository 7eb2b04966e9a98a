// The entry function of a kernel class: on each core, builds the kernel and calls it for that kind of core.
#ifndef CATLASS_DETAIL_KERNEL_ADAPTER_HPP
#define CATLASS_DETAIL_KERNEL_ADAPTER_HPP

#include <type_traits>
#include <utility>

#include "catlass/catlass.hpp"
#include "machine/launch.hpp"

namespace Catlass {

namespace detail {

/// Whether a kernel has an operator for each kind of core, or one that asks for it.
template <class Operator, class = void> constexpr bool HAS_CORE_TYPE = false;
template <class Operator>
constexpr bool
    HAS_CORE_TYPE<Operator, std::void_t<decltype(std::declval<Operator &>().template operator()<AscendC::AIC>(
                                std::declval<typename Operator::Params const &>()))>> = true;

}  // namespace detail

/// On the device the kind of core is fixed when the kernel is compiled; on the CPU one binary runs both.
template <class Operator> CATLASS_GLOBAL void KernelAdapter(typename Operator::Params params)
{
    Operator op;
    if constexpr (!detail::HAS_CORE_TYPE<Operator>) {
        op(params);
    } else if (machine::CurrentRole() == machine::Role::AIC) {
        op.template operator()<AscendC::AIC>(params);
    } else {
        op.template operator()<AscendC::AIV>(params);
    }
}

template <class Operator> CATLASS_GLOBAL void KernelAdapter(typename Operator::Params params, uint64_t fftsAddr)
{
    AscendC::SetSyncBaseAddr(fftsAddr);
    KernelAdapter<Operator>(params);
}

}  // namespace Catlass

#endif  // CATLASS_DETAIL_KERNEL_ADAPTER_HPP
