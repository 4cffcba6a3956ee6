"""kill -9 in the middle of writing: every acknowledged message is there afterwards."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from datetime import UTC, datetime

import pytest

from moltbot_desktop.core.clock import ManualClock
from moltbot_desktop.core.ids import DEFAULT_AGENT
from moltbot_desktop.core.results import OutcomeKind
from moltbot_desktop.sessions.entries import AssistantEntry, OutcomeEntry, UserEntry
from moltbot_desktop.sessions.keys import main_session_key
from moltbot_desktop.sessions.store import SessionStore

WRITER = """
import itertools, pathlib, sys
from datetime import datetime, timezone
from moltbot_desktop.core.clock import ManualClock
from moltbot_desktop.core.ids import DEFAULT_AGENT, RunId
from moltbot_desktop.core.messages import ChatMessage, Role
from moltbot_desktop.sessions.keys import main_session_key
from moltbot_desktop.sessions.store import SessionStore

clock = ManualClock(datetime(2026, 3, 1, tzinfo=timezone.utc))
transcript = SessionStore(pathlib.Path(sys.argv[1]), clock).open(
    main_session_key(DEFAULT_AGENT)
).transcript
for number in itertools.count():
    run = RunId(str(number))
    transcript.append_user(f"message {number} " + "x" * 20_000, run)
    print(number, flush=True)  # the acknowledgement
    transcript.append_assistant(ChatMessage(Role.ASSISTANT, "half " * 5_000), run)
"""


@pytest.mark.skipif(os.name == "nt", reason="no SIGKILL")
@pytest.mark.parametrize("acknowledged", [1, 7, 40])
def test_no_acknowledged_message_is_lost_to_kill_9(tmp_path, acknowledged):
    writer = subprocess.Popen(
        [sys.executable, "-c", WRITER, str(tmp_path)], stdout=subprocess.PIPE, text=True
    )
    with writer:
        assert writer.stdout is not None
        for _ in range(acknowledged):
            last = int(writer.stdout.readline())
        writer.send_signal(signal.SIGKILL)
        rest = writer.stdout.read().split()  # what was acknowledged before the signal arrived
    last = max([last, *[int(number) for number in rest[:-1]]])
    clock = ManualClock(datetime(2026, 3, 2, tzinfo=UTC))
    store = SessionStore(tmp_path, clock)
    session = store.open(main_session_key(DEFAULT_AGENT))  # the lock died with the process
    entries = session.transcript.entries()
    asked = [int(e.text.split()[1]) for e in entries if isinstance(e, UserEntry)]
    assert asked == list(range(len(asked)))
    assert len(asked) > last
    outcomes = [e for e in entries if isinstance(e, OutcomeEntry)]
    assert sorted(int(e.run_id) for e in outcomes) == asked
    assert {e.outcome.kind for e in outcomes} == {OutcomeKind.CANCELLED}
    assert all(e.unfinished for e in entries if isinstance(e, AssistantEntry))
    store.close(session)
