// A reference to something callable without arguments, which must live as long as the callback is called.
#ifndef CATLASS_DETAIL_CALLBACK_HPP
#define CATLASS_DETAIL_CALLBACK_HPP

#include "catlass/detail/macros.hpp"

/// Without a function it does nothing.
struct Callback {
    void const *func{nullptr};
    void (*caller)(void const *){nullptr};

    Callback() = default;

    CATLASS_DEVICE void operator()() const
    {
        if (*this) { caller(func); }
    }

    CATLASS_DEVICE operator bool() const { return func != nullptr; }
};

template <class Func> CATLASS_DEVICE Callback MakeCallback(Func *func)
{
    Callback callback;
    callback.func = func;
    callback.caller = [](void const *self) { (*static_cast<Func const *>(self))(); };
    return callback;
}

#endif  // CATLASS_DETAIL_CALLBACK_HPP
