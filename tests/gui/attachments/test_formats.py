"""What reads pictures is loaded before a thread beside the window's reads one."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

READ_ONE = """
import os, sys, threading
os.environ["QT_QPA_PLATFORM"] = "offscreen"
from pathlib import Path
from PySide6.QtCore import QSize
from PySide6.QtGui import QGuiApplication
from moltbot_desktop.ui.attachments.pictures import load_formats, small_picture

def parts():
    lines = Path("/proc/self/maps").read_text().splitlines()
    return {line.split("/")[-1] for line in lines if "/imageformats/" in line}

application = QGuiApplication([])
load_formats()
before, found = parts(), []
content = Path(sys.argv[1]).read_bytes()
reader = threading.Thread(target=lambda: found.append(small_picture(content, QSize(9, 9))))
reader.start()
reader.join()
print(len(before) > 0, parts() == before, found[0] is not None and not found[0].isNull())
"""


@pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")
@pytest.mark.parametrize("name", ["chat-light.png", "chat-dark-zh.png"])
def test_another_thread_reads_a_picture_and_loads_nothing(checkout: Path, name: str) -> None:
    picture = checkout / "resources" / "screenshots" / name
    command = [sys.executable, "-c", READ_ONE, str(picture)]
    ended = subprocess.run(command, cwd=checkout, capture_output=True, text=True, timeout=60)
    assert ended.stdout.split() == ["True", "True", "True"], ended.stderr
