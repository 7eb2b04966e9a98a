// Recording copies: strided rectangles between global memory and a core, or within a core.
#pragma once

#include <cstdint>

#include "elements.hpp"
#include "record.hpp"

namespace machine {

/// One side of a copy; the starts of its blocks are `stride` bytes apart.
struct CopySide {
    void* data;
    Space space;
    uint64_t stride;
    void const* buffer = nullptr;  // start of the buffer that it is part of, if the program has one
};

struct CopyShape {
    uint32_t blocks;          // how many runs
    uint64_t bytes;           // of data in each
    uint32_t left = 0;        // bytes of padding before each block on the destination
    uint32_t right = 0;       // and after it, up to `filled`
    uint64_t filled = 0;      // bytes each destination block takes in all; 0: exactly left + bytes + right
    bool padDefined = false;  // the program chose the padding's value; otherwise it is undefined
    uint64_t padValue = 0;    // element
    uint32_t elementBytes = 1;
};

/// `combine` and `type` are those of an atomic store; Combine::Store otherwise.
void RecordCopy(
    char const* name, Pipe pipe, CopySide const& dst, CopySide const& src, CopyShape const& shape, ElementType type,
    Site site);

/// A byte count that the hardware rounds down to a multiple of `unit`.
void ReportRounded(char const* name, Pipe pipe, uint64_t bytes, uint64_t unit, Site site);

}  // namespace machine
