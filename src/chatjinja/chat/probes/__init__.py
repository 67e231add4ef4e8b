"""Probes: what a template does with made-up conversations."""
