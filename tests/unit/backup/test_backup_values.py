"""The pure half of backups: names, lists, lines, settings, transcripts."""

from __future__ import annotations

import json
from pathlib import Path, PurePosixPath

import pytest
from hypothesis import given
from hypothesis import strategies as st

from moltbot_desktop.backup.books import model_names, pairing_names, read_reminders
from moltbot_desktop.backup.file_moves import with_missing_lines
from moltbot_desktop.backup.keys import without_keys
from moltbot_desktop.backup.manifest import Item, Manifest, decoded, encoded
from moltbot_desktop.backup.names import beside, packed_name, unpacked_name
from moltbot_desktop.backup.places import part_of, spot_of
from moltbot_desktop.backup.settings_moves import settings_moves
from moltbot_desktop.backup.transcripts import taken_in
from moltbot_desktop.backup.unpacking import open_archive
from moltbot_desktop.core.errors import UserInputInvalid
from moltbot_desktop.core.ids import AgentId, SessionId
from moltbot_desktop.core.json import JsonObject, JsonValue
from moltbot_desktop.sdk.backup import Does, LeftOut, Part, Why
from tests.bench.safety_archive_bytes import NAMES, archives

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=9), inner),
    max_leaves=12,
)
SHA = "a" * 64


# ----------------------------------------------------------------------------- names


@given(st.text(min_size=1, max_size=60))
def test_a_name_comes_back_as_it_was(text: str) -> None:
    name = packed_name(f"workspaces/main/{text}")
    if name is not None:
        assert unpacked_name(name, windows=False) == f"workspaces/main/{text}"


@given(st.text(max_size=80) | st.sampled_from([one.decode("utf-8", "replace") for one in NAMES]))
def test_no_name_leads_elsewhere(text: str) -> None:
    for windows in (False, True):
        path = unpacked_name(text, windows=windows)
        if path is not None:
            assert not {"", ".", ".."} & set(path.split("/"))
            assert not path.startswith("/")
            assert "\0" not in path
            root = Path("/root/of/it")
            assert (root / PurePosixPath(path)).is_relative_to(root)


@pytest.mark.parametrize("name", ["a%2F..%2Fb", "%2E%2E/x", "a%00b", "%2e%2e/x"])
def test_codes_of_other_letters_stay_as_they_are(name: str) -> None:
    path = unpacked_name(name, windows=False)
    assert path is None or (path.count("/") == name.count("/") and "\0" not in path)


def test_what_is_kept_beside_says_so() -> None:
    assert beside("a/notes.md", "1f3a") == "a/notes (imported 1f3a).md"
    assert beside("Makefile", "1f3a") == "Makefile (imported 1f3a)"
    assert beside(".profile", "1f3a") == ".profile (imported 1f3a)"


@given(st.text(max_size=60))
def test_every_place_has_one_part_or_none(text: str) -> None:
    assert (spot_of(text) is None) == (part_of(text) is None)


# ----------------------------------------------------------------------------- the manifest


def test_a_manifest_comes_back() -> None:
    items = (Item("skills/a/b", Part.SKILLS, 3, SHA, runnable=True),)
    manifest = Manifest("2026-01-02", "x", items, (LeftOut("y", Why.LINK),))
    assert decoded(encoded(manifest)) == manifest


@given(JSON)
def test_whatever_is_written_there_is_a_manifest_or_refused(value: object) -> None:
    rows = {"format": "moltbot-backup", "version": 1, "items": [value], "leftOut": [value]}
    for whole in (value, rows, {**rows, "items": value}):
        try:
            assert decoded(json.dumps(whole).encode()).items == ()
        except UserInputInvalid:
            continue


@pytest.mark.parametrize(
    "row",
    [
        {"size": -1},
        {"size": True},
        {"size": 10**12},
        {"sha256": "x"},
        {"sha256": SHA.upper()},
        {"name": ""},
        {"name": "manifest.json"},
        {"part": "everything"},
    ],
)
def test_what_cannot_be_is_refused(row: dict[str, object]) -> None:
    good = {"name": "skills/a", "part": "skills", "size": 1, "sha256": SHA}
    head = {"format": "moltbot-backup", "version": 1, "made": "", "program": ""}
    assert decoded(json.dumps({**head, "items": [good]}).encode()).items
    with pytest.raises(UserInputInvalid):
        decoded(json.dumps({**head, "items": [{**good, **row}]}).encode())
    with pytest.raises(UserInputInvalid):
        decoded(json.dumps({**head, "items": [good, good]}).encode())


def test_hostile_archives_are_no_backups(tmp_path: Path) -> None:
    """Those that nobody should unpack as a skill; none of them has a manifest of ours."""
    path, tried = tmp_path / "a.zip", 0
    for hostile in archives(whole=False):
        path.write_bytes(hostile.data)
        tried += 1
        with pytest.raises(UserInputInvalid), open_archive(path) as archive:
            archive.check()
    assert tried > 50


# ----------------------------------------------------------------------------- lines, settings


@given(st.binary(max_size=80), st.binary(max_size=80))
def test_lines_are_only_added_and_once(here: bytes, there: bytes) -> None:
    merged, count = with_missing_lines(here, there)
    assert merged.startswith(here)
    assert (count == 0) == (merged == here)
    assert with_missing_lines(merged, there) == (merged, 0)
    lines = {line.strip() for line in merged.split(b"\n")}
    assert all(line.strip() in lines for line in there.split(b"\n") if line.strip())


def test_keys_go_wherever_they_stand() -> None:
    key = "sk-" + "abcdEFGH1234" * 4
    raw: JsonObject = {
        "channels": {"telegram": {"botToken": "plain", "name": "Ada"}},
        "mcp": {"servers": {"x": {"command": "run", "env": {"ANY": "thing"}, "args": ["-k", key]}}},
        "models": {"providers": {"p": {"apiKey": "${P_KEY}", "headers": {"X-A": "b"}}}},
        "note": f"use {key}",
    }
    rest, places = without_keys(raw)
    text = json.dumps(rest)
    assert not any(one in text for one in ("plain", "thing", '"b"', key))
    assert "${P_KEY}" in text
    assert "Ada" in text
    assert ("channels", "telegram", "botToken") in places
    assert ("mcp", "servers", "x", "env", "ANY") in places


@given(JSON, JSON, st.booleans())
def test_no_setting_of_here_is_ever_put(there: JsonValue, here: JsonValue, mine: bool) -> None:
    put: list[object] = []
    there_raw: JsonObject = there if isinstance(there, dict) else {"ui": there}
    here_raw: JsonObject = here if isinstance(here, dict) else {"ui": here}
    for move in settings_moves(
        there_raw, here_raw, lambda place, value: put.append((place, value)), mine=mine
    ):
        assert (move.act is None) == (move.step.does in (Does.SAME, Does.WAITS))
    assert not put  # looking changes nothing


@pytest.mark.parametrize(
    "place",
    [
        "channels.telegram.allowFrom",
        "plugins.entries.x.enabled",
        "mcp.servers.x.command",
        "hooks.internal.enabled",
        "tools.exec.security",
        "gateway.bind",
        "models.providers.x.baseUrl",
        "agents.defaults.model.primary",
        "commands.bash",
        "session.dmScope",
        "skills.load.extraDirs",
    ],
)
def test_what_lets_more_waits_for_the_owner(place: str) -> None:
    raw: object = "x"
    for name in reversed(place.split(".")):
        raw = {name: raw}
    assert isinstance(raw, dict)
    careful = [*settings_moves(raw, {}, lambda *_: None, mine=False)]
    assert [one.step.does for one in careful] == [Does.WAITS]


def test_of_agents_only_their_names_come_unvouched() -> None:
    agent: JsonObject = {"id": "w", "name": "W", "tools": {"profile": "full"}, "workspace": "/x"}
    put: list[tuple[object, object]] = []
    moves = settings_moves(
        {"agents": {"list": [agent]}}, {}, lambda *one: put.append(one), mine=False
    )
    for move in moves:
        if move.act:
            move.act()
    assert put == [(("agents", "list", 0), {"id": "w", "name": "W"})]


# ----------------------------------------------------------------------------- transcripts, books


def lines(*records: object) -> bytes:
    return b"".join(json.dumps(one).encode() + b"\n" for one in records)


def test_a_strangers_conversation_loosens_nothing() -> None:
    head = {"type": "session", "id": "abc", "timestamp": "t", "sessionKey": "agent:main:main"}
    settings = {"elevatedLevel": "full", "label": "Teeth"}
    data = lines(
        head, {"type": "custom", "customType": "settings", "id": "1", "parentId": None,
               "data": settings},
    )  # fmt: skip
    taken = taken_in(data, AgentId("main"), SessionId("abc"), mine=False)
    assert taken is not None
    first, labels, kept = map(json.loads, taken.splitlines())
    assert first["sessionKey"] == "agent:main:import:abc"
    assert labels["data"] == {"untrusted": True, "private": True}
    assert kept["data"] == {"label": "Teeth"}
    assert kept["parentId"] == labels["id"]
    assert taken_in(data, AgentId("main"), SessionId("abc"), mine=True) == data


@given(st.binary(max_size=120), st.booleans())
def test_any_bytes_are_a_conversation_or_none(rest: bytes, mine: bool) -> None:
    head = lines({"type": "session", "id": "abc", "timestamp": "t"})
    assert taken_in(rest, AgentId("main"), SessionId("abc"), mine=mine) is None
    longer = taken_in(head + lines({"a": 1}) + rest, AgentId("main"), SessionId("abc"), mine=mine)
    shorter = taken_in(head + lines({"a": 1}), AgentId("main"), SessionId("abc"), mine=mine)
    assert longer is not None
    assert shorter is not None
    assert longer.startswith(shorter)


@given(JSON)
def test_any_list_is_read_or_refused(value: object) -> None:
    data = json.dumps({"reminders": [value], "contacts": [value], "models": value}).encode()
    for read in (read_reminders, pairing_names, model_names):
        try:
            read(data)
        except UserInputInvalid:
            continue
