"""Code that only newer processors run is seen, and an emulator that was left is not believed."""

from __future__ import annotations

from pathlib import Path

import pytest

from devtools import processors
from devtools.places import SetupError


@pytest.mark.parametrize(
    ("line", "wide"),
    [
        ("vfmadd231ps %ymm1,%ymm2,%ymm15", False),
        ("vpermd %ymm9,%ymm10,%ymm11", False),
        ("mov %rax,%rbx", False),
        ("vaddps %zmm1,%zmm2,%zmm3", True),
        ("vmovdqu64 %ymm16,(%rax)", True),
        ("vpcmpub $0x1,%ymm1,%ymm2,%k1", True),
        ("vpdpbusd %ymm1,%ymm2,%ymm3", True),
        ("tdpbssd %tmm0,%tmm1,%tmm2", True),
    ],
)
def test_code_beyond_avx2_is_seen(line: str, wide: bool) -> None:
    assert processors.is_wide(f"  401000:\t{line}\n") is wide


@pytest.mark.parametrize(
    ("answers", "problem"),
    [
        ({"Haswell": "12 * 34 = 408", "Nehalem": ""}, ""),
        ({"Haswell": "", "Nehalem": ""}, "older processor"),
        ({"Haswell": "12 * 34 = 408", "Nehalem": "12 * 34 = 408"}, "emulator was left"),
    ],
)
def test_it_answers_where_it_should_and_not_where_it_cannot(
    answers: dict[str, str],
    problem: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr("shutil.which", lambda name: f"/usr/bin/{name}")
    monkeypatch.setattr("platform.machine", lambda: "x86_64")
    monkeypatch.setattr(processors, "answered", lambda built, emulator, name: answers[name])
    if problem:
        with pytest.raises(SetupError, match=problem):
            processors.try_older_processor(Path("built"))
    else:
        processors.try_older_processor(Path("built"))
        assert "Haswell" in capsys.readouterr().err


def test_without_an_emulator_nothing_is_claimed(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("shutil.which", lambda name: None)
    processors.try_older_processor(Path("built"))
    assert "not tried" in capsys.readouterr().err
