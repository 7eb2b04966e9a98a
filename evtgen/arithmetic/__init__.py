"""Numbers: the values of each element type, and the device's arithmetic on arrays."""
