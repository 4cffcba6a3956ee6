"""What the settings say of one account; see the manifest.

settings_from({"account": "+491701234567"}).root       # "http://127.0.0.1:8080"
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from moltbot_desktop.core.json import JsonObject, JsonValue
from moltbot_desktop.sdk.foreign_json import text

_MEGABYTE = 1_000_000
_USUAL_MEGABYTES = 8
_USUAL_PORT = 8080
_USUAL_START_SECONDS = 30.0
_NUMBER = re.compile(r"(?:signal:)?(\+[0-9]{5,20})")
_LISTS = ("allowFrom", "groupAllowFrom")


@dataclass(frozen=True)
class Settings:
    """Attributes:
    account: its number (``+49…``) or account id.
    root: of signal-cli's HTTP, without a slash at the end.
    starts: signal-cli is started where none answers.
    command: the file of signal-cli, or its name.
    receipts: who is answered sees that the message was read.
    most: bytes of a file that is fetched.
    numbers: telephone numbers that the lists of people name.
    """

    account: str
    root: str
    starts: bool = False
    command: str = "signal-cli"
    start_seconds: float = _USUAL_START_SECONDS
    receive_mode: str = "on-connection"
    ignore_files: bool = False
    ignore_stories: bool = True
    receipts: bool = False
    most: int = _USUAL_MEGABYTES * _MEGABYTE
    numbers: frozenset[str] = field(default=frozenset())

    @property
    def place(self) -> str:
        """Host and port, for the person and for signal-cli."""
        return urlsplit(self.root).netloc.rpartition("@")[2]


def settings_from(raw: JsonObject) -> Settings:
    """From checked settings, where defaults are filled in."""
    given = text(raw.get("httpUrl")).strip().rstrip("/")
    host, port = text(raw.get("httpHost")).strip(), raw.get("httpPort")
    port = port if isinstance(port, int) else _USUAL_PORT
    host = host or "127.0.0.1"
    root = given or f"http://{f'[{host}]' if ':' in host else host}:{port}"
    automatic = raw.get("autoStart")
    return Settings(
        account=text(raw.get("account")).strip(),
        root=root,
        starts=automatic is True or (automatic is None and not given),
        command=text(raw.get("cliPath")).strip() or Settings.command,
        start_seconds=_number(raw.get("startupTimeoutMs"), _USUAL_START_SECONDS * 1000) / 1000,
        receive_mode=_receive_mode(text(raw.get("receiveMode"))),
        ignore_files=raw.get("ignoreAttachments") is True,
        ignore_stories=raw.get("ignoreStories") is not False,
        receipts=raw.get("sendReadReceipts") is True,
        most=int(_number(raw.get("mediaMaxMb"), _USUAL_MEGABYTES) * _MEGABYTE),
        numbers=frozenset(_numbers(raw)),
    )


def _number(value: JsonValue, usual: float) -> float:
    return value if isinstance(value, int | float) and not isinstance(value, bool) else usual


def _numbers(raw: JsonObject) -> Iterator[str]:
    groups = raw.get("groups")
    inner = groups.values() if isinstance(groups, Mapping) else ()
    for one in (raw, *(group for group in inner if isinstance(group, Mapping))):
        for name in _LISTS:
            people = one.get(name)
            if isinstance(people, Sequence) and not isinstance(people, str):
                found = (_NUMBER.fullmatch(str(person).strip()) for person in people)
                yield from (match[1] for match in found if match)


def _receive_mode(written: str) -> str:
    """By hand, as the reference also knows it, nothing would come: here nobody asks by hand."""
    return "on-start" if written == "on-start" else "on-connection"
