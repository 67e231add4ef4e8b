"""Marking of input: reference, sound, with provenance."""
