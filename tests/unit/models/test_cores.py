"""Cores of a processor, from what Linux, macOS and Windows say of it."""

from __future__ import annotations

import struct
from collections.abc import Mapping
from pathlib import Path, PurePosixPath

import pytest
from hypothesis import given
from hypothesis import strategies as st

from moltbot_desktop.models.cores import (
    Processor,
    cgroup_folders,
    cores_of_siblings,
    parse_cpu_list,
    parse_cpuinfo,
    parse_quota,
    parse_sysctl,
    parse_windows_cores,
    threads_for,
)
from moltbot_desktop.models.machine import linux_processor, read_processor

# Two cores with hyper-threading as /proc/cpuinfo tells them (shortened).
CPUINFO = "\n\n".join(
    f"processor\t: {number}\nmodel name\t: A CPU: fast\nphysical id\t: 0\ncore id\t\t: {core}\n"
    for number, core in enumerate((0, 0, 1, 1))
)
CPUS = "sys/devices/system/cpu"
EVERYTHING = frozenset(range(64))


def windows_record(grade: int = 0, kind: int = 0, size: int = 48) -> bytes:
    """A SYSTEM_LOGICAL_PROCESSOR_INFORMATION_EX about one core."""
    head = struct.pack("<IIBB", kind, size, 1, grade)
    return head + bytes(max(0, size - len(head)))


def made(root: Path, files: Mapping[str, str]) -> Path:
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text + "\n")
    return root


def topology(twins: Mapping[int, str], name: str = "core_cpus_list") -> dict[str, str]:
    return {f"{CPUS}/cpu{number}/topology/{name}": text for number, text in twins.items()}


FOUR_TWINS = topology({0: "0,4", 1: "1,5", 2: "2,6", 3: "3,7", 4: "0,4", 5: "1,5", 6: "2,6"}) | (
    topology({7: "3,7"})
)


# --- threads


@pytest.mark.parametrize(
    ("physical", "logical", "threads"),
    [(1, 1, 1), (1, 2, 1), (2, 2, 1), (2, 4, 3), (3, 3, 2), (4, 8, 3), (8, 8, 7), (64, 128, 63)],
)
def test_one_core_is_left_to_the_window(physical: int, logical: int, threads: int) -> None:
    assert threads_for(Processor(physical, logical)) == threads


@given(
    st.none() | st.integers(-5, 10**6),
    st.integers(-5, 10**6),
    st.none() | st.floats(0, 1e6, allow_nan=False),
)
def test_whatever_was_found_a_thread_is_left(
    physical: int | None, logical: int, limit: float | None
) -> None:
    processor = Processor.of(physical, logical, limit)
    assert 1 <= processor.physical <= processor.logical
    assert 1 <= threads_for(processor) <= max(1, processor.logical - 1)


def test_a_share_of_time_is_rounded_down() -> None:
    assert Processor.of(8, 16, 3.9) == Processor(3, 3)
    assert Processor.of(8, 16, 0.5) == Processor(1, 1)
    assert Processor.of(None, 6) == Processor(6, 6)


# --- what Linux says


@pytest.mark.parametrize(
    ("text", "cpus"),
    [
        ("0", {0}),
        ("0-3,8,10-11\n", {0, 1, 2, 3, 8, 10, 11}),
        ("", set()),
        ("3-1", set()),
        ("0-", set()),
        ("-1", set()),
        ("a", set()),
        ("0-999999999", set()),
        ("1" * 5000, set()),
    ],
)
def test_lists_of_processors(text: str, cpus: set[int]) -> None:
    assert parse_cpu_list(text) == cpus


def test_twins_are_one_core() -> None:
    assert cores_of_siblings(["0,4", "1,5", "0,4", "1,5"]) == 2
    assert cores_of_siblings([]) is None
    assert cores_of_siblings(["0", ""]) is None


def test_cpuinfo_tells_cores_of_allowed_processors() -> None:
    assert parse_cpuinfo(CPUINFO, EVERYTHING) == 2
    assert parse_cpuinfo(CPUINFO, frozenset({0, 1})) == 1
    # Another socket may use the same numbers.
    other = CPUINFO.replace("physical id\t: 0", "physical id\t: 1").replace(
        "processor\t: ", "processor\t: 1"
    )
    assert parse_cpuinfo(f"{CPUINFO}\n\n{other}", EVERYTHING) == 4
    # As ARM has it.
    assert parse_cpuinfo("processor\t: 0\nBogoMIPS\t: 50.00\n", EVERYTHING) is None


def test_quotas_of_processor_time() -> None:
    assert parse_quota("150000 100000\n") == 1.5
    for none in ("max 100000", "-1 100000", "0 100000", "100000 0", "100000", ""):
        assert parse_quota(none) is None


def test_groups_above_count_too() -> None:
    v2, v1 = "0::/user.slice/a.scope", "4:memory:/x\n3:cpu,cpuacct:/docker/abc\n2:cpuset:/y"
    assert cgroup_folders(v2) == tuple(
        map(PurePosixPath, ("user.slice/a.scope", "user.slice", "."))
    )
    assert cgroup_folders(v1) == tuple(
        map(PurePosixPath, ("cpu,cpuacct/docker/abc", "cpu,cpuacct/docker", "cpu,cpuacct"))
    )
    assert cgroup_folders("0::/../../other") == (PurePosixPath(),)
    assert cgroup_folders("nonsense") == ()


@pytest.mark.parametrize(
    ("more", "allowed", "found"),
    [
        ({}, range(8), Processor(4, 8)),
        ({}, (0, 1, 4), Processor(2, 3)),
        (
            {"proc/self/cgroup": "0::/", "sys/fs/cgroup/cpu.max": "max 100000"},
            range(8),
            Processor(4, 8),
        ),
        (
            {"proc/self/cgroup": "0::/", "sys/fs/cgroup/cpu.max": "300000 100000"},
            range(8),
            Processor(3, 3),
        ),
        (
            {
                "proc/self/cgroup": "1:cpu:/a/b",
                "sys/fs/cgroup/cpu/a/b/cpu.cfs_quota_us": "-1",
                "sys/fs/cgroup/cpu/a/b/cpu.cfs_period_us": "100000",
                "sys/fs/cgroup/cpu/a/cpu.cfs_quota_us": "200000",
                "sys/fs/cgroup/cpu/a/cpu.cfs_period_us": "100000",
            },
            range(8),
            Processor(2, 2),
        ),
        # Fast cores and slow ones: the slow ones would hold up the fast.
        ({"sys/devices/cpu_core/cpus": "0-1,4-5"}, range(8), Processor(2, 4)),
        # Pinned to slow ones alone.
        ({"sys/devices/cpu_core/cpus": "0-1,4-5"}, (2, 3), Processor(2, 2)),
    ],
    ids=["all", "pinned", "no limit", "cgroup 2", "cgroup 1", "mixed", "slow ones"],
)
def test_linux(more: Mapping[str, str], allowed: range, found: Processor, tmp_path: Path) -> None:
    assert linux_processor(made(tmp_path, FOUR_TWINS | dict(more)), frozenset(allowed)) == found


def test_older_and_poorer_systems_are_understood(tmp_path: Path) -> None:
    two = frozenset({0, 1})
    assert linux_processor(tmp_path, two) == Processor(2, 2)
    made(tmp_path, {"proc/cpuinfo": CPUINFO})
    assert linux_processor(tmp_path, two) == Processor(1, 2)
    made(tmp_path, topology({0: "0", 1: "1"}, "thread_siblings_list"))
    assert linux_processor(tmp_path, two) == Processor(2, 2)


# --- what macOS and Windows say


def test_macos_tells_fast_cores_first() -> None:
    assert parse_sysctl("4\n8\n") == 4
    assert parse_sysctl("6\n") == 6
    assert parse_sysctl("0\n6\n") == 6
    assert parse_sysctl("") is None


def test_windows_records_count_fast_cores() -> None:
    assert parse_windows_cores(windows_record() * 6) == 6
    assert parse_windows_cores(windows_record(1) * 2 + windows_record(0) * 8) == 2
    assert parse_windows_cores(windows_record(kind=3) + windows_record(size=72)) == 1
    assert parse_windows_cores(b"") is None
    for size in (0, 5):  # shorter than what it must hold; 0 has no end
        assert parse_windows_cores(windows_record() + windows_record(size=size) * 9) is None


# --- nonsense


@given(st.text() | st.text("0123456789-, \n:/max"))
def test_texts_that_say_nothing_are_no_error(text: str) -> None:
    parse_cpu_list(text)
    cgroup_folders(text)
    for found in (parse_cpuinfo(text, EVERYTHING), parse_sysctl(text), cores_of_siblings([text])):
        assert found is None or found > 0
    quota = parse_quota(text)
    assert quota is None or quota > 0


@given(st.lists(st.binary() | st.builds(windows_record, st.integers(0, 255), st.integers(0, 9))))
def test_bytes_that_say_nothing_are_no_error(parts: list[bytes]) -> None:
    found = parse_windows_cores(b"".join(parts))
    assert found is None or found > 0


def test_this_computer_is_understood() -> None:
    found = read_processor()
    assert 1 <= found.physical <= found.logical
