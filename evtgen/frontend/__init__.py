"""The ways to write an epilogue: a traced function, the explicit form, JSON; and how spec files are read."""
