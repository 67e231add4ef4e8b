"""Properties that hold for any template and any context."""
