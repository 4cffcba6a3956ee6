"""Jobs in the reference's shape, there and back, and whatever a jobs.json may hold."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from moltbot_desktop.core.errors import UserInputInvalid
from moltbot_desktop.core.json import JsonObject
from moltbot_desktop.schedule.jobs_json import (
    LONGEST_TEXT,
    checked_draft,
    draft_as_json,
    read_draft,
    read_jobs,
)
from moltbot_desktop.sdk.schedule import (
    AgentTurn,
    At,
    CatchUp,
    Cron,
    EventKind,
    Every,
    Isolation,
    JobDraft,
    OnEvent,
    PostMode,
    Schedule,
    SystemEvent,
    WakeMode,
)

TEXT = st.text(min_size=1, max_size=40).filter(str.strip).map(str.strip)
LINE = TEXT.map(lambda text: " ".join(text.split())).filter(str.isprintable)
SCHEDULES = st.one_of(
    st.integers(0, 10**13).map(At),
    st.builds(Every, st.integers(1_000, 10**10), st.none() | st.integers(0, 10**13)),
    st.sampled_from((Cron("0 8 * * 1-5"), Cron("*/5 * * * *", "Asia/Shanghai"))),
    st.sampled_from((OnEvent(EventKind.STARTUP), OnEvent(EventKind.FILE, "notes/*.md"))),
)
PAYLOADS = st.one_of(
    TEXT.map(SystemEvent),
    st.builds(AgentTurn, message=TEXT, deliver=st.none() | st.booleans(), to=LINE,
              timeout_seconds=st.integers(0, 600), best_effort=st.booleans()),
)  # fmt: skip
DRAFTS = st.builds(
    JobDraft,
    name=LINE,
    schedule=SCHEDULES,
    payload=PAYLOADS,
    enabled=st.booleans(),
    delete_after_run=st.booleans(),
    wake_mode=st.sampled_from(WakeMode),
    catch_up=st.none() | st.sampled_from(CatchUp),
    isolation=st.builds(Isolation, LINE, st.sampled_from(PostMode), st.integers(0, LONGEST_TEXT)),
)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(
        st.sampled_from(("kind", "schedule", "payload", "atMs", "everyMs", "expr", "tz", "text",
                         "message", "id", "isolation", "postToMainMode",
                         "postToMainMaxChars", "jobs", "state")), inner, max_size=4),
    max_leaves=12,
)  # fmt: skip


@settings(max_examples=60)
@given(DRAFTS)
def test_there_and_back(draft: JobDraft) -> None:
    written = json.loads(json.dumps(draft_as_json(draft), default=dict))
    assert read_draft(written) == draft


@settings(max_examples=100)
@given(JSON)
def test_whatever_is_in_the_file_is_read_or_refused(content: object) -> None:
    try:
        read = read_jobs(json.dumps({"jobs": [content]}))
    except UserInputInvalid:
        return
    assert len(read.jobs) + len(read.problems) == 1


@pytest.mark.parametrize("text", ["", "{", "[" * 5_000, "3", "{}"])
def test_what_is_no_jobs_file(text: str) -> None:
    with pytest.raises(UserInputInvalid):
        read_jobs(text)


def test_a_moment_without_a_zone_is_utc() -> None:
    draft = read_draft(
        {
            "schedule": {"kind": "at", "at": "2026-12-01T09:00:00"},
            "payload": {"kind": "systemEvent", "text": "x"},
        }
    )
    assert draft.schedule == At(1_796_115_600_000)


@pytest.mark.parametrize(
    ("schedule", "meant"),
    [
        ({"atMs": 1_796_115_600_000}, At(1_796_115_600_000)),
        ({"at": "2026-12-01T09:00:00Z"}, At(1_796_115_600_000)),
        ({"everyMs": 60_000, "anchorMs": 5}, Every(60_000, 5)),
        ({"expr": "0 8 * * *", "tz": "UTC"}, Cron("0 8 * * *", "UTC")),
    ],
)
def test_what_older_versions_wrote_is_read(schedule: JsonObject, meant: Schedule) -> None:
    turn: JsonObject = {"kind": "agentTurn", "message": "x", "provider": "irc", "to": "ada"}
    draft = read_draft({"schedule": schedule, "payload": turn})
    assert draft.schedule == meant
    assert draft.payload == AgentTurn("x", channel="irc", to="ada")


def test_a_job_that_says_nothing_or_too_much_is_refused() -> None:
    for text in ("", " \n", "x" * (LONGEST_TEXT + 1)):
        with pytest.raises(UserInputInvalid):
            checked_draft(JobDraft("", Every(1_000), AgentTurn(text)))


def test_a_job_without_a_name_is_called_by_what_it_does() -> None:
    named = checked_draft(JobDraft(" ", Every(1_000), AgentTurn("tidy\nup " + "x" * 80)))
    assert named.name.startswith("tidy up x") and len(named.name) == 60


def test_a_name_holds_nothing_that_a_terminal_obeys() -> None:
    draft = JobDraft("a\x1b[31m\u202eb", Every(60_000), AgentTurn("x"))
    assert checked_draft(draft).name == "a [31m b"
    assert checked_draft(JobDraft("\x07", Every(60_000), AgentTurn("say hi"))).name == "say hi"
