"""EVTs that are written by hand in C++, read into epilogues: :func:`evtgen.frontend.cpp.read.read` is the whole of it.

libclang gives the tokens, names and types; :mod:`.text` finds the braces, which clang gives up on if they do not fit.
"""
