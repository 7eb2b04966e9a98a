// Catlass v1.0 and v1.1 write device attributes that a host compiler cannot parse.
#include "../../../catlass/catlass/detail/macros.hpp"
