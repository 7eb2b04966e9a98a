"""Generators of the generated pages of the documentation. ``make docs`` runs them."""
