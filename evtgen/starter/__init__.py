"""Specs to start from: a small one, or one of the gallery, with a test and a job for CI."""
