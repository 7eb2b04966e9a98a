// Catlass v1.0 and v1.1 have a header of this name whose type does not work with the model's half.
#include "../ascendc/opdev/bfloat16.h"
