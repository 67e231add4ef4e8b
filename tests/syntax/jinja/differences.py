"""Whether our parser and Jinja2's agree on a source."""

from __future__ import annotations

import re
import warnings

from chatjinja import TemplateSyntaxError
from chatjinja.errors import LimitError
from chatjinja.syntax.config import SyntaxConfig
from chatjinja.syntax.jinja.parser import parse
from tests.peers.jinja2_peer import environment
from tests.syntax.jinja.shapes import Shape, ours, theirs

CONFIG = SyntaxConfig()
_UNREACHABLE = re.compile(r"extends|\b(?:and|or|if)\b")


def their_tree(source: str) -> Shape | Exception:
    try:
        return theirs(environment().parse(source))
    except RecursionError:
        raise
    except Exception as error:  # also ValueError and SyntaxError, from literals
        return error


def our_tree(source: str) -> Shape | TemplateSyntaxError:
    try:
        tree, _ = parse(source, CONFIG, filters=environment().filters, tests=environment().tests)
    except TemplateSyntaxError as error:
        return error
    return ours(tree)


def their_refusal(source: str) -> Exception | None:
    """What Jinja2 raises when it compiles the source."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of Python's compiler, about what templates say
            environment().compile(source)
    except RecursionError:
        raise
    except Exception as error:
        return error
    return None


def difference(source: str) -> str | None:
    """How the two differ: in the tree, or in what they refuse; None if they agree or a limit was reached.

    What cannot be reached is out of scope: Jinja2 does not compile what follows an ``extends``, which always
    fails without a loader, nor what constants make unreachable.
    """
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # about unknown escapes
            expected = their_tree(source)
        refusal = their_refusal(source)
        found = our_tree(source)
    except (LimitError, RecursionError):
        return None
    if isinstance(found, TemplateSyntaxError):
        if refusal is not None or (_UNREACHABLE.search(source) and not isinstance(expected, Exception)):
            return None
        return f"refused here only: {found.message}"
    if refusal is not None and "unknown to the frame" not in str(refusal):  # names are not the parser's business
        return f"refused there only: {type(refusal).__name__}: {refusal}"
    if refusal is not None:
        return None
    return None if found == expected else f"trees differ\n  theirs: {expected}\n  ours:   {found}"
