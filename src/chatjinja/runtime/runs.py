"""Cutting and joining runs: the same operation on origins as on the text.

The reference counts bytes, so runs are cut by bytes. Text that is cut inside a character holds surrogate
escapes, as everywhere.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import groupby

from chatjinja.runtime.convert import as_bytes
from chatjinja.runtime.marked import Marked, Origin, Run, Runs, rejoin, runs_of

Spread = list[Origin]
"""One origin per byte."""


def only_origin(runs: Runs) -> Origin | None:
    """The origin that all characters have; None if there are several, or no characters."""
    found: Origin | None = None
    for text, origin in runs:
        if text:
            if found is not None and found is not origin:
                return None
            found = origin
    return found


def spread(runs: Runs) -> Spread:
    """The origin of each byte."""
    out: Spread = []
    for text, origin in runs:
        out += [origin] * (len(text) if text.isascii() else len(as_bytes(text)))
    return out


def gather(data: bytes, origins: Spread) -> Runs:
    """Runs of text whose bytes have these origins."""
    out: list[Run] = []
    at = 0
    for _, group in groupby(origins, key=id):
        same = list(group)
        end = at + len(same)
        out.append((data[at:end].decode("utf-8", "surrogateescape"), same[0]))
        at = end
    return tuple(out)


def recut(text: str, runs: Runs) -> Runs:
    """`text` with the origins of `runs`, which have as many bytes."""
    if not text:
        return ()
    origin = only_origin(runs)
    if origin is not None:
        return ((text, origin),)
    return gather(as_bytes(text), spread(runs))


def cut_runs(value: str | Marked, places: slice) -> Runs:
    """The runs of ``value[places]``, in bytes."""
    runs = runs_of(value)
    if places.step not in (None, 1):
        data = as_bytes("".join([run[0] for run in runs]))
        return gather(data[places], spread(runs)[places])
    start, end, _ = places.indices(sum([size_of(run[0]) for run in runs]))
    out: list[Run] = []
    at = 0
    for text, origin in runs:
        size = size_of(text)
        first, last = max(start - at, 0), min(end - at, size)
        if first < last:
            part = text if last - first == size else _bytes_of(text, first, last)
            out.append((part, origin))
        at += size
    return tuple(out)


def _bytes_of(text: str, first: int, last: int) -> str:
    if text.isascii():
        return text[first:last]
    return as_bytes(text)[first:last].decode("utf-8", "surrogateescape")


def size_of(text: str) -> int:
    """Length in bytes."""
    return len(text) if text.isascii() else len(as_bytes(text))


def joined(parts: Iterable[Runs], separator: Runs = ()) -> Runs:
    """All parts, one after the other, with the separator between them."""
    out: list[Run] = []
    for number, part in enumerate(parts):
        if number:
            out += separator
        out += part
    return tuple(out)


def fitting(runs: Runs, text: str) -> Runs:
    """`runs` if they make up `text`; else, to be safe, all of it as input."""
    return runs if make_up(runs, text) else ((text, True),)


def make_up(runs: Iterable[Run], text: str) -> bool:
    """Whether runs are, one after the other, the bytes of `text`."""
    whole = "".join([run[0] for run in runs])
    return whole == text or rejoin(whole) == rejoin(text)
