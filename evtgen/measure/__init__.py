"""Measurements of emitted code: the accuracy of operators, times by the model's clock, the rules of the device's
C++."""
