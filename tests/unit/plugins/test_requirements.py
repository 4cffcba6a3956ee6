"""What a plugin needs is looked up without importing it."""

from __future__ import annotations

import importlib.metadata

import pytest

from moltbot_desktop.plugins.manifest import Requirements
from moltbot_desktop.plugins.requirements import missing

HAVE = importlib.metadata.version("pytest")


@pytest.mark.parametrize(
    ("requirement", "there"),
    [
        ("pytest", True),
        ("PyTest [x] >= 1.0", True),
        (f"pytest=={HAVE}", True),
        ("pytest>=1, <1000", True),
        (f"pytest~={HAVE}", True),
        ("pytest>=1000", False),
        ("pytest<1", False),
        ("pytest>1,<2", False),
        (f"pytest!={HAVE}", False),
        ("pytest~=1.0", False),
        ("no-such-package-anywhere", False),
        ("", False),
    ],
)
def test_packages(requirement: str, there: bool) -> None:
    found = missing(Requirements((requirement,)))
    assert bool(found) is not there
    assert found.packages == (() if there else (requirement,))


def test_programs() -> None:
    here = {"curl": "/bin/curl"}
    found = missing(Requirements(bins=("curl", "ffmpeg")), here.get)
    assert found.bins == ("ffmpeg",)
