"""Benchmarks of evtgen: `make bench`."""
