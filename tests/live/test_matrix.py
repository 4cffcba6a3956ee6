"""The whole suite on any Matrix server, with an assistant and two people of yours there:
`--live matrix`."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from typing import Any

import pytest

from tests.fakes.matrix_platform import MatrixPlatform, People
from tests.live.contract import LiveContract, from_environment

pytest.importorskip("vodozemac", reason="the extra “matrix” is not installed")
_BOT = ("MOLTBOT_LIVE_MATRIX_BOT", "MOLTBOT_LIVE_MATRIX_BOT_PASSWORD")
_OWNER = ("MOLTBOT_LIVE_MATRIX_OWNER", "MOLTBOT_LIVE_MATRIX_OWNER_PASSWORD")
_STRANGER = ("MOLTBOT_LIVE_MATRIX_STRANGER", "MOLTBOT_LIVE_MATRIX_STRANGER_PASSWORD")


class LiveMatrix(MatrixPlatform):
    """With accounts that are there; each test has rooms of its own, which are left behind it."""

    def __init__(self, server: str, them: People, bot: tuple[str, str]) -> None:
        self._address, self._password = server, bot[1]
        self._looked: set[str] = set()
        self._begin(them)
        self.bot = bot[0]
        self.owner, self.stranger = (*them.persons, "")[:2]

    def account(self, *, token_is_right: bool = True) -> Mapping[str, object]:
        address = {"homeserver": self._address}
        if token_is_right:
            return {**address, "userId": self.bot, "password": self._password}
        return {**address, "accessToken": "syt_no_such_token"}

    async def start(self) -> None:
        if self.rooms:
            return
        await self.make_rooms()

    async def stop(self) -> None:
        """The people's side stays; see `leave`."""

    async def say(self, message_id: str, text: str, *, sender: str, **more: Any) -> None:
        """With a home of its own each test gives the assistant another device."""
        if sender not in self._looked:
            self._looked.add(sender)
            await self.them.asked(self.them.looks_again(sender, self.bot))
        await super().say(message_id, text, sender=sender, **more)

    def leave(self) -> None:
        for room in self.rooms.values():
            for person in self.them.persons.values():
                self.them.ask(person.client.room_leave(room))
                self.them.ask(person.client.room_forget(room))


@pytest.fixture(scope="module")
def them(tmp_path_factory: pytest.TempPathFactory) -> Iterator[People]:
    given = from_environment("MOLTBOT_LIVE_MATRIX_SERVER", *_BOT, *_OWNER)
    persons = {given[_OWNER[0]]: given[_OWNER[1]]}
    if all(os.environ.get(one) for one in _STRANGER):
        persons[os.environ[_STRANGER[0]]] = os.environ[_STRANGER[1]]
    address = given["MOLTBOT_LIVE_MATRIX_SERVER"]
    everybody = People(address, tmp_path_factory.mktemp("people"), persons)
    try:
        everybody.open()
        yield everybody
    finally:
        everybody.close()


@pytest.mark.outer_network
class TestMatrix(LiveContract):
    """The suite holds for it."""

    stranger_variables = _STRANGER

    @pytest.fixture
    def platform(self, them: People) -> Iterator[LiveMatrix]:
        given = from_environment("MOLTBOT_LIVE_MATRIX_SERVER", *_BOT)
        bot = (given[_BOT[0]], given[_BOT[1]])
        one = LiveMatrix(given["MOLTBOT_LIVE_MATRIX_SERVER"], them, bot)
        yield one
        one.leave()
