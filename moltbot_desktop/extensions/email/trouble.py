"""What goes wrong with a mail server, as the errors that the program knows.

    with told(settings.imap, settings, language):
        ...                                  # imaplib, smtplib and sockets raise what they like

No answer to a login is repeated: it may name the password. Other answers are cut and cleaned.
"""

from __future__ import annotations

import contextlib
import imaplib
import smtplib
import ssl
from collections.abc import Iterator
from pathlib import Path

from moltbot_desktop.core.errors import (
    ChannelAuthFailed,
    ChannelError,
    ChannelRateLimited,
    ChannelRefused,
    ChannelTooLong,
)
from moltbot_desktop.core.i18n import Language
from moltbot_desktop.extensions.email.charsets import one_line
from moltbot_desktop.extensions.email.providers import Security, Server
from moltbot_desktop.extensions.email.settings import EmailSettings, is_here
from moltbot_desktop.extensions.email.wire import Malformed
from moltbot_desktop.extensions.email.words import PHRASES

LONGEST_REASON = 160
PAUSE_SECONDS = 120.0
DAY_PAUSE_SECONDS = 3_600.0
_LIMITS = ("5.4.5", "5.2.1 the user you are trying to contact is receiving", "quota exceeded")
_PAUSES = ("4.7.0", "4.7.28", "4.4.5", "4.3.2", "rate limit", "too many", "try again later")


def failure(
    kind: type[ChannelError], phrase: str, language: Language, **slots: object
) -> ChannelError:
    """An error with its sentence and, where there is one, its hint."""
    hint = PHRASES.say(f"{phrase}_hint", language) if f"{phrase}_hint" in PHRASES.english else ""
    return kind(PHRASES.say(phrase, language, **slots), hint=hint)


def checked(settings: EmailSettings, language: Language) -> tuple[Server, Server]:
    """The servers for reading and sending.

    Raises:
        ChannelRefused: the settings lack something, or would tell the password to others.
    """
    if "@" not in settings.address or not settings.password:
        raise failure(ChannelRefused, "no_account", language)
    if not settings.takes_passwords:
        host = settings.imap.host if settings.imap else settings.domain
        raise failure(ChannelRefused, "oauth", language, host=host)
    if settings.imap is None or settings.smtp is None:
        raise failure(ChannelRefused, "no_server", language, domain=settings.domain)
    for server in (settings.imap, settings.smtp):
        if server.security is Security.NONE and not is_here(server.host):
            raise failure(ChannelRefused, "in_the_open", language, host=server.host)
    return settings.imap, settings.smtp


def tls_context(ca_file: str, language: Language) -> ssl.SSLContext:
    """Certificates are always looked at. Raises ChannelRefused for a file that is none."""
    context = ssl.create_default_context()
    if ca_file:
        try:
            context.load_verify_locations(Path(ca_file).expanduser())
        except OSError as error:
            raise failure(ChannelRefused, "ca_file", language, file=ca_file) from error
    return context


@contextlib.contextmanager
def told(
    server: Server, settings: EmailSettings, language: Language, to: str = ""
) -> Iterator[None]:
    """Whatever the libraries raise inside becomes a ChannelError."""
    about = {"host": server.host, "port": server.port, "user": settings.user, "to": to}
    try:
        yield
    except ssl.SSLCertVerificationError as error:
        raise failure(ChannelError, "certificate", language, **about) from error
    except smtplib.SMTPException as error:
        raise _of_smtp(error, language, **about) from error
    except imaplib.IMAP4.abort as error:
        if "TLS not supported" in str(error):
            raise failure(ChannelRefused, "no_tls", language, **about) from error
        raise failure(ChannelError, "ended", language, reason=_reason(error), **about) from error
    except (imaplib.IMAP4.error, Malformed) as error:
        raise failure(ChannelError, "strange", language, reason=_reason(error), **about) from error
    except OSError as error:
        raise failure(
            ChannelError, "unreachable", language, reason=_reason(error), **about
        ) from error


def _of_smtp(error: smtplib.SMTPException, language: Language, **about: object) -> ChannelError:
    if isinstance(error, smtplib.SMTPNotSupportedError):
        phrase = "no_tls" if "STARTTLS" in str(error) else "no_login"
        return failure(ChannelRefused, phrase, language, **about)
    code, said = _answer(error)
    about["reason"] = one_line(f"{code} {said}")[:LONGEST_REASON] if code else _reason(error)
    if isinstance(error, smtplib.SMTPAuthenticationError) and code >= 500:
        return failure(ChannelAuthFailed, "login", language, **about)
    if isinstance(error, smtplib.SMTPServerDisconnected) or code == 0:
        return failure(ChannelError, "ended", language, **about)
    low = said.lower()
    if code >= 500 and any(one in low for one in _LIMITS):
        return _paused(DAY_PAUSE_SECONDS, language, **about)
    if code in (421, 450, 451, 452, 454) and any(one in low for one in _PAUSES):
        return _paused(PAUSE_SECONDS, language, **about)
    if code < 500:
        return failure(ChannelError, "not_now", language, **about)
    if code == 552 or low.startswith(("5.3.4", "5.2.3")):
        return failure(ChannelTooLong, "too_large", language, **about)
    return failure(ChannelRefused, "not_taken", language, **about)


def _paused(seconds: float, language: Language, **about: object) -> ChannelRateLimited:
    return ChannelRateLimited(PHRASES.say("later", language, **about), retry_after=seconds)


def _answer(error: smtplib.SMTPException) -> tuple[int, str]:
    """Code and words; of several recipients those for the first."""
    found: tuple[int, object] = (0, b"")
    if isinstance(error, smtplib.SMTPRecipientsRefused) and error.recipients:
        found = next(iter(error.recipients.values()))
    elif isinstance(error, smtplib.SMTPResponseException):
        found = (error.smtp_code, error.smtp_error)
    code, said = found
    words = said.decode("utf-8", "replace") if isinstance(said, bytes) else str(said)
    return code, words


def _reason(error: Exception) -> str:
    if isinstance(error, TimeoutError):
        return "timeout"
    said = error.strerror if isinstance(error, OSError) else ""
    return one_line(said or str(error) or type(error).__name__)[:LONGEST_REASON].rstrip(".")
