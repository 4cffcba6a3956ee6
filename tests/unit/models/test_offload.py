"""How many layers are tried on a graphics card."""

from __future__ import annotations

import pytest

from moltbot_desktop.models.offload import offload


@pytest.mark.parametrize("wanted", [None, 0, 1, 500])
def test_where_a_card_can_be_used_it_is_used_as_wanted(wanted: int | None) -> None:
    assert offload(wanted, possible=True) == (wanted, "")


def test_where_none_can_be_used_only_who_asked_for_it_is_told() -> None:
    assert offload(None, possible=False) == offload(0, possible=False) == (0, "")
    layers, reason = offload(5, possible=False)
    assert layers == 0 and "graphics card" in reason
