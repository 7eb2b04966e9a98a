"""Diagnostics: what is wrong, where in the user's files, and the way out; every code, declared once."""
