"""The safety bench's own corpora in small counts, and that its oracles can say no."""

from __future__ import annotations

import shutil
import sys
from collections import Counter
from pathlib import Path

import pytest

from moltbot_desktop.security import egress, forward_door
from moltbot_desktop.security import paths as guard
from moltbot_desktop.tools import file_access, list_folder
from tests.bench.safety_archive_bytes import bombs, broken, kinds, lies, names
from tests.bench.safety_archives import documents, install_all, read_documents
from tests.bench.safety_bash import BashOracle
from tests.bench.safety_commands import differs, given, runs_unasked, sample
from tests.bench.safety_path_texts import texts
from tests.bench.safety_paths import try_all
from tests.bench.safety_ssrf import by_browsing, by_fetching, sent_on, tried, world
from tests.bench.safety_ssrf_hosts import V4, V6, is_inside


@pytest.mark.skipif(shutil.which("bash") is None, reason="there is no bash here")
def test_bash_in_its_empty_world_says_what_was_expanded_or_done(tmp_path: Path) -> None:
    bash = BashOracle(tmp_path)
    assert bash.started("ls 'a b' | cat", 0) == (Counter([("ls", "a b"), ("cat",)]), "")
    assert bash.started("echo $((1+1))", 0)[0] == Counter([("echo", "2")])
    for line in ("echo a > y", "ls < missing", "/bin/missing"):
        assert bash.started(line, 0)[1], line


@pytest.mark.skipif(shutil.which("bash") is None, reason="there is no bash here")
def test_no_payload_that_runs_unasked_does_more_than_was_judged(tmp_path: Path) -> None:
    bash = BashOracle(tmp_path / "bash")
    (tmp_path / "lists").mkdir()
    (tmp_path / "lists" / "a.txt").write_text(";id\n$(id)\n", "utf-8")
    lines = [*sample(700, seed=11)[-250:], *given(tmp_path / "lists")]
    free = [(line, read) for line in lines if (read := runs_unasked(line)) is not None]
    assert 10 < len(free) < len(lines) // 2
    assert [found for line, read in free if (found := differs(bash, line, read))] == []


@pytest.mark.skipif(sys.platform == "win32", reason="links need rights there")
def test_no_path_leads_a_tool_out_of_the_workspace(tmp_path: Path) -> None:
    trials = try_all(tmp_path, lambda world: texts(world, 330, seed=3))
    assert trials.tried > 4_000
    assert (trials.escapes, trials.untyped) == ([], [])


def _anywhere(workspace: Path, text: str, **_: object) -> Path:
    return (workspace / text).resolve()


@pytest.mark.skipif(sys.platform == "win32", reason="links need rights there")
@pytest.mark.parametrize("text", ["out/secret.txt", "../outside/secret.txt", "out"])
def test_a_tool_that_leaves_the_workspace_is_seen(
    text: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for room in (guard, file_access, list_folder):
        monkeypatch.setattr(room, "resolve_inside", _anywhere)
    monkeypatch.setattr(guard, "root_of", lambda path, _: path.parent)
    assert try_all(tmp_path, lambda world: [text]).escapes


def test_no_address_leads_inside() -> None:
    net, asked, untyped, requests = tried(100, seed=5)
    assert requests > 400
    assert net.connections > 50
    assert (net.reached, asked, untyped) == ([], [], [])


def test_the_oracle_and_the_door_agree_about_every_special_address() -> None:
    for address in (*V4, *(one.partition("%")[0] for one in V6)):
        assert is_inside(address) and not egress.is_public(address), address


def test_a_door_that_lets_somebody_inside_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    for room in (egress, forward_door):
        monkeypatch.setattr(room, "is_public", lambda _: True)
        monkeypatch.setattr(room, "is_loopback", lambda _: False)
    with world() as net:
        for way in (
            lambda: by_fetching(net, [f"http://0x7f.1:{net.inside}/"]),
            lambda: by_fetching(net, sent_on(["http://inside-5.example/"], 1)),
            lambda: by_browsing(net, ["http://10.0.0.1/"]),
        ):
            before = len(net.reached)
            way()
            assert len(net.reached) > before


def test_no_archive_escapes_or_unpacks_to_more_than_is_allowed(tmp_path: Path) -> None:
    given = [*names(), *kinds(), *lies(), *broken()][::9]
    done = install_all(tmp_path, [*given, *kinds(), *bombs(21_000_000, 90_000, [8])])
    assert done.installed > 10
    assert done.tried > 5 * done.installed / 2
    assert (done.escapes, done.untyped) == ([], [])
    assert done.largest < 1_000_000


def test_a_document_that_is_a_bomb_or_names_a_file_gives_nothing_away() -> None:
    done = read_documents([one for one in documents(whole=False) if "laughs" not in one[0]])
    assert (done.tried, done.escapes, done.untyped) == (6, [], [])
