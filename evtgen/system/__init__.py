"""The machine that evtgen runs on: locks, scratch directories, free memory, progress of long work."""
