"""A few seconds of `dev.py soak --minutes`: everything at work together, each fault once."""

from __future__ import annotations

import asyncio
import json
import os
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.bench import soak_whole

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")

_SECONDS = 6.0


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_nothing_is_lost_while_everything_goes_wrong_once(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    tmp_path.chmod(0o755)  # the IRC server runs as somebody else
    code = asyncio.run(soak_whole.soak(tmp_path, _SECONDS, seed=5, only=()))
    told = capsys.readouterr()
    rows: dict[str, Mapping[str, Any]] = {}
    for line in told.out.splitlines():
        row = json.loads(line)
        rows[row["name"].strip()] = row
    assert code == 0, told.out + told.err
    assert rows["lost, doubled, wrong"]["value"] == "0, 0, 0"
    assert rows["notes lost, twice, not found, never kept"]["value"] == "0, 0, 0, 0"
    assert rows["soak: messages"]["value"] > 10
    faults = rows["faults"]["note"]
    always = ("program", "model", "clock")
    assert all(f"{name} " in faults for name in always)
    assert os.geteuid() != 0 or "disk " in faults
