"""llama.cpp's own Jinja runtime (``common/jinja``)."""

from __future__ import annotations

from chatjinja.dialects.base import Deviation, LlamaDialect
from chatjinja.runtime.tables import LLAMA_CPP, LLAMA_CPP_EXACT
from chatjinja.semantics import Semantics
from chatjinja.syntax.config import SyntaxConfig

CONSTANTS = (
    ("true", True),
    ("True", True),
    ("false", False),
    ("False", False),
    ("none", None),
    ("None", None),
)

LLAMA_CPP_DIALECT = LlamaDialect(
    name="llama.cpp",
    reference="llama.cpp common/jinja as of 2026-10-01 (llama-cpp-python 0.3.36)",
    syntax=SyntaxConfig(),
    semantics=Semantics(else_without_completed_pass=True, constants=CONSTANTS),
    tables=LLAMA_CPP,
    exact_tables=LLAMA_CPP_EXACT,
    deviations=(
        Deviation(
            "integer-overflow",
            "Integer arithmetic is exact in 64 bits; a result outside is an error. The reference computes in "
            "doubles: results beyond 2^53 are rounded, beyond 2^63 undefined.",
            "{{ 9007199254740993 + 1 }}",
            "undefined",
            "9007199254740994",
        ),
    ),
)
