"""Compiling, caching and rendering templates."""

from chatjinja.environment.base import Template
from chatjinja.environment.clock import Now
from chatjinja.environment.environment import Environment, render

__all__ = ["Environment", "Now", "Template", "render"]
