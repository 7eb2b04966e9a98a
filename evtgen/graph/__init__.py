"""The graph of an epilogue: element types, shapes, nodes and how they are composed. It knows no target."""
