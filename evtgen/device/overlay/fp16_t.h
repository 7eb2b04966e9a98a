// Catlass v1.0 and v1.1 have a header of this name whose functions are in a library of CANN's.
#include "../ascendc/opdev/fp16_t.h"
