"""Programs run inside their job or not at all, whichever call of Windows fails.

Each test that holds an assumption about Windows names the page it stands on, below
https://learn.microsoft.com/windows/win32/.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from moltbot_desktop.security.sandbox.order import Order, Stage
from moltbot_desktop.security.sandbox.walls import Backend, Walls
from moltbot_desktop.security.sandbox.windows.command_line import CannotBeWritten
from moltbot_desktop.security.sandbox.windows.job import Job, JobOver, Starting
from moltbot_desktop.security.sandbox.windows.kernel import (
    CallFailed,
    JobLimits,
    Kernel,
    declare,
    windows_kernel,
)
from moltbot_desktop.security.sandbox.windows.work import ENDED, Work
from tests.fakes.kernel32 import ACCESS_DENIED, Kernel32

LIMITS = JobLimits(processes=64, memory=2 * 1024**3, closed_off=True)
GIB = 1024**3


@pytest.fixture
def program(tmp_path: Path) -> Callable[[str], str]:
    """Makes a program of a line for a shell of this computer."""
    made = iter(range(100))

    def make(script: str) -> str:
        path = tmp_path / f"p{next(made)}.exe"
        path.write_text(f"#!/bin/sh\n{script}\n", encoding="utf-8")
        path.chmod(0o700)
        return str(path)

    return make


def kernel_of(fake: Kernel32) -> Kernel:
    return Kernel(fake, fake.last_error)


def order_of(*stages: Stage, folder: Path, strict: bool = True) -> Order:
    walls = Walls(Backend.NONE, folder, folder, strict=strict)
    return Order(stages, folder, walls, -1)


def carried_out(fake: Kernel32, order: Order, typed: bytes | None = None) -> tuple[int, bytes]:
    """Its status, and what its programs said and what was said about them."""
    kernel = kernel_of(fake)
    work = Work(kernel, order, {"PATH": "/usr/bin:/bin"}, talks=typed is not None)
    said: list[bytes] = []

    def read() -> None:
        while data := kernel.read(work.output, 4096):
            said.append(data)
        kernel.close(work.output)

    reader = threading.Thread(target=read)
    reader.start()
    if typed is not None:
        kernel.write(work.input, typed)
        kernel.close(work.input)
    status = work.run(said.append)
    reader.join(60)
    return status, b"".join(said)


def test_a_job_is_private_limited_and_ends_all_with_its_last_handle(kernel32: Kernel32) -> None:
    """procthread/job-objects; winnt/ns-winnt-jobobject_basic_limit_information: processes may not
    leave, as neither of the two flags for that is set."""
    job = Job(kernel_of(kernel32), LIMITS)
    [made] = kernel32.jobs
    assert made.flags == 0x2000 | 0x400 | 0x200 | 0x8
    assert not made.flags & (0x800 | 0x1000)
    assert (made.processes, made.memory, made.ui) == (64, 2 * GIB, 0xFF)
    job.close()


def test_a_program_is_in_its_job_before_it_runs(
    kernel32: Kernel32, program: Callable[[str], str], tmp_path: Path
) -> None:
    """procthread/process-creation-flags: CREATE_SUSPENDED. The fake sees one that ran before."""
    status, said = carried_out(
        kernel32, order_of(Stage(";", ((program("echo hi"),),)), folder=tmp_path)
    )
    assert (status, said) == (0, b"hi\n")
    order = [
        one
        for one in kernel32.calls
        if one in ("CreateProcessW", "AssignProcessToJobObject", "ResumeThread")
    ]
    assert order == ["CreateProcessW", "AssignProcessToJobObject", "ResumeThread"]


@pytest.mark.parametrize(
    "call",
    [
        "CreateJobObjectW",
        "SetInformationJobObject",
        "CreatePipe",
        "CreateFileW",
        "SetHandleInformation",
        "InitializeProcThreadAttributeList",
        "UpdateProcThreadAttribute",
        "CreateProcessW",
        "AssignProcessToJobObject",
        "ResumeThread",
    ],
)
def test_whichever_call_fails_nothing_ran_and_nothing_is_left(
    program: Callable[[str], str], tmp_path: Path, call: str
) -> None:
    """Each call that comes before a program runs fails once, at each of its turns."""
    order = order_of(Stage(";", ((program("touch ran"),),)), folder=tmp_path)
    turns = 0
    while True:
        turns += 1
        fake = Kernel32()
        fake.fails = (call, turns, 8)
        try:
            status, said = carried_out(fake, order)
        except CallFailed as error:
            assert error.code == 8
        else:
            if fake.calls.count(call) < turns:
                break
            # What only says how large something is, is asked again by the call after it.
            assert status == 126, (status, said)
            assert b"out of memory" in said
        finally:
            fake.close()
        fake.check()
        assert not (tmp_path / "ran").exists(), f"{call} {turns}"
        assert turns < 20
    assert (tmp_path / "ran").exists()


def test_where_we_lie_in_a_job_ourselves_the_next_one_is_not_closed_off(
    kernel32: Kernel32, program: Callable[[str], str], tmp_path: Path
) -> None:
    """procthread/nested-jobs: jobs nest if neither sets UI limits; else access is denied."""
    kernel32.in_a_job = True
    order = order_of(Stage(";", ((program("echo hi"),),)), folder=tmp_path)
    assert carried_out(kernel32, order) == (0, b"hi\n")
    assert [one.ui for one in kernel32.jobs] == [0xFF, 0]
    assert kernel32.jobs[1].flags & 0x2000


def test_a_job_that_denies_a_program_for_another_reason_denies_it(
    kernel32: Kernel32, program: Callable[[str], str], tmp_path: Path
) -> None:
    kernel32.fails = ("AssignProcessToJobObject", 1, ACCESS_DENIED)
    order = order_of(Stage(";", ((program("touch ran"),),)), folder=tmp_path, strict=False)
    assert carried_out(kernel32, order)[0] == 126
    assert not (tmp_path / "ran").exists()


def test_what_the_owner_said_yes_to_may_have_jobs_of_its_own(
    kernel32: Kernel32, program: Callable[[str], str], tmp_path: Path
) -> None:
    order = order_of(Stage(";", ((program("true"),),)), folder=tmp_path, strict=False)
    assert carried_out(kernel32, order) == (0, b"")
    assert [one.ui for one in kernel32.jobs] == [0]


def test_joints_and_pipes_mean_what_they_mean_in_a_shell(
    kernel32: Kernel32, program: Callable[[str], str], tmp_path: Path
) -> None:
    no, yes, cat = program("exit 3"), program("echo yes"), program("cat; echo end")
    stages = (
        Stage(";", ((no,),)),
        Stage("&&", ((no,),)),
        Stage("||", ((yes,), (cat,))),
        Stage("&&", ((program("exit 7"),),)),
    )
    assert carried_out(kernel32, order_of(*stages, folder=tmp_path)) == (7, b"yes\nend\n")


def test_what_is_typed_arrives_and_ends(
    kernel32: Kernel32, program: Callable[[str], str], tmp_path: Path
) -> None:
    order = order_of(Stage(";", ((program("cat"),),)), folder=tmp_path)
    assert carried_out(kernel32, order, b"typed\n") == (0, b"typed\n")


@pytest.mark.parametrize(("place", "status"), [(0, 0), (1, 127)])
def test_a_program_that_is_gone_is_said_and_the_others_go_on(
    kernel32: Kernel32, program: Callable[[str], str], tmp_path: Path, place: int, status: int
) -> None:
    """debug/system-error-codes--0-499-: 2 is ERROR_FILE_NOT_FOUND."""
    words = [(program("echo a; cat"),), (program("cat >/dev/null; echo b"),)]
    words[place] = (str(tmp_path / "gone.exe"),)
    found, said = carried_out(kernel32, order_of(Stage(";", tuple(words)), folder=tmp_path))
    assert found == status
    assert b"gone.exe: there is no such program\n" in said


def test_a_batch_file_is_never_started(kernel32: Kernel32, tmp_path: Path) -> None:
    job = Job(kernel_of(kernel32), LIMITS)
    with pytest.raises(CannotBeWritten):
        job.start(Starting((str(tmp_path / "a.bat"), "x"), {}, str(tmp_path)), (1, 2, 3))
    job.close()
    assert "CreateProcessW" not in kernel32.calls


def test_two_outputs_that_are_one_are_listed_once(
    kernel32: Kernel32, program: Callable[[str], str], tmp_path: Path
) -> None:
    """processthreadsapi/nf-processthreadsapi-updateprocthreadattribute does not say what a handle
    that is listed twice means; so none is, and the fake refuses it."""
    order = order_of(Stage(";", ((program("echo a; echo b >&2"),),)), folder=tmp_path)
    assert carried_out(kernel32, order) == (0, b"a\nb\n")


def test_what_stays_behind_ends_with_its_command(
    kernel32: Kernel32, program: Callable[[str], str], tmp_path: Path
) -> None:
    """Else `carried_out` would wait for the output that it holds open."""
    order = order_of(Stage(";", ((program("sleep 600 & echo up"),),)), folder=tmp_path)
    assert carried_out(kernel32, order) == (0, b"up\n")


@pytest.mark.parametrize("refused", [False, True])
def test_an_end_ends_what_runs_and_nothing_follows(
    kernel32: Kernel32, program: Callable[[str], str], tmp_path: Path, *, refused: bool
) -> None:
    """winnt/ns-winnt-jobobject_basic_limit_information: JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE ends it
    too, where `TerminateJobObject` is refused."""
    kernel32.fails = ("TerminateJobObject", 1, ACCESS_DENIED) if refused else None
    kernel = kernel_of(kernel32)
    stages = (Stage(";", ((program("echo up; sleep 600"),),)), Stage(";", ((program("touch x"),),)))
    work = Work(kernel, order_of(*stages, folder=tmp_path), {"PATH": "/usr/bin:/bin"}, talks=False)
    statuses: list[int] = []
    thread = threading.Thread(target=lambda: statuses.append(work.run(lambda _text: None)))
    thread.start()
    assert kernel.read(work.output, 100) == b"up\n"
    for _ in range(1 if refused else 2):
        work.end()
    thread.join(60)
    assert statuses == [ENDED]
    assert kernel.read(work.output, 100) == b""
    kernel.close(work.output)
    assert not (tmp_path / "x").exists()


def test_where_a_job_cannot_be_ended_closing_it_ends_it(
    kernel32: Kernel32, program: Callable[[str], str], tmp_path: Path
) -> None:
    """winnt/ns-winnt-jobobject_basic_limit_information: JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE."""
    kernel32.fails = ("TerminateJobObject", 1, ACCESS_DENIED)
    order = order_of(Stage(";", ((program("sleep 600 & echo up"),),)), folder=tmp_path)
    assert carried_out(kernel32, order) == (0, b"up\n")


def test_a_job_that_is_over_starts_nothing(
    kernel32: Kernel32, program: Callable[[str], str], tmp_path: Path
) -> None:
    job = Job(kernel_of(kernel32), LIMITS)
    job.end()
    with pytest.raises(JobOver):
        job.start(Starting((program("touch x"),), {}, str(tmp_path)), (1, 2, 3))
    job.close()
    job.close()
    assert "CreateProcessW" not in kernel32.calls


def test_a_write_of_nothing_is_no_end() -> None:
    """fileapi/nf-fileapi-readfile: zero bytes on a pipe mean that zero were written; the end is
    ERROR_BROKEN_PIPE."""
    reads = iter([(1, b""), (1, b"ab"), (0, b"")])

    class Library:
        def ReadFile(self, _handle, room, _most, count, _late):  # type: ignore[no-untyped-def]
            done, data = next(reads)
            room[: len(data)] = data
            count._obj.value = len(data)
            return done

    kernel = Kernel(Library(), lambda: 109)
    assert (kernel.read(1, 10), kernel.read(1, 10)) == (b"ab", b"")


def test_a_write_that_took_a_part_is_gone_on_with() -> None:
    """fileapi/nf-fileapi-writefile: lpNumberOfBytesWritten."""
    taken: list[bytes] = []

    class Library:
        def WriteFile(self, _handle, data, _size, count, _late):  # type: ignore[no-untyped-def]
            taken.append(data[:2])
            count._obj.value = len(taken[-1])
            return 1

    assert Kernel(Library(), lambda: 0).write(1, b"abcde")
    assert taken == [b"ab", b"cd", b"e"]


def test_every_call_that_is_made_is_declared_with_its_widths() -> None:
    """Without it ctypes would cut handles to 32 bits."""
    declared: dict[str, object] = {}

    class Function:
        restype: object = "none"
        argtypes: tuple[object, ...] = ()

    class Library:
        def __getattr__(self, name: str) -> object:
            return declared.setdefault(name, Function())

    declare(Library())
    source = Path(windows_kernel.__code__.co_filename).read_text(encoding="utf-8")
    used = {name for name in vars(Kernel32) if name[0].isupper() and name in source}
    assert used == set(declared)
    assert all(isinstance(one, Function) and one.argtypes for one in declared.values())


def test_elsewhere_there_is_no_kernel32() -> None:
    with pytest.raises(OSError, match="kernel32"):
        windows_kernel()
