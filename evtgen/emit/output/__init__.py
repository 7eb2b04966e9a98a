"""Files: deciding which may be written, and writing all of them or none."""
