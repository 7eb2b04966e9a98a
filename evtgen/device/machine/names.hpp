// Names that a program gives to the parts of UB and to the tiles that it works on, for findings and traces.
#ifndef EVTGEN_MACHINE_NAMES_HPP
#define EVTGEN_MACHINE_NAMES_HPP

#include <cstddef>
#include <cstdint>

namespace machine {

/// A part of every vector core's UB: one buffer of one node.
struct UbShare {
    char const* node;
    uint32_t buffer;
    uint64_t first;  // byte of UB
    uint64_t bytes;
};

/// Names parts of UB from now on, in place of those named before. The array must outlive the program's launches.
void NameUb(UbShare const* shares, size_t count);

/// Whose a byte of UB is; null where nobody has named it.
UbShare const* ShareOf(uint64_t byte);

/// The number of the next tile of the core that is running, from 0 on.
int32_t NextTile();

/// The tile that the core's next instructions belong to; -1 for none.
void SetTile(int32_t tile);

}  // namespace machine

#endif  // EVTGEN_MACHINE_NAMES_HPP
