"""A kernel32 of the tests' own, checked at the end of each."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.fakes.kernel32 import Kernel32


@pytest.fixture
def kernel32() -> Iterator[Kernel32]:
    fake = Kernel32()
    try:
        yield fake
        fake.check()
    finally:
        fake.close()
