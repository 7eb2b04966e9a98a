// assert of the device: assert(condition) or assert(condition, format, arguments...), which prints as printf does (assert
// page). Like the standard's header, it is read anew at each include, and NDEBUG switches it off.
#include "ascendc/assertion.h"

#undef assert
#ifdef NDEBUG
#define assert(...) (static_cast<void>(0))
#else
#define assert(...) EVTGEN_ASSERT(__VA_ARGS__, "")
#endif
