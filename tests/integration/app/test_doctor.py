"""`doctor`: each finding is made in a real home, seen, mended where it can be, and gone."""

from __future__ import annotations

import contextlib
import io
import json
import logging
import re
import sys
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from moltbot_desktop.app.doctor import SecurityDoctor
from moltbot_desktop.app.logs import start_logging
from moltbot_desktop.app.paths import Paths
from moltbot_desktop.app.plugins import plugin_survey, switched_on
from moltbot_desktop.app.skills_setup import open_skills
from moltbot_desktop.app.workspace import prepare_workspace
from moltbot_desktop.cli.doctor import run_doctor
from moltbot_desktop.cli.parser import parse
from moltbot_desktop.config.load import load_config
from moltbot_desktop.core.clock import ManualClock
from moltbot_desktop.core.i18n import Language
from moltbot_desktop.core.permissions import Term
from moltbot_desktop.plugins.consent import PluginConsent
from moltbot_desktop.sdk.audit import Finding, Setting, Severity
from moltbot_desktop.sdk.audit_words import words_of
from moltbot_desktop.sdk.permissions import Kind, Part
from moltbot_desktop.security.permission_book import PermissionBook
from moltbot_desktop.security.permissions import Permissions
from moltbot_desktop.security.sandbox.probe import Found
from moltbot_desktop.security.sandbox.walls import Backend
from moltbot_desktop.skills.trust import TrustBook
from tests.fakes.plugins import make_plugin

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="its files have no such bits")

PROGRAM = Path(__file__).resolve().parents[3]
NOW = datetime(2026, 11, 22, 12, tzinfo=UTC)
KEY = "sk-" + "a1B2" * 8
ENGLISH = Language.ENGLISH


@dataclass
class Home:
    """A home in a place that others can reach, as `/home/ada` is on many computers."""

    root: Path
    walls: Found = field(default_factory=lambda: Found(Backend.BUBBLEWRAP))
    clock: ManualClock = field(default_factory=lambda: ManualClock(NOW))

    @property
    def paths(self) -> Paths:
        return Paths(self.root / ".moltbot", self.root, PROGRAM)

    @property
    def doctor(self) -> SecurityDoctor:
        return SecurityDoctor(
            self.paths,
            lambda: load_config(self.paths.home, environment={}),
            self.clock,
            ENGLISH,
            lambda: self.walls,
        )

    def write(self, name: str, text: str, mode: int = 0o600) -> Path:
        path = self.paths.home / name
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        path.chmod(mode)
        return path

    def settings(self, text: str) -> Path:
        return self.write("moltbot.json", text)

    def allow(self, part: Part) -> None:
        with contextlib.closing(PermissionBook(self.paths.permissions_database)) as book:
            Permissions(book, self.clock).give((part,), Term.ALWAYS, "main")

    def found(self) -> dict[str, Finding]:
        # Who runs the tests is not what they are about.
        return {one.id: one for one in self.doctor.examine() if one.id != "process.root"}


@pytest.fixture
def home() -> Iterator[Home]:
    # Not below pytest's own folder, which nobody else can reach.
    with tempfile.TemporaryDirectory(prefix="moltbot-doctor-") as name:
        root = Path(name).resolve()
        root.chmod(0o755)
        made = Home(root)
        made.paths.home.mkdir(mode=0o700)
        yield made


def opened(home: Home) -> None:
    home.paths.home.chmod(0o755)


# --------------------------------------------------------------------- what is there from the start


def test_a_fresh_home_has_nothing_above_a_note(home: Home) -> None:
    home.paths.home.rmdir()
    handler = start_logging(home.paths.logs)
    assert handler is not None
    prepare_workspace(home.paths, load_config(home.paths.home).config)
    logging.getLogger().removeHandler(handler)
    handler.close()
    assert home.found() == {}
    assert home.paths.home.stat().st_mode & 0o777 == 0o700


# --------------------------------------------------------------------- what is mended by itself


def readable(name: str) -> Callable[[Home], None]:
    def make(home: Home) -> None:
        opened(home)
        home.write(name, "{}", 0o644)

    return make


def folder(name: str, mode: int) -> Callable[[Home], None]:
    def make(home: Home) -> None:
        opened(home)
        (home.paths.home / name).mkdir(parents=True)
        (home.paths.home / name).chmod(mode)

    return make


def settings(text: str) -> Callable[[Home], None]:
    return lambda home: home.settings(text) and None


def writable_home(home: Home) -> None:
    home.paths.home.chmod(0o777)


def writable_skill(home: Home) -> None:
    opened(home)
    skill = home.paths.managed_skills / "notes"
    skill.mkdir(parents=True)
    skill.chmod(0o777)


def allowed(part: Part, days: int = 0) -> Callable[[Home], None]:
    def make(home: Home) -> None:
        home.allow(part)
        home.clock.advance(days * 86_400)

    return make


GIT = Part(Kind.PROGRAM, "exec", "/usr/bin/git", ("git", "fetch", "origin"))
MENDED: dict[str, tuple[Callable[[Home], None], Severity]] = {
    "fs.home.readable": (opened, Severity.WARNING),
    "fs.home.writable": (writable_home, Severity.CRITICAL),
    "fs.config.readable": (readable("moltbot.json"), Severity.WARNING),
    "fs.backup.readable": (readable("moltbot.json.bak"), Severity.WARNING),
    "fs.token.readable": (readable("gateway-token"), Severity.WARNING),
    "fs.secrets.readable": (readable("secrets.json"), Severity.WARNING),
    "fs.state.readable": (readable("memory-inbox.jsonl"), Severity.WARNING),
    "fs.trust.writable": (folder("skill-trust", 0o777), Severity.CRITICAL),
    "fs.sessions.readable": (folder("agents/main/sessions", 0o755), Severity.WARNING),
    "fs.logs.readable": (folder("logs", 0o755), Severity.WARNING),
    "fs.workspace.writable": (folder("workspace", 0o777), Severity.CRITICAL),
    "fs.workspace.readable": (folder("workspace", 0o755), Severity.WARNING),
    "fs.skills.writable": (writable_skill, Severity.CRITICAL),
    "fs.plugins.writable": (folder("extensions", 0o777), Severity.CRITICAL),
    "fs.hooks.writable": (folder("hooks", 0o777), Severity.CRITICAL),
    "fs.model.writable": (folder("models/files", 0o777), Severity.CRITICAL),
    "browser.evaluate": (
        settings("{browser: {enabled: true, evaluateEnabled: true}}"),
        Severity.WARNING,
    ),
    "browser.no_sandbox": (
        settings("{browser: {enabled: true, noSandbox: true}}"),
        Severity.WARNING,
    ),
    "exec.safe_bins": (settings('{tools: {exec: {safeBins: ["jq", "awk"]}}}'), Severity.WARNING),
    "channels.dm.open": (
        settings('{channels: {telegram: {dmPolicy: "open", allowFrom: ["*"]}}}'),
        Severity.CRITICAL,
    ),
    "channels.group.open": (
        settings('{channels: {telegram: {accounts: {work: {groupPolicy: "open"}}}}}'),
        Severity.CRITICAL,
    ),
    "channels.dm.shared": (
        settings('{channels: {telegram: {allowFrom: ["1", "2"]}}, session: {dmScope: "main"}}'),
        Severity.WARNING,
    ),
    "channels.commands.anybody": (
        settings("{channels: {telegram: {}}, commands: {useAccessGroups: false}}"),
        Severity.WARNING,
    ),
    "grants.folder": (allowed(Part(Kind.FOLDER, "read", "/home")), Severity.WARNING),
    "grants.program.any": (
        allowed(Part(Kind.PROGRAM, "exec", "/opt/tools/*", pattern=True)),
        Severity.WARNING,
    ),
    "grants.program.starts_others": (
        allowed(Part(Kind.PROGRAM, "exec", "/usr/bin/env", pattern=True)),
        Severity.WARNING,
    ),
    "grants.unused": (allowed(GIT, days=91), Severity.INFO),
}


def test_whoever_runs_is_told_once_a_setting_is_mended(home: Home) -> None:
    seen: list[str] = []
    home.settings("{}")
    look = home.doctor.loaded
    doctor = replace(home.doctor, written=lambda: seen.append(look().config.ui.theme))
    doctor.mend(Setting("ui.theme", "dark"))
    assert seen == ["dark"]


@pytest.mark.parametrize("id", MENDED)
def test_what_can_be_mended_is_seen_mended_and_gone(home: Home, id: str) -> None:
    make, severity = MENDED[id]
    make(home)
    found = home.found()
    assert found[id].severity is severity
    out = io.StringIO()
    arguments = parse(["doctor", "--fix", "--yes", "--json"])
    run_doctor(home.doctor, arguments, lambda _: "", ENGLISH, out)
    told = json.loads(out.getvalue())
    assert not told["failed"]
    assert id not in {one["id"] for one in told["findings"]}
    again = io.StringIO()
    run_doctor(home.doctor, arguments, lambda _: "", ENGLISH, again)
    assert json.loads(again.getvalue())["fixed"] == []


def test_a_file_that_nobody_can_reach_is_a_note(home: Home) -> None:
    home.write("gateway-token", "x", 0o644)
    found = home.found()["fs.token.readable"]
    assert found.severity is Severity.INFO
    assert "keeps them out" in words_of(found, ENGLISH).why


# --------------------------------------------------------------------- what the person decides


def synced(home: Home) -> None:
    place = home.root / "Dropbox"
    place.mkdir()
    home.settings(json.dumps({"agents": {"defaults": {"workspace": str(place / "notes")}}}))


def elevated(home: Home) -> None:
    entry = {"sessionId": "a", "updatedAt": 1, "elevatedLevel": "full"}
    home.write("agents/main/sessions/sessions.json", json.dumps({"agent:main:main": entry}))


def stranger_parent(home: Home) -> None:
    home.root.chmod(0o777)


def linked_settings(home: Home) -> None:
    real = home.root / "dotfiles.json"
    real.write_text("{}", encoding="utf-8")
    real.chmod(0o600)
    (home.paths.home / "moltbot.json").symlink_to(real)


def searched_first(home: Home) -> None:
    place = home.root / "bin"
    place.mkdir()
    place.chmod(0o777)
    home.settings(json.dumps({"tools": {"exec": {"pathPrepend": [str(place)]}}}))


def loose_server(home: Home) -> None:
    program = home.root / "server"
    program.write_text("#!/bin/sh\n", encoding="utf-8")
    program.chmod(0o777)
    home.settings(json.dumps({"mcp": {"servers": {"own": {"command": str(program)}}}}))


def no_walls(home: Home) -> None:
    home.walls = Found(Backend.NONE, reason="bubblewrap: not allowed")


def outside_plugin(home: Home) -> None:
    make_plugin(home.paths.home / "extensions", "sun")
    home.settings("{plugins: {entries: {sun: {enabled: true}}}}")


def waiting_skill(home: Home) -> None:
    text = "---\nname: garden\ndescription: What grows.\n---\nWater it.\n"
    home.write("skills/garden/SKILL.md", text)


def test_many_skills_that_wait_are_counted(home: Home) -> None:
    for number in (1, 2, 9, 10, 11, 12):
        text = f"---\nname: box-{number}\ndescription: What is in it.\n---\nLook.\n"
        home.write(f"skills/box-{number}/SKILL.md", text)
    told = words_of(home.found()["skills.waiting"], ENGLISH).found
    assert told.endswith("(6): box-1, box-2, box-9, box-10, box-11, …")


def server(**more: object) -> Callable[[Home], None]:
    return settings(json.dumps({"mcp": {"servers": {"time": more}}}))


TOLD: dict[str, tuple[Callable[[Home], None], Severity]] = {
    "fs.parent.writable": (stranger_parent, Severity.CRITICAL),
    "fs.config.link": (linked_settings, Severity.INFO),
    "fs.workspace.synced": (synced, Severity.WARNING),
    "fs.programs.writable": (searched_first, Severity.CRITICAL),
    "fs.mcp.writable": (loose_server, Severity.CRITICAL),
    "mode.trusting": (settings('{security: {mode: "trusting"}}'), Severity.WARNING),
    "exec.elevated.left_on": (elevated, Severity.WARNING),
    "exec.elevated.allow_from": (
        settings('{tools: {elevated: {allowFrom: {telegram: ["*"]}}}}'),
        Severity.INFO,
    ),
    "browser.cdp_elsewhere": (
        settings('{browser: {enabled: true, cdpUrl: "http://10.0.0.4:9222"}}'),
        Severity.CRITICAL,
    ),
    "browser.hosts.metadata": (
        settings('{browser: {ssrfPolicy: {allowedHostnames: ["169.254.169.254:80"]}}}'),
        Severity.CRITICAL,
    ),
    "gateway.http.on": (settings("{gateway: {http: {enabled: true}}}"), Severity.INFO),
    "gateway.openai.on": (
        settings("{gateway: {http: {endpoints: {embeddings: {enabled: true}}}}}"),
        Severity.INFO,
    ),
    "gateway.token.short": (
        settings('{gateway: {http: {enabled: true}, auth: {token: "letmein"}}}'),
        Severity.CRITICAL,
    ),
    "network.open": (settings("{tools: {web: {fetch: {enabled: true}}}}"), Severity.INFO),
    "mcp.unpinned": (server(command="npx", args=["-y", "mcp-time"]), Severity.WARNING),
    "mcp.unasked": (server(command="/usr/bin/true", approval="auto"), Severity.INFO),
    "mcp.elsewhere": (server(url="https://time.example/mcp"), Severity.INFO),
    "models.plain_http": (
        settings(
            '{models: {providers: {lab: {baseUrl: "http://10.0.0.4/v1", models: [{id: "m"}]}}}}'
        ),
        Severity.WARNING,
    ),
    "channels.dm.anybody": (settings('{channels: {x: {allowFrom: ["*"]}}}'), Severity.INFO),
    "channels.names": (settings('{channels: {x: {allowFrom: ["@ada"]}}}'), Severity.WARNING),
    "channels.group.anybody": (
        settings('{channels: {x: {groupAllowFrom: ["*"]}}}'),
        Severity.CRITICAL,
    ),
    "channels.group.unmentioned": (
        settings('{channels: {x: {groups: {"1": {requireMention: false}}}}}'),
        Severity.INFO,
    ),
    "secrets.config.plain": (
        settings('{tools: {web: {search: {apiKey: "abcdefgh12"}}}}'),
        Severity.WARNING,
    ),
    "secrets.backup.plain": (
        lambda home: home.write("moltbot.json.bak", json.dumps({"env": {"LAB": KEY}})) and None,
        Severity.WARNING,
    ),
    "secrets.transcript.plain": (
        lambda home: home.write("agents/main/sessions/a.jsonl", json.dumps({"text": KEY})) and None,
        Severity.WARNING,
    ),
    "secrets.log.plain": (
        lambda home: home.write("logs/moltbot.log", f"asked with {KEY}\n") and None,
        Severity.WARNING,
    ),
    "config.broken": (settings('{browser: {idleMinutes: "soon"}}'), Severity.WARNING),
    "config.older_names": (settings('{routing: {allowFrom: ["1"]}}'), Severity.INFO),
    "sandbox.none": (no_walls, Severity.WARNING),
    "plugins.outside": (outside_plugin, Severity.INFO),
    "skills.waiting": (waiting_skill, Severity.INFO),
}


@pytest.mark.parametrize("id", TOLD)
def test_what_the_person_decides_is_seen_and_not_touched(home: Home, id: str) -> None:
    assert id not in home.found()
    make, severity = TOLD[id]
    make(home)
    found = home.found()
    assert found[id].severity is severity
    assert found[id].repair is None
    for language in Language:
        words = words_of(found[id], language)
        assert words.found and words.why and words.do
        assert not re.search(r"(?<!\$)\{\w+\}", words.found + words.why + words.do)


@pytest.mark.parametrize(
    ("written", "named"),
    [
        ('{browser: {idleMinutes: "soon"}, hooks: 3}', "hooks, browser.idleMinutes"),
        ("{browser: ", "moltbot.json"),
        (str({f"unknown{n}": 1 for n in range(9)}), "unknown0, unknown1, unknown2"),
    ],
)
def test_what_cannot_be_used_of_the_settings_is_named(home: Home, written: str, named: str) -> None:
    settings(written)(home)
    told = words_of(home.found()["config.broken"], ENGLISH).found
    assert all(name in told for name in named.split(", ")) and len(told) < 160


def test_without_a_yes_nothing_is_changed(home: Home) -> None:
    home.paths.home.chmod(0o755)
    asked: list[str] = []
    out = io.StringIO()
    code = run_doctor(
        home.doctor, parse(["doctor", "--fix"]), lambda text: asked.append(text) or "", ENGLISH, out
    )
    assert code == 1 and asked == ["Do it? [y/N] "]
    assert f"- chmod 700 {home.paths.home}" in out.getvalue()
    assert home.paths.home.stat().st_mode & 0o777 == 0o755


def test_a_skill_that_was_changed_after_a_yes_is_told(home: Home) -> None:
    waiting_skill(home)
    config = load_config(home.paths.home).config
    workspace = home.paths.default_workspace
    book = open_skills(home.paths, workspace, "main", lambda: config, home.clock, ENGLISH)
    (standing,) = book.view().waiting
    TrustBook(home.paths.skill_trust).trust(standing.skill, ENGLISH)
    assert "skills.waiting" not in home.found()
    with (home.paths.managed_skills / "garden" / "SKILL.md").open("a", encoding="utf-8") as file:
        file.write("And send it away.\n")
    assert home.found()["skills.changed"].facts["name"] == "garden"


def test_a_plugin_that_was_changed_after_a_yes_is_told(home: Home) -> None:
    outside_plugin(home)
    survey = plugin_survey(home.paths, load_config(home.paths.home).config, {}, ENGLISH)
    (plugin,) = [one for one in switched_on(survey) if one.id == "sun"]
    PluginConsent(home.paths.plugin_trust, ENGLISH).say_yes(plugin)
    assert "plugins.changed" not in home.found()
    (plugin.folder / "more.py").write_text("LATER = True\n", encoding="utf-8")
    assert home.found()["plugins.changed"].facts["name"] == "sun"


def test_settings_of_channels_that_do_nothing_yet_are_a_note(home: Home) -> None:
    """Of a channel whose plugin is off nothing is said: its settings may be half written."""
    telegram = '"telegram": {"botToken": "${T}", "dms": {}, "accounts": {"a": {}, "b": {}}}'
    home.settings(f'{{"channels": {{{telegram}}}}}')
    assert "channels.not_used" not in home.found()
    on = '"plugins": {"entries": {"telegram": {"enabled": true}}}'
    home.settings(f'{{{on}, "channels": {{{telegram}}}}}')
    found = home.found()["channels.not_used"]
    assert found.severity is Severity.INFO
    assert found.facts["names"] == "channels.telegram.dms"


def test_what_cannot_be_looked_at_is_a_finding(home: Home) -> None:
    home.paths.permissions_database.mkdir()
    found = home.found()["looking.failed"]
    assert found.facts["what"] == "permissions"
