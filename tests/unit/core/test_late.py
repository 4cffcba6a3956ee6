"""A late module is loaded when something of it is used, and is then what anybody else has."""

from __future__ import annotations

import sys
import threading
from pathlib import Path

import pytest

from moltbot_desktop.core.late import LateModule, load_now


@pytest.fixture
def made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """A module that nobody has imported; its name."""
    (tmp_path / "never_imported.py").write_text("import time\ntime.sleep(0.05)\nWORD = 'there'\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.delitem(sys.modules, "never_imported", raising=False)
    return "never_imported"


def test_it_is_loaded_at_its_first_use(made: str) -> None:
    late = LateModule(made)
    assert made not in sys.modules
    assert late.WORD == "there"
    assert made in sys.modules


def test_it_is_loaded_sooner_where_that_is_waited_for_anyway(made: str) -> None:
    late = LateModule(made)
    load_now(late, sys)
    assert made in sys.modules


def test_what_is_put_into_it_later_is_seen(made: str, monkeypatch: pytest.MonkeyPatch) -> None:
    late = LateModule(made)
    word = late.WORD
    monkeypatch.setattr(sys.modules[made], "WORD", "another")
    assert (word, late.WORD) == ("there", "another")


def test_two_threads_that_use_it_first_both_get_all_of_it(made: str) -> None:
    late, found = LateModule(made), []
    threads = [threading.Thread(target=lambda: found.append(late.WORD)) for _ in range(4)]
    for one in threads:
        one.start()
    for one in threads:
        one.join()
    assert found == ["there"] * 4


def test_a_module_that_is_not_there_is_told_at_its_first_use() -> None:
    late = LateModule("moltbot_desktop.no_such_module")
    with pytest.raises(ModuleNotFoundError, match="no_such_module"):
        _ = late.anything


def test_a_name_it_does_not_have_is_told_as_such(made: str) -> None:
    with pytest.raises(AttributeError, match="NO_SUCH"):
        _ = LateModule(made).NO_SUCH
