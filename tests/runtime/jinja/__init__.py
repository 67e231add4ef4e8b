"""Tests of what generated code of the Jinja2 dialects calls."""
