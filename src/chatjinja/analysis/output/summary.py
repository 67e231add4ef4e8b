"""Differences in words; all outputs use these."""

from __future__ import annotations

from chatjinja.analysis.report import Difference, Finding
from chatjinja.analysis.texts import Excerpt, visible

_LONGEST = 100


def headline(difference: Difference) -> str:
    """What differs, in one line."""
    left, right = difference.left, difference.right
    if difference.kind == "text":
        return f"{left} and {right} differ from byte {difference.offset}"
    if difference.kind == "message":
        return f"{left} and {right} raise different messages"
    failed, other = (left, right) if difference.left_failure is not None else (right, left)
    failure = difference.left_failure or difference.right_failure or ""
    return f"{failed} raises, {other} does not: {_one_line(failure)}"


def cause_line(finding: Finding) -> str:
    """A cause in one line."""
    tried = "" if finding.verified else " (likely: going by the message)"
    place = f", line {finding.lineno}" if finding.lineno is not None else ""
    return f"{finding.cause}{place}: {finding.title}{tried}"


def rewrite_line(finding: Finding) -> str:
    """What to do about a cause, in one line."""
    if finding.rewrite is not None and finding.expression is not None:
        return f"{shortened(finding.expression)}  →  {shortened(finding.rewrite)}"
    return finding.advice


def shortened(text: str) -> str:
    """A piece of a template on one line, not too long."""
    line = text.replace("\n", "↵")
    return line if len(line) <= _LONGEST else line[: _LONGEST - 1] + "…"


def _one_line(text: str) -> str:
    return " ".join(text.split())


def excerpt_line(shown: Excerpt) -> tuple[str, str]:
    """What stands before a difference and what stands there, with everything visible."""
    return visible(shown.before), visible(shown.here) or "(end)"


def plain(difference: Difference) -> str:
    """Everything about a difference as plain text."""
    lines = [headline(difference)]
    if difference.lineno is not None:
        piece = f": {shortened(difference.expression)}" if difference.expression else ""
        lines.append(f"line {difference.lineno}{piece}")
    if difference.source is not None:
        lines.append(f"value: {difference.source}")
    for side, shown in ((difference.left, difference.left_excerpt), (difference.right, difference.right_excerpt)):
        if shown is not None:
            before, here = excerpt_line(shown)
            lines.append(f"{side}: {before}>>>{here}")
    for finding in difference.findings:
        lines += (cause_line(finding), f"  {rewrite_line(finding)}")
    if not difference.findings:
        lines.append("no known cause")
    return "\n".join(lines)
