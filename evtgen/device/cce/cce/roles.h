// The kind of core that runs. On the device it is fixed when a kernel is compiled; on the model one program runs both.
#pragma once

#include "language.h"

#undef ASCEND_IS_AIC
#undef ASCEND_IS_AIV
#undef ASCEND_IS_NOT_AIC
#undef ASCEND_IS_NOT_AIV
#define ASCEND_IS_AIC (::machine::CurrentRole() == ::machine::Role::AIC)
#define ASCEND_IS_AIV (::machine::CurrentRole() == ::machine::Role::AIV)
#define ASCEND_IS_NOT_AIC (::machine::CurrentRole() != ::machine::Role::AIC)
#define ASCEND_IS_NOT_AIV (::machine::CurrentRole() != ::machine::Role::AIV)
