// Sorting 32 elements at a time, and merging sorted lists.
#pragma once

#include "../../machine/registers.hpp"
#include "../../machine/sort.hpp"
#include "operand.h"

template <class T>
inline void vbitsort(T* dst, T* scores, uint32_t* indices, uint8_t repeat, cce::Site site = cce::Here())
{
    machine::RecordSort("Sort32", cce::Ub(dst), cce::Ub(scores), cce::Ub(indices), repeat, site);
}

/// `lengths`: 16 bits per list. `config`: repeats in bits 0 to 7, which lists take part in 8 to 11, and in 12 whether the
/// merge stops where the first list ends.
template <class T>
inline void vmrgsort4(T* dst, T** lists, uint64_t lengths, uint64_t config, cce::Site site = cce::Here())
{
    machine::Merge merge;
    for (uint32_t i = 0; i < machine::kMergedLists; ++i) {
        merge.sources[i] = cce::Ub(lists[i]);
        merge.lengths[i] = static_cast<uint16_t>(lengths >> (16 * i));
    }
    merge.lists = machine::ListsOf(config >> 8 & 0xF);
    merge.repeats = config & 0xFF;
    merge.stopsAtEnd = (config >> 12 & 1) != 0;
    machine::RecordMerge("MrgSort", cce::Ub(dst), merge, site);
}

/// How many pairs the last merge took from each list, 16 bits each.
inline int64_t get_vms4_sr()
{
    uint64_t taken = 0;
    auto const& merged = machine::SettledRegisters().merged;
    for (size_t i = 0; i < merged.size(); ++i) { taken |= uint64_t{merged[i]} << (16 * i); }
    return static_cast<int64_t>(taken);
}
