"""Secrets: kept in the key ring, listed by name, never shown."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

import keyring
import pytest
from hypothesis import given
from hypothesis import strategies as st
from keyring.backends import fail, null
from keyring.errors import InitError, KeyringLocked, NoKeyringError, PasswordSetError

from moltbot_desktop.config.providers import KeyKind, KeySource
from moltbot_desktop.core.errors import RemoteKeyRefused, SecretsUnavailable, UserInputInvalid
from moltbot_desktop.security.secrets import SecretStore, find_key, system_key_ring
from tests.fakes.key_ring import MemoryKeyRing

VALUE = "sk-very-secret"


@pytest.fixture
def ring() -> MemoryKeyRing:
    return MemoryKeyRing()


@pytest.fixture
def index(tmp_path: Path) -> Path:
    return tmp_path / "home" / "secrets.json"


@pytest.fixture
def store(ring: MemoryKeyRing, index: Path) -> SecretStore:
    return SecretStore(index, lambda: ring)


def test_what_is_set_can_be_got_listed_and_removed(store: SecretStore) -> None:
    store.set("openai", VALUE)
    store.set("lab", "x")
    assert store.get("openai") == VALUE and store.names() == ("lab", "openai")
    assert store.remove("openai") is True
    assert store.get("openai") is None and store.names() == ("lab",)
    assert store.remove("openai") is False


def test_the_list_is_private_and_holds_no_value(store: SecretStore, index: Path) -> None:
    store.set("openai", VALUE)
    assert VALUE not in index.read_text()
    if os.name != "nt":
        assert index.stat().st_mode & 0o777 == 0o600


def test_a_secret_the_list_does_not_know_can_be_removed(
    store: SecretStore, ring: MemoryKeyRing, index: Path
) -> None:
    store.set("a", VALUE)
    index.unlink()
    assert store.names() == ()
    assert store.remove("a") is True and not ring.kept


def test_a_listed_name_whose_secret_is_gone_leaves_the_list(
    store: SecretStore, ring: MemoryKeyRing
) -> None:
    store.set("a", VALUE)
    ring.kept.clear()
    assert store.remove("a") is True and store.names() == ()


@given(
    st.binary(max_size=60) | st.sampled_from([b"[]", b'{"names": 7}', b'{"names": [7, "../x"]}'])
)
def test_a_damaged_list_counts_as_empty(data: bytes) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "secrets.json"
        path.write_bytes(data)
        assert SecretStore(path, MemoryKeyRing).names() == ()


@pytest.mark.parametrize("name", ["", "../x", "a b", "-a", "x" * 65, "名"])
def test_names_are_plain(store: SecretStore, name: str) -> None:
    for use in (store.get, store.remove, lambda name: store.set(name, VALUE)):
        with pytest.raises(UserInputInvalid):
            use(name)


@pytest.mark.parametrize("value", ["", "a\nb", "a\x00", "x" * 1201, "“sk-1”", "sk-é", " sk"])
def test_values_that_no_key_can_be_are_refused_unshown(store: SecretStore, value: str) -> None:
    with pytest.raises(UserInputInvalid) as caught:
        store.set("a", value)
    assert "xxx" not in str(caught.value) and store.names() == ()


@pytest.mark.parametrize(
    "trouble",
    [
        NoKeyringError(),
        KeyringLocked(f"cannot store {VALUE}"),
        InitError(f"cannot store {VALUE}"),
        PasswordSetError(f"cannot store {VALUE}"),
        RuntimeError(f"cannot store {VALUE}"),
        OSError(f"cannot store {VALUE}"),
        Exception(f"cannot store {VALUE}"),  # pywintypes.error, secretstorage's and D-Bus's
    ],
)
def test_trouble_with_the_ring_says_what_to_do_and_nothing_secret(
    store: SecretStore, ring: MemoryKeyRing, trouble: Exception
) -> None:
    ring.trouble = trouble
    for use in (lambda: store.get("a"), lambda: store.set("a", VALUE), lambda: store.remove("a")):
        with pytest.raises(SecretsUnavailable) as caught:
            use()
        assert VALUE not in str(caught.value) and "${NAME}" in caught.value.hint
    assert store.names() == ()


def test_trouble_in_finding_a_ring_is_told_alike(
    index: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The Secret Service is asked over D-Bus before the package guards anything."""

    def broken() -> object:
        raise Exception("no bus")

    monkeypatch.setattr(keyring, "get_keyring", broken)
    with pytest.raises(SecretsUnavailable, match="does not work"):
        SecretStore(index).get("a")


class PlainFile(MemoryKeyRing):
    """As the rings of keyrings.alt rank themselves."""


class Chain:
    """As the package's own chain: it ranks high whatever it holds."""

    priority = 10

    def __init__(self, *backends: object) -> None:
        self.backends = backends


@pytest.mark.parametrize(
    "ring",
    [fail.Keyring(), null.Keyring(), PlainFile(priority=0.5), Chain(PlainFile(priority=0.5))],
)
def test_rings_that_keep_no_secret_are_not_used(
    monkeypatch: pytest.MonkeyPatch, ring: object
) -> None:
    monkeypatch.setattr(keyring, "get_keyring", lambda: ring)
    with pytest.raises(SecretsUnavailable):
        system_key_ring()


def test_a_real_ring_is_used_alone_or_in_a_chain(monkeypatch: pytest.MonkeyPatch) -> None:
    good = MemoryKeyRing()
    for ring in (good, Chain(good, PlainFile(priority=0.5))):
        monkeypatch.setattr(keyring, "get_keyring", lambda ring=ring: ring)
        assert system_key_ring() is ring


# --- a provider's key


def test_the_key_comes_from_where_the_configuration_says(store: SecretStore) -> None:
    store.set("lab", VALUE)

    def key(*source: str) -> str:
        return find_key(KeySource(*source), "lab", store, {"LAB_KEY": " from-env "})  # type: ignore[arg-type]

    assert key(KeyKind.NONE) == ""
    assert key(KeyKind.LITERAL, "", "written") == "written"
    assert key(KeyKind.ENVIRONMENT, "LAB_KEY") == "from-env"
    assert key(KeyKind.KEYRING, "lab") == VALUE


@pytest.mark.parametrize(
    ("source", "hint"),
    [
        (KeySource(KeyKind.ENVIRONMENT, "LAB_KEY"), "Set LAB_KEY"),
        (KeySource(KeyKind.KEYRING, "lab"), "moltbot-desktop secrets set lab"),
    ],
)
def test_a_key_that_is_not_there_says_how_to_give_one(
    store: SecretStore, source: KeySource, hint: str
) -> None:
    with pytest.raises(RemoteKeyRefused) as caught:
        find_key(source, "lab", store, {})
    assert hint in caught.value.hint


@pytest.mark.parametrize("value", ["“sk-1”", "sk-1\nsk-2", "密钥"])
def test_a_key_that_cannot_be_sent_is_refused_unshown(
    store: SecretStore, ring: MemoryKeyRing, value: str
) -> None:
    """Refused here, with what to do; the client would fail on it in its own words."""
    ring.kept["moltbot-desktop", "lab"] = value
    for source in (KeySource(KeyKind.ENVIRONMENT, "LAB_KEY"), KeySource(KeyKind.KEYRING, "lab")):
        with pytest.raises(RemoteKeyRefused, match="characters in it that no key has") as caught:
            find_key(source, "lab", store, {"LAB_KEY": value})
        assert value not in str(caught.value) and caught.value.hint


def test_spaces_and_line_breaks_around_a_key_do_not_matter(
    store: SecretStore, ring: MemoryKeyRing
) -> None:
    ring.kept["moltbot-desktop", "lab"] = f" {VALUE}\n"
    for source in (KeySource(KeyKind.ENVIRONMENT, "LAB_KEY"), KeySource(KeyKind.KEYRING, "lab")):
        assert find_key(source, "lab", store, {"LAB_KEY": f" {VALUE}\n"}) == VALUE
