// The end of a program by an assertion that does not hold.
#ifndef EVTGEN_ASCENDC_ASSERTION_H
#define EVTGEN_ASCENDC_ASSERTION_H

#ifdef __cplusplus

#include <cstdio>
#include <cstdlib>

#include "../../machine/half.hpp"

namespace evtgen_assert {

template <class T>
T Printable(T value)
{
    return value;
}
inline double Printable(machine::Half value)
{
    return value;
}
inline double Printable(machine::Bfloat16 value)
{
    return value;
}

/// Prints in the form of the assert page, and ends the program.
template <class... Arguments>
[[noreturn]] void Fail(char const* condition, char const* file, int line, char const* format, Arguments... arguments)
{
    std::fprintf(stderr, "[ASSERT] %s:%d: Assertion `%s' ", file, line, condition);
    if constexpr (sizeof...(Arguments) == 0) {
        std::fputs(format, stderr);
    } else {
        std::fprintf(stderr, format, Printable(arguments)...);
    }
    std::fputc('\n', stderr);
    std::abort();
}

}  // namespace evtgen_assert

/// The arguments end in an empty string: the message of an assertion that has none.
#define EVTGEN_ASSERT(condition, ...)                    \
    (static_cast<bool>(condition) ? static_cast<void>(0) \
                                  : ::evtgen_assert::Fail(#condition, __FILE__, __LINE__, __VA_ARGS__))

#endif  // __cplusplus

#endif  // EVTGEN_ASCENDC_ASSERTION_H
