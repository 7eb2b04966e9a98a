"""Sabotage: emitted C++ broken on purpose, one place at a time. The CPU model must flag every mutant."""
