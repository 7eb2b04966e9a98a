"""Files: what may be written, and writing it all or nothing."""
