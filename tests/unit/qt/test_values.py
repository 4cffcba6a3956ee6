from pathlib import Path

from moltbot_desktop.core.events import AssistantDelta, PromptProgress, RunStarted
from moltbot_desktop.core.ids import RunId, SessionKey
from moltbot_desktop.qt.doorbell import socket_name
from moltbot_desktop.qt.mailbox import joined

SESSION = SessionKey("s")


def piece(text: str, run: str = "r", *, thinking: bool = False, seq: int = 1) -> AssistantDelta:
    return AssistantDelta(RunId(run), SESSION, seq, text, thinking)


def test_pieces_of_one_answer_become_one() -> None:
    assert joined(piece("a", seq=1), piece("b", seq=2)) == piece("ab", seq=2)


def test_thoughts_other_runs_and_other_events_stay_apart() -> None:
    assert joined(piece("a"), piece("b", thinking=True)) is None
    assert joined(piece("a"), piece("b", "other")) is None
    assert joined(piece("a"), RunStarted(RunId("r"), SESSION, 3, "x")) is None


def test_of_two_progress_reports_the_later_counts() -> None:
    one = PromptProgress(RunId("r"), SESSION, 1, 10, 100, 0)
    two = PromptProgress(RunId("r"), SESSION, 2, 90, 100, 0)
    assert joined(one, two) == two


def test_homes_and_users_never_share_a_socket() -> None:
    long = "/" + "x" * 120
    names = {
        socket_name(Path("/a"), user="1"),
        socket_name(Path("/b"), user="1"),
        socket_name(Path(long + "a"), user="1"),
        socket_name(Path(long + "b"), user="1"),
        socket_name(Path(long + "a"), user="2"),
    }
    assert len(names) == 5
    assert all(len(name.encode()) <= 100 for name in names)
