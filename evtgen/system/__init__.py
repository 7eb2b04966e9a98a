"""The machine that evtgen runs on: locks, free memory, progress of long work."""
