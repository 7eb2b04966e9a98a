"""Python's face of the CPU model: compile programs, run them, read what they report."""
