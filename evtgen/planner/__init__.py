"""From a checked epilogue to the Plan: every choice made, as plain data."""
