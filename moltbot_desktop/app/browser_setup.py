"""The browser, as the settings and the seal have it at this moment.

house = browser_house(paths.home, lambda: live.config, seal)      # one for the program
lend = BrowserTools(house, lambda: live.config, seal, known)      # for each agent
lend()                                    # (Browser,); () when it is off
"""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Callable
from pathlib import Path

from moltbot_desktop.config.settings import Config
from moltbot_desktop.core.traffic import Errand, Purpose
from moltbot_desktop.sdk.tools import AnyTool
from moltbot_desktop.security.forward_door import LocalHosts
from moltbot_desktop.security.seal import Seal
from moltbot_desktop.tools.browser.finding import find_browser
from moltbot_desktop.tools.browser.house import BrowserHouse, MakeKeeper
from moltbot_desktop.tools.browser.settings import BrowserSettings
from moltbot_desktop.tools.browser.tool import Browser
from moltbot_desktop.tools.web.addresses import ReadAddresses

_FOLDER = "browser"
_WHO = "browser"


def browser_house(home: Path, config: Callable[[], Config], seal: Seal) -> BrowserHouse:
    """Nothing is started before the first use. Close it at the end, in a thread."""

    def settings() -> BrowserSettings:
        one = config().browser
        return BrowserSettings(
            profile=home / _FOLDER / "profile",
            program=one.executable_path or "",
            headless=one.headless,
            sandbox=not one.no_sandbox,
            connect=one.cdp_url or "",
            evaluate=one.evaluate_enabled,
            idle_seconds=one.idle_minutes * 60.0,
            local=LocalHosts.of(one.allowed_hosts),
            most=one.snapshot_chars,
        )

    way = seal.way(Errand(Purpose.WEB, _WHO))
    return BrowserHouse(_loaded, settings, _program, way, lambda: seal.closed)


class BrowserTools:
    """Called on the agent's event loop."""

    def __init__(
        self,
        house: BrowserHouse,
        config: Callable[[], Config],
        seal: Seal,
        known: ReadAddresses,
    ) -> None:
        self._config = config
        self._seal = seal
        self._on: tuple[AnyTool, ...] = (Browser(house, known),)

    def __call__(self) -> tuple[AnyTool, ...]:
        """Behind a closed seal there are only the computers that the owner wrote down."""
        one = self._config().browser
        usable = one.enabled and (one.allowed_hosts or not self._seal.closed)
        return self._on if usable else ()


def _loaded() -> MakeKeeper:
    from moltbot_desktop.tools.browser.keeper import Keeper  # noqa: PLC0415

    return Keeper


def _program(written: str) -> Path | None:
    """What the settings name, a path or a name on the PATH; else what is found."""
    if written:
        found = shutil.which(Path(written).expanduser())
        return Path(found) if found else None
    return find_browser(sys.platform, os.environ, _is_program)


def _is_program(path: Path) -> bool:
    return path.is_file() and os.access(path, os.X_OK)
