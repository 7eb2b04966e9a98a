"""The device's C++: are the emitted headers, and those of the checkout that they use, within its rules and its stack?

A host compiler takes much that the device's compiler refuses. :func:`.examine.examine` compiles each epilogue once more
with clang++, as code of a device, and reads what is left at run time off its output.
"""
