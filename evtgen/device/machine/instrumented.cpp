// What a compiler calls before memory accesses under -fsanitize=kernel-address with calls in place of its own checks:
// the accesses of a program become known to the machine that way. The names and parameters are the compilers'.
#include <cstddef>
#include <cstdint>

#include "direct.hpp"

// NOLINTBEGIN(bugprone-reserved-identifier)
extern "C" {

#define EVT_ACCESS(bytes)                                                                                        \
    void __asan_load##bytes##_noabort(void* at);                                                                 \
    void __asan_load##bytes##_noabort(void* at) { machine::BeforeRead(at, bytes, __builtin_return_address(0)); } \
    void __asan_store##bytes##_noabort(void* at);                                                                \
    void __asan_store##bytes##_noabort(void* at) { machine::BeforeWrite(at, bytes, __builtin_return_address(0)); }
EVT_ACCESS(1)
EVT_ACCESS(2)
EVT_ACCESS(4)
EVT_ACCESS(8)
EVT_ACCESS(16)
#undef EVT_ACCESS

void __asan_loadN_noabort(void* at, size_t bytes);
void __asan_loadN_noabort(void* at, size_t bytes) { machine::BeforeRead(at, bytes, __builtin_return_address(0)); }
void __asan_storeN_noabort(void* at, size_t bytes);
void __asan_storeN_noabort(void* at, size_t bytes) { machine::BeforeWrite(at, bytes, __builtin_return_address(0)); }

void __asan_handle_no_return();
void __asan_handle_no_return() {}
void __asan_before_dynamic_init(char const* module);
void __asan_before_dynamic_init(char const*) {}
void __asan_after_dynamic_init();
void __asan_after_dynamic_init() {}

}  // extern "C"
// NOLINTEND(bugprone-reserved-identifier)
