"""Code generation for Jinja2's own language."""
