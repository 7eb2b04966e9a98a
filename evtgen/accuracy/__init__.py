"""How far operators are from numpy, measured on the CPU model."""
