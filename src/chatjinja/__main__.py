"""``python -m chatjinja``: the command line."""

from chatjinja.cli import main

main()
