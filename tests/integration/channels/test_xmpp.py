"""XMPP on a real server, through the whole program."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.fakes.channel_contract import ChannelContract
from tests.fakes.chat_servers import LINUX_ONLY, prosody

pytest.importorskip("slixmpp")

from tests.fakes.xmpp_people import USERS, XmppPlatform

pytestmark = LINUX_ONLY


class TestXmpp(ChannelContract):
    """The suite, with a login, rooms, corrections and the server's archive."""

    @pytest.fixture
    def platform(self, tmp_path: Path) -> Iterator[XmppPlatform]:
        with prosody(tmp_path, USERS) as server:
            yield XmppPlatform(server)
