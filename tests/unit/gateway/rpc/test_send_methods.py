"""`send`: to those the assistant knows, with the owner's yes to the very words, once."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from moltbot_desktop.core.errors import PathRefused, PolicyDenied
from moltbot_desktop.core.ids import RunId, SessionKey
from moltbot_desktop.core.json import JsonObject, JsonValue
from moltbot_desktop.gateway.known_targets import is_known
from moltbot_desktop.gateway.rpc.frames import RpcFailure
from moltbot_desktop.gateway.rpc.methods import Methods, Repeats
from moltbot_desktop.gateway.rpc.send_methods import SendMethods
from moltbot_desktop.sdk.channels import Attachment, DeliveryTarget, Peer, PeerKind
from moltbot_desktop.sdk.tools import Effect

ANNA = DeliveryTarget("telegram", peer=Peer(PeerKind.DM, "A7"))
ASKED: JsonObject = {
    "channel": "telegram",
    "to": "A7",
    "message": "On my way.",
    "idempotencyKey": "k1",
}


@dataclass
class House:
    says_yes: bool = True
    keys: tuple[SessionKey, ...] = (SessionKey("agent:main:telegram:dm:a7"),)
    sent: list[tuple[RunId, DeliveryTarget, str]] = field(default_factory=list)
    files: list[Attachment] = field(default_factory=list)
    cards: list[tuple[str, JsonObject, Effect]] = field(default_factory=list)

    async def ask(self, method: str, params: JsonObject, effect: Effect) -> None:
        self.cards.append((method, params, effect))
        if not self.says_yes:
            raise PolicyDenied("The owner did not say yes.")

    async def post(
        self,
        run_id: RunId,
        target: DeliveryTarget,
        text: str,
        files: tuple[Attachment, ...] = (),
    ) -> None:
        self.sent.append((run_id, target, text))
        self.files += files

    async def keep(self, path: str, target: DeliveryTarget) -> Attachment:
        del target
        if path != "plan.md":
            raise PathRefused("It may not be sent.")
        return Attachment(Path(__file__), "plan.md")

    async def conversations(self) -> Iterable[SessionKey]:
        return self.keys

    def methods(self) -> Methods:
        group = SendMethods(self.post, self, self.conversations, self.keep)
        return Methods(group.methods(), Repeats(lambda: 0.0))

    def send(self, params: JsonObject) -> JsonValue:
        return asyncio.run(self.methods().call("send", params))


def test_words_go_to_somebody_known_after_a_yes() -> None:
    house = House()
    told = {"runId": "send-k1", "channel": "telegram", "to": "A7", "status": "queued"}
    assert house.send(ASKED) == told
    assert house.sent == [("send-k1", ANNA, "On my way.")]
    ((method, shown, effect),) = house.cards
    assert (method, shown["message"], effect) == ("send", "On my way.", Effect.MESSAGE)


@pytest.mark.parametrize(
    ("params", "says_yes"),
    [
        ({}, False),
        ({"to": "stranger"}, True),
        ({"channel": "signal"}, True),
        ({"to": "group:A7"}, True),
        ({"message": " "}, True),
        ({"message": "x" * 20_001}, True),
        ({"mediaUrl": "/etc/passwd"}, True),
        ({"path": "/etc/passwd"}, True),
        ({"path": "plan.md"}, False),
        ({"idempotencyKey": ""}, True),
    ],
)
def test_nothing_else_is_sent(params: JsonObject, says_yes: bool) -> None:
    house = House(says_yes)
    with pytest.raises(RpcFailure):
        house.send({**ASKED, **params})
    assert not house.sent and not house.files


def test_a_file_goes_behind_the_words_after_a_yes_that_names_it() -> None:
    house = House()
    house.send({**ASKED, "path": "plan.md"})
    assert house.sent == [("send-k1", ANNA, "On my way.")]
    assert [one.name for one in house.files] == ["plan.md"]
    ((_, shown, _),) = house.cards
    assert shown["path"] == "plan.md" and str(shown["size"]).endswith("kB")


def test_the_same_request_is_sent_once() -> None:
    house = House()

    async def twice() -> None:
        methods = house.methods()
        await asyncio.gather(methods.call("send", ASKED), methods.call("send", ASKED))

    asyncio.run(twice())
    assert len(house.sent) == len(house.cards) == 1


def test_while_no_channel_is_open_the_owner_is_asked_nothing() -> None:
    house = House()
    group = SendMethods(house.post, house, house.conversations, house.keep, is_open=lambda: False)
    methods = Methods(group.methods(), Repeats(lambda: 0.0))
    with pytest.raises(RpcFailure, match="No channel"):
        asyncio.run(methods.call("send", ASKED))
    assert house.cards == [] and house.sent == []


@pytest.mark.parametrize(
    ("key", "target", "known"),
    [
        ("agent:main:telegram:dm:a7", ANNA, True),
        ("agent:work:telegram:default:dm:a7", ANNA, True),
        ("agent:main:dm:a7", ANNA, True),
        ("agent:main:telegram:dm:a7:thread:9", ANNA, True),
        ("agent:main:signal:dm:a7", ANNA, False),
        ("agent:main:telegram:dm:a70", ANNA, False),
        ("agent:main:main", ANNA, False),
        ("agent:main:telegram:group:a7", ANNA, False),
        (
            "agent:main:telegram:group:-100",
            DeliveryTarget("telegram", peer=Peer(PeerKind.GROUP, "-100")),
            True,
        ),
        ("agent:main:telegram:dm:", DeliveryTarget("telegram", peer=Peer(PeerKind.DM, " ")), False),
        ("agent:main:main", DeliveryTarget("telegram"), False),
        ("not a key", ANNA, False),
    ],
)
def test_whom_it_knows(key: str, target: DeliveryTarget, known: bool) -> None:
    assert is_known([SessionKey(key)], target) is known
