"""`moltbot-desktop doctor`: put together from the settings, the clock and the terminal."""

from __future__ import annotations

import sys

from moltbot_desktop.app.backup_command import backup_desk
from moltbot_desktop.app.doctor import SecurityDoctor
from moltbot_desktop.app.paths import Paths
from moltbot_desktop.app.typed import typed_line
from moltbot_desktop.cli.backup import run_bundle
from moltbot_desktop.cli.doctor import run_doctor
from moltbot_desktop.cli.parser import Arguments
from moltbot_desktop.config.load import LoadedConfig, load_config
from moltbot_desktop.core.clock import Clock
from moltbot_desktop.core.i18n import Language


def run_doctor_command(paths: Paths, clock: Clock, arguments: Arguments, language: Language) -> int:
    """`doctor [security] [--fix] [--yes] [--bundle FILE] [--json]`; the exit code."""
    if arguments.bundle is not None:
        desk = backup_desk(paths, clock, language)
        return run_bundle(desk, arguments, _ask, language, sys.stdout)

    def loaded() -> LoadedConfig:
        return load_config(paths.home, language=language)  # anew after a repair

    doctor = SecurityDoctor(paths, loaded, clock, language)
    return run_doctor(doctor, arguments, _ask, language, sys.stdout)


def _ask(question: str) -> str:
    sys.stdout.write(question)
    sys.stdout.flush()
    return typed_line()
