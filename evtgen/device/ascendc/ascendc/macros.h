// Keywords of the device language, defined away for host compilers.
#pragma once

#include <cassert>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#ifndef CATLASS_ARCH
#define CATLASS_ARCH 2201
#endif

#define GM_ADDR __gm__ uint8_t*

/// The kind of core that is running, in a kernel for both kinds.
#define ASCEND_IS_AIC (::machine::CurrentRole() == ::machine::Role::AIC)
#define ASCEND_IS_AIV (::machine::CurrentRole() == ::machine::Role::AIV)

using std::size_t;

// Device code calls these without a namespace; on the device they also take numbers of two types.
template <class T> constexpr T const& max(T const& a, T const& b) { return a < b ? b : a; }
template <class T> constexpr T const& min(T const& a, T const& b) { return b < a ? b : a; }

#include "keywords.h"
