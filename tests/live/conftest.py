"""Nothing here runs but by `--live NAMES`; the option itself stands in tests/conftest.py."""

from __future__ import annotations

import pytest

LIVE = ("discord", "matrix", "mattermost", "slack", "telegram")
"""What `--live` knows; of every other channel it says that there is nothing."""


def wanted(config: pytest.Config) -> tuple[str, ...]:
    given = str(config.getoption("--live"))
    return tuple(one.strip().lower() for one in given.split(",") if one.strip())


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    names = wanted(config)
    if not names:
        return
    unknown = [one for one in names if one not in LIVE]
    if unknown:
        raise pytest.UsageError(
            f"--live: no live run is written for {', '.join(unknown)}; there are {', '.join(LIVE)}"
        )
    kept = [one for one in items if _channel(one) in names]
    dropped = [one for one in items if _channel(one) not in names]
    config.hook.pytest_deselected(items=dropped)
    items[:] = kept


def _channel(item: pytest.Item) -> str:
    """Of ``TestTelegram`` in this folder."""
    if "tests/live/" not in item.nodeid:
        return ""
    owner = item.getparent(pytest.Class)
    return owner.name.removeprefix("Test").lower() if owner is not None else ""
