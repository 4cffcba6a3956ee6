"""The folder of Moltbot, Clawdbot or OpenClaw comes in, and is never changed.

The data is made by hand to the formats of the reference's source of 2026-01 (config/paths.ts,
config/sessions/types.ts, cron/types.ts, infra/exec-approvals.ts).
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from moltbot_desktop.backup.foreign import read_foreign
from moltbot_desktop.config.places import value_at
from moltbot_desktop.core.errors import UserInputInvalid
from moltbot_desktop.sdk.backup import Does, Part, Why
from tests.fakes.backup_homes import SECRET, contents, desk_of, jobs, write
from tests.fakes.key_ring import MemoryKeyRing

CONFIG = """{
  // JSON5, as the reference reads it
  meta: { lastTouchedVersion: "2026.1.27" },
  agents: {
    defaults: { workspace: "~/clawd", userTimezone: "Europe/Vienna", bogusSetting: 3 },
    list: [{ id: "main", default: true, name: "Clawd" }, { id: "work", name: "Work" }],
  },
  channels: { telegram: { enabled: true, botToken: "%s", allowFrom: ["7"] } },
  ui: { seamColor: "#ff0000" },
  session: { reset: { mode: "idle", idleMinutes: 45 } },
}"""
SESSION = "0f6fbd5c-6d4f-4d35-9a6e-1c9a4f3f9b11"
TRANSCRIPT = [
    {"type": "session", "version": 3, "id": SESSION, "timestamp": "2026-01-27T10:00:00Z",
     "cwd": "/home/ada/clawd"},
    {"type": "message", "id": "a1", "parentId": None, "timestamp": "2026-01-27T10:00:01Z",
     "message": {"role": "user", "content": [{"type": "text", "text": "Where is my boat?"}]}},
    {"type": "message", "id": "a2", "parentId": "a1", "timestamp": "2026-01-27T10:00:02Z",
     "message": {"role": "assistant", "content": [{"type": "text", "text": "In the harbour."}]}},
]  # fmt: skip
JOBS = {
    "version": 1,
    "jobs": [
        {
            "id": "morning",
            "name": "Morning brief",
            "enabled": True,
            "createdAtMs": 1769000000000,
            "updatedAtMs": 1769000000000,
            "schedule": {"kind": "cron", "expr": "0 8 * * *", "tz": "Europe/Vienna"},
            "sessionTarget": "isolated",
            "wakeMode": "next-heartbeat",
            "payload": {"kind": "agentTurn", "message": "What is on today?"},
            "state": {},
        }
    ],
}
APPROVALS = {"version": 1, "agents": {"main": {"allowlist": [{"pattern": "/usr/bin/git"}]}}}


def made(home: Path, name: str = "openclaw") -> Path:
    state = home / f".{name}"
    write(state / f"{name}.json", CONFIG % SECRET)
    write(home / "clawd" / "MEMORY.md", "- has a boat\n")
    write(home / "clawd" / "memory" / "2026-01-27.md", "- sailed\n")
    write(state / "workspace-work" / "MEMORY.md", "- works\n")
    write(state / "skills" / "boat" / "SKILL.md", "---\nname: boat\ndescription: B.\n---\nRow.\n")
    sessions = state / "agents" / "main" / "sessions"
    write(sessions / f"{SESSION}.jsonl", "".join(json.dumps(one) + "\n" for one in TRANSCRIPT))
    entry = {"sessionId": SESSION, "updatedAt": 1769508002000, "elevatedLevel": "full"}
    write(sessions / "sessions.json", json.dumps({"agent:main:main": entry}))
    write(state / "cron" / "jobs.json", json.dumps(JOBS))
    write(state / "exec-approvals.json", json.dumps(APPROVALS))
    write(state / "credentials" / "telegram-allowFrom.json", '{"allowFrom": ["7"]}')
    write(state / "extensions" / "boats" / "index.ts", "export {}")
    return state


@pytest.mark.parametrize("name", ["openclaw", "moltbot", "clawdbot"])
def test_a_folder_comes_in_and_stays_as_it_is(tmp_path: Path, name: str) -> None:
    state = made(tmp_path / "ada", name)
    desk = desk_of(tmp_path / "ada" / "new")
    before = {path: path.stat() for path in (tmp_path / "ada").rglob("*") if path.is_file()}
    object.__setattr__(desk.paths, "user_home", tmp_path / "ada")
    done = desk.import_(desk.plan(state, mine=True))
    for path, status in before.items():
        now = path.stat()
        assert (now.st_mtime_ns, now.st_size) == (status.st_mtime_ns, status.st_size)
    home = desk.paths.home
    assert (home / "workspace" / "MEMORY.md").read_text("utf-8") == "- has a boat\n"
    assert (home / "workspace-work" / "MEMORY.md").read_text("utf-8") == "- works\n"
    assert (home / "skills" / "boat" / "SKILL.md").exists()
    assert jobs(desk) == [("Morning brief", True)]
    config = desk.load().config
    assert config.agent.user_timezone == "Europe/Vienna"
    assert [one.id for one in config.agents] == ["main", "work"]
    transcript = home / "agents" / "main" / "sessions" / f"{SESSION}.jsonl"
    assert json.loads(transcript.read_text("utf-8").split("\n")[0])["sessionKey"] == (
        "agent:main:main"
    )
    whys = {one.name: one.why for one in done.steps if one.does is Does.WAITS}
    assert whys["channels.telegram.botToken"] is Why.SECRET
    assert whys[str(state / "exec-approvals.json")] is Why.TRUST
    assert whys[str(state / "extensions" / "boats")] is Why.NO_COUNTERPART
    assert whys["agents.defaults.bogusSetting"] is Why.NO_COUNTERPART
    assert whys["agents.defaults.workspace"] is Why.OTHER_COMPUTER
    assert not desk.plan(state, mine=True).changes
    everything = b"".join(contents(home).values())
    assert SECRET.encode() not in everything


def test_keys_go_into_the_password_store_only_when_asked(tmp_path: Path) -> None:
    state, ring = made(tmp_path / "ada"), MemoryKeyRing()
    desk = desk_of(tmp_path / "two", ring)
    desk.import_(desk.plan(state, mine=True))
    assert not ring.kept
    plan = desk.plan(state, mine=True, keys=True)
    assert not ring.kept  # a plan changes nothing
    desk.import_(plan)
    assert ring.kept == {("moltbot-desktop", "channels.telegram.botToken"): SECRET}
    token = value_at(desk.load().config.raw, ("channels", "telegram", "botToken"))
    assert token == "keyring:channels.telegram.botToken"
    assert SECRET not in repr(plan)


def test_without_a_word_nothing_more_is_let(tmp_path: Path) -> None:
    state, desk = made(tmp_path / "ada"), desk_of(tmp_path / "two")
    desk.import_(desk.plan(state))
    assert jobs(desk) == [("Morning brief", False)]
    assert "channels" not in desk.load().config.raw
    index = desk.paths.home / "agents" / "main" / "sessions" / "sessions.json"
    assert not index.exists()


def test_a_folder_of_something_else_is_refused(tmp_path: Path) -> None:
    (tmp_path / "photos").mkdir()
    with pytest.raises(UserInputInvalid):
        desk_of(tmp_path / "two").plan(tmp_path / "photos")


def test_the_own_folder_is_refused(tmp_path: Path) -> None:
    desk = desk_of(tmp_path / "two")
    write(desk.paths.home / "moltbot.json", "{}")
    with pytest.raises(UserInputInvalid):
        desk.plan(desk.paths.home)


@pytest.mark.parametrize("text", ["", "{", "[]", "\0\1", '{"agents": 3, "cron": {"store": 7}}'])
def test_settings_that_cannot_be_read_cost_only_themselves(tmp_path: Path, text: str) -> None:
    state = made(tmp_path)
    write(state / "openclaw.json", text)
    offer = read_foreign(state, tmp_path)
    parts = {item.part for item in offer.items}
    assert {Part.MEMORY, Part.SESSIONS, Part.SKILLS} <= parts
