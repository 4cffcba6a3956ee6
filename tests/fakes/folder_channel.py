"""A channel that a plugin brings: a file in one folder is a message, answers are files in another.

    settings = folder_settings(tmp_path)         # moltbot.json with the accounts `one` and `two`
    add_plugin(home)                             # ~/.moltbot/extensions/folder
    post(tmp_path / "one", "7", "hello")
    answers(tmp_path / "one")                    # {"7": ["hello"]}

A message's file goes when it is kept. An answer's file has the idempotency key as its name, as a
platform that knows such keys would have it. The word “break” in an account's `mood` breaks it.
"""

from __future__ import annotations

import json
from pathlib import Path

from tests.fakes.plugins import make_plugin

CODE = """
import asyncio, json, pathlib, time
from datetime import UTC, datetime
from moltbot_desktop.core.errors import ChannelError, ChannelRefused
from moltbot_desktop.sdk.channels import Envelope, Peer, PeerKind, Sender
from moltbot_desktop.sdk.channel_abilities import Capabilities
from moltbot_desktop.sdk.plugins import PluginChannel

CAN = Capabilities(text_limit=40, reply=True, idempotent=True)

class Folder:
    def __init__(self, account):
        self.account = account
        self.place = pathlib.Path(account.settings["path"])
        self.mood = account.settings["mood"]

    async def run(self):
        if self.mood == "break":
            raise ValueError("this account is broken")
        if self.mood == "refuse":
            raise ChannelRefused("The token is wrong.", hint="Get another one.")
        if self.mood == "block":
            self.account.online()
            time.sleep(60)
        (self.place / "in").mkdir(parents=True, exist_ok=True)
        (self.place / "out").mkdir(exist_ok=True)
        self.account.online()
        while True:
            found = sorted((self.place / "in").glob("*.json"), key=lambda one: int(one.stem))
            for path in found:
                said = json.loads(path.read_text())
                if said["text"] == "hang up":
                    path.unlink()
                    raise ChannelError("The line was cut.")
                await self.account.receive([Envelope(
                    "elsewhere", path.stem, Sender("ada"), said["text"], datetime.now(UTC),
                    peer=Peer(PeerKind.DM, "ada"))])
                path.unlink()
            await asyncio.sleep(0.01)

    async def send(self, message, idempotency_key):
        name = "".join(one if one.isalnum() else "-" for one in idempotency_key)
        path = self.place / "out" / f"{name}.new"
        path.write_text(json.dumps({"text": message.text, "replyTo": message.reply_to}))
        path.rename(path.with_suffix(".json"))
        return name

def register(api):
    api.register_channel(PluginChannel("folder", Folder, CAN))
"""

CONFIG = {
    "folder": {
        "label": "Folder",
        "schema": {
            "type": "object",
            "additionalProperties": False,
            "required": ["path"],
            "properties": {
                "path": {"type": "string"},
                "mood": {"enum": ["", "break", "refuse", "block"], "default": ""},
            },
        },
    }
}


def add_plugin(home: Path) -> None:
    make_plugin(home / "extensions", "folder", CODE, channels=["folder"], channelConfigs=CONFIG)


def folder_settings(place: Path, **more: object) -> dict[str, object]:
    """moltbot.json for two accounts that work and, by `more`, others."""
    names = {name: {"path": str(place / name)} for name in ("one", "two")}
    return {
        "agents": {"defaults": {"memorySearch": {"enabled": False}}},
        "session": {"reset": {"mode": "idle", "idleMinutes": 100_000}},
        "messages": {"queue": {"debounceMs": 0, "cap": 10_000, "mode": "followup"}},
        "plugins": {"entries": {"folder": {"enabled": True}}},
        "channels": {
            "folder": {"dmPolicy": "allowlist", "allowFrom": ["ada"], "accounts": names | more}
        },
    }


def post(account: Path, message_id: str, text: str) -> None:
    (account / "in").mkdir(parents=True, exist_ok=True)
    path = account / "in" / f"{message_id}.new"
    path.write_text(json.dumps({"text": text}))
    path.rename(path.with_suffix(".json"))


def answers(account: Path) -> dict[str, list[str]]:
    """The texts of the answers by the message that they answer."""
    told: dict[str, list[str]] = {}
    for path in sorted((account / "out").glob("*.json")):
        said = json.loads(path.read_text())
        told.setdefault(said["replyTo"], []).append(said["text"])
    return told
