// printf, which a kernel calls as a host does.
#pragma once

#include <cstdio>

#include "kernel_operator.h"
