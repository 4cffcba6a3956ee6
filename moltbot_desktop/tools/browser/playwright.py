"""A browser that runs: started in a profile of its own, or a running one that is connected to.

    running = await started(settings, program, door, ended)
    page = await running.context.new_page()
    await running.stop()                       # ten seconds at most

Everything it does in the network goes through `door`. A connected browser has a network of its own,
and is somebody else's: only the requests of its pages can be looked at there, one by one.

Nothing is ever downloaded: Playwright's own browsers are not used.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import signal
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from playwright.async_api import (
    Browser,
    BrowserContext,
    Error,
    Playwright,
    Route,
    async_playwright,
)

from moltbot_desktop.core.errors import NetworkError, StoreBusy
from moltbot_desktop.security.egress import is_loopback
from moltbot_desktop.security.forward_door import ForwardDoor
from moltbot_desktop.storage.files import make_private_dir
from moltbot_desktop.storage.locks import FileLock
from moltbot_desktop.tools.browser.settings import BrowserSettings
from moltbot_desktop.tools.browser.trouble import BrowserTrouble

_log = logging.getLogger(__name__)
_START_MS = 30_000
_STOP_SECONDS = 5.0
_DYING_SECONDS = 5.0
_ARGUMENTS = (
    "--disable-quic",  # it would go beside the proxy
    "--force-webrtc-ip-handling-policy=disable_non_proxied_udp",
    # Names are looked up by the door alone.
    "--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1",
    "--test-type",  # no bar in each window that such rules are unusual
    "--no-pings",
    # Whom the browser itself asks who is logged in; pages that log in do not need it.
    "--gaia-url=http://127.0.0.1:9",
    "--disable-features=AutofillServerCommunication,OptimizationHints,MediaRouter,HttpsUpgrades",
)
_HANDED_ON = (
    *(
        "HOME",
        "PATH",
        "USER",
        "LOGNAME",
        "LANG",
        "LC_ALL",
        "LC_CTYPE",
        "TZ",
        "TMPDIR",
        "TEMP",
        "TMP",
    ),
    *("DISPLAY", "WAYLAND_DISPLAY", "XAUTHORITY", "XDG_RUNTIME_DIR", "XDG_SESSION_TYPE"),
    *("DBUS_SESSION_BUS_ADDRESS", "SYSTEMROOT", "APPDATA", "LOCALAPPDATA", "PROGRAMDATA"),
    *("PROGRAMFILES", "PROGRAMFILES(X86)", "USERPROFILE", "WINDIR"),
)
_LEFT_BEHIND = ("SingletonLock", "SingletonCookie", "SingletonSocket")


@dataclass
class Running:
    """Lives on the browser's thread.

    Attributes:
        own: started by us, in our profile; else connected to.
        version: such as 156.0.7100.3.
    """

    playwright: Playwright
    browser: Browser | None
    context: BrowserContext
    own: bool
    version: str
    headless: bool
    lock: FileLock | None = None

    async def stop(self) -> None:
        """End it. What does not end in time loses its driver, and with it its life."""
        with contextlib.suppress(Error, TimeoutError):
            closing = self.context.close() if self.own or self.browser is None else _left(self)
            await asyncio.wait_for(closing, _STOP_SECONDS)
        with contextlib.suppress(Error, TimeoutError):
            await asyncio.wait_for(self.playwright.stop(), _STOP_SECONDS)
        if self.lock is not None:
            self.lock.release()


async def _left(running: Running) -> None:
    if running.browser is not None:
        await running.browser.close()  # of a connected one: the connection


async def started(
    settings: BrowserSettings, program: Path | None, door: ForwardDoor, ended: Callable[[], None]
) -> Running:
    """`ended` is called when it ends by itself.

    Raises:
        BrowserTrouble: it does not start; the words say why.
        EgressRefused: the address to connect to may not be reached now.
    """
    playwright = await async_playwright().start()
    try:
        if settings.connect:
            running = await _connected(playwright, settings, door)
        else:
            running = await _launched(playwright, settings, program, door)
    except BaseException:
        with contextlib.suppress(Error, TimeoutError):
            await asyncio.wait_for(playwright.stop(), _STOP_SECONDS)
        raise
    if running.browser is not None:
        running.browser.on("disconnected", lambda _: ended())
    running.context.on("close", lambda _: ended())
    return running


async def _launched(
    playwright: Playwright, settings: BrowserSettings, program: Path | None, door: ForwardDoor
) -> Running:
    if program is None:
        raise BrowserTrouble("no Chrome, Edge or Chromium is on this computer", "no_program")
    lock = await _profile(settings.profile)
    headless = not _has_screen() if settings.headless is None else settings.headless
    try:
        context = await playwright.chromium.launch_persistent_context(
            settings.profile,
            executable_path=program,
            headless=headless,
            chromium_sandbox=settings.sandbox,
            proxy={
                "server": f"http://127.0.0.1:{door.port}",
                "username": door.name,
                "password": door.password,
                "bypass": "<-loopback>",
            },
            args=list(_ARGUMENTS),
            env={name: os.environ[name] for name in _HANDED_ON if name in os.environ},
            accept_downloads=True,
            no_viewport=not headless,
            timeout=_START_MS,
        )
    except Error as error:
        lock.release()
        raise _no_start(error) from error
    except BaseException:
        lock.release()
        raise
    browser = context.browser
    version = browser.version if browser is not None else ""
    return Running(playwright, browser, context, True, version, headless, lock)


async def _connected(
    playwright: Playwright, settings: BrowserSettings, door: ForwardDoor
) -> Running:
    host = urlsplit(settings.connect).hostname or ""
    if not is_loopback(host):
        door.way.open(host)
    try:
        browser = await playwright.chromium.connect_over_cdp(settings.connect, timeout=_START_MS)
        context = browser.contexts[0] if browser.contexts else await browser.new_context()

        async def judged(route: Route) -> None:
            await _judged(route, door)

        await context.route("**/*", judged)
    except Error as error:
        raise _no_start(error) from error
    return Running(playwright, browser, context, False, browser.version, False)


async def _judged(route: Route, door: ForwardDoor) -> None:
    """Let a request of a connected browser's page go, if it may."""
    request = route.request
    parts = urlsplit(request.url)
    host = parts.hostname or ""
    try:
        if parts.scheme in ("http", "https", "ws", "wss"):
            port = parts.port or (443 if parts.scheme in ("https", "wss") else 80)
            await door.judge(host, port)
            if not is_loopback(host):
                size = len(request.url) + sum(
                    len(a) + len(b) + 4 for a, b in request.headers.items()
                )
                size += len(request.post_data_buffer or b"")
                door.way.count(host, requests=1, sent=size)
    except (NetworkError, ValueError):
        with contextlib.suppress(Error):
            await route.abort("blockedbyclient")
        return
    with contextlib.suppress(Error):
        await route.continue_()


# ------------------------------------------------------------------ the profile


async def _profile(profile: Path) -> FileLock:
    """The profile's lock, with what a killed browser left there taken away.

    Raises:
        BrowserTrouble: somebody else has it.
    """
    make_private_dir(profile)
    lock = FileLock(profile.parent / "browser.lock")
    try:
        lock.acquire()
    except StoreBusy as error:
        raise BrowserTrouble("another Moltbot is using the browser", "busy") from error
    owner = _owner(profile)
    if owner and not await _gone(owner):
        _end(owner, profile)
        await _gone(owner)
    for name in _LEFT_BEHIND:
        with contextlib.suppress(OSError):
            (profile / name).unlink()
    return lock


def _owner(profile: Path) -> int:
    """The process that its lock names (``host-123``); 0 without one."""
    try:
        name = str((profile / "SingletonLock").readlink())
    except OSError:
        return 0
    number = name.rpartition("-")[2]
    return int(number) if number.isdecimal() and len(number) < 10 else 0


async def _gone(process: int) -> bool:
    """Whether a process ends within some seconds: a browser whose driver was killed needs them."""
    loop = asyncio.get_running_loop()
    until = loop.time() + _DYING_SECONDS
    while _alive(process):
        if loop.time() > until:
            return False
        await asyncio.sleep(0.1)
    return True


def _alive(process: int) -> bool:
    if sys.platform == "win32":
        return False  # there the lock is a file that only its owner holds open
    try:
        os.kill(process, 0)
    except OSError:
        return False
    return _uses(process, None)


def _uses(process: int, profile: Path | None) -> bool:
    """Whether a process has words that name `profile`, or any at all (one that has ended and was
    not buried yet has none). Where that cannot be seen, the answer is yes for any, no for one."""
    try:
        words = Path(f"/proc/{process}/cmdline").read_bytes()
    except OSError:
        return profile is None
    return bool(words) if profile is None else os.fsencode(profile) in words


def _end(process: int, profile: Path) -> None:
    """End a browser that outlived its program, if it is seen to be ours."""
    if sys.platform != "win32" and _uses(process, profile):
        _log.warning("ending a browser that was left over (%d)", process)
        with contextlib.suppress(OSError):
            os.kill(process, signal.SIGKILL)


def _has_screen() -> bool:
    if sys.platform in ("win32", "darwin"):
        return True
    return bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))


def _no_start(error: Error) -> BrowserTrouble:
    reason = error.message.strip().partition("\n")[0][:300]
    return BrowserTrouble(f"the browser does not start: {reason}", "no_start", reason=reason)
