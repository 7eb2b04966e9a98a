// Names that a program gives to the nodes and the tiles that it works on, for findings and traces.
#pragma once

#include <cstdint>

namespace machine {

/// One buffer of a node of an epilogue.
struct NodeName {
    char const* node;
    uint32_t buffer;
};

/// Whose the core's next instructions are; null for nobody's. The name must outlive the program's launches.
void SetNode(NodeName const* node);

/// The number of the next tile of the core that is running, from 0 on.
int32_t NextTile();

/// The tile that the core's next instructions belong to; -1 for none.
void SetTile(int32_t tile);

}  // namespace machine
