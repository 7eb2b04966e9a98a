"""The Python interface of the CPU model: compile programs, run them, read their reports."""
