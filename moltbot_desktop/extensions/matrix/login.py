"""Logging in, and a client of nio that is ready to sync.

    async with entered(settings, "default", house) as (client, notebook):
        await client.sync(...)

With a token the server says whose it is. With a password a device is made once and kept; the token
it gets is kept in memory alone, so that none lies on the disk.
"""

from __future__ import annotations

import contextlib
import hashlib
import logging
from collections.abc import AsyncIterator
from pathlib import Path

import nio

from moltbot_desktop.core.errors import ChannelAuthFailed, ChannelError, ChannelRefused
from moltbot_desktop.core.i18n import Language
from moltbot_desktop.extensions.matrix.house import House
from moltbot_desktop.extensions.matrix.keys import GuardedStore, close_store
from moltbot_desktop.extensions.matrix.notebook import Notebook
from moltbot_desktop.extensions.matrix.refusals import heard_as, wanted
from moltbot_desktop.extensions.matrix.settings import MatrixSettings
from moltbot_desktop.extensions.matrix.words import PHRASES

REQUEST_SECONDS = 60.0
"""For one request; a sync waits longer by what it was told to."""


@contextlib.asynccontextmanager
async def entered(
    settings: MatrixSettings, account: str, house: House
) -> AsyncIterator[tuple[nio.AsyncClient, Notebook]]:
    """A client that is logged in, with its keys; closed at the end.

    Raises:
        ImportError: the part of the library that encrypts is missing.
        ChannelAuthFailed, ChannelRefused, ChannelError: as in `RunningChannel.run`.
    """
    if settings.encryption and not nio.crypto.ENCRYPTION_ENABLED:
        raise ImportError("no encryption", name="vodozemac")
    client = _client(settings)
    try:
        with heard_as(settings.homeserver, house.language):
            notebook = await _login(client, settings, account, house)
        yield client, notebook
    finally:
        close_store(client)
        await client.close()


async def who_is(settings: MatrixSettings, language: Language) -> str:
    """Who the settings make us, without a trace on the server.

    Raises:
        ChannelAuthFailed, ChannelRefused, ChannelError: they do not work.
    """
    config = nio.AsyncClientConfig(max_limit_exceeded=0, max_timeouts=0, encryption_enabled=False)
    client = nio.AsyncClient(settings.homeserver, settings.user, config=config)
    try:
        with heard_as(settings.homeserver, language):
            if settings.token:
                client.access_token = settings.token
                return str(wanted(await client.whoami(), nio.WhoamiResponse, language).user_id)
            await _with_password(client, settings, language)
            await client.logout()
            return str(client.user_id)
    finally:
        await client.close()


def _client(settings: MatrixSettings) -> nio.AsyncClient:
    # What it warns of happens every day (a device that is gone, a key that comes late) and is
    # told in our words where it matters.
    logging.getLogger("nio").setLevel(logging.ERROR)
    config = nio.AsyncClientConfig(
        max_limit_exceeded=0,
        max_timeouts=0,
        request_timeout=REQUEST_SECONDS,
        encryption_enabled=settings.encryption,
        store=GuardedStore,
    )
    return nio.AsyncClient(settings.homeserver, settings.user, config=config)


async def _login(
    client: nio.AsyncClient, settings: MatrixSettings, account: str, house: House
) -> Notebook:
    language = house.language
    if not settings.token and not (settings.user and settings.password):
        raise ChannelAuthFailed(
            PHRASES.say("no_login", language), hint=PHRASES.say("no_login_hint", language)
        )
    if settings.token:
        client.access_token = settings.token
        told = wanted(await client.whoami(), nio.WhoamiResponse, language)
        notebook = _notebook(client, settings.homeserver, told.user_id, account, house)
        # A token of an application service has no device.
        client.restore_login(told.user_id, told.device_id or "MOLTBOT", settings.token)
        return notebook
    notebook = _notebook(client, settings.homeserver, settings.user, account, house)
    client.device_id = notebook.device or None
    if not await _with_old_token(client, notebook, house):
        await _with_password(client, settings, language)
    house.tokens[notebook.folder] = client.access_token
    notebook.device = client.device_id
    return notebook


async def _with_old_token(client: nio.AsyncClient, notebook: Notebook, house: House) -> bool:
    """Go on with the token that another connection has got; whether there is one."""
    token = house.tokens.pop(notebook.folder, "")
    if not token or not notebook.device:
        return False
    client.access_token = token
    told = await client.whoami()
    if not isinstance(told, nio.WhoamiResponse):
        client.access_token = ""
        return False
    client.restore_login(told.user_id, notebook.device, token)
    return True


async def _with_password(
    client: nio.AsyncClient, settings: MatrixSettings, language: Language
) -> None:
    answer = await client.login(settings.password, settings.device_name)
    try:
        wanted(answer, nio.LoginResponse, language)
    except ChannelRefused as error:
        said = PHRASES.say("login", language)
        raise ChannelAuthFailed(said, hint=PHRASES.say("login_hint", language)) from error


def _notebook(
    client: nio.AsyncClient, server: str, user: str, account: str, house: House
) -> Notebook:
    name = hashlib.sha256(f"{server}\n{user}\n{account}".encode()).hexdigest()[:16]
    folder = house.state / name
    try:
        notebook = Notebook.opened(folder)
    except OSError as error:
        raise _damaged(folder, error, house.language) from error
    client.store_path = str(folder)
    return notebook


def _damaged(folder: Path, error: OSError, language: Language) -> ChannelError:
    said = PHRASES.say("store", language, folder=folder, reason=error.strerror or error)
    return ChannelError(said, hint=PHRASES.say("store_hint", language))
