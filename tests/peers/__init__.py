"""Comparisons with real engines, run as they come from the package index."""
