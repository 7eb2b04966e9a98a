// All layouts of the stand-in.
#ifndef CATLASS_LAYOUT_LAYOUT_HPP
#define CATLASS_LAYOUT_LAYOUT_HPP

#include "catlass/catlass.hpp"
#include "catlass/layout/matrix.hpp"
#include "catlass/layout/vector.hpp"

#endif  // CATLASS_LAYOUT_LAYOUT_HPP
