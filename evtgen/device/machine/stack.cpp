// Stacks of fibers.
#include <sys/mman.h>

#include <new>

#include "running.hpp"

namespace machine {

void Stack::Make()
{
    void* const pages = mmap(nullptr, kGuard + kBytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (pages == MAP_FAILED) { throw std::bad_alloc(); }
    pages_ = static_cast<char*>(pages);
    if (mprotect(Begin(), kBytes, PROT_READ | PROT_WRITE) != 0) { throw std::bad_alloc(); }
}

void Stack::Free()
{
    if (pages_ != nullptr) {
        munmap(pages_, kGuard + kBytes);
        pages_ = nullptr;
    }
}

bool Stack::Guards(void const* address) const
{
    auto const* const at = static_cast<char const*>(address);
    return pages_ != nullptr && at >= pages_ && at < Begin();
}

}  // namespace machine
