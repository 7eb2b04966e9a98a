// AscendC's own, where the program is compiled with its headers: this directory is searched before them.
#if __has_include_next("utils/debug/asc_assert.h")
#include_next "utils/debug/asc_assert.h"
#else
#include "assert.h"
#include "kernel_operator.h"
#endif
