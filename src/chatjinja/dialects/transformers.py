"""Jinja2 as Hugging Face `apply_chat_template` sets it up."""

from __future__ import annotations

from chatjinja.dialects.base import Deviation, JinjaDialect
from chatjinja.runtime.jinja.builtins import JINJA
from chatjinja.runtime.jinja.sound_builtins import JINJA_SOUND
from chatjinja.syntax.config import SyntaxConfig

_DEVIATIONS = (
    Deviation(
        "block-set-on-a-dict",
        "`set x.name` with a body needs a namespace, as without a body. Jinja2 lets it change a dict of the caller's.",
        "{% set d = {} %}{% set d.x %}v{% endset %}{{ d }}",
        "{'x': 'v'}",
        "cannot assign attribute on non-namespace object",
    ),
    Deviation(
        "infinite-literal",
        "A float literal beyond all floats is infinity. Jinja2 fails unless it is printed at once.",
        "{% set x = 1e999 %}{{ x }}",
        "name 'inf' is not defined",
        "inf",
    ),
    Deviation(
        "long-chains",
        "Expressions of any length work. Jinja2 fails where Python's parser does, at about 200 operators.",
        "{% set n = 1 %}{{ n" + " + n" * 300 + " }}",
        "too many nested parentheses",
        "301",
    ),
    Deviation(
        "constant-slices",
        "A slice of what has none is an error. In Jinja2 it is undefined if all that is printed is constant.",
        "{{ 1[:] }}",
        "",
        "'int' object is not subscriptable",
    ),
    Deviation(
        "include-in-a-macro",
        "A macro that includes something without context fails. In Jinja2 it gives a generator.",
        "{% macro m() %}{% include 'x' without context %}{% endmacro %}{{ m() }}",
        "<generator object root.<locals>.macro at 0x7f3b2c1d0e50>",
        "no loader for this environment specified",
    ),
    Deviation(
        "addresses",
        "Memory addresses are always the same, so that output does not depend on the run.",
        "{{ range }}",
        "<function safe_range at 0x7f3b2c1d0e50>",
        "<function safe_range at 0x7f0000000000>",
    ),
)

TRANSFORMERS_DIALECT = JinjaDialect(
    name="transformers",
    reference="Jinja2 3.1.6 as transformers 5.24.0 sets it up",
    syntax=SyntaxConfig(),
    tables=JINJA,
    sound_tables=JINJA_SOUND,
    deviations=_DEVIATIONS,
    reference_marking=False,
)
