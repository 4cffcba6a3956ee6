"""Which of the files that came over channels go."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from moltbot_desktop.gateway.media_room import KEPT_DAYS, Lying, surplus, tidy

DAY = 24 * 3600.0
files = st.lists(
    st.tuples(st.integers(0, 50), st.integers(0, 60)).map(lambda one: (one[0], one[1] * DAY)),
    max_size=12,
)


@settings(max_examples=60, deadline=None)
@given(files, st.integers(0, 200))
def test_what_stays_is_young_fits_and_is_the_newest(
    drawn: list[tuple[int, float]], most: int
) -> None:
    lying = [Lying(Path(f"f{n}"), size, came) for n, (size, came) in enumerate(drawn)]
    now = 60 * DAY
    gone = set(surplus(lying, now, days=30, most=most))
    stays = [one for one in lying if one.path not in gone]
    assert sum(one.size for one in stays) <= most
    assert all(now - one.came <= 30 * DAY for one in stays)
    young_gone = [one for one in lying if one.path in gone and now - one.came <= 30 * DAY]
    assert all(one.came <= min((s.came for s in stays), default=now) for one in young_gone)


def test_what_just_came_stays_and_links_are_not_touched(tmp_path: Path) -> None:
    for name in ("old", "new"):
        (tmp_path / name).write_text("x")
    (tmp_path / "link").symlink_to(tmp_path / "old")
    later = datetime.fromtimestamp((KEPT_DAYS + 1) * DAY + 4e9, UTC)
    tidy(tmp_path, later, spare=["new"])
    assert sorted(path.name for path in tmp_path.iterdir()) == ["link", "new"]
