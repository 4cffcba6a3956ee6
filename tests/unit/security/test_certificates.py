"""The computer's certificates are taken as OpenSSL takes them: `security/certificates.py`."""

from __future__ import annotations

import ssl
from collections.abc import Iterator
from pathlib import Path

import pytest

from moltbot_desktop.security.certificates import read_beside_others
from tests.fakes.openai_server import CERTIFICATE

_BY_OPENSSL = ssl.SSLContext.set_default_verify_paths


@pytest.fixture(autouse=True)
def as_it_was() -> Iterator[None]:
    yield
    ssl.SSLContext.set_default_verify_paths = _BY_OPENSSL  # type: ignore[method-assign]


def known() -> list[bytes]:
    return sorted(ssl.create_default_context().get_ca_certs(binary_form=True))


def test_the_same_certificates_are_trusted() -> None:
    by_openssl = known()
    read_beside_others()
    assert known() == by_openssl


def test_it_is_openssl_no_more_that_reads_them_with_all_others_waiting(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    read: list[object] = []
    monkeypatch.setattr(
        ssl.SSLContext, "load_verify_locations", lambda _, **place: read.append(place)
    )
    read_beside_others()
    ssl.create_default_context()
    there = ssl.get_default_verify_paths()
    both = ({"cafile": there.cafile}, {"capath": there.capath})
    assert read == [place for place in both if any(place.values())]


def test_a_person_can_name_another_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", str(CERTIFICATE))
    monkeypatch.setenv("SSL_CERT_DIR", str(tmp_path / "none"))
    by_openssl = known()
    read_beside_others()
    assert known() == by_openssl
    assert len(by_openssl) == 1


def test_a_file_that_is_none_is_passed_over(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    broken = tmp_path / "broken.pem"
    broken.write_text("no certificate")
    monkeypatch.setenv("SSL_CERT_FILE", str(broken))
    monkeypatch.setenv("SSL_CERT_DIR", str(tmp_path))
    read_beside_others()
    assert known() == []
