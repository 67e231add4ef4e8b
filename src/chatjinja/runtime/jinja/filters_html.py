"""Filters for HTML and URLs."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from chatjinja.runtime.convert import check_size
from chatjinja.runtime.jinja.callables import Function
from chatjinja.runtime.jinja.filters_sequences import bad_argument
from chatjinja.runtime.jinja.markup import Markup, escape
from chatjinja.runtime.jinja.text import measure, noted, soft_text
from chatjinja.runtime.jinja.undefined import Undefined
from chatjinja.runtime.limits import spend

if TYPE_CHECKING:
    from chatjinja.runtime.state import Runtime


def do_escape(rt: Runtime, s: Any, /) -> Markup:
    """The value as Markup: what has a meaning in HTML becomes entities."""
    return noted(rt, escape(soft_text(rt, s)))


def do_forceescape(rt: Runtime, /, value: Any) -> Markup:
    """As `escape`, also of what is Markup already."""
    return noted(rt, escape(str.__str__(soft_text(rt, value))))


def do_safe(rt: Runtime, /, value: Any) -> Markup:
    """The value as Markup, as it is."""
    return Markup(soft_text(rt, value))


_MATCHED = 1
"""How many characters are matched with a pattern or quoted in the time of a step."""


def do_striptags(rt: Runtime, /, value: Any) -> str:
    """The text without tags, comments and entities, blanks collapsed."""
    text = soft_text(rt, value)
    spend(rt, len(text), _MATCHED)
    return noted(rt, Markup(text).striptags())


_NOT_IN_NAMES = re.compile(r"[\s/>=]", re.ASCII)


def do_xmlattr(rt: Runtime, /, d: Any, autospace: Any = True) -> str:
    """A mapping as attributes of a tag; None and undefined are left out."""
    if type(d) is Undefined:
        d.fail()
    if not isinstance(d, Mapping):
        raise TypeError(f"{type(d).__name__!r} object has no attribute 'items'")
    measure(rt, d)
    attributes = []
    for key, value in d.items():
        if value is None or type(value) is Undefined:
            continue
        if _NOT_IN_NAMES.search(key) is not None:
            raise bad_argument(f"Invalid character in attribute name: {key!r}")
        attributes.append(f'{escape(key)}="{escape(value)}"')
    made = noted(rt, " ".join(attributes))
    if made and autospace:
        made = " " + made
    return Markup(made) if rt.autoescape else made


# --- URLs ------------------------------------------------------------------------------------------------


def do_urlencode(rt: Runtime, /, value: Any) -> str:
    """A text quoted for a URL, or a mapping or pairs as a query."""
    if isinstance(value, str) or not isinstance(value, Iterable):
        return noted(rt, _quoted(rt, value, False))
    pairs: Any = value.items() if isinstance(value, dict) else value
    fields = [f"{_quoted(rt, key, True)}={_quoted(rt, item, True)}" for key, item in pairs]
    check_size(rt, sum(map(len, fields)))
    return noted(rt, "&".join(fields))


def _quoted(rt: Runtime, value: Any, in_query: bool) -> str:
    from urllib.parse import quote_from_bytes

    data = value if isinstance(value, bytes) else soft_text(rt, value).encode("utf-8")
    spend(rt, len(data), _MATCHED)
    text = quote_from_bytes(data, b"" if in_query else b"/")
    return text.replace("%20", "+") if in_query else text


_SCHEME = re.compile(r"^([\w.+-]{2,}:(/){0,2})$")
_DOMAINS = "com|net|int|edu|gov|org|info|mil"
_URL = re.compile(
    rf"""
    (?: (?: https?:// | www\. ) (?: [\w%-]+ \. )* (?: [a-z]{{2,63}} | xn--[\w%]{{2,59}} )
      | (?: [\w%-]{{2,63}} \. )+ (?: {_DOMAINS} )
      | https?:// \d{{1,3}} (?: \.\d{{1,3}} ){{3}}
      | https?:// \[ (?: [\da-f]{{0,4}}: ){{2}} (?: [\da-f]{{0,4}}:? ){{1,6}} \]
    )
    (?: :\d{{1,5}} )?
    (?: [/?\#]\S* )?
    $
    """,
    re.IGNORECASE | re.VERBOSE,
)
"""A whole word that is a web address: with a scheme or ``www``, with a common domain, or with an IP address."""
_MAIL = re.compile(r"^\S+@\w[\w.-]*\.\w+$")
_OPENING = re.compile(r"^([(<]|&lt;)+")
_CLOSING = re.compile(r"([)>.,\n]|&gt;)+$")
_PAIRS = (("(", ")"), ("<", ">"), ("&lt;", "&gt;"))
_LONGEST_WORD = 4096
"""Longer words cost steps: the patterns go over a word many times."""


def do_urlize(
    rt: Runtime,
    /,
    value: Any,
    trim_url_limit: Any = None,
    nofollow: Any = False,
    target: Any = None,
    rel: Any = None,
    extra_schemes: Any = None,
) -> str:
    """The text with links around web and mail addresses."""
    relations = {"noopener", *text_parts(rel), *(("nofollow",) if nofollow else ())}
    schemes: Iterable[str] = () if extra_schemes is None else extra_schemes
    for scheme in schemes:
        if _SCHEME.fullmatch(scheme) is None:
            raise bad_argument(f"{scheme!r} is not a valid URI scheme prefix.")
    attributes = f' rel="{escape(" ".join(sorted(relations)))}"'
    if target:
        attributes += f' target="{escape(target)}"'
    text = soft_text(rt, value)
    spend(rt, len(text), _MATCHED)
    words = re.split(r"(\s+)", str.__str__(escape(text)))
    for number, word in enumerate(words):
        if len(word) > _LONGEST_WORD:
            spend(rt, len(word) ** 2, 1000)
        words[number] = _linked(word, attributes, trim_url_limit, schemes)
    made = noted(rt, "".join(words))
    return Markup(made) if rt.autoescape else made


def text_parts(text: Any) -> list[str]:
    """The words of a text that may be None or empty."""
    return text.split() if text else []


def _linked(word: str, attributes: str, limit: Any, schemes: Iterable[str]) -> str:
    head, middle, tail = _cut(word)
    if _URL.match(middle):
        shown = middle if limit is None or len(middle) <= limit else f"{middle[:limit]}..."
        address = middle if middle.startswith(("https://", "http://")) else f"https://{middle}"
        middle = f'<a href="{address}"{attributes}>{shown}</a>'
    elif middle.startswith("mailto:") and _MAIL.match(middle[7:]):
        middle = f'<a href="{middle}">{middle[7:]}</a>'
    elif "@" in middle and not middle.startswith(("www.", "@")) and ":" not in middle and _MAIL.match(middle):
        middle = f'<a href="mailto:{middle}">{middle}</a>'
    else:
        for scheme in schemes:
            if middle != scheme and middle.startswith(scheme):
                middle = f'<a href="{middle}"{attributes}>{middle}</a>'
    return head + middle + tail


def _cut(word: str) -> tuple[str, str, str]:
    """A word without the brackets before it and the punctuation behind it, and these."""
    opening = _OPENING.match(word)
    head = opening[0] if opening else ""
    middle, tail = word[len(head) :], ""
    # Looking at the end first keeps the pattern from trying every place of a long word.
    closing = _CLOSING.search(middle) if middle.endswith((")", ">", ".", ",", "\n", "&gt;")) else None
    if closing:
        middle, tail = middle[: closing.start()], closing[0]
    for opened, closed in _PAIRS:
        # Brackets that the address opened belong to it.
        missing = middle.count(opened) - middle.count(closed)
        if missing > 0:
            for _ in range(min(middle.count(opened), tail.count(closed))):
                end = tail.index(closed) + len(closed)
                middle, tail = middle + tail[:end], tail[end:]
    return head, middle, tail


HTML_FILTERS: Mapping[str, Function] = MappingProxyType(
    {
        "e": do_escape,
        "escape": do_escape,
        "forceescape": do_forceescape,
        "safe": do_safe,
        "striptags": do_striptags,
        "urlencode": do_urlencode,
        "urlize": do_urlize,
        "xmlattr": do_xmlattr,
    }
)
"""Filters by name."""
