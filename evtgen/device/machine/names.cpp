#include "names.hpp"

#include "core.hpp"

namespace machine {

namespace {

UbShare const* first = nullptr;
UbShare const* last = nullptr;

}  // namespace

void NameUb(UbShare const* shares, size_t count)
{
    first = shares;
    last = shares + count;
}

UbShare const* ShareOf(uint64_t byte)
{
    for (UbShare const* share = first; share != last; ++share) {
        if (byte >= share->first && byte - share->first < share->bytes) {
            return share;
        }
    }
    return nullptr;
}

int32_t NextTile()
{
    return CurrentCore() == nullptr ? -1 : CurrentCore()->NextTile();
}

void SetTile(int32_t tile)
{
    if (CurrentCore() != nullptr) {
        CurrentCore()->SetTile(tile);
    }
}

}  // namespace machine
