"""What is done before the assistant opens anything: a restore that waits, a snapshot after an
update.

    before_start(paths, clock, language)

Costs one look at a small file when there is nothing to do, and never keeps the assistant from
starting: what fails is in the log, and tried again at the next start.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Mapping

from moltbot_desktop import __version__
from moltbot_desktop.app.paths import Paths
from moltbot_desktop.core.clock import Clock
from moltbot_desktop.core.errors import MoltbotError
from moltbot_desktop.core.i18n import Language
from moltbot_desktop.core.json import JsonValue
from moltbot_desktop.storage.bounded import MOST_STATE, read_plain
from moltbot_desktop.storage.files import make_private_dir, write_atomic

_log = logging.getLogger(__name__)
_VERSION = "version.json"


def before_start(paths: Paths, clock: Clock, language: Language) -> None:
    """Before any database of `paths.home` is opened."""
    folder = paths.home / "snapshots"
    known = _known_version(paths)
    wanted = (folder / "restore.json").exists()
    if known == __version__ and not wanted:
        return
    # Late: backups need half of the program, and there is one to make once in weeks.
    from moltbot_desktop.app.backup_command import backup_desk  # noqa: PLC0415
    from moltbot_desktop.backup.restoring import Restorer  # noqa: PLC0415
    from moltbot_desktop.sdk.backup import Occasion  # noqa: PLC0415

    try:
        desk = backup_desk(paths, clock, language)
        asked = Restorer(desk.places(), clock).wanted() if wanted else None
        if asked is not None:
            done = desk.restore(asked.id)
            _log.info("the snapshot %s was put back", done.id)
        if known not in ("", __version__):
            made = desk.snapshot(Occasion.UPDATE)
            _log.info("a snapshot was made before the update: %s", made.id)
        if known != __version__:
            make_private_dir(folder)
            write_atomic(folder / _VERSION, json.dumps({"version": __version__}).encode())
    except MoltbotError as error:
        # Nothing was promised yet at a first start, and a home that takes nothing says so itself.
        say = _log.warning if wanted or known else _log.info
        say("what was to be done before the start was not: %s", error)


def _known_version(paths: Paths) -> str:
    """Which version was started here last; "" where nobody knows."""
    try:
        found: JsonValue = json.loads(read_plain(paths.home / "snapshots" / _VERSION, MOST_STATE))
    except (OSError, ValueError, RecursionError):
        return ""
    version = found.get("version") if isinstance(found, Mapping) else None
    return version if isinstance(version, str) else ""
