#include "names.hpp"

#include "core.hpp"

namespace machine {

void SetNode(NodeName const* node)
{
    if (CurrentCore() != nullptr) { CurrentCore()->SetNode(node); }
}

int32_t NextTile() { return CurrentCore() == nullptr ? -1 : CurrentCore()->NextTile(); }

void SetTile(int32_t tile)
{
    if (CurrentCore() != nullptr) { CurrentCore()->SetTile(tile); }
}

}  // namespace machine
