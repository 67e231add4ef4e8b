"""Benchmarks: one file per question. Run each as ``python -m benchmarks.NAME``."""
