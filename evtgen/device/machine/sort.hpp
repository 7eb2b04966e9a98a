// Recording sorts: lists of pairs of a score and an index, 8 bytes each, by falling score.
#pragma once

#include <array>

#include "vector.hpp"

namespace machine {

constexpr uint32_t kSortedTogether = 32;  // elements that one repeat sorts
constexpr uint32_t kMergedLists = 4;
constexpr uint32_t kPairBytes = 8;  // the score first, the index in the last four bytes

/// Each repeat turns 32 scores (half or float) and 32 indices (uint32) into a list; of equal scores the earlier one
/// comes first (Sort32 page).
void RecordSort(
    char const* name, Operand const& dst, Operand const& scores, Operand const& indices, uint32_t repeats, Site site);

/// Lists of `lengths` pairs, of which the first `lists` take part, become one; of equal scores that of the earlier list
/// comes first. With repeats, each list of the next repeat starts after all lists of this one (MrgSort page).
struct Merge {
    std::array<Operand, kMergedLists> sources;
    std::array<uint16_t, kMergedLists> lengths{};
    uint32_t lists = 0;  // 0: which ones take part is not a number of first ones
    uint32_t repeats = 1;
    bool stopsAtEnd = false;  // of the first list that ends
};
/// The number of lists of a `validBit`: 3, 7 or 15 for the first two, three or four; 0 for any other.
constexpr uint32_t ListsOf(uint64_t validBit) { return validBit == 3 ? 2 : validBit == 7 ? 3 : validBit == 15 ? 4 : 0; }

/// Leaves in Registers::merged how many pairs each list gave.
void RecordMerge(char const* name, Operand const& dst, Merge const& merge, Site site);

}  // namespace machine
