"""Limits and the errors that name them."""

from __future__ import annotations

import copy
import dataclasses
import pickle

import pytest

from chatjinja.errors import LimitError
from chatjinja.runtime.limits import Limits, exceeded


@pytest.mark.parametrize("name", [field.name for field in dataclasses.fields(Limits)])
def test_each_limit_has_its_error(name: str) -> None:
    error = exceeded(Limits(**{name: 7}), name)
    assert isinstance(error, LimitError)
    assert error.limit == name
    assert error.code == f"limit-{name.replace('_', '-')}"
    assert error.message.startswith("limit reached: ")
    assert "7" in error.message


def test_errors_can_be_copied() -> None:
    error = exceeded(Limits(), "items")
    for twin in (copy.copy(error), pickle.loads(pickle.dumps(error))):
        assert (twin.message, twin.limit, twin.code) == (error.message, error.limit, error.code)
