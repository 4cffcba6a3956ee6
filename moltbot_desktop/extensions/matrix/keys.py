"""The keys of encrypted rooms: where they are kept, whose devices are trusted.

    config = nio.AsyncClientConfig(store=GuardedStore, ...)
    await keys_in_order(client, settings.trusted)       # after each sync, before each send

nio keeps what a device needs in SQLite, in the account's folder, for its owner alone. The library
binds its tables to a database for the whole process, so that accounts in threads of their own take
turns at it.

Who is trusted: every device from when it is first seen, its keys then being held to what they were;
or, where the settings list session keys, those devices alone.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from functools import wraps
from pathlib import Path
from types import MethodType
from typing import Any, Final

import nio
from nio.store import SqliteStore

_TURNS: Final = threading.RLock()


class GuardedStore(SqliteStore):  # type: ignore[misc]
    """nio's store, used by one thread of the process at a time."""

    def __post_init__(self) -> None:
        name = self.database_name or f"{self.user_id}_{self.device_id}.db"
        # SQLite gives what it writes beside a database the database's own rights.
        flags = os.O_WRONLY | os.O_CREAT
        os.close(os.open(Path(self.store_path) / name, flags, 0o600))
        with _TURNS:
            super().__post_init__()

    def __getattribute__(self, name: str) -> Any:
        found = super().__getattribute__(name)
        method = isinstance(found, MethodType) and not name.startswith("_")
        return _in_turn(found) if method else found


def _in_turn(method: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(method)
    def called(*args: Any, **kwargs: Any) -> Any:
        with _TURNS:
            return method(*args, **kwargs)

    return called


def close_store(client: nio.AsyncClient) -> None:
    """On the thread that opened it."""
    if client.store is not None:
        client.store.database.close()


async def keys_in_order(client: nio.AsyncClient, trusted: frozenset[str]) -> list[Any]:
    """Do what is due: hand in our keys, ask for those of others, answer devices, and settle whom
    we trust; the server's refusals."""
    if client.olm is None:
        return []
    answers = []
    if client.should_upload_keys:
        answers.append(await client.keys_upload())
    if client.should_query_keys:
        answers.append(await client.keys_query())
    if client.should_claim_keys:
        answers.append(await client.keys_claim(client.get_users_for_key_claiming()))
    answers.extend(await client.send_to_device_messages())
    settle_trust(client, trusted)
    return [one for one in answers if isinstance(one, nio.ErrorResponse)]


def settle_trust(client: nio.AsyncClient, trusted: frozenset[str]) -> None:
    """Give every device that is known the trust that the settings say."""
    for device in list(client.device_store):
        listed = device.ed25519 in trusted
        if trusted and not listed and not device.blacklisted:
            client.blacklist_device(device)
        elif not trusted and device.blacklisted:
            client.unblacklist_device(device)
        elif listed and not device.verified:
            client.verify_device(device)


def is_heard(event: Any, *, encrypted_room: bool, trusted: frozenset[str]) -> bool:
    """Whether an event comes from a device that may be heard; `event` is one of nio's."""
    if not trusted or not encrypted_room:
        return True
    return bool(event.decrypted and event.verified)
