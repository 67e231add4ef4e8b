"""What a loader finds."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple


class Model(NamedTuple):
    """Templates and special tokens of a model.

    Attributes:
        sources: templates by name; the unnamed one is ``"default"``. May be empty.
        bos_token, eos_token: texts; empty if there is none.
        add_bos, add_eos: whether the model's tokenizer adds them.
        where: what was read, for people.
    """

    sources: Mapping[str, str]
    bos_token: str
    eos_token: str
    add_bos: bool
    add_eos: bool
    where: str
