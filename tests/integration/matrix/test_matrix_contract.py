"""The Matrix channel with a real Synapse: the owner's room is encrypted, the others are not."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.fakes.channel_contract import ChannelContract
from tests.fakes.chat_servers import LINUX_ONLY, ChatServer, synapse
from tests.fakes.matrix_platform import MatrixPlatform, People, people

pytest.importorskip("vodozemac", reason="the extra “matrix” is not installed")
pytestmark = LINUX_ONLY


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ChatServer]:
    with synapse(tmp_path_factory.mktemp("synapse"), users={}) as one:
        yield one


@pytest.fixture(scope="module")
def them(server: ChatServer, tmp_path_factory: pytest.TempPathFactory) -> Iterator[People]:
    with people(server, tmp_path_factory.mktemp("people")) as all_of_them:
        yield all_of_them


class TestMatrix(ChannelContract):
    """The suite holds for it."""

    @pytest.fixture
    def platform(self, server: ChatServer, them: People) -> MatrixPlatform:
        return MatrixPlatform(server, them)
