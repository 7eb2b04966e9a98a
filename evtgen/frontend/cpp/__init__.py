"""EVTs that are written by hand in C++, read into epilogues: :func:`evtgen.frontend.cpp.read.read` is the whole of it.

libclang says what each name means, :mod:`.text` where each type and each pair of braces stands.
"""
