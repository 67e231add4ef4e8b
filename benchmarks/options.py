"""The command-line options that the benchmarks share."""

from __future__ import annotations

import argparse
from pathlib import Path


def parser(description: str | None) -> argparse.ArgumentParser:
    """Options of every benchmark: ``--json``, ``--quick``, ``--templates``."""
    options = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--json", type=Path, metavar="FILE", help="also write the results there")
    options.add_argument("--quick", action="store_true", help="few rounds: shows that it runs, not how fast")
    options.add_argument("--templates", nargs="+", default=[], metavar="NAME", help="only templates so named")
    return options
