"""What is judged of values alone; the whole of it is in tests/integration/app/test_doctor.py."""

from __future__ import annotations

import ast
import re
import stat
from pathlib import Path, PurePosixPath, PureWindowsPath

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from moltbot_desktop.config.mcp import McpServer
from moltbot_desktop.core.i18n import Language
from moltbot_desktop.sdk.audit import Finding, Modes, Setting, Severity, by_severity, is_well
from moltbot_desktop.sdk.audit_texts import PROGRAM, SETTINGS
from moltbot_desktop.sdk.audit_words import words_of
from moltbot_desktop.security.audit.channels import Door, channel_findings
from moltbot_desktop.security.audit.files import PUBLIC, Kind, Seen, file_findings, synced_by
from moltbot_desktop.security.audit.plain_secrets import plain_places
from moltbot_desktop.security.audit.settings import is_here, unpinned

PACKAGE = Path(__file__).resolve().parents[4] / "moltbot_desktop"
ID = re.compile(r"[a-z_]+(?:\.[a-z_]+)+")
PARTS = (".why", ".do")
FOLDER, FILE = stat.S_IFDIR, stat.S_IFREG
ADA, BOB = 1000, 1001


def of(kind: Kind, mode: int, *, owner: int = ADA, reachable: bool = True) -> list[Finding]:
    return list(file_findings([Seen(kind, Path("/x/y"), mode, owner, reachable)], ADA))


# --------------------------------------------------------------------- words


def test_each_finding_has_sentences_and_each_sentence_a_finding() -> None:
    told = {one for one in (*PROGRAM.english, *SETTINGS.english) if not one.endswith(PARTS)}
    rooms = {one.partition(".")[0] for one in told}
    sources = [*(PACKAGE / "security" / "audit").glob("*.py"), PACKAGE / "app" / "doctor.py"]
    made = {
        str(node.value)
        for source in sources
        for node in ast.walk(ast.parse(source.read_text(encoding="utf-8")))
        if isinstance(node, ast.Constant) and ID.fullmatch(str(node.value))
    }
    assert {one for one in made if one.partition(".")[0] in rooms} == told
    for one in told:
        table = PROGRAM if one in PROGRAM.english else SETTINGS
        assert all(f"{one}{part}" in table.english for part in PARTS)


@pytest.mark.parametrize("kind", Kind)
def test_each_kind_of_file_has_words(kind: Kind) -> None:
    for mode in (FOLDER | 0o777, FOLDER | 0o755):
        for finding in of(kind, mode, owner=BOB):
            for language in Language:
                words = words_of(finding, language)
                assert "/x/y" in words.found and words.why and words.do


# --------------------------------------------------------------------- files


@settings(max_examples=200, deadline=None)
@given(st.sampled_from(Kind), st.sampled_from([FOLDER, FILE]), st.integers(0, 0o777))
def test_a_repair_takes_away_and_never_gives_and_is_enough(
    kind: Kind, form: int, mode: int
) -> None:
    for finding in of(kind, form | mode):
        if isinstance(finding.repair, Modes):
            assert finding.repair.mode & ~mode == 0
            assert finding.repair.mode & 0o700 == mode & 0o700
            assert not of(kind, form | finding.repair.mode)


@pytest.mark.parametrize("kind", Kind)
def test_a_file_of_ones_own_alone_is_fine(kind: Kind) -> None:
    assert not of(kind, FOLDER | 0o700)
    assert not of(kind, FILE | 0o600, owner=0)
    assert bool(of(kind, FILE | 0o644)) is (kind not in PUBLIC)


def test_what_belongs_to_somebody_else_is_critical() -> None:
    (finding,) = of(Kind.CONFIG, FILE | 0o600, owner=BOB)
    assert (finding.id, finding.severity) == ("fs.config.owner", Severity.CRITICAL)


def test_a_folder_for_everybody_where_nobody_moves_what_is_anothers_is_fine_above() -> None:
    assert not of(Kind.PARENT, FOLDER | stat.S_ISVTX | 0o777)
    assert of(Kind.PARENT, FOLDER | 0o777)


@pytest.mark.parametrize(
    ("path", "service"),
    [
        (PurePosixPath("/home/a/Dropbox/moltbot"), "Dropbox"),
        (PurePosixPath("/home/a/Dropbox (Work)/moltbot"), "Dropbox"),
        (PureWindowsPath("C:\\Users\\a\\OneDrive - Company\\x"), "OneDrive"),
        (PurePosixPath("/Users/a/Library/Mobile Documents/com~apple~CloudDocs/x"), "iCloud"),
        (PurePosixPath("/home/a/坚果/我的坚果云/x"), "Nutstore"),
        (PurePosixPath("/home/a/dropboxes/x"), ""),
        (PurePosixPath("/home/a/.moltbot"), ""),
    ],
)
def test_folders_that_are_carried_away_are_known(path: PurePosixPath, service: str) -> None:
    assert synced_by(path) == service


# --------------------------------------------------------------------- settings


@pytest.mark.parametrize(
    ("line", "package"),
    [
        ("npx -y mcp-time", "mcp-time"),
        ("npx -y @scope/mcp-time", "@scope/mcp-time"),
        ("npx -y @scope/mcp-time@1.2.0", ""),
        ("npx -y mcp-time@latest", "mcp-time@latest"),
        ("npx --package=mcp-time@1.0.0 run", ""),
        ("npx -p mcp-time run", "mcp-time"),
        ("npx.cmd mcp-time", "mcp-time"),
        ("uvx mcp-server-time", "mcp-server-time"),
        ("uvx mcp-server-time==0.6.2", ""),
        ("uvx --python 3.12 mcp-server-time", "mcp-server-time"),
        ("uvx --from git+https://x.example/y@v1.0 run", ""),
        ("npm exec -- mcp-time", "mcp-time"),
        ("npm start", ""),
        ("pnpm dlx mcp-time", "mcp-time"),
        ("pipx run mcp-time", "mcp-time"),
        ("uv tool run mcp-time", "mcp-time"),
        ("uv run server.py", "server.py"),
        ("npx ./server", ""),
        ("python3 server.py", ""),
        ("npx", ""),
    ],
)
def test_a_server_that_is_fetched_anew_is_known(line: str, package: str) -> None:
    command, *words = line.split()
    assert unpinned(McpServer("time", command, tuple(words))) == package


def test_only_this_computer_is_here() -> None:
    assert all(
        map(is_here, ["http://127.0.0.1:1", "ws://localhost:2", "http://[::1]/", "localhost"])
    )
    assert not any(
        map(is_here, ["http://10.0.0.1", "http://localhost.example", "", "http://[", "::"])
    )


def test_a_door_that_is_open_and_asks_for_the_list_after_the_repair() -> None:
    door = Door("x", "work", "channels.x.accounts.work", "open", ("*",), "disabled")
    (finding,) = channel_findings([door], shared=False, lists_bind=True)
    assert finding.repair == Setting("channels.x.accounts.work.dmPolicy", "pairing")
    assert not list(channel_findings([Door("x", "d", "channels.x")], shared=True, lists_bind=True))


# --------------------------------------------------------------------- keys


@pytest.mark.parametrize(
    "settings",
    [
        {"models": {"providers": {"lab": {"apiKey": "${LAB_KEY}"}}}},
        {"models": {"providers": {"lab": {"apiKey": "keyring:lab"}}}},
        {"mcp": {"servers": {"a": {"headers": {"Authorization": "Bearer keyring:a"}}}}},
        {"gateway": {"auth": {"token": ""}}, "maxTokens": 4000, "tokenFile": "/etc/token-file"},
        {"channels": {"x": {"token": {"source": "keyring", "name": "x"}}}},
    ],
)
def test_what_only_names_a_key_is_none(settings: dict[str, object]) -> None:
    assert not list(plain_places(settings))


def test_a_key_that_stands_there_is_found_wherever_it_is() -> None:
    key = "ghp_" + "a1" * 15
    raw = {
        "models": {"providers": {"lab": {"apiKey": "secretlab1"}}},
        "mcp": {
            "servers": {
                "a": {"args": ["--key", key], "headers": {"Authorization": "Bearer abcdefg"}}
            }
        },
        "env": {"vars": {"ANYTHING": key}},
    }
    assert list(plain_places(raw)) == [
        "models.providers.lab.apiKey",
        "mcp.servers.a.args[1]",
        "mcp.servers.a.headers.Authorization",
        "env.vars.ANYTHING",
    ]


LEAF = st.none() | st.booleans() | st.integers() | st.text(max_size=30)
NAMED = st.dictionaries(st.text(max_size=9), LEAF | st.lists(LEAF, max_size=3), max_size=4)


@settings(max_examples=100, deadline=None)
@given(st.dictionaries(st.text(max_size=9), LEAF | NAMED | st.lists(NAMED, max_size=3), max_size=4))
def test_any_settings_can_be_looked_through(raw: dict[str, object]) -> None:
    list(plain_places(raw))  # type: ignore[arg-type]


# --------------------------------------------------------------------- order


def test_the_worst_comes_first_and_notes_ask_for_nothing() -> None:
    given = tuple(Finding(one.value, one) for one in reversed(Severity))
    assert [one.severity for one in by_severity(given)] == list(Severity)
    assert is_well(given[:1]) and not is_well(given[:2])
