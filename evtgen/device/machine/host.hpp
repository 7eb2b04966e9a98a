// The host is asynchronous: it gives tasks to streams and goes on. What it touches, and what another stream touches, must
// be known to be over.
#pragma once

#include <cstddef>
#include <initializer_list>
#include <type_traits>

#include "record.hpp"

namespace machine {

/// A stream or an event as AscendCL has it. The null stream is the default stream, which waits for no other.
using Handle = void*;

/// The stream of kernel<<<blocks, …>>>: the last of at least two arguments after the number of blocks.
inline Handle StreamOf() { return nullptr; }
template <class First, class... Rest> Handle StreamOf(First const&, Rest const&... rest)
{
    Handle stream = nullptr;
    auto const take = [&stream](auto const& argument) {
        if constexpr (std::is_convertible_v<decltype(argument), Handle>) { stream = argument; }
    };
    (take(rest), ...);
    return stream;
}

/// Bytes of the host or of global memory that a call of the host touches.
struct Touched {
    void const* begin;
    size_t bytes;
    bool written;
};

/// A call of the host that acts at once, such as aclrtMemcpy and aclrtFree. A fault if a task may still use the bytes:
/// these calls wait for no stream and no device (pages of both).
void ActAtOnce(char const* name, Site site, std::initializer_list<Touched> touched);
/// A task that the host gives to a stream. A fault if a task of another stream may still use the bytes.
void GiveTask(Handle stream, char const* name, Site site, std::initializer_list<Touched> touched);
/// The memory is freed or is another's from now on.
void ForgetUses(void const* memory, size_t bytes);
/// Whether a task that is not known to be over uses memory.
bool AnyTaskIsOpen();

void SynchronizeStream(Handle stream);
void SynchronizeDevice();
void RecordEvent(Handle event, Handle stream);
/// What is given to the stream from now on waits for the tasks that the event was last recorded after, if it was.
void StreamWaitEvent(Handle stream, Handle event);
void SynchronizeEvent(Handle event);

}  // namespace machine
