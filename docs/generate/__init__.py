"""Generators of the pages of the documentation that are made, not written. ``make docs`` runs them."""
