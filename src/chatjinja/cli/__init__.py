"""The command line. Needs the extra ``cli`` (typer and rich); importing this module does not."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import NoReturn

INTERRUPTED = 130
"""Exit code after Ctrl-C, as a shell reports it."""


def main(args: Sequence[str] | None = None) -> NoReturn:
    """Run a command line (``sys.argv[1:]`` by default) and exit with its code."""
    try:
        from chatjinja.cli.app import app
    except ModuleNotFoundError as error:
        if error.name is None or error.name.partition(".")[0] not in ("typer", "rich"):
            raise
        print('chatjinja: the command line is not installed; run: pip install "chatjinja[cli]"', file=sys.stderr)
        sys.exit(2)
    except KeyboardInterrupt:
        sys.exit(INTERRUPTED)
    sys.exit(app(args=None if args is None else list(args)))
