"""AscendC: checkouts of its own headers."""
