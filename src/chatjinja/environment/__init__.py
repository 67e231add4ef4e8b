"""Compiling, caching and rendering templates."""

from chatjinja.environment.clock import Now
from chatjinja.environment.environment import Environment, render
from chatjinja.environment.template import Template

__all__ = ["Environment", "Now", "Template", "render"]
