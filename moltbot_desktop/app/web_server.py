"""The local web server of a running assistant, where the settings switch it on.

    address = await open_web_server(stack, made, desk, listeners)   # http://127.0.0.1:18789, or ""

Without `gateway.http.enabled`, or one of the endpoints below it, nothing listens and its library is
not even loaded. Where it cannot be, the person is told once and all else goes on.
"""

from __future__ import annotations

import contextlib
import secrets
from collections.abc import Callable
from contextlib import AsyncExitStack
from dataclasses import dataclass
from pathlib import Path

from moltbot_desktop.app.made import Made
from moltbot_desktop.app.plugins import KeyringSecrets
from moltbot_desktop.core.errors import MoltbotError
from moltbot_desktop.core.i18n import Language, Phrases
from moltbot_desktop.core.json import JsonObject
from moltbot_desktop.gateway.client import Notice
from moltbot_desktop.gateway.front_desk import FrontDesk
from moltbot_desktop.gateway.loop_client import Listeners
from moltbot_desktop.plugins.opening import with_secrets
from moltbot_desktop.storage.bounded import MOST_STATE, read_plain
from moltbot_desktop.storage.files import disk_errors, write_atomic

TOKEN_FILE = "gateway-token"
_TOKEN_BYTES = 32
_PHRASES = Phrases(
    english={
        "none": "The local web server is not there: {problem}",
        "none_hint": "gateway.port in moltbot.json names another place for it.",
        "library": "The local web server needs the package aiohttp.",
        "library_hint": "pip install 'moltbot-desktop[server]'",
    },
    chinese={
        "none": "本机网页服务没有启动：{problem}",
        "none_hint": "可在 moltbot.json 的 gateway.port 换一个端口。",
        "library": "本机网页服务需要 aiohttp 这个包。",
        "library_hint": "pip install 'moltbot-desktop[server]'",
    },
)


@dataclass
class _TokenFile:
    """The token of a file, read again when the file is another one; the last one while it is none.

    So a person changes the token by writing the file, and the old one opens nothing any more.
    """

    path: Path
    kept: str
    seen: tuple[int, int] = (0, 0)

    def __call__(self) -> str:
        with contextlib.suppress(OSError):
            now = _version(self.path)
            if now != self.seen:
                self.kept = _written_in(self.path) or self.kept
                self.seen = now
        return self.kept


async def open_web_server(
    stack: AsyncExitStack, made: Made, desk: FrontDesk, listeners: Listeners
) -> str:
    """Begin to listen; `stack` ends it. Its address; "" where the settings do not want it, or it
    cannot be, which the person is told."""
    settings, language, tell = made.live.config.gateway, made.options.language, listeners.tell
    if not settings.listens:
        return ""
    try:
        from moltbot_desktop.app.openai_endpoint import openai_api  # noqa: PLC0415
        from moltbot_desktop.gateway.http.server import HttpServer  # noqa: PLC0415
    except ModuleNotFoundError:
        hint = _PHRASES.say("library_hint", language)
        tell(Notice(_PHRASES.say("library", language), hint, serious=True))
        return ""
    try:
        token = await made.in_thread(lambda: _token(settings.token, made.paths.home, language))
        api = openai_api(made, desk, listeners)
        routes = made.plugins.routes if settings.http else dict
        server = HttpServer(settings.port, token, routes, pages=api.page, refused=api.refused)
        await server.start()
    except MoltbotError as error:
        said = _PHRASES.say("none", language, problem=error.message)
        hint = error.hint or _PHRASES.say("none_hint", language)
        tell(Notice(said, hint, serious=True))
        return ""
    stack.push_async_callback(server.stop)
    return server.address


def _token(written: str | None, home: Path, language: Language) -> Callable[[], str]:
    """Tells the settings' own, or the one in the file, which is made where there is none.

    Raises:
        MoltbotError: there is no such key in the password store, or the disk does not take it.
    """
    if written:
        named: JsonObject = {"token": written}
        token = str(with_secrets(named, KeyringSecrets(home, language))["token"])
        return lambda: token
    path = home / TOKEN_FILE
    with disk_errors(path):
        kept = _written_in(path) if path.exists() else ""
        if not kept:
            kept = secrets.token_urlsafe(_TOKEN_BYTES)
            write_atomic(path, kept.encode("ascii") + b"\n")  # for this user alone
        return _TokenFile(path, kept)


def _written_in(path: Path) -> str:
    return read_plain(path, MOST_STATE).decode("ascii", "replace").strip()


def _version(path: Path) -> tuple[int, int]:
    """Another one after every writing: of a file that is replaced, or written anew."""
    state = path.stat()
    return state.st_ino, state.st_mtime_ns
