// The end of a program by an assertion that does not hold.
#pragma once

#ifdef __cplusplus

#include "../../machine/half.hpp"

/// The C library's, of which AscendC's headers include nothing.
extern "C" int dprintf(int file, char const* __restrict format, ...);

namespace evtgen_assert {

constexpr int kStandardError = 2;

template <class T> T Printable(T value) { return value; }
inline double Printable(machine::Half value) { return value; }
inline double Printable(machine::Bfloat16 value) { return value; }

/// Prints in the form of the assert page, and ends the program. Without `stderr`, a variable of the host, so that it may
/// stand in code that is examined as a device's.
template <class... Arguments>
[[noreturn]] void Fail(char const* condition, char const* file, int line, char const* format, Arguments... arguments)
{
    ::dprintf(kStandardError, "[ASSERT] %s:%d: Assertion `%s' ", file, line, condition);
    if constexpr (sizeof...(Arguments) == 0) {
        ::dprintf(kStandardError, "%s", format);
    } else {
        ::dprintf(kStandardError, format, Printable(arguments)...);
    }
    ::dprintf(kStandardError, "\n");
    __builtin_abort();
}

}  // namespace evtgen_assert

/// The arguments end in an empty string: the message of an assertion that has none.
#define EVTGEN_ASSERT(condition, ...)                    \
    (static_cast<bool>(condition) ? static_cast<void>(0) \
                                  : ::evtgen_assert::Fail(#condition, __FILE__, __LINE__, __VA_ARGS__))

#endif  // __cplusplus
