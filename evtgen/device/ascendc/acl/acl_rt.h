#include "acl.h"
