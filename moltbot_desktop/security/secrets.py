"""Keys and passwords, kept in the system's own store (Keychain, Credential Manager, Secret
Service, KWallet) and never in a file of ours.

    store = SecretStore(paths.home / SECRET_NAMES_FILE)
    store.set("openai", value)
    key = find_key(provider.key, provider.name, store, os.environ)

The stores cannot list what they hold, so the names (never the values) are kept in a private file.
Calls block, and may wait until the person unlocks the store: not for the event loop. No value is
ever logged, printed or part of an error.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Protocol

from moltbot_desktop.config.providers import NAME, KeyKind, KeySource
from moltbot_desktop.core.errors import (
    MoltbotError,
    RemoteKeyRefused,
    SecretsUnavailable,
    UserInputInvalid,
)
from moltbot_desktop.storage.bounded import MOST_STATE, read_plain
from moltbot_desktop.storage.files import make_private_dir, write_atomic

SECRET_NAMES_FILE = "secrets.json"
SERVICE = "moltbot-desktop"
LONGEST_VALUE = 1_200
"""Characters; Windows holds 2,560 bytes at most, two to a character."""

_VERSION = 1
_LEAST_PRIORITY = 1
_WHAT_TO_DO = (
    "Unlock it or set one up (GNOME Keyring, KWallet), or put the key into an environment"
    ' variable and write "${NAME}" into moltbot.json.'
)


class KeyRing(Protocol):
    """What is used of the `keyring` package; raises what the package or the system's library
    below it raises."""

    def get_password(self, service: str, name: str, /) -> str | None: ...

    def set_password(self, service: str, name: str, value: str, /) -> None: ...

    def delete_password(self, service: str, name: str, /) -> None: ...


class SecretStore:
    """Secrets by name. Not locked: two processes that set secrets at once may lose a name of the
    list, never a value."""

    def __init__(self, index: Path, find_ring: Callable[[], KeyRing] | None = None) -> None:
        """`index`: the file with the names; made when the first secret is set. The key ring is
        looked for at the first use."""
        self._index = index
        self._find_ring = find_ring or system_key_ring

    def get(self, name: str) -> str | None:
        """The value, None when there is none.

        Raises:
            SecretsUnavailable: no store, or it is locked; says what to do.
            UserInputInvalid: that is no name.
        """
        checked_name(name)
        with _ring_errors():
            return self._find_ring().get_password(SERVICE, name)

    def set(self, name: str, value: str) -> None:
        """Keep `value` under `name`, in place of an earlier one.

        Raises:
            SecretsUnavailable, StorageError: it was not kept.
            UserInputInvalid: that is no name, or no value a key can have.
        """
        checked_name(name)
        _check_value(value)
        with _ring_errors():
            self._find_ring().set_password(SERVICE, name, value)
        self._write({*self.names(), name})

    def remove(self, name: str) -> bool:
        """Forget it; False when there was nothing of that name.

        Raises:
            SecretsUnavailable, StorageError: it may still be there.
            UserInputInvalid: that is no name.
        """
        checked_name(name)
        with _ring_errors():
            ring = self._find_ring()
            known = ring.get_password(SERVICE, name) is not None
            if known:
                ring.delete_password(SERVICE, name)
        listed = set(self.names())
        if name in listed:
            self._write(listed - {name})
        return known or name in listed

    def names(self) -> tuple[str, ...]:
        """Names of what was set from here, sorted. A damaged list counts as empty: the secrets
        themselves are not in it."""
        try:
            data = json.loads(read_plain(self._index, MOST_STATE))
        except (OSError, ValueError, RecursionError):
            return ()
        names = data.get("names") if isinstance(data, dict) else None
        if not isinstance(names, list):
            return ()
        return tuple(sorted({one for one in names if isinstance(one, str) and NAME.fullmatch(one)}))

    def _write(self, names: Iterable[str]) -> None:
        data = json.dumps({"version": _VERSION, "names": sorted(names)}, indent=2)
        make_private_dir(self._index.parent)
        write_atomic(self._index, data.encode() + b"\n")


def checked_name(name: str) -> str:
    """`name` when it can be one.

    Raises:
        UserInputInvalid: it cannot.
    """
    if not NAME.fullmatch(name):
        raise UserInputInvalid(
            f"“{name[:40]}” cannot be the name of a secret.",
            hint="Use letters, digits, “.”, “_” and “-”, at most 64 of them.",
        )
    return name


def _check_value(value: str) -> None:
    if not value or len(value) > LONGEST_VALUE or not _can_be_sent(value):
        raise UserInputInvalid(
            "That cannot be a key: it is empty or too long, or has line breaks or other characters"
            " in it than a key has.",
            hint=f"Give it as one line of at most {LONGEST_VALUE} letters, digits and signs.",
        )


def _can_be_sent(value: str) -> bool:
    """Keys travel in a header, which carries printable ASCII and drops spaces at its ends."""
    return value.isascii() and value.isprintable() and value == value.strip()


def find_key(
    source: KeySource, provider: str, store: SecretStore, environment: Mapping[str, str]
) -> str:
    """The key a provider's configuration points to; "" when it names none.

    Raises:
        RemoteKeyRefused: one is named and is not there, or can be no key.
        SecretsUnavailable: the store with it cannot be opened.
    """
    match source.kind:
        case KeyKind.NONE:
            return ""
        case KeyKind.LITERAL:
            return source.literal
        case KeyKind.ENVIRONMENT:
            value = environment.get(source.name, "").strip()
            if value:
                return _sendable(value, provider, f"Set {source.name} to the key alone.")
            raise RemoteKeyRefused(
                f"There is no key for {provider}: the environment variable {source.name} is not"
                " set.",
                hint=f"Set {source.name} and start Moltbot again.",
            )
        case KeyKind.KEYRING:
            value = (store.get(source.name) or "").strip()
            if value:
                hint = f"Run: moltbot-desktop secrets set {source.name}"
                return _sendable(value, provider, hint)
            raise RemoteKeyRefused(
                f"There is no key for {provider}: no secret is named {source.name}.",
                hint=f"Run: moltbot-desktop secrets set {source.name}",
            )


def _sendable(value: str, provider: str, hint: str) -> str:
    if _can_be_sent(value):
        return value
    raise RemoteKeyRefused(
        f"The key for {provider} has characters in it that no key has, such as curly quotes or a"
        " line break.",
        hint=hint,
    )


def system_key_ring() -> KeyRing:
    """The key ring of this computer.

    Raises:
        SecretsUnavailable: there is none that keeps secrets secret. The package also knows rings
            that write plain files and one that forgets everything; those are not used.
    """
    # Late: it looks for every ring there may be, and most starts need no secret.
    import keyring  # noqa: PLC0415

    with _ring_errors():
        ring = keyring.get_keyring()
        # A chain of rings ranks itself by their number; what counts is whom it asks first.
        first = next(iter(getattr(ring, "backends", ())), ring)
        priority = float(first.priority)
    if priority < _LEAST_PRIORITY:
        raise _nowhere()
    return ring


@contextmanager
def _ring_errors() -> Iterator[None]:
    """What goes wrong in a key ring, as our error; its own words may quote what it was given."""
    # Late, as above; by now the package is loaded.
    from keyring.errors import KeyringLocked, NoKeyringError  # noqa: PLC0415

    try:
        yield
    except MoltbotError:
        raise
    except NoKeyringError as error:
        raise _nowhere() from error
    except KeyringLocked as error:
        raise SecretsUnavailable("The password store is locked.", hint=_WHAT_TO_DO) from error
    except Exception as error:  # border: what Windows and D-Bus raise is nothing more special
        raise SecretsUnavailable(
            f"The password store of this computer does not work ({type(error).__name__}).",
            hint=_WHAT_TO_DO,
        ) from error


def _nowhere() -> SecretsUnavailable:
    return SecretsUnavailable(
        "This computer has no password store that Moltbot can use.", hint=_WHAT_TO_DO
    )
