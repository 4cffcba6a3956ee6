"""Who is heard: Host, Origin and where a request comes from; codes, keys and proofs."""

from __future__ import annotations

import itertools
import stat
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from moltbot_desktop.extensions.webchat.browsers import (
    LINK_SECONDS,
    MOST_BROWSERS,
    BrowserBook,
    invite,
    named_by,
    proof,
    proves,
    taken,
)
from moltbot_desktop.extensions.webchat.guard import (
    MOST_WRONG,
    WITHIN_SECONDS,
    Guesses,
    Knock,
    Refusal,
    refusal,
)

PORT = 18795
OWN_HOSTS = ("127.0.0.1:18795", "localhost:18795", "LOCALHOST:18795")
OTHER_HOSTS = (
    *("", "127.0.0.1", "localhost", "127.0.0.1:18796", "evil.example:18795", "[::1]:18795"),
    *("localhost.evil.example:18795", "127.0.0.1.evil.example:18795", "0.0.0.0:18795"),
    *("2130706433:18795", "127.1:18795", "localhost:18795@evil.example", "user@127.0.0.1:18795"),
    *("127.0.0.1:018795", "127.0.0.1:18795 ", "127.0.0.2:18795"),
)
OTHER_ORIGINS = (
    *("null", "http://evil.example", "https://127.0.0.1:18795", "http://127.0.0.1:3000"),
    *("http://127.0.0.1", "http://localhost:18795.evil.example", "file://", "http://[::1]:18795"),
    *("http://127.0.0.1:18795/", "chrome-extension://abc", "http://localhost:18795#"),
)
NOW = 1_800_000_000.0


@pytest.mark.parametrize("host", OTHER_HOSTS)
def test_another_host_is_not_heard_whatever_else_is_right(host: str) -> None:
    for method, path in (("GET", "/"), ("GET", "/page.js"), ("POST", "/enter"), ("GET", "/live")):
        for origin in ("", "http://127.0.0.1:18795", f"http://{host}"):
            knock = Knock(method, path, host, origin, "same-origin", upgrade=path == "/live")
            assert refusal(knock, PORT) is Refusal.OTHER_HOST


@pytest.mark.parametrize(("host", "origin"), list(itertools.product(OWN_HOSTS, OTHER_ORIGINS)))
def test_another_origin_is_not_heard(host: str, origin: str) -> None:
    for method, path in (("GET", "/"), ("POST", "/enter"), ("GET", "/live"), ("POST", "/file/1")):
        knock = Knock(method, path, host, origin, upgrade=path == "/live")
        assert refusal(knock, PORT) is Refusal.OTHER_ORIGIN


def test_the_other_name_of_this_computer_is_another_origin() -> None:
    """Each name has a key store of its own in the browser."""
    knock = Knock("POST", "/enter", "127.0.0.1:18795", "http://localhost:18795")
    assert refusal(knock, PORT) is Refusal.OTHER_ORIGIN


@pytest.mark.parametrize("host", OWN_HOSTS)
def test_what_does_something_has_to_come_from_the_page(host: str) -> None:
    own = f"http://{host}"
    for method, upgrade in (("POST", False), ("GET", True), ("PUT", False), ("DELETE", False)):
        path = "/live" if upgrade else "/enter"
        assert refusal(Knock(method, path, host, own, "same-origin", upgrade=upgrade), PORT) is None
        assert refusal(Knock(method, path, host, own, upgrade=upgrade), PORT) is None
        assert refusal(Knock(method, path, host, "", upgrade=upgrade), PORT)
        for site in ("cross-site", "same-site"):
            assert refusal(Knock(method, path, host, own, site, upgrade=upgrade), PORT)


def test_the_page_may_be_opened_from_a_link_and_its_files_by_itself_alone() -> None:
    def asked(path: str, site: str, mode: str) -> Refusal | None:
        return refusal(Knock("GET", path, "127.0.0.1:18795", "", site, mode), PORT)

    assert asked("/", "cross-site", "navigate") is None
    assert asked("/", "none", "navigate") is None
    assert asked("/", "cross-site", "no-cors") is Refusal.OTHER_ORIGIN  # in an image, a script
    assert asked("/page.js", "same-origin", "cors") is None
    assert asked("/page.js", "cross-site", "no-cors") is Refusal.OTHER_ORIGIN
    assert asked("/file/1", "same-site", "no-cors") is Refusal.OTHER_ORIGIN  # another port
    assert asked("/file/1", "cross-site", "navigate") is Refusal.OTHER_ORIGIN


@given(st.text(max_size=40), st.text(max_size=60), st.text(max_size=20))
def test_only_ours_is_ever_heard(host: str, origin: str, site: str) -> None:
    if refusal(Knock("POST", "/enter", host, origin, site), PORT) is None:
        assert host.lower() in ("127.0.0.1:18795", "localhost:18795")
        assert origin.lower() == f"http://{host.lower()}"
        assert site in ("", "none", "same-origin")


def test_after_ten_wrong_ones_none_is_looked_at_for_a_while() -> None:
    guesses = Guesses()
    for number in range(MOST_WRONG):
        assert guesses.rest(float(number)) == 0.0
        guesses.wrong(float(number))
    assert guesses.rest(10.0) == WITHIN_SECONDS - 10.0
    assert guesses.rest(WITHIN_SECONDS + 0.5) == 0.0


# ------------------------------------------------------------------ codes and keys


def test_a_code_is_good_once_and_for_two_minutes(tmp_path: Path) -> None:
    code = invite(tmp_path, NOW)
    assert not taken(tmp_path, code + "x", NOW)
    assert not taken(tmp_path, "", NOW)
    assert taken(tmp_path, code, NOW + LINK_SECONDS)
    assert not taken(tmp_path, code, NOW)
    late = invite(tmp_path, NOW)
    assert not taken(tmp_path, late, NOW + LINK_SECONDS + 1)
    assert not taken(tmp_path, late, NOW - 1)  # the clock was set back: not good for years


def test_a_new_code_ends_the_one_before(tmp_path: Path) -> None:
    first, second = invite(tmp_path, NOW), invite(tmp_path, NOW)
    assert not taken(tmp_path, first, NOW)
    assert taken(tmp_path, second, NOW)


def test_no_code_lies_on_the_disk_and_no_other_user_reads_the_keys(tmp_path: Path) -> None:
    folder = tmp_path / "account"
    code = invite(folder, NOW)
    browser = BrowserBook(folder).add("Firefox, Linux")
    for path in folder.iterdir():
        assert code not in path.read_text()
        if sys.platform != "win32":
            assert stat.S_IMODE(path.stat().st_mode) == 0o600
    if sys.platform != "win32":
        assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert BrowserBook(folder).find(browser.id) == browser


def test_a_proof_is_of_one_key_and_one_nonce(tmp_path: Path) -> None:
    book = BrowserBook(tmp_path)
    one, other = book.add("one"), book.add("other")
    right = proof(one.key, "nonce")
    assert proves(one, "nonce", right)
    assert not proves(one, "another", right)
    assert not proves(other, "nonce", right)
    assert not proves(one, "nonce", "")
    assert not proves(one, "nonce", "é\ud800")


def test_browsers_that_are_taken_away_are_gone_and_there_are_not_too_many(tmp_path: Path) -> None:
    book = BrowserBook(tmp_path)
    names = [book.add(str(number)).id for number in range(MOST_BROWSERS + 2)]
    assert [one.id for one in book.all()] == names[2:]
    book.remove(names[5])
    assert book.find(names[5]) is None and book.find(names[6])


@pytest.mark.parametrize(
    "written",
    [b"", b"{", b"[]", b'{"a": 1}', b'{"a": {"key": "00"}}', b'{"a": {"key": 5}}', b"\xff\xfe",
     b'{"a": {"key": "' + b"Z" * 64 + b'"}}', b"[" * 100_000],
)  # fmt: skip
def test_what_is_no_book_lets_nobody_in(tmp_path: Path, written: bytes) -> None:
    (tmp_path / "browsers.json").write_bytes(written)
    (tmp_path / "invite.json").write_bytes(written)
    assert BrowserBook(tmp_path).all() == ()
    assert not taken(tmp_path, "", NOW)


def test_an_invitation_without_a_code_lets_nobody_in(tmp_path: Path) -> None:
    (tmp_path / "invite.json").write_text(f'{{"code": "", "until": {NOW}}}')
    assert not taken(tmp_path, "", NOW)


@pytest.mark.parametrize(
    ("agent", "name"),
    [
        ("Mozilla/5.0 (X11; Linux x86_64) Gecko/20100101 Firefox/140.0", "Firefox, Linux"),
        ("Mozilla/5.0 (Windows NT 10.0) AppleWebKit/537.36 Chrome/140 Safari/537.36 Edg/140",
         "Edge, Windows"),
        ("<script>alert(1)</script>", "Browser"),
        ("", "Browser"),
    ],
)  # fmt: skip
def test_a_browser_has_a_name_of_ours(agent: str, name: str) -> None:
    assert named_by(agent) == name
