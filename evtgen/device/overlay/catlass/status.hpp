// Catlass v1.0 has no DeviceGemm and no Status; programs that launch through the model need both.
#include "../../catlass/catlass/status.hpp"
