"""``llama.cpp+``: llama.cpp's language with its gaps filled and two defects mended.

What the reference renders without error stays as it is, except for the rows below.
"""

from __future__ import annotations

import dataclasses

from chatjinja.dialects.base import Deviation
from chatjinja.dialects.llama_cpp import LLAMA_CPP_DIALECT
from chatjinja.runtime.extensions import extended

_DEVIATIONS = (
    Deviation(
        "string-join",
        "a String can be joined, by its characters",
        "{{ 'abc'|join('-') }}",
        "NotImplemented: String join builtin not implemented",
        "a-b-c",
    ),
    Deviation(
        "object-join",
        "an Object can be joined, by its keys",
        "{{ {'a': 1, 'b': 2}|join('-') }}",
        "NotImplemented: object join not implemented",
        "a-b",
    ),
    Deviation(
        "unique",
        "`unique(case_sensitive=false, attribute)` keeps the first of equal items",
        "{{ ['a', 'b', 'A', 'a']|unique|join }}",
        "NotImplemented: Array unique builtin not implemented",
        "ab",
    ),
    Deviation(
        "replace-count",
        "`replace` with a count",
        "{{ 'aaa'|replace('a', 'b', 2) }}",
        "NotImplemented: String replace with count argument not implemented",
        "bba",
    ),
    Deviation(
        "format-fields",
        "`format` knows Python's replacement fields",
        "{{ '{1}-{0}-{x:>3}'.format('a', 'b', x='c') }}",
        "NotImplemented: format() only supports simple '{}' placeholders",
        "b-a-  c",
    ),
    Deviation(
        "map-filter",
        "`map` applies a filter",
        "{{ ['a', 'b']|map('upper')|join }}",
        "NotImplemented: map: filter-mapping not implemented",
        "AB",
    ),
    Deviation(
        "escaped-test",
        "`escaped` is false: nothing is escaped automatically",
        "{{ 'a' is escaped }}",
        "NotImplemented: escaped test not implemented",
        "False",
    ),
    Deviation(
        "filter-test",
        "`filter` tells whether a filter of that name exists",
        "{{ 'upper' is filter }}",
        "NotImplemented: filter test not implemented",
        "True",
    ),
    Deviation(
        "tojson-sort-keys",
        "`tojson` can sort keys",
        "{{ {'b': 1, 'a': 2}|tojson(sort_keys=true) }}",
        "NotImplemented: tojson sort_keys=true not implemented",
        '{"a": 2, "b": 1}',
    ),
    Deviation(
        "sum",
        "`sum(attribute, start)` adds up a list",
        "{{ [1, 2, 3]|sum }}",
        "Unknown (built-in) filter 'sum' for type Array",
        "6",
    ),
    Deviation(
        "escape",
        "`escape` (`e`) writes HTML entities",
        "{{ '<b>'|e }}",
        "Unknown (built-in) filter 'escape' for type String",
        "&lt;b&gt;",
    ),
    Deviation("floor-division", "`//` divides and rounds down", "{{ 7 // 2 }}", "Unexpected token: / of type 22", "3"),
    Deviation(
        "power",
        "`**` raises to a power; it groups to the left, and `-2**2` is 4, as in Jinja2",
        "{{ 2 ** 3 ** 2 }}",
        "Unexpected token: * of type 22",
        "64",
    ),
    Deviation(
        "raw",
        "`{% raw %}` … `{% endraw %}` is text",
        "{% raw %}{{ x }}{% endraw %}",
        "Unknown statement: raw",
        "{{ x }}",
    ),
    Deviation(
        "sort-case",
        "`sort(case_sensitive=false)` ignores case",
        "{{ ['b', 'C', 'a']|sort(case_sensitive=false)|join }}",
        "Cab",
        "abC",
    ),
    Deviation(
        "dictsort-case",
        "`dictsort(case_sensitive=false)` ignores case",
        "{{ {'B': 1, 'a': 2}|dictsort(case_sensitive=false)|tojson }}",
        '{"B": 1, "a": 2}',
        '{"a": 2, "B": 1}',
    ),
    Deviation(
        "first-character",
        "a letter at the very start is not lost before a block",
        "x{% if true %}y{% endif %}",
        "y",
        "xy",
    ),
    Deviation(
        "else-after-continue",
        "a loop's `else` runs only if there was no pass",
        "{% for i in [1] %}{% continue %}{% else %}else{% endfor %}",
        "else",
        "",
    ),
)

LLAMA_CPP_PLUS_DIALECT = dataclasses.replace(
    LLAMA_CPP_DIALECT,
    name="llama.cpp+",
    syntax=dataclasses.replace(
        LLAMA_CPP_DIALECT.syntax,
        lstrip_drops_first_character=False,
        raw_blocks=True,
        floor_division=True,
        power=True,
    ),
    semantics=dataclasses.replace(LLAMA_CPP_DIALECT.semantics, else_without_completed_pass=False),
    tables=extended(LLAMA_CPP_DIALECT.tables),
    exact_tables=extended(LLAMA_CPP_DIALECT.exact_tables),
    deviations=(*LLAMA_CPP_DIALECT.deviations, *_DEVIATIONS),
)
