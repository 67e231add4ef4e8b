"""Values and arguments made at random."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from tests.runtime.jinja.support import MISSING, Mapped, Safe, View

STRINGS = (
    *("", "a", "b", "A", "Hello World", "  x  ", "foo-bar baz (qux) [z {y <w", "ünïcödé ßtraße", "İ", "ǆ", "²", "٣"),
    *(
        "a\nb\n\nc\r\nd",
        "\u2028x\x85y",
        "日本語",
        "\udcc3x",
        "\ud800",
        "aXbXc",
        "ΑΣ",
        "a\tb",
        "+5",
        "-4.5",
        "3",
        "0x1f",
    ),
    *("1e5", "NaN", "inf", "1_0", "key", "name", "upper", "<b>&\"'</b> &amp; <!-- c --> <", "x" * 90, "a/b c?d=é&f"),
    *("http://x.com (www.foo.org). a@b.de mailto:q@w.com <https://[::1]:80/p?q#r>, x:y tel:1 1.2.3.4 @a@b.c",),
    *(
        "%s %d",
        "%(a)s",
        "%5.2f|%-5s|%x|%c|%%",
        "%*d",
        "%",
        "{}",
        "{0} {a!r:>{w}}",
        "{{}} {a.b[0]} {",
        "{:>5}",
        "{0.real}",
    ),
)
"""Texts that filters and methods treat in different ways."""
texts = st.one_of(
    st.sampled_from(STRINGS),
    st.text(st.characters(codec="utf-8"), max_size=8),
    st.text(st.sampled_from(" \n\taBcß<&%{}'\"-.,é\udc80"), max_size=12),
)
numbers = st.one_of(
    st.integers(-5, 20),
    st.sampled_from((255, 10**20, -(10**30), 1.5, -2.5, 2.675, 1e22, -0.0, float("inf"), float("nan"))),
    st.floats(width=32),
)
scalars = st.one_of(texts, texts, numbers, st.booleans(), st.none(), st.just(MISSING), texts.map(Safe))
keys = st.one_of(st.sampled_from(("name", "key", "a", "b", "items")), st.integers(0, 3), st.none())
rows = st.lists(
    st.fixed_dictionaries({"name": scalars, "key": st.integers(0, 3), "a": st.just({"b": "c"})}), max_size=4
)
containers = st.recursive(
    scalars,
    lambda inner: st.one_of(
        st.lists(inner, max_size=4), st.lists(inner, max_size=3).map(tuple), st.dictionaries(keys, inner, max_size=3)
    ),
    max_leaves=8,
)
lists = st.one_of(
    st.lists(texts, max_size=5), st.lists(st.integers(-5, 9), max_size=5), rows, st.lists(containers, max_size=4)
)
mappings = st.dictionaries(keys, containers, max_size=4)
views = st.builds(View, st.sampled_from(("keys", "values", "items")), mappings)
values = st.one_of(
    texts,
    scalars,
    containers,
    lists,
    mappings,
    views,
    st.builds(range, st.integers(-2, 5)),
    texts.map(lambda text: text.encode("utf-8", "surrogatepass")),
)
"""Any value that a template can have and that prints without an address."""
anything = st.one_of(values, st.builds(Mapped, lists))
arguments = st.one_of(
    st.sampled_from(
        (
            *("name", "key", "a.b", "key,name", "0", "a", " ", "upper", "trim", "default", "defined", "odd", "string"),
            *(
                "in",
                "eq",
                "ceil",
                "floor",
                "value",
                "x:",
                ", ",
                "X",
                "%",
                "utf-8",
                "latin-1",
                "ignore",
                "big",
                "length",
            ),
            *(0, 1, 2, 3, 5, 20, -1, True, False, None, 1.5, MISSING, Safe("<i>"), ("a", "b"), (",", ":"), b"a"),
        )
    ),
    st.just({97: "zz", 98: None}),
    st.just(["x:", "tel:"]),
    scalars,
    containers,
)


@st.composite
def calls(draw: st.DrawFn, names: tuple[str, ...] = ()) -> tuple[list[Any], dict[str, Any]]:
    """Arguments; now and then one by a name of `names`."""
    args = draw(st.lists(arguments, max_size=3))
    kwargs = {}
    if names and draw(st.integers(0, 2)) == 0:
        kwargs = {draw(st.sampled_from(names)): draw(arguments)}
    return args, kwargs
