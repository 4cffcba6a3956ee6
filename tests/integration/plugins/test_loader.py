"""Code of a plugin comes and goes while the rest of the program goes on."""

from __future__ import annotations

import itertools
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

from moltbot_desktop.plugins.loader import load_plugin

_MANY = 200
_PLUGIN = "import rain\n\n\ndef register(api):\n    pass\n"


@pytest.fixture
def others_import() -> Iterator[None]:
    """Another thread that imports and forgets modules without a pause."""
    over = threading.Event()
    names = [f"moltbot_test_other_{number}" for number in range(50)]

    def import_on() -> None:
        for name in itertools.cycle(names):
            if over.is_set():
                return
            if sys.modules.pop(name, None) is None:
                sys.modules[name] = ModuleType(name)

    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    thread = threading.Thread(target=import_on)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()
        sys.setswitchinterval(before)
        for name in names:
            sys.modules.pop(name, None)


@pytest.mark.usefixtures("others_import")
def test_a_plugin_comes_and_goes_while_another_thread_imports(tmp_path: Path) -> None:
    (tmp_path / "plugin.py").write_text(_PLUGIN, "utf-8")
    (tmp_path / "rain.py").write_text("WET = True\n", "utf-8")
    for _ in range(_MANY):
        code = load_plugin(tmp_path, "weather")
        assert code.package in sys.modules
        code.forget()
        assert not [name for name in list(sys.modules) if name.startswith(code.package)]
    assert "rain" not in sys.modules
