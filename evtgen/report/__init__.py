"""Output for people: every line and table that a command prints, one module per kind of result."""
