#include "kernel_operator.h"
#include "assert.h"
