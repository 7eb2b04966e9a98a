#include "assert.h"
#include "kernel_operator.h"
