"""What generated code of Jinja2's own language calls, and its built-ins."""
