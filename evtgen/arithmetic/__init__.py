"""Numbers: which values an element type has, and the device's arithmetic on arrays."""
