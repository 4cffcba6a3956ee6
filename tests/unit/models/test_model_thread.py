"""The model thread: order, pause, cancel and stop. No model is loaded here."""

from __future__ import annotations

import threading
from collections.abc import Generator, Iterator
from concurrent.futures import Future

import pytest

from moltbot_desktop.core.errors import ModelError
from moltbot_desktop.models.thread import CancelSource, ModelThread
from moltbot_desktop.sdk.models import Priority

PATIENCE = 30.0


@pytest.fixture
def thread() -> Iterator[ModelThread]:
    thread = ModelThread("model under test")
    thread.start()
    yield thread
    thread.stop()
    assert thread.join(PATIENCE), "the model thread did not end"


class _Gate:
    """Holds the model thread inside a job until the test opens it."""

    def __init__(self, thread: ModelThread) -> None:
        self.entered, self._open = threading.Event(), threading.Event()
        self.future = thread.call(self._wait, Priority.INTERACTIVE)
        assert self.entered.wait(PATIENCE)

    def _wait(self) -> None:
        self.entered.set()
        assert self._open.wait(PATIENCE)

    def open(self) -> None:
        self._open.set()


def _all(*futures: Future[None]) -> None:
    for future in futures:
        future.result(PATIENCE)


def test_work_runs_on_the_one_thread_and_gives_its_result(thread: ModelThread) -> None:
    names = {
        thread.call(lambda: threading.current_thread().name, Priority.QUERY).result(PATIENCE)
        for _ in range(3)
    }
    assert names == {"model under test"}


def test_an_error_reaches_whoever_waits_and_the_thread_lives_on(thread: ModelThread) -> None:
    failing = thread.call(lambda: 1 // 0, Priority.QUERY)
    with pytest.raises(ZeroDivisionError):
        failing.result(PATIENCE)
    assert thread.call(lambda: 7, Priority.QUERY).result(PATIENCE) == 7


def test_waiting_work_runs_most_urgent_first_and_in_order_among_equals(thread: ModelThread) -> None:
    gate, order = _Gate(thread), list[str]()
    asked = [
        ("index 1", Priority.INDEX),
        ("background", Priority.BACKGROUND),
        ("chat 1", Priority.INTERACTIVE),
        ("index 2", Priority.INDEX),
        ("query", Priority.QUERY),
        ("chat 2", Priority.INTERACTIVE),
    ]
    futures = [thread.call(lambda n=name: order.append(n), urgency) for name, urgency in asked]
    gate.open()
    _all(*futures)
    assert order == ["chat 1", "chat 2", "query", "background", "index 1", "index 2"]


def test_a_background_answer_pauses_for_a_chat_and_goes_on_where_it_was(
    thread: ModelThread,
) -> None:
    order = list[str]()
    paused = threading.Event()

    def background(_control: CancelSource) -> Generator[None, None, str]:
        order.append("background 1")
        paused.set()
        # Not between tokens until the chat is asked: the flag says that somebody waits.
        while not thread.stop_flag.raised:
            pass
        yield
        order.append("background 2")
        return "whole"

    job = thread.submit(background, Priority.BACKGROUND)
    assert paused.wait(PATIENCE)
    _all(thread.call(lambda: order.append("chat"), Priority.INTERACTIVE))
    assert job.future.result(PATIENCE) == "whole"
    assert order == ["background 1", "chat", "background 2"]


def test_equal_work_never_interrupts(thread: ModelThread) -> None:
    gate = _Gate(thread)
    later = thread.call(lambda: None, Priority.INTERACTIVE)
    assert not thread.stop_flag.raised
    gate.open()
    _all(later)


def test_cancelling_raises_the_stop_flag_for_that_job_alone(thread: ModelThread) -> None:
    seen = list[bool]()
    entered, release = threading.Event(), threading.Event()

    def work(control: CancelSource) -> Generator[None, None, None]:
        entered.set()
        assert release.wait(PATIENCE)
        seen.extend([control.cancelled, thread.stop_flag.raised])
        yield

    running = thread.submit(work, Priority.INTERACTIVE)
    waiting = thread.submit(work, Priority.INTERACTIVE)
    assert entered.wait(PATIENCE)
    waiting.cancel()
    assert not thread.stop_flag.raised
    running.cancel()
    assert thread.stop_flag.raised
    release.set()
    _all(running.future, waiting.future)
    assert seen == [True, True, True, True]
    assert not thread.call(lambda: thread.stop_flag.raised, Priority.QUERY).result(PATIENCE)


def test_whoever_cancels_a_token_breaks_off_the_job_that_watches_it_alone(
    thread: ModelThread,
) -> None:
    seen = list[bool]()
    entered, release = threading.Event(), threading.Event()

    def work(_control: CancelSource) -> Generator[None, None, None]:
        entered.set()
        assert release.wait(PATIENCE)
        seen.append(thread.stop_flag.raised)
        yield

    mine, theirs = CancelSource(), CancelSource()
    running = thread.submit(work, Priority.INTERACTIVE, mine)
    waiting = thread.submit(work, Priority.INTERACTIVE, theirs)
    assert entered.wait(PATIENCE)
    theirs.cancel()
    thread.interrupt_watching(theirs)
    assert not thread.stop_flag.raised
    mine.cancel()
    thread.interrupt_watching(mine)
    assert thread.stop_flag.raised
    release.set()
    _all(running.future, waiting.future)
    # One that waits for its turn asks its token itself when it comes.
    assert seen == [True, False]


def test_stopping_ends_running_work_refuses_waiting_work_and_closes_the_models() -> None:
    thread = ModelThread()
    thread.start()
    closed, entered = list[str](), threading.Event()

    class Model:
        def close(self) -> None:
            closed.append(threading.current_thread().name)

    def endless(control: CancelSource) -> Generator[None, None, str]:
        thread.adopt(Model())
        entered.set()
        while not control.cancelled:
            yield
        return "told to end"

    running = thread.submit(endless, Priority.INTERACTIVE)
    waiting = thread.call(lambda: "never", Priority.INDEX)
    assert entered.wait(PATIENCE)
    thread.stop()
    assert thread.join(PATIENCE)
    assert running.future.result(0) == "told to end"
    with pytest.raises(ModelError):
        waiting.result(0)
    with pytest.raises(ModelError):
        thread.call(lambda: None, Priority.INTERACTIVE)
    assert closed == ["model"]


def test_stop_and_join_are_safe_twice_and_before_start() -> None:
    thread = ModelThread()
    thread.stop()
    assert thread.join(0)
    thread.start()
    assert thread.join(PATIENCE)
    thread.stop()
    assert thread.join(PATIENCE)


def test_many_threads_may_ask_at_once(thread: ModelThread) -> None:
    results: list[int] = []

    def ask(number: int) -> None:
        urgency = Priority(number % 4)
        results.extend(thread.call(lambda: number, urgency).result(PATIENCE) for _ in range(50))

    askers = [threading.Thread(target=ask, args=(number,)) for number in range(8)]
    for asker in askers:
        asker.start()
    for asker in askers:
        asker.join(PATIENCE)
    assert sorted(results) == sorted(number for number in range(8) for _ in range(50))
