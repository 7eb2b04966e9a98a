#include "keep.hpp"

#include <utility>

namespace machine {

Kept& TheKept()
{
    static Kept kept;
    return kept;
}

void Keep(std::vector<KeptProduct> products, uint8_t* c, uint32_t n)
{
    TheKept() = {std::move(products), c, n, {}, {}, {}, false};
}

uint32_t NumberInTurn(Combine combine, uint32_t core)
{
    Kept& kept = TheKept();
    if (kept.blocks.empty()) { return 0; }
    kept.taken[core] += combine == Combine::Store ? 1 : 0;
    return static_cast<uint32_t>((kept.taken[core] - 1) * kept.taken.size() + core);
}

std::vector<uint8_t*>& PlacesOf(void const* block, Combine combine)
{
    std::vector<uint8_t*>& places = TheKept().places[block];
    if (combine == Combine::Store) { places.clear(); }
    return places;
}

}  // namespace machine
