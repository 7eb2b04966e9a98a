"""Diagnostics: the message, the place in the user's files, and advice; every code, declared once."""
