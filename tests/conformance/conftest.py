"""The recordings were made in UTC."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator

import pytest

from tests.conformance.checker import use_utc


@pytest.fixture(autouse=True, scope="package")
def utc() -> Iterator[None]:
    before = os.environ.get("TZ")
    use_utc()
    yield
    if before is None:
        del os.environ["TZ"]
    else:
        os.environ["TZ"] = before
    time.tzset()
