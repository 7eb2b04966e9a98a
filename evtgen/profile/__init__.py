"""How long epilogues take by the CPU model's clock, and where."""
