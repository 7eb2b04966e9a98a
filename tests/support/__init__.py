"""What tests of several folders share: paths, epilogues, compilers, commands, checkouts, random graphs."""
