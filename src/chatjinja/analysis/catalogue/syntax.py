"""What the grammars of engines know, and what they do with blanks around tags."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from chatjinja.analysis.catalogue.base import (
    Cause,
    Evidence,
    Example,
    Finder,
    Fix,
    effects,
    replace,
    results,
    texts_only,
)
from chatjinja.analysis.parsed import Edit, Parsed
from chatjinja.source import Span

_TAG = re.compile(r"\{\{.*?\}\}|\{%.*?%\}", re.DOTALL)
_ESCAPE = re.compile(r"\\(x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8})|\\([^ntrbfv\\'\"xuU\n])")
_NUMBER = re.compile(r"(?<![\w.'\"])[0-9][0-9_]*(\.[0-9_]+)?([eE][-+]?[0-9]+)?(?![\w.])")
_SIGN = re.compile(r"\b(if|elif|and|or|not|in|else)(\s+)-(\w+)")
_TUPLE = re.compile(r"(?<![\w)\]])\(\s*(?:([^(),]+),\s*)?\)")
_RAW = re.compile(r"\{%(-?)\s*raw\s*(-?)%\}\n?(.*?)\{%(-?)\s*endraw\s*(-?)%\}", re.DOTALL)
_WITH = re.compile(r"\{%(-?)\s*with\s+(\w+)\s*=\s*(.*?)\s*(-?)%\}|\{%(-?)\s*endwith\s*(-?)%\}")
_PLUS = re.compile(r"\{%\+|\+%\}")
_FILTERED_SET = re.compile(r"\{%(-?)\s*set\s+(\w+)\s*\|\s*([^%]*?)\s*(-?)%\}(.*?)\{%(-?)\s*endset\s*(-?)%\}", re.DOTALL)
_FILTERS = re.compile(r"\{%(-?)\s*filter\s+(\w+)\s*\|\s*(\w+)\s*(-?)%\}(.*?)\{%(-?)\s*endfilter\s*(-?)%\}", re.DOTALL)
_RECURSIVE = re.compile(r"\s+recursive(?=\s*-?%\})")
_BLANKS_THAT_DIFFER = re.compile("[\x0b\x0c\x1c-\x1f\x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]+")


def in_tags(pattern: re.Pattern[str], make: Callable[[re.Match[str]], str]) -> Finder:
    """A finder of all that a pattern matches inside of tags, all replaced at once."""

    def find(parsed: Parsed) -> Iterator[Fix]:
        text = parsed.source.text
        edits = [
            Edit(match.start(), match.end(), new)
            for tag in _TAG.finditer(text)
            for match in pattern.finditer(text, tag.start() + 2, tag.end() - 2)
            if (new := make(match)) != match.group()
        ]
        if edits:
            yield Fix(Span(edits[0].start, edits[0].end), tuple(edits))

    return find


def anywhere(pattern: re.Pattern[str], make: Callable[[re.Match[str]], str | None]) -> Finder:
    """A finder of all that a pattern matches, all replaced at once."""

    def find(parsed: Parsed) -> Iterator[Fix]:
        found = [(match, make(match)) for match in pattern.finditer(parsed.source.text)]
        edits = [Edit(match.start(), match.end(), text) for match, text in found if text is not None]
        if edits:
            yield Fix(Span(edits[0].start, edits[0].end), tuple(edits))

    return find


def _character(match: re.Match[str]) -> str:
    code, other = match.groups()
    return chr(int(code[1:], 16)) if code else f"\\\\{other}"


def _plain_number(match: re.Match[str]) -> str:
    text = match.group().replace("_", "")
    return text if match.group(2) is None else f"{float(text):f}".rstrip("0") + "0"


def _as_text(match: re.Match[str]) -> str | None:
    text = match.group(3)
    quote = "'" if "'" not in text else '"'
    if quote in text:
        return None
    escaped = text.replace("\\", "\\\\").replace("\n", "\\n")
    return f"{{{{{match.group(1)} {quote}{escaped}{quote} {match.group(5)}}}}}"


def _as_set(match: re.Match[str]) -> str:
    if match.group(2) is None:
        return f"{{%{match.group(5)} if false {match.group(6)}%}}{{% endif %}}"
    return f"{{%{match.group(1)} set {match.group(2)} = {match.group(3)} {match.group(4)}%}}"


def _kept_blanks(match: re.Match[str]) -> str:
    return "{{ '' }}{%" if match.group() == "{%+" else "%}{{ '' }}"


def _set_then_filter(match: re.Match[str]) -> str:
    before, name, filters, after, body, end_before, end_after = match.groups()
    return (
        f"{{%{before} set {name} {after}%}}{body}{{%{end_before} endset %}}"
        f"{{% set {name} = {name}|{filters} {end_after}%}}"
    )


def _nested_filters(match: re.Match[str]) -> str:
    before, first, second, after, body, end_before, end_after = match.groups()
    return (
        f"{{%{before} filter {second} %}}{{% filter {first} {after}%}}{body}"
        f"{{%{end_before} endfilter %}}{{% endfilter {end_after}%}}"
    )


def _guarded_start(parsed: Parsed) -> Iterator[Fix]:
    yield replace(parsed, 0, 0, "{{ '' }}", span=Span(0, 1))


def _at_start(evidence: Evidence) -> bool:
    return evidence.left_excerpt is not None and not evidence.left_excerpt.before


def _blanks_as_texts(parsed: Parsed) -> Iterator[Fix]:
    text = parsed.source.text
    inside = [match.span() for match in _TAG.finditer(text)]
    for match in _BLANKS_THAT_DIFFER.finditer(text):
        if not any(start <= match.start() < end for start, end in inside):
            yield replace(parsed, match.start(), match.end(), f"{{{{ '{match.group()}' }}}}")


_GRAMMAR = effects(default="is known", llama="is not known", js="is not known")
CAUSES = (
    Cause(
        "first-character",
        "a single character, or a line end, before a tag at the very start",
        effects(default="is printed", llama="is lost", plus="is printed"),
        "Put something before it: `{{ '' }}x{% if … %}`.",
        Example(
            "x{% if true %}y{% endif %}",
            results("y", "xy", "xy", "xy", plus="xy"),
            {},
            "{{ '' }}x{% if true %}y{% endif %}",
            "xy",
        ),
        _guarded_start,
        _at_start,
    ),
    Cause(
        "blanks-around-tags",
        "blanks beyond ASCII beside `{%-` or `-%}`",
        effects(default="are taken off", llama="stay"),
        "Print them: `{{ '\u3000' }}`, or leave the dash out.",
        Example(
            "a\u3000{%- if true %}b{% endif %}",
            results("a\u3000b", "ab", "ab", "ab"),
            {},
            "a{{ '\u3000' }}{%- if true %}b{% endif %}",
            "a\u3000b",
        ),
        _blanks_as_texts,
        texts_only,
    ),
    Cause(
        "raw-blocks",
        "`{% raw %}`",
        effects(default="is known", llama="is not known", plus="is known", js="is not known"),
        "Print it as a text: `{{ '{{ x }}' }}`.",
        Example(
            "{% raw %}{{ x }}{% endraw %}",
            results(None, "{{ x }}", "{{ x }}", None, plus="{{ x }}"),
            {},
            "{{ '{{ x }}' }}",
            "{{ x }}",
        ),
        anywhere(_RAW, _as_text),
    ),
    Cause(
        "with-blocks",
        "`{% with %}`",
        _GRAMMAR,
        "Use `{% set %}`.",
        Example(
            "{% with x = 1 %}{{ x }}{% endwith %}", results(None, "1", "1", None), {}, "{% set x = 1 %}{{ x }}", "1"
        ),
        anywhere(_WITH, _as_set),
        messages=(re.compile("Unknown statement( type)?: with"),),
    ),
    Cause(
        "plus-signs",
        "`{%+` and `+%}`",
        _GRAMMAR,
        "Put an empty text between the blanks and the tag: ` {{ '' }}{% if … %}`.",
        Example(
            " {%+ if true %}a{% endif %}",
            results(None, " a", " a", None),
            {},
            " {{ '' }}{% if true %}a{% endif %}",
            " a",
        ),
        anywhere(_PLUS, _kept_blanks),
    ),
    Cause(
        "filtered-set",
        "`{% set x | filter %}…{% endset %}`",
        _GRAMMAR,
        "Filter afterwards: `{% set x = x|upper %}`.",
        Example(
            "{% set x | upper %}a{% endset %}{{ x }}",
            results(None, "A", "A", None),
            {},
            "{% set x %}a{% endset %}{% set x = x|upper %}{{ x }}",
            "A",
        ),
        anywhere(_FILTERED_SET, _set_then_filter),
    ),
    Cause(
        "several-filters-in-a-block",
        "`{% filter a|b %}`",
        _GRAMMAR,
        "Put one block into the other.",
        Example(
            "{% filter trim|upper %} a {% endfilter %}",
            results(None, "A", "A", None),
            {},
            "{% filter upper %}{% filter trim %} a {% endfilter %}{% endfilter %}",
            "A",
        ),
        anywhere(_FILTERS, _nested_filters),
    ),
    Cause(
        "recursive-loops",
        "`{% for … recursive %}`",
        _GRAMMAR,
        "Write a macro that calls itself.",
        Example("{% for i in [1] recursive %}{{ i }}{% endfor %}", results(None, "1", "1", None)),
        anywhere(_RECURSIVE, lambda match: ""),
    ),
    Cause(
        "string-escapes",
        "escapes such as `\\u00e9`, `\\x41` and `\\d` in a string",
        effects(
            default="as in Python",
            llama="an error: only `\\n \\t \\r \\b \\f \\v \\\\ \\' \\\"` are known",
            js="`\\d` is an error",
        ),
        "Write the character itself, and a backslash as `\\\\`.",
        Example("{{ '\\x41' }}", results(None, "A", "A", "A"), {}, "{{ 'A' }}", "A"),
        in_tags(_ESCAPE, _character),
        messages=(re.compile("unknown escape character|Unexpected escaped character"),),
    ),
    Cause(
        "number-spelling",
        "numbers such as `1_000` and `1e3`",
        _GRAMMAR,
        "Write them out: `1000`, `1000.0`.",
        Example("{{ 1_000 }}", results(None, "1000", "1000", None), {}, "{{ 1000 }}", "1000"),
        in_tags(_NUMBER, _plain_number),
    ),
    Cause(
        "sign-after-a-word",
        "a minus directly after `if`, `and`, `or`, `not`, `in`, `else`",
        effects(default="is a sign", llama="an error: it would be a subtraction"),
        "Put it in brackets: `{% if (-x) < 0 %}`.",
        Example(
            "{% if -1 < x %}a{% endif %}",
            results(None, "a", "a", "a"),
            {"x": 0},
            "{% if (-1) < x %}a{% endif %}",
            "a",
        ),
        in_tags(_SIGN, lambda match: f"{match[1]}{match[2]}(-{match[3]})"),
        messages=(re.compile("Unexpected token: - of type 21"),),
    ),
    Cause(
        "short-tuples",
        "`()` and `(x,)`",
        _GRAMMAR,
        "Use lists: `[]`, `[x]`.",
        Example("{{ (1,)|length }}", results(None, "1", "1", None), {}, "{{ [1]|length }}", "1"),
        in_tags(_TUPLE, lambda match: f"[{match[1] or ''}]"),
        messages=(re.compile(r"Unexpected token: \) of type 7|Unexpected token: CloseParen"),),
    ),
    Cause(
        "missing-commas",
        "lists and arguments without commas: `[1 2]`",
        effects(default="an error", llama="commas may be left out", js="commas may be left out"),
        "Write the commas.",
        Example("{{ [1 2]|join }}", results("12", None, None, "12"), {}, "{{ [1, 2]|join }}", "12"),
        messages=(re.compile("expected token ',', got|expected `,`"),),
    ),
    Cause(
        "missing-statement",
        "the statement `{name}`",
        effects(
            default="is known",
            llama="no `block`, `include`, `import`, `autoescape`, `do`",
            mini="no `generation`",
            js="no `block`, `include`, `import`, `autoescape`, `do`",
        ),
        "Use `if`, `for`, `set` and `macro` only.",
        Example("{% block b %}a{% endblock %}", results(None, "a", "a", None), {}, "a", "a"),
        messages=(
            re.compile(r"Unknown statement( type)?: (?P<name>\w+)"),
            re.compile("unknown tag '(?P<name>[^']+)'"),
            re.compile(r"unknown statement (?P<name>\w+)"),
        ),
    ),
    Cause(
        "grammar",
        "a piece that one grammar knows and another does not",
        effects(default="Jinja2's grammar", llama="a smaller one", mini="a smaller one", js="a smaller one"),
        "Write it in a simpler way.",
        Example("{{ 1 if true else 2 if [][:] is defined else 3 }}{{ '' 'a' }}", results("1a", "1a", "1a", "1a")),
        messages=(re.compile("Parser Error|Unexpected token|syntax error|expected token|Invalid LHS|unexpected char"),),
    ),
)
