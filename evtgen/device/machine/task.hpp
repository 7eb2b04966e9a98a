// A move-only callable whose captures live inside it when they are small and trivial, so that recording an
// instruction allocates nothing.
#pragma once

#include <cstddef>
#include <new>
#include <type_traits>
#include <utility>

namespace machine {

class Task {
public:
    static constexpr size_t kInline = 176;

    Task() = default;
    Task(Task const&) = delete;
    Task& operator=(Task const&) = delete;
    Task(Task&& other) noexcept { Take(other); }
    Task& operator=(Task&& other) noexcept
    {
        if (this != &other) {
            Reset();
            Take(other);
        }
        return *this;
    }
    ~Task() { Reset(); }

    template <class F> void Set(F function)
    {
        Reset();
        if constexpr (sizeof(F) <= kInline && std::is_trivially_copyable_v<F> && alignof(F) <= alignof(void*)) {
            new (storage_) F(function);
            size_ = sizeof(F);
            invoke_ = [](void* self) { (*static_cast<F*>(self))(); };
        } else {
            F* heap = new F(std::move(function));
            __builtin_memcpy(storage_, &heap, sizeof(heap));
            size_ = sizeof(heap);
            invoke_ = [](void* self) { (**static_cast<F**>(self))(); };
            destroy_ = [](void* self) { delete *static_cast<F**>(self); };
        }
    }

    explicit operator bool() const { return invoke_ != nullptr; }
    void operator()() { invoke_(storage_); }

    void Reset()
    {
        if (destroy_ != nullptr) { destroy_(storage_); }
        invoke_ = nullptr;
        destroy_ = nullptr;
    }

private:
    void Take(Task& other)
    {
        invoke_ = std::exchange(other.invoke_, nullptr);
        destroy_ = std::exchange(other.destroy_, nullptr);
        size_ = other.size_;
        __builtin_memcpy(storage_, other.storage_, size_);
    }

    void (*invoke_)(void*) = nullptr;
    void (*destroy_)(void*) = nullptr;
    size_t size_ = 0;
    alignas(void*) unsigned char storage_[kInline];
};

}  // namespace machine
