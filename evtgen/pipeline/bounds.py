"""Between which numbers the options of commands and of functions lie."""

MOST = 999_999_999
"""The largest extent, the most rows of a group, and the most elements between two rows."""

MOST_MATMULS = 9999
"""The most matmuls of one launch on the CPU model."""

MOST_BUFFERS = 99

MOST_CORES = 64
"""Cube cores of the CPU model."""

SHORTEST = 0.1
"""Seconds that a run has at the least."""
