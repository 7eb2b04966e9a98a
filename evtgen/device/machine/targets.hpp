// All architectures.
#pragma once

#include "arch.hpp"

namespace machine {

/// The words in which the files of targets/ name sets.
namespace words {

#define EVT_WORD(name, type) constexpr TypeSet name = SetOf(ElementType::name);
EVT_ELEMENT_TYPES(EVT_WORD)
#undef EVT_WORD

constexpr RoundingSet CAST_NONE = SetOf(Rounding::None);
constexpr RoundingSet CAST_RINT = SetOf(Rounding::Rint);
constexpr RoundingSet CAST_FLOOR = SetOf(Rounding::Floor);
constexpr RoundingSet CAST_CEIL = SetOf(Rounding::Ceil);
constexpr RoundingSet CAST_ROUND = SetOf(Rounding::Round);
constexpr RoundingSet CAST_TRUNC = SetOf(Rounding::Trunc);
constexpr RoundingSet CAST_ODD = SetOf(Rounding::Odd);

}  // namespace words

// Each file is the body of a function that fills in one ArchSpec.
// clang-format off
#define EVT_ARCH(archName, archNumber) \
    []() constexpr {                   \
        using namespace words;         \
        ArchSpec arch;                 \
        arch.name = #archName;         \
        arch.number = archNumber;
#define EVT_ARCH_END()                 \
        return arch;                   \
    }(),
// clang-format on
#define EVT_MEMORY(space, bytes) arch.size[static_cast<size_t>(Space::space)] = bytes;
#define EVT_FACT(field, value) arch.field = value;
#define EVT_TAKES(call, types) arch.takes[static_cast<size_t>(Op::call)] = types;
#define EVT_TAKES_COUNTED(call, types) arch.counted[static_cast<size_t>(Op::call)] = types;
#define EVT_ATOMICS(types) arch.atomics = types;
#define EVT_CAST(source, destination, modes) \
    arch.casts[static_cast<size_t>(ElementType::source)][static_cast<size_t>(ElementType::destination)] = modes;
#define EVT_COST(field, value, source)                                     \
    static_assert(sizeof(source) > 1, #field " says where it comes from"); \
    arch.costs.field = value;
#define EVT_PRICE(call, fixed, repeat, source)                            \
    static_assert(sizeof(source) > 1, #call " says where it comes from"); \
    arch.prices[arch.priceCount++] = {#call, fixed, repeat};

inline constexpr ArchSpec kArchs[] = {
#include "targets.def"
};

/// Whether a file of targets/ has every required line.
constexpr bool Complete(ArchSpec const& arch)
{
    bool complete = arch.atomics != 0 && arch.crossFlagDepth != 0 && arch.bankGroups <= kMaxBankGroups
                    && arch.bankGroups * arch.banksPerGroup * arch.bankSpan * arch.readsPerGroup != 0;
#define EVT_PRESENT(space) complete = complete && (Space::space == Space::GM || arch.SizeOf(Space::space) != 0);
    EVT_SPACES(EVT_PRESENT)
#undef EVT_PRESENT
#define EVT_PRESENT(cost) complete = complete && arch.costs.cost != Costs::kMissing;
    EVT_COSTS(EVT_PRESENT)
#undef EVT_PRESENT
    return complete;
}

constexpr bool AllComplete()
{
    for (ArchSpec const& arch : kArchs) {
        if (!Complete(arch)) { return false; }
    }
    return true;
}
static_assert(AllComplete(), "each architecture has all sizes and all costs");

/// Where kArchs has the architecture whose CATLASS_ARCH is `number`; past its end if there is none.
constexpr size_t IndexOfArch(uint32_t number)
{
    size_t index = 0;
    for (ArchSpec const& arch : kArchs) {
        if (arch.number == number) { break; }
        ++index;
    }
    return index;
}

constexpr bool HasArch(uint32_t number) { return IndexOfArch(number) < sizeof(kArchs) / sizeof(kArchs[0]); }

}  // namespace machine
