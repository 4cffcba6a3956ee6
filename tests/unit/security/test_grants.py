"""Which yes may last, what it covers, and that nothing wider slips under it."""

from __future__ import annotations

import itertools
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from moltbot_desktop.core.permissions import Term
from moltbot_desktop.sdk.permissions import Grant, Kind, Part
from moltbot_desktop.sdk.tools import Effect
from moltbot_desktop.security.grant_programs import says_all
from moltbot_desktop.security.grants import (
    Asked,
    covers,
    matches,
    offered,
    path_fits,
    terms_for,
    words_fit,
)
from moltbot_desktop.security.labels import Labels

NOW = datetime(2026, 1, 5, 12, 0, tzinfo=UTC)
CLEAN, TAINTED = Labels(), Labels(untrusted=True)
BOTH = Labels(untrusted=True, private=True)
FETCH = Part(
    *(Kind.PROGRAM, "exec", "/usr/bin/git", ("git", "fetch", "origin"), "/home/ada/notes"),
    walled=True,
)
SCRIPT = replace(FETCH, subject="/usr/bin/python3.11", words=("python3", "a.py"))
FILE = Part(Kind.FOLDER, "read", "/home/ada/mail/a.txt")
SITE = Part(Kind.SITE, "browser", "example.org")
TOOL = Part(Kind.TOOL, "tickets__close")


def grant(part: Part, **more: object) -> Grant:
    made = Grant("g", part, "main", Term.ALWAYS, NOW)
    return replace(made, **more)  # type: ignore[arg-type]


# ------------------------------------------------------------------ how long


@pytest.mark.parametrize("effect", list(Effect))
def test_every_offer_keeps_the_rules(effect: Effect) -> None:
    all_parts = (None, FETCH, replace(FETCH, network=True), FILE, SITE, TOOL)
    all_labels = (CLEAN, TAINTED, BOTH, Labels(private=True))
    flags = (True, False)
    for part, labels, settled in itertools.product(all_parts, all_labels, flags):
        parts = () if part is None else (part,)
        terms = terms_for(Asked(effect, parts, labels, settled))
        assert terms == tuple(Term)[: len(terms)] and terms[0] is Term.ONCE
        if part is None or effect in (Effect.MESSAGE, Effect.SCHEDULE_WRITE, Effect.REPLY):
            assert terms == (Term.ONCE,)
        if labels.untrusted or effect is Effect.FILE_WRITE:
            assert len(terms) <= 2  # never longer than the run
        if effect is Effect.EXEC and not settled:
            assert len(terms) <= 2


@pytest.mark.parametrize(
    ("asked", "longest"),
    [
        (Asked(Effect.EXEC, (FETCH,), CLEAN, settled=True), Term.ALWAYS),
        (Asked(Effect.EXEC, (FETCH,), CLEAN, settled=False), Term.RUN),
        (Asked(Effect.EXEC, (replace(FETCH, walled=False),), CLEAN), Term.ONCE),
        (Asked(Effect.EXEC, (SCRIPT,), CLEAN, settled=True), Term.RUN),
        (Asked(Effect.EXEC, (replace(SCRIPT, network=True),), CLEAN, settled=True), Term.ONCE),
        (Asked(Effect.EXEC, (FETCH,), TAINTED, settled=True), Term.RUN),
        (Asked(Effect.EXEC, (replace(FETCH, network=True),), BOTH, settled=True), Term.ONCE),
        (Asked(Effect.FILE_READ, (FILE,), CLEAN), Term.ALWAYS),
        (Asked(Effect.FILE_READ, (FILE,), BOTH), Term.RUN),
        (Asked(Effect.FILE_WRITE, (FILE,), CLEAN), Term.RUN),
        (Asked(Effect.WEB_READ, (SITE,), TAINTED), Term.RUN),
        (Asked(Effect.WEB_READ, (SITE,), BOTH), Term.ONCE),
        (Asked(Effect.SCREENSHOT, (TOOL,), CLEAN), Term.HOUR),
        (Asked(Effect.DESKTOP, (TOOL,), CLEAN), Term.HOUR),
        (Asked(Effect.SCREENSHOT, (TOOL,), BOTH), Term.RUN),
        (Asked(Effect.DESKTOP, (TOOL,), TAINTED), Term.RUN),
        (Asked(Effect.BROWSER_ACT, (SITE,), TAINTED), Term.RUN),
        (Asked(Effect.DESKTOP, (TOOL,), BOTH), Term.ONCE),  # alike: keys send as much
        (Asked(Effect.BROWSER_ACT, (SITE,), BOTH), Term.ONCE),
        (Asked(Effect.FOREIGN, (TOOL,), CLEAN), Term.ALWAYS),
    ],
)  # fmt: skip
def test_the_longest_yes(asked: Asked, longest: Term) -> None:
    assert terms_for(asked)[-1] is longest


# ------------------------------------------------------------------ of which programs


@pytest.mark.parametrize(
    "line",
    [
        "git fetch origin", "git status", "cp a b", "rm -r build", "find . -name x",
        "/usr/bin/mkdir -p a", "convert a.png b.jpg", "pandoc -o a.pdf a.md",
        "sort -u a", "rg tea", "fd tea",
    ],
)  # fmt: skip
def test_words_that_say_all(line: str) -> None:
    assert says_all(line.split())


@pytest.mark.parametrize(
    "line",
    [
        "python3 a.py", "python3.11 a.py", "/usr/bin/Python a.py", "pypy3 a", "node x.js", "bash x",
        "busybox ls", "sudo ls", "env ls", "nice ls", "timeout 5 ls", "xargs rm", "ssh host",
        "rsync a b", "docker run x", "make", "npm test", "pip install x", "awk {print}", "sed -i x",
        "vim", "less a", "curl x", "gpg -d a", "tar xf a", "pytest", "find . -exec rm {}",
        "find . -delete", "find . -ok rm", "find . -fprintf a b", "git -c a=b log", "git lg",
        "git -C /x log", "git log --ext-diff", "git fetch ext::sh", "git fetch --upload-pack=sh",
        "git commit --template=x", "git rebase -i", "git submodule add x", "git config a b",
        "git grep -Oless x", "git", "perl5.36 x", "gawk-5 x", "ruby.exe x", "C:\\x\\python.exe a",
        "git push origin", "git commit -m x", "git fetch --upload-pack=x", "git add -p",
        "git log --output=x", "R", "octave a.m", "hg pull", "pdflatex a.tex", "gh pr list",
        "valgrind ls",
        "sort --compress-program=sh a", "rg --pre sh tea", "fd tea -x sh", "fd -HX sh",
        "pandoc --lua-filter=a.lua a.md", "pandoc -F a a.md", "soffice --headless a.odt",
    ],
)  # fmt: skip
def test_words_that_do_not(line: str) -> None:
    assert not says_all(line.split())


def test_nothing_says_nothing() -> None:
    assert not says_all(()) and not says_all(("",))


# ------------------------------------------------------------------ what is covered


@pytest.mark.parametrize(
    "other",
    [
        replace(FETCH, words=("git", "fetch", "origin", "--force")),
        replace(FETCH, words=("git", "fetch")),
        replace(FETCH, words=("g", "fetch", "origin")),
        replace(FETCH, subject="/home/ada/bin/git"),
        replace(FETCH, folder="/home/ada"),
        replace(FETCH, folder="/home/ada/notes-2"),
        replace(FETCH, network=True),
        replace(FETCH, walled=False),
        replace(FETCH, kind=Kind.TOOL),
    ],
)
def test_a_yes_to_a_command_is_none_to_another(other: Part) -> None:
    assert matches(FETCH, FETCH)
    assert matches(FETCH, replace(FETCH, folder="/home/ada/notes/sub"))
    assert not matches(FETCH, other)


def test_a_star_in_a_command_that_was_shown_is_a_star() -> None:
    shown = replace(FETCH, words=("find", ".", "-name", "*.txt"))
    assert not matches(shown, replace(FETCH, words=("find", ".", "-name", "a.txt")))


def test_a_rule_by_hand_covers_no_interpreter() -> None:
    rule = Part(Kind.PROGRAM, "exec", "/usr/**", pattern=True)
    assert matches(rule, FETCH)
    assert matches(replace(rule, words=("git", "fetch", "**")), FETCH)
    assert not matches(rule, replace(FETCH, subject="/usr/bin/python3", words=("python3", "a.py")))
    assert not matches(rule, replace(FETCH, network=True))


def test_a_folder_covers_what_lies_below_it() -> None:
    yes = offered(FILE, Path("/home/ada"))
    assert yes.subject == "/home/ada/mail"
    assert matches(yes, FILE) and matches(yes, replace(FILE, subject="/home/ada/mail/b/c"))
    for path in ("/home/ada/mailbox", "/home/ada", "/home/ada/b.txt"):
        assert not matches(yes, replace(FILE, subject=path))
    assert not matches(yes, replace(FILE, verb="write"))


@pytest.mark.parametrize("path", ["/home/ada/a.txt", "/a.txt", "/home/a.txt", "/etc/hosts"])
def test_no_whole_home_or_disk_is_offered(path: str) -> None:
    assert offered(replace(FILE, subject=path), Path("/home/ada")).subject == path


def test_whose_and_when_a_grant_holds() -> None:
    def held(one: Grant, agent: str = "main", after: float = 0, process: str = "p") -> bool:
        return covers(one, TOOL, agent, NOW + timedelta(seconds=after), process)

    assert held(grant(TOOL)) and held(grant(TOOL), after=1e8)
    assert not held(grant(TOOL), "work") and held(grant(TOOL, agent="*"), "work")
    hour = grant(TOOL, until=NOW + timedelta(hours=1), process="p")
    assert held(hour) and held(hour, after=3599)
    assert not held(hour, after=3600)
    assert not held(hour, after=-1)  # the clock was put back
    assert not held(hour, process="another")


# ------------------------------------------------------------------ patterns


@pytest.mark.parametrize(
    ("pattern", "path", "fits"),
    [
        ("/usr/bin/git", "/usr/bin/git", True),
        ("/usr/bin/GIT", "/usr/bin/git", True),
        ("/usr/*/git", "/usr/bin/git", True),
        ("/usr/*", "/usr/bin/git", False),
        ("/usr/**", "/usr/bin/git", True),
        ("/**/git", "/usr/local/bin/git", True),
        ("/usr/bin/gi?", "/usr/bin/git", True),
        ("git", "/usr/bin/git", False),
        ("**", "/usr/bin/git", False),
        ("/usr/bin/[g]it", "/usr/bin/git", False),
        ("C:\\tools\\*", "C:\\tools\\a.exe", True),
    ],
)
def test_the_reference_s_patterns(pattern: str, path: str, fits: bool) -> None:
    assert path_fits(pattern, path) is fits


@given(st.lists(st.sampled_from(["**", "*", "a", "b", "a?"]), max_size=12),
       st.lists(st.sampled_from(["a", "b", "ab"]), max_size=12))  # fmt: skip
@settings(max_examples=60)
def test_patterns_against_a_plain_recursion(pattern: list[str], path: list[str]) -> None:
    def slow(patterns: tuple[str, ...], names: tuple[str, ...]) -> bool:
        if not patterns:
            return not names
        if patterns[0] == "**":
            return slow(patterns[1:], names) or (bool(names) and slow(patterns, names[1:]))
        if not names:
            return False
        first = {"*": True, "a?": names[0] == "ab"}.get(patterns[0], patterns[0] == names[0])
        return first and slow(patterns[1:], names[1:])

    wanted = slow(("", *pattern), ("", *path))
    assert path_fits("/".join(("", *pattern, "")), "/".join(("", *path, ""))) is wanted or (
        pattern == path
    )


def test_words_by_pattern() -> None:
    assert words_fit(("git", "fetch", "**"), ("git", "fetch", "a", "b"))
    assert words_fit(("git", "fetch", "**"), ("git", "fetch"))
    assert not words_fit(("git", "fetch", "**"), ("git", "log"))
    assert not words_fit(("git", "fetch", "**"), ("git",))
    assert words_fit(("a", "*.txt"), ("a", "b.txt")) and not words_fit(("a", "*"), ("a",))


def test_a_yes_to_look_is_none_to_act_and_one_to_act_covers_looking() -> None:
    act, look = Part(Kind.TOOL, "desktop"), Part(Kind.TOOL, "desktop", "screenshot")
    assert not matches(look, act)
    assert matches(look, look)
    assert matches(act, look)
    assert not matches(act, Part(Kind.TOOL, "browser"))
