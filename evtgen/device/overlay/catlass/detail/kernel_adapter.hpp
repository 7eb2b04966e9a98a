// The kernel entry that chooses the kind of core when it runs.
#include "../../../catlass/catlass/detail/kernel_adapter.hpp"
