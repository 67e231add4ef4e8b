"""Jinja2's own grammar: text to tree and back. The tree shares the nodes of `chatjinja.syntax.nodes` where they fit."""
