"""Checkouts of Catlass and of AscendC, and the programs written for Catlass."""
