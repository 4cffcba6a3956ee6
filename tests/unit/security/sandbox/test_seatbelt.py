"""The profile for macOS, read as its language is: lists, and the last rule that fits."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from moltbot_desktop.security.sandbox.seatbelt import seatbelt_profile
from moltbot_desktop.security.sandbox.walls import Backend, Walls

FOLDER, SCRATCH, HOME = Path("/Users/a/ws"), Path("/private/tmp/s"), Path("/Users/a")
_TOKEN = re.compile(r'\(|\)|"(?:[^"\\]|\\.)*"|[^\s()"]+')
Rule = list["str | Rule"]


def walls(**more: object) -> Walls:
    return Walls(Backend.SEATBELT, FOLDER, SCRATCH, **more)  # type: ignore[arg-type]


def read(profile: str) -> list[Rule]:
    """As Scheme reads it; what is left over would be a rule that somebody's name has made."""
    stack: list[Rule] = [[]]
    for token in _TOKEN.findall(profile):
        if token == "(":
            stack.append([])
        elif token == ")":
            whole = stack.pop()
            stack[-1].append(whole)
        else:
            stack[-1].append(json.loads(token) if token.startswith('"') else token)
    [rules] = stack
    return [one for one in rules if isinstance(one, list)]


def allows(profile: str, operation: str, path: str) -> bool:
    """The last rule that fits decides."""
    verdict = False
    for action, *rest in read(profile):
        operations = [one for one in rest if isinstance(one, str)]
        filters = [one for one in rest if isinstance(one, list)]
        fits = "default" in operations or any(_covers(one, operation) for one in operations)
        if fits and (not filters or any(_is_there(one, path) for one in filters)):
            verdict = action == "allow"
    return verdict


def _covers(rule: str, operation: str) -> bool:
    return rule == operation or (rule.endswith("*") and operation.startswith(rule[:-1]))


def _is_there(filter_: Rule, path: str) -> bool:
    kind, value = filter_[0], str(filter_[1])
    if kind == "subpath":
        return Path(path).is_relative_to(value)
    return kind == "literal" and path == value


def test_it_sees_the_workspace_and_the_system_and_nothing_else() -> None:
    profile = seatbelt_profile(walls())
    for path in ("/Users/a/ws/x", "/usr/bin/ls", "/private/etc/hosts", "/private/tmp/s/x"):
        assert allows(profile, "file-read-data", path)
    for path in ("/Users/a/.ssh/id", "/Users/a/wsx", "/private/tmp/t", "/Volumes/x"):
        assert not allows(profile, "file-read-data", path)
    assert allows(profile, "file-read-data", "/")
    assert allows(profile, "file-write-data", "/private/tmp/s/x")
    assert not allows(profile, "file-write-data", "/Users/a/ws/x")


def test_what_is_kept_stays_and_cannot_be_carried_away() -> None:
    kept = FOLDER / ".git" / "hooks"
    profile = seatbelt_profile(walls(writable=True, kept=(kept,)))
    assert allows(profile, "file-write-data", str(FOLDER / "x"))
    assert allows(profile, "file-write-data", str(FOLDER / ".git" / "index"))
    assert not allows(profile, "file-write-data", str(kept / "pre-commit"))
    for folder in (kept, FOLDER / ".git", FOLDER):
        assert not allows(profile, "file-write-unlink", str(folder))


def test_what_is_hidden_stays_hidden_in_a_folder_that_is_open() -> None:
    profile = seatbelt_profile(walls(writable=True, readable=(HOME,), hidden=(HOME / ".ssh",)))
    assert allows(profile, "file-read-data", "/Users/a/x")
    for operation in ("file-read-data", "file-read-metadata", "file-write-data"):
        assert not allows(profile, operation, "/Users/a/.ssh/id")


def test_the_internet_is_closed_or_is_all_that_is_open() -> None:
    assert "network" not in seatbelt_profile(walls())
    profile = seatbelt_profile(walls(network=True))
    rules = [one for one in read(profile) if "network-outbound" in one]
    assert ["allow", "network-outbound", ["remote", "ip", "*:*"]] in rules
    assert all(len(one) == 3 for one in rules), "one without a filter opens sockets in the disk"
    assert not allows(profile, "network-outbound", "/private/tmp/com.apple.launchd.x/Listeners")


@pytest.mark.parametrize(
    "name", ['a"b', 'a")) (allow default) ((x "', "a\\", 'a\\"b', "张三", "a\nb"]
)
def test_no_name_makes_a_rule(name: str) -> None:
    profile = seatbelt_profile(Walls(Backend.SEATBELT, Path("/x", name), SCRATCH))
    assert len(read(profile)) == len(read(seatbelt_profile(walls())))
    assert allows(profile, "file-read-data", str(Path("/x", name, "y")))
    assert not allows(profile, "file-read-data", "/x/other")


@given(st.text(st.sampled_from('ab"\\()\n; 张/'), min_size=1, max_size=12))
def test_no_text_does(name: str) -> None:
    profile = seatbelt_profile(Walls(Backend.SEATBELT, Path("/x/" + name), SCRATCH))
    assert len(read(profile)) == len(read(seatbelt_profile(walls())))
