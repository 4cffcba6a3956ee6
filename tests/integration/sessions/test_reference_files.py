"""Transcripts and an index that the reference wrote open, whatever of its kinds they hold."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from itertools import pairwise

from hypothesis import given, settings
from hypothesis import strategies as st

from moltbot_desktop.core.clock import ManualClock
from moltbot_desktop.core.ids import DEFAULT_AGENT, RunId
from moltbot_desktop.core.json import JsonObject
from moltbot_desktop.core.messages import Role
from moltbot_desktop.core.results import OutcomeKind, RunOutcome
from moltbot_desktop.sessions.keys import main_session_key
from moltbot_desktop.sessions.store import SessionStore

MAIN = main_session_key(DEFAULT_AGENT)
WORDS = st.sampled_from(["", "hi", "你好", "a\u2028b", "\ud800"])
TEXT = st.builds(lambda text: {"type": "text", "text": text}, WORDS)
CALL = st.just({"type": "toolCall", "id": "c1", "name": "exec", "arguments": {"command": "ls"}})
IMAGE = st.just({"type": "image", "data": "AAAA", "mimeType": "image/png"})
THOUGHT = st.just({"type": "thinking", "thinking": "hm", "thinkingSignature": "x"})
USER = st.builds(
    lambda content: {"role": "user", "content": content}, WORDS | st.lists(TEXT | IMAGE, max_size=2)
)
ASSISTANT = st.builds(
    lambda content: {"role": "assistant", "content": content, "usage": {"input": 3}},
    st.lists(TEXT | CALL | THOUGHT, max_size=3),
)
RESULT = st.builds(
    lambda content: {
        "role": "toolResult",
        "toolCallId": "c1",
        "toolName": "exec",
        "content": content,
    },
    st.lists(TEXT, max_size=1),
)
OTHER_MESSAGE = st.sampled_from([{"role": "bashExecution", "command": "ls"}, {"role": 7}, {}])
KINDS: st.SearchStrategy[JsonObject] = st.one_of(
    st.builds(
        lambda message: {"type": "message", "message": message},
        USER | ASSISTANT | RESULT | OTHER_MESSAGE,
    ),
    st.sampled_from(
        [
            {"type": "model_change", "provider": "p", "modelId": "m"},
            {"type": "thinking_level_change", "thinkingLevel": "high"},
            {"type": "branch_summary", "fromId": "e0", "summary": "before"},
            {"type": "custom_message", "customType": "note", "content": "x", "display": True},
            {"type": "custom", "customType": "model-snapshot", "data": {"x": 1}},
            {"type": "label", "targetId": "e0", "label": "here"},
            {"type": "session_info", "name": "Crab"},
            {"type": "compaction", "summary": "short", "firstKeptEntryId": "e1", "tokensBefore": 9},
            {"type": "compaction", "summary": None, "firstKeptEntryId": 3},
        ]
    ),
)
ENTRIES = st.lists(st.tuples(KINDS, st.integers(0, 3)), max_size=9)
INDEX = st.fixed_dictionaries(
    {"sessionId": st.just("old"), "updatedAt": st.integers() | st.floats() | st.none()},
    optional={
        "sessionFile": st.just("/home/anna/.clawdbot/agents/main/sessions/old.jsonl"),
        "thinkingLevel": WORDS,
        "totalTokens": st.integers() | st.none(),
        "deliveryContext": st.just({"channel": "telegram", "to": "42"}),
        "skillsSnapshot": st.just({"prompt": "…", "skills": []}),
    },
)


def lines_of(entries: list[tuple[JsonObject, int]]) -> list[JsonObject]:
    """A transcript in which each entry hangs below the last one or one of the three before."""
    lines: list[JsonObject] = [{"type": "session", "version": 3, "id": "old", "cwd": "/"}]
    for number, (entry, back) in enumerate(entries):
        parent = f"e{max(0, number - 1 - back)}" if number else None
        lines.append({**entry, "id": f"e{number}", "parentId": parent, "timestamp": "2026-01-01"})
    return lines


@settings(max_examples=80, deadline=None)
@given(ENTRIES, INDEX)
def test_what_the_reference_wrote_goes_on_here(tmp_path_factory, entries, entry):
    home = tmp_path_factory.mktemp("home")
    folder = home / "agents" / "main" / "sessions"
    folder.mkdir(parents=True)
    written = [json.dumps(line) for line in lines_of(entries)]
    (folder / "old.jsonl").write_text("\n".join(written) + "\n")
    (folder / "sessions.json").write_text(json.dumps({MAIN: entry}))
    store = SessionStore(home, ManualClock(datetime(2026, 3, 1, tzinfo=UTC)))
    session = store.open(MAIN)
    roles = [message.role for message in session.transcript.messages()]
    assert roles[:1] != [Role.ASSISTANT]
    assert (Role.USER, Role.USER) not in pairwise(roles)
    session.transcript.append_user("and now?", RunId("r"))
    session.transcript.append_outcome(RunId("r"), RunOutcome(OutcomeKind.ANSWERED, "yes"))
    before = session.transcript.messages()
    store.close(session)
    assert (folder / "old.jsonl").read_text().split("\n")[: len(written)] == written
    kept = json.loads((folder / "sessions.json").read_text())[MAIN]
    assert {name: kept[name] for name in entry if name.endswith(("Context", "Snapshot"))} == {
        name: entry[name] for name in entry if name.endswith(("Context", "Snapshot"))
    }
    assert store.open(MAIN).transcript.messages() == before
    assert before[-2].content.endswith("and now?")
