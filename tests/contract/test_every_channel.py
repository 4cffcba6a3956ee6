"""Each channel that comes with the program passes the suite, and what it cannot do is written here.

A new channel has a test class on `ChannelContract`; whoever drops a test of the suite, or an
ability, finds this file red.
"""

from __future__ import annotations

import ast
import importlib
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from pathlib import Path

import pytest

import moltbot_desktop
from moltbot_desktop.plugins.manifest import read_manifest
from moltbot_desktop.sdk.channel_abilities import Capabilities
from moltbot_desktop.sdk.channels import PeerKind
from tests.fakes.channel_contract import ChannelContract

TESTS = Path(__file__).resolve().parents[1]
EXTENSIONS = Path(moltbot_desktop.__file__).parent / "extensions"

ABILITIES: Mapping[str, tuple[str, Callable[[Capabilities], object]]] = {
    "text, Chinese, emoji": ("test_words_come_back_as_they_were", lambda _: True),
    "long answer with code": ("test_a_long_answer_comes_in_parts_that_fit", lambda _: True),
    "shown while written": ("test_an_answer_is_seen_while_it_is_written", lambda can: can.edit),
    "goes on after a restart": (
        "test_an_answer_that_was_broken_off_goes_on_in_its_place",
        lambda can: can.edit,
    ),
    "picture in": ("test_a_picture_that_came_is_there_for_the_agent", lambda can: can.media_in),
    "picture out": (
        "test_a_picture_goes_out_that_the_owner_said_yes_to",
        lambda can: can.media_out,
    ),
    "change, take back": (
        "test_what_was_sent_can_be_changed_and_taken_back",
        lambda can: can.edit and can.delete and can.react,
    ),
    "seen": ("test_what_is_answered_is_marked_as_seen", lambda can: can.react),
    "group, when named": (
        "test_a_group_is_answered_where_the_assistant_is_named",
        lambda can: can.kinds & {PeerKind.GROUP, PeerKind.CHANNEL},
    ),
    "what is answered": (
        "test_what_a_message_answers_is_told_as_its_authors",
        lambda can: can.quotes_in,
    ),
    "strangers": ("test_a_stranger_gets_no_answer_of_the_model", lambda _: True),
    "pairing": ("test_a_stranger_is_let_in_by_the_owner", lambda _: True),
    "nothing lost or doubled": ("test_nothing_is_lost_doubled_or_reordered", lambda _: True),
    "seal": ("test_behind_the_seal_it_is_not_connected", lambda _: True),
    "ends in mid-poll": ("test_it_ends_whatever_it_waits_for", lambda _: True),
    "ends while not let in": ("test_it_ends_while_nobody_lets_it_in", lambda _: True),
    "wrong token": ("test_a_wrong_token_says_so_and_disturbs_nobody", lambda _: True),
    "server gone": ("test_a_server_that_is_gone_is_waited_for", lambda _: True),
}
"""What the suite sees of a channel, the test that sees it, and whom it concerns."""

_NO_EDIT = {"shown while written", "goes on after a restart", "change, take back"}
_WORDS_ONLY = {"picture in", "picture out"}
GAPS: Mapping[str, set[str]] = {
    "dingtalk": {*_NO_EDIT, "what is answered", "seen"},
    "discord": set(),
    "email": {*_NO_EDIT, "what is answered", "seen", "group, when named"},
    "feishu": set(),
    "irc": {*_NO_EDIT, *_WORDS_ONLY, "what is answered", "seen"},
    "matrix": set(),
    "mattermost": set(),
    "mqtt": {*_NO_EDIT, *_WORDS_ONLY, "what is answered", "seen", "group, when named"},
    "signal": set(),
    "slack": set(),
    "telegram": set(),
    "webchat": {"what is answered", "group, when named"},
    "xmpp": _WORDS_ONLY,
}
"""What these platforms, or their channels, do not have. `WebChat` has no tokens and no server of
somebody else's: its class plays those tests in its own way."""


def bundled() -> list[str]:
    manifests = sorted(EXTENSIONS.glob("*/moltbot.plugin.json"))
    return sorted({name for path in manifests for name in read_manifest(path).channel_configs})


@cache
def trees() -> Mapping[Path, ast.Module]:
    """Of the files that have to do with the suite; the others are no business of this test."""
    found = {}
    for path in sorted(TESTS.rglob("*.py")):
        text = path.read_text(encoding="utf-8")
        if "ChannelContract" in text or "channel: str =" in text or "channel = " in text:
            found[path] = ast.parse(text)
    return found


def classes() -> Iterator[ast.ClassDef]:
    for tree in trees().values():
        yield from (node for node in ast.walk(tree) if isinstance(node, ast.ClassDef))


@cache
def suites() -> Mapping[str, list[ast.ClassDef]]:
    """The test classes of each channel, by what their fixture `platform` gives."""
    channel_of = {one.name: name for one in classes() if (name := _channel(one))}
    found: dict[str, list[ast.ClassDef]] = {}
    for tree in trees().values():
        for one in (node for node in ast.walk(tree) if isinstance(node, ast.ClassDef)):
            if any(ast.unparse(base) == "ChannelContract" for base in one.bases):
                for platform in _platforms(one.body) or _platforms(tree.body):
                    if platform in channel_of:
                        found.setdefault(channel_of[platform], []).append(one)
    return found


def _channel(one: ast.ClassDef) -> str:
    """``channel: str = "irc"`` in the body of a platform."""
    for node in one.body:
        if isinstance(node, ast.AnnAssign | ast.Assign) and isinstance(node.value, ast.Constant):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            if ast.unparse(targets[0]) == "channel":
                return str(node.value.value)
    return ""


def _platforms(body: list[ast.stmt]) -> set[str]:
    """The names in what the fixture `platform` of a class or a file makes."""
    made = [n for n in body if isinstance(n, ast.FunctionDef) and n.name == "platform"]
    return {n.id for one in made for n in ast.walk(one) if isinstance(n, ast.Name)}


def own_tests(channel: str) -> Iterator[ast.AST]:
    """What the channel's classes say themselves."""
    for one in suites().get(channel, ()):
        yield from one.body


def capabilities(channel: str) -> Capabilities:
    [folder] = [
        path.parent
        for path in EXTENSIONS.glob("*/moltbot.plugin.json")
        if channel in read_manifest(path).channel_configs
    ]
    plugin = importlib.import_module(f"moltbot_desktop.extensions.{folder.name}.plugin")
    [can] = {one for one in vars(plugin).values() if isinstance(one, Capabilities)}
    return can


@pytest.mark.parametrize("channel", bundled())
def test_a_bundled_channel_passes_the_suite(channel: str) -> None:
    assert channel in suites(), f"no test class on ChannelContract has a platform “{channel}”"


@pytest.mark.parametrize("channel", bundled())
def test_a_channel_drops_no_test_of_the_suite(channel: str) -> None:
    """It may play one in its own way; not skip it, nor set it to None."""
    tests = {name for name in vars(ChannelContract) if name.startswith("test_")}
    for node in own_tests(channel):
        if isinstance(node, ast.Assign):
            assert not tests & {ast.unparse(one) for one in node.targets}
        if isinstance(node, ast.FunctionDef) and node.name in tests:
            text = ast.unparse(node)
            assert "pytest.skip" not in text and "mark.skip" not in text, node.name
            assert any(not isinstance(one, ast.Expr | ast.Pass) for one in node.body) or any(
                isinstance(one, ast.Call) for one in ast.walk(node)
            ), f"{channel}: {node.name} does nothing"


@pytest.mark.parametrize("channel", bundled())
def test_what_a_channel_cannot_do_is_known(channel: str) -> None:
    assert channel in GAPS, f"what “{channel}” cannot do is not written in GAPS"
    can = capabilities(channel)
    missing = {what for what, (_, concerns) in ABILITIES.items() if not concerns(can)}
    assert missing == GAPS[channel]


def test_every_test_of_the_suite_stands_in_the_table() -> None:
    tests = {name for name in vars(ChannelContract) if name.startswith("test_")}
    assert {test for test, _ in ABILITIES.values()} == tests
