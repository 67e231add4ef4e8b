"""Tests of the syntax layer: text to tokens to tree, and back."""
