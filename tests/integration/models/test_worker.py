"""The model's process dies, hangs, babbles or is left behind; the program goes on in every case."""

from __future__ import annotations

import asyncio
import gc
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import cast

import pytest

from moltbot_desktop.core.errors import ModelError
from moltbot_desktop.models.thread import CancelSource
from moltbot_desktop.models.warm import WarmStates, saved_states, state_key
from moltbot_desktop.models.worker import lives as lives_module
from moltbot_desktop.models.worker.command import CHILD_OPTION, child_environment
from moltbot_desktop.models.worker.lives import Lives
from moltbot_desktop.models.worker.model import (
    ProcessChatModel,
    _Asked,
    load_isolated_chat_model,
)
from moltbot_desktop.models.worker.process import ProcessEnd, WorkerProcess
from moltbot_desktop.models.worker.protocol import (
    Answer,
    Cancel,
    Counted,
    CountTokens,
    Load,
    decode_request,
    encode,
)
from moltbot_desktop.models.worker.session import Session
from moltbot_desktop.sdk.models import FinishReason, GenerationDone, ModelEvent, TextDelta
from tests.fakes.asking import Never, asking, done, events_of, said
from tests.fakes.sequence_memory import state_of

# The worker as it is, with `patch` carried out before it serves.
WORKER = """
import os, sys, threading, time
from moltbot_desktop.models.worker.channel import claim_stdout
answers = claim_stdout()
from moltbot_desktop.models import chat, generation, llama
from moltbot_desktop.models.worker import child
{patch}
sys.exit(child.serve(answers))
"""
# Dies of any prompt that fills a batch, as ggml does.
ASSERTION = """
advance = llama.LlamaContext.advance
def die(self, tokens):
    if len(tokens) >= 256:
        os.write(2, b"ggml.c:1: GGML_ASSERT(ne00 == ne10) failed\\n")
        os.abort()
    advance(self, tokens)
llama.LlamaContext.advance = die
"""
NEVER_LOADED = "llama.LlamaContext.__init__ = lambda self, *args: time.sleep(300)"
posix = pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")
linux = pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")
dies = pytest.mark.expect_log("The model's process")


def _worker(patch: str = "") -> tuple[str, ...]:
    return (sys.executable, "-c", WORKER.format(patch=patch))


@pytest.fixture
def load(chat_file: Path, state_dir: Path) -> Load:
    return Load(chat_file, 8192, 1, state_dir)


@pytest.fixture
def made(load: Load) -> Iterator[Callable[..., ProcessChatModel]]:
    """`made(patch)`: a model whose process is changed so; not yet started, closed at the end."""
    models: list[ProcessChatModel] = []

    def make(patch: str = "", **options: object) -> ProcessChatModel:
        models.append(ProcessChatModel(Lives(_worker(patch), load, **options)))  # type: ignore[arg-type]
        return models[-1]

    yield make
    for model in models:
        model.end()


def _gone(process_id: int) -> bool:
    """Whether it ended; one that nobody has taken note of yet has ended too."""
    try:
        os.kill(process_id, 0)
    except ProcessLookupError:
        return True
    status = Path(f"/proc/{process_id}/stat")
    return status.exists() and status.read_text().rsplit(")", 1)[1].split()[0] == "Z"


def _wait_until(condition: Callable[[], bool]) -> None:
    """Held up by the test's own time limit only."""
    while not condition():
        time.sleep(0.01)


async def _run_until_text(model: ProcessChatModel, then: Callable[[], None]) -> list[ModelEvent]:
    """Ask for a long answer and hear its first word, at which `then` happens, and its end."""
    seen: list[ModelEvent] = []
    async for event in model.generate(asking("hello", max_tokens=7000, temperature=1.0), Never()):
        if isinstance(event, TextDelta) and not seen:
            then()
            seen.append(event)
        elif isinstance(event, GenerationDone):
            seen.append(event)
    return seen


# --- it dies


@posix
@dies
def test_a_process_that_is_killed_fails_its_answer_and_the_next_is_from_a_new_one(made) -> None:
    async def run() -> None:
        model = made()
        whole = await events_of(model, asking("hello", max_tokens=20))
        killed = model.process_id
        with pytest.raises(
            ModelError, match="ended from outside, usually because memory"
        ) as caught:
            await _run_until_text(model, lambda: os.kill(killed, signal.SIGKILL))
        assert "Ask again" in caught.value.hint
        assert model.process_id is None
        again = await events_of(model, asking("hello", max_tokens=20))
        assert said(again) == said(whole) and model.process_id not in (None, killed)

    asyncio.run(run())


@posix
@dies
def test_an_assertion_in_ggml_is_told_with_its_text(made) -> None:
    async def run() -> None:
        model = made(ASSERTION)
        with pytest.raises(
            ModelError, match=r"broke down \(SIGABRT: .*GGML_ASSERT\(ne00 == ne10\)"
        ):
            await events_of(model, asking("word " * 600))
        assert done(await events_of(model, asking("hi", max_tokens=3))).usage.completion_tokens == 3

    asyncio.run(run())


@posix
@dies
def test_everything_that_waits_for_the_process_fails_when_it_dies(made) -> None:
    async def run() -> None:
        model = made()
        await events_of(model, asking("hello", max_tokens=1))
        killed = model.process_id
        asked = [
            asyncio.create_task(events_of(model, asking("hello", max_tokens=7000, seed=seed)))
            for seed in range(3)
        ]
        with pytest.raises(ModelError):
            await _run_until_text(model, lambda: os.kill(killed, signal.SIGKILL))
        failed = await asyncio.gather(*asked, return_exceptions=True)
        assert all(isinstance(error, ModelError) for error in failed), failed

    asyncio.run(run())


@posix
@dies
def test_a_death_nobody_waited_for_costs_the_next_request_nothing_but_the_start(made) -> None:
    async def run() -> None:
        model = made()
        await model.count_tokens("a")
        os.kill(model.process_id, signal.SIGKILL)
        while model.process_id is not None:
            await asyncio.sleep(0.01)
        assert await model.count_tokens("hello") > 0

    asyncio.run(run())


@posix
@dies
def test_three_deaths_within_a_minute_end_the_tries_until_the_minute_is_over(made) -> None:
    clock = [0.0]

    async def run() -> None:
        model = made(ASSERTION, now=lambda: clock[0])
        for clock[0] in (0.0, 10.0, 20.0):
            with pytest.raises(ModelError, match="GGML_ASSERT"):
                await events_of(model, asking("word " * 600))
        with pytest.raises(ModelError, match="3 times within a minute") as caught:
            await events_of(model, asking("hi"))
        assert "GGML_ASSERT" in caught.value.message and "tiny.gguf" in caught.value.message
        assert "another model" in caught.value.hint
        assert model.process_id is None
        clock[0] = 61.0
        await events_of(model, asking("hi", max_tokens=1))

    asyncio.run(run())


@posix
@dies
def test_after_a_second_death_a_start_waits_and_may_be_cancelled_meanwhile(made) -> None:
    async def run() -> None:
        model = made(ASSERTION, now=lambda: 0.0)  # time stands still: the pause never ends
        for _ in range(2):
            with pytest.raises(ModelError):
                await events_of(model, asking("word " * 600))
        cancel = CancelSource()
        waiting = asyncio.create_task(events_of(model, asking("hi"), cancel))
        await asyncio.sleep(0)
        cancel.cancel()
        assert done(await waiting).reason is FinishReason.CANCELLED

    asyncio.run(run())


@dies
def test_a_bug_of_ours_ends_the_process_and_stands_in_the_error(made) -> None:
    async def run() -> None:
        model = made("def bug(*_): raise RuntimeError('a bug of ours')\nchat.Generation = bug")
        with pytest.raises(ModelError, match="RuntimeError: a bug of ours"):
            await events_of(model, asking("hi"))

    asyncio.run(run())


@posix
@dies
def test_a_file_that_llama_cpp_dies_of_is_an_error_of_loading(load: Load) -> None:
    async def run() -> None:
        await load_isolated_chat_model(
            load.path,
            context_tokens=512,
            threads=1,
            state_dir=load.state_dir,
            command=_worker("llama.LlamaContext.__init__ = lambda *_: os.abort()"),
        )

    with pytest.raises(ModelError, match="SIGABRT"):
        asyncio.run(run())


@dies
@pytest.mark.parametrize(
    ("command", "said"),
    [
        (("/nonexistent/python",), "could not be started"),
        ((sys.executable, "-c", "raise SystemExit(3)"), "exit code 3"),
        ((sys.executable, "-c", "pass"), "exit code 0"),
    ],
    ids=["missing", "ends with 3", "ends with 0"],
)
def test_a_process_that_does_not_come_up_is_an_error(command, said: str, load: Load) -> None:
    async def run() -> None:
        lives = Lives(command, load)
        with pytest.raises(ModelError, match=said) as caught:
            await events_of(ProcessChatModel(lives), asking("hi"))
        assert caught.value.hint
        await lives.close()

    asyncio.run(run())


# --- it babbles


@pytest.mark.expect_log("model's process")
@pytest.mark.parametrize(
    "babble",
    ["print('hello', flush=True)", "sys.stdout.buffer.write(bytes(40_000_000))"],
    ids=["no message", "no end"],
)
def test_a_process_that_says_something_else_is_ended(babble: str, load: Load) -> None:
    command = (sys.executable, "-c", f"import sys, time; {babble}; time.sleep(300)")

    async def run() -> None:
        lives = Lives(command, load)
        with pytest.raises(ModelError, match="unreadable"):
            await lives.ready(Never())
        await lives.close()

    asyncio.run(run())


def test_what_is_printed_in_the_process_goes_to_the_log_and_not_between_the_answers(
    made, caplog: pytest.LogCaptureFixture
) -> None:
    prints = """
advance = llama.LlamaContext.advance
def loud(self, tokens):
    print("by Python 你好")
    os.write(1, b"by C\\n")
    advance(self, tokens)
llama.LlamaContext.advance = loud
"""
    caplog.set_level("INFO", logger="moltbot_desktop.models.worker")

    async def run() -> list[ModelEvent]:
        return await events_of(made(prints), asking("hello", max_tokens=5))

    assert done(asyncio.run(run())).usage.completion_tokens == 5
    assert "by Python 你好" in caplog.text and "by C" in caplog.text


@pytest.mark.parametrize("spoken", [b"", b"noise\n", b'{"$": "Close"}\n', b"\xff" * 100])
def test_a_program_that_talks_nonsense_or_not_at_all_ends_the_process(spoken: bytes) -> None:
    ended = subprocess.run(
        [sys.executable, "-m", "moltbot_desktop.models.worker"],
        input=spoken,
        capture_output=True,
        env=child_environment(),
        check=False,
    )
    assert (ended.returncode, ended.stdout) == (0, b"")
    assert (b"the program said" in ended.stderr) is (spoken == b"noise\n")


# --- there is no thread to be had


@pytest.mark.expect_log("The model's process could not be started")
@pytest.mark.parametrize("which", ["model-process", "model-process-in", "model-process-log"])
def test_no_thread_for_the_process_is_an_error_and_the_next_request_tries_again(
    which: str, made, monkeypatch: pytest.MonkeyPatch
) -> None:
    start = threading.Thread.start

    def refused(self: threading.Thread) -> None:
        if self.name == which:
            raise RuntimeError("can't start new thread")
        start(self)

    async def run() -> int:
        model = made()
        with monkeypatch.context() as patch:
            patch.setattr(threading.Thread, "start", refused)
            with pytest.raises(
                ModelError, match=r"could not be started \(can.t start new"
            ) as caught:
                await model.count_tokens("hello")
            assert "Close other programs" in caught.value.hint
        return await model.count_tokens("hello")

    assert asyncio.run(run()) > 0


def test_a_bug_in_who_hears_the_answers_leaves_nobody_waiting(load: Load) -> None:
    ends: list[ProcessEnd] = []

    def bug(_answer: Answer) -> None:
        raise ZeroDivisionError

    hook, threading.excepthook = threading.excepthook, lambda _: None
    try:
        process = WorkerProcess(_worker(), on_answer=bug, on_end=ends.append)
        process.start()
        process.send(encode(load))
        process.ended.result()
        process.join()
    finally:
        threading.excepthook = hook
    assert [end.code for end in ends] == [None] and "bug" in ends[0].last_words[0]


# --- it is told to stop


@pytest.mark.parametrize("turns", range(6))
def test_a_cancellation_that_comes_with_an_answer_is_not_lost(turns: int) -> None:
    async def run() -> None:
        process = cast(Session, _Silent())
        asked = _Asked(process, lambda number: CountTokens(number, ""), Never())
        waiting = asyncio.create_task(asked.next())
        await asyncio.sleep(0)
        asked._put(Counted(1, 2))
        for _ in range(turns):
            await asyncio.sleep(0)
        too_late = not waiting.cancel()
        await asyncio.wait([waiting])
        assert waiting.cancelled() is not too_late

    asyncio.run(run())


class _Silent:
    """A session that never answers by itself."""

    def ask(self, _request: object, _listener: object) -> int:
        return 1


# An evaluation that lasts until the stop flag goes up, and nothing that polls the cancel token.
STUCK = """
from moltbot_desktop.models import delivery
assert delivery.CANCEL_POLL_SECONDS  # under this name, or setting it changes nothing
delivery.CANCEL_POLL_SECONDS = 3600
def wait(self, tokens):
    while not self._stop.raised:
        time.sleep(0.001)
    raise llama.Interrupted
llama.LlamaContext.advance = wait
"""


def test_a_cancel_breaks_off_the_evaluation_itself(made) -> None:

    async def run() -> list[ModelEvent]:
        cancel, model = CancelSource(), made(STUCK)
        seen: list[ModelEvent] = []
        async for event in model.generate(asking("hello"), cancel):
            seen.append(event)
            cancel.cancel()
        return seen

    assert done(asyncio.run(run())).reason is FinishReason.CANCELLED


def test_leaving_an_answer_breaks_off_the_evaluation_too(made) -> None:
    async def run() -> int:
        model = made(STUCK)
        answer = model.generate(asking("hello"), Never())
        await anext(answer)
        await answer.aclose()
        return await model.count_tokens("hello")  # has its turn only then

    assert asyncio.run(run()) > 0


def test_what_is_over_is_not_cancelled(made, monkeypatch: pytest.MonkeyPatch) -> None:
    """A late cancel would reach the process while it works for somebody else."""
    sent: list[bytes] = []
    send = WorkerProcess.send

    def noting(self: WorkerProcess, line: bytes) -> None:
        sent.append(line)
        send(self, line)

    monkeypatch.setattr(WorkerProcess, "send", noting)

    async def run() -> None:
        model = made()
        await events_of(model, asking("hello", max_tokens=2))
        await model.prefill(asking("hello"), Never())
        await model.count_tokens("hello")
        await model.forget("one")
        with pytest.raises(ModelError):
            await events_of(model, asking("word " * 9000))

    asyncio.run(run())
    assert len(sent) == 6
    assert not [line for line in sent if isinstance(decode_request(line), Cancel)]


def test_a_cancel_does_not_break_off_somebody_elses_evaluation(
    made, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("INFO", logger="moltbot_desktop.models.worker")
    noted = STUCK.replace("    while", "    print('evaluation begins')\n    while")

    async def run() -> None:
        model = made(noted)
        first, second = CancelSource(), CancelSource()
        answers = [asyncio.create_task(events_of(model, asking("hello"), first))]
        while "evaluation begins" not in caplog.text:
            await asyncio.sleep(0.01)
        answers.append(asyncio.create_task(events_of(model, asking("hello"), second)))
        await asyncio.sleep(0.1)
        second.cancel()
        await asyncio.sleep(0.3)  # for one that was broken off by mistake to begin anew
        assert caplog.text.count("evaluation begins") == 1
        first.cancel()
        await asyncio.gather(*answers)

    asyncio.run(run())


def test_a_run_may_be_cancelled_while_the_model_is_loaded(made) -> None:
    async def run() -> list[ModelEvent]:
        cancel = CancelSource()
        waiting = asyncio.create_task(events_of(made(NEVER_LOADED), asking("hello"), cancel))
        await asyncio.sleep(0.05)
        cancel.cancel()
        return await waiting

    events = asyncio.run(run())
    assert len(events) == 1 and done(events).reason is FinishReason.CANCELLED


@posix
def test_a_key_for_the_program_in_a_terminal_is_not_one_for_the_process(made) -> None:
    """Ctrl-C reaches a whole process group."""

    async def run() -> None:
        model = made()
        await model.count_tokens("a")
        assert os.getpgid(model.process_id) != os.getpgid(0)

    asyncio.run(run())


# --- it is closed


def _descriptors() -> int:
    gc.collect()
    return len(list(Path("/proc/self/fd").iterdir()))


@linux
@pytest.mark.parametrize("when", ["idle", "answering", "loading", "never started"])
@pytest.mark.parametrize("blocking", [True, False], ids=["end", "close"])
def test_closing_leaves_no_process_no_thread_and_no_descriptor(
    when: str, blocking: bool, load: Load, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The process ends by itself: nobody, on either side, has to lose patience."""
    monkeypatch.setattr(lives_module, "_CLOSE_SECONDS", 300)
    patch = "child._LEAVE_SECONDS = child._SAVE_SECONDS = 300"

    async def run() -> int | None:
        lives = Lives(_worker(NEVER_LOADED if when == "loading" else patch), load)
        model = ProcessChatModel(lives)
        closing: list[object] = []
        if when == "idle":
            await model.count_tokens("a")
        elif when == "loading":
            closing.append(asyncio.create_task(model.count_tokens("a")))
            while model.process_id is None:
                await asyncio.sleep(0.01)
        process_id = model.process_id
        if when == "answering":
            await model.count_tokens("a")
            process_id = model.process_id
            began = asyncio.Event()
            closing.append(asyncio.create_task(_run_until_text(model, began.set)))
            await began.wait()
        for _ in range(2):
            if blocking:
                model.end()
            else:
                await model.close()
        [ended] = await asyncio.gather(*closing, return_exceptions=True) or [None]
        if when == "loading":
            assert isinstance(ended, ModelError) and "closing" in ended.message
        elif when == "answering":
            assert [type(event) for event in ended] == [TextDelta, GenerationDone]
            assert done(ended).reason is FinishReason.CANCELLED
        return process_id

    asyncio.run(asyncio.sleep(0))  # what asyncio itself keeps open is open
    threads, descriptors = threading.active_count(), _descriptors()
    process_id = asyncio.run(run())
    assert process_id is None or _gone(process_id)
    assert (threading.active_count(), _descriptors()) == (threads, descriptors)


@pytest.mark.parametrize("blocking", [True, False], ids=["end", "close"])
def test_closing_waits_for_a_thread_that_the_computer_has_no_time_for(
    blocking: bool, load: Load, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What the keeper does after it told of the end may take it a while."""
    keep = WorkerProcess._keep

    def held_up(self: WorkerProcess) -> None:
        keep(self)
        time.sleep(0.3)

    monkeypatch.setattr(WorkerProcess, "_keep", held_up)
    before = threading.active_count()

    async def run() -> None:
        lives = Lives((sys.executable, "-c", "import sys; sys.stdin.read()"), load)
        waiting = asyncio.create_task(lives.ready(Never()))
        await asyncio.sleep(0)
        if blocking:
            lives.end()
        else:
            await lives.close()
        assert threading.active_count() == before
        assert isinstance((await asyncio.gather(waiting, return_exceptions=True))[0], ModelError)

    asyncio.run(run())


@posix
def test_a_process_that_does_not_listen_is_ended_all_the_same(
    made, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lives_module, "_CLOSE_SECONDS", 0.1)

    async def run(close: Callable[[ProcessChatModel], object]) -> int:
        model = made()
        await model.count_tokens("a")
        process_id = model.process_id
        os.kill(process_id, signal.SIGSTOP)
        closing = close(model)
        if closing is not None:
            await closing
        return process_id

    for close in (ProcessChatModel.close, ProcessChatModel.end):
        assert _gone(asyncio.run(run(close)))


PARENT = """
import asyncio, os, signal, sys
from pathlib import Path
from moltbot_desktop.models.worker.lives import NEVER, Lives
from moltbot_desktop.models.worker.protocol import Load
async def main():
    lives = Lives(tuple(sys.argv[4:]), Load(Path(sys.argv[1]), 512, 1, Path(sys.argv[2])))
    await lives.ready(NEVER)
    print(lives.process_id, flush=True)
    if sys.argv[3] == "killed":
        os.kill(os.getpid(), signal.SIGKILL)
asyncio.run(main())
"""
NO_SIGNAL = "child.settle_child = lambda: None"
DEAF = """
import stat
read = os.read
def deaf(descriptor, size):
    found = read(descriptor, size)
    if found or stat.S_ISREG(os.fstat(descriptor).st_mode):
        return found
    time.sleep(300)
os.read = deaf
"""


@posix
@pytest.mark.parametrize("end", ["killed", "forgetful"])
@pytest.mark.parametrize("patch", ["", NO_SIGNAL], ids=["signal and pipe", "pipe alone"])
def test_the_process_ends_with_the_program(end: str, patch: str, load: Load) -> None:
    command = _worker(patch)
    parent = subprocess.run(
        [sys.executable, "-c", PARENT, load.path, load.state_dir, end, *command],
        capture_output=True,
        env=child_environment(),
        check=False,
    )
    assert parent.returncode == (-signal.SIGKILL if end == "killed" else 0), parent.stderr
    process_id = int(parent.stdout)
    _wait_until(lambda: _gone(process_id))


@linux
def test_a_process_that_cannot_hear_the_pipe_end_is_ended_by_the_system(load: Load) -> None:
    parent = subprocess.run(
        [sys.executable, "-c", PARENT, load.path, load.state_dir, "killed", *_worker(DEAF)],
        capture_output=True,
        env=child_environment(),
        check=False,
    )
    process_id = int(parent.stdout)
    _wait_until(lambda: _gone(process_id))


# --- it is asked from everywhere


def test_several_event_loops_may_ask_one_model(made) -> None:
    model, answers = made(), list[str]()

    def ask(seed: int) -> None:
        for _ in range(3):
            request = asking("hello", max_tokens=15, temperature=1.0, seed=seed)
            answers.append(said(asyncio.run(events_of(model, request))))

    askers = [threading.Thread(target=ask, args=(seed,)) for seed in range(3)]
    for asker in askers:
        asker.start()
    for asker in askers:
        asker.join()
    assert len(answers) == 9 and len(set(answers)) == 3


def test_a_waiter_that_is_cancelled_does_not_spoil_the_start_for_others(made) -> None:
    async def run() -> int:
        model = made()
        first = asyncio.create_task(model.count_tokens("a"))
        second = asyncio.create_task(model.count_tokens("hello"))
        await asyncio.sleep(0.05)
        first.cancel()
        return await second

    assert asyncio.run(run()) > 0


def test_what_a_conversation_keeps_is_saved_and_forgotten_there(load: Load, tmp_path: Path) -> None:
    async def run() -> None:
        model = await load_isolated_chat_model(
            load.path,
            context_tokens=4096,
            threads=1,
            state_dir=tmp_path,
            saved_state_bytes=2**28,
        )
        await events_of(model, asking("word " * 600, max_tokens=2, conversation="one"))
        saved = await model.save_states()
        assert saved == len([path for path in tmp_path.rglob("*") if path.is_file()]) - 1 == 1
        await model.forget("one")
        await model.close()

    asyncio.run(run())


def test_to_forget_a_conversation_no_process_is_started(load: Load, tmp_path: Path) -> None:
    load = replace(load, state_dir=tmp_path)
    saved = WarmStates(saved_states(tmp_path), 2**20, state_key())
    assert saved.save("one", state_of(list(range(50))), Never())

    async def run() -> None:
        model = ProcessChatModel(Lives(("/nonexistent/python",), load))
        await model.forget("one")
        await model.close()
        await model.forget("another")

    asyncio.run(run())
    assert list(saved_states(tmp_path).iterdir()) == []


# --- a frozen build


def test_asking_whether_this_is_a_child_loads_no_llama_cpp() -> None:
    code = (
        "import sys; from moltbot_desktop.models.worker.roles import run_role; "
        "assert run_role(['--hidden']) is None; "
        "print(sorted({'numpy', 'llama_cpp', 'asyncio'} & sys.modules.keys()))"
    )
    asked = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, env=child_environment(), check=False
    )
    assert asked.stdout.strip() == b"[]", asked


def test_a_frozen_build_serves_and_probes_through_its_hidden_option(
    load: Load, tmp_path: Path
) -> None:
    entry = (
        "import sys; from moltbot_desktop.models.worker.roles import run_role; "
        "sys.exit(run_role(sys.argv[1:]))"
    )
    frozen = (sys.executable, "-c", entry, CHILD_OPTION)

    async def run() -> int:
        model = ProcessChatModel(Lives((*frozen, "worker"), load))
        try:
            return await model.count_tokens("hello")
        finally:
            await model.close()

    assert asyncio.run(run()) > 0
    probed = subprocess.run(
        [*frozen, "probe", load.path], capture_output=True, env=child_environment(), check=False
    )
    assert (probed.returncode, probed.stdout.strip()) == (0, b'{"reason": ""}')
    other = subprocess.run(
        [*frozen[:3], "--hidden"], capture_output=True, env=child_environment(), check=False
    )
    assert (other.returncode, other.stdout) == (0, b"")  # run_role gave None
