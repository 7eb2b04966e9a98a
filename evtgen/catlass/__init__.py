"""Catlass: checkouts, and programs written for them."""
