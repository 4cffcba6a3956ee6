"""The page of the settings window with what the owner allowed: a tick for each.

    page = permissions_page(paths, clock, language)
    take_back(paths, clock, form.changes())

The ticks stand in the book of permissions, not in moltbot.json; so a page is made of the book each
time, and a save takes back what was unticked.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Iterator, Mapping

from moltbot_desktop.app.page_form import PageForm
from moltbot_desktop.app.paths import Paths
from moltbot_desktop.core.clock import Clock
from moltbot_desktop.core.i18n import Language, Phrases
from moltbot_desktop.core.json import JsonObject
from moltbot_desktop.sdk.forms import Change, Put, SettingsPage, Unset
from moltbot_desktop.sdk.permissions import deed_words, grant_words
from moltbot_desktop.security.permission_book import PermissionBook
from moltbot_desktop.security.permissions import Permissions

PERMISSIONS = "permissions"
_DEEDS = 8

_PHRASES = Phrases(
    english={
        "title": "Permissions",
        "none": "Nothing is allowed for longer than once. A card offers that where it can be.",
        "note": "What you allowed for longer than once. Untick one and save, and it is asked for"
        " again.",
        "done": "Done last:",
    },
    chinese={
        "title": "许可",
        "none": "没有任何长于一次的许可。确认卡上会在可以的时候提供。",
        "note": "你长期允许的事。取消勾选并保存，以后就会重新询问。",
        "done": "最近做过的事：",
    },
)


def permissions_page(paths: Paths, clock: Clock, language: Language) -> PageForm:
    """Raises StorageError: the book cannot be used."""

    def say(key: str) -> str:
        return _PHRASES.say(key, language)

    with _opened(paths, clock) as permissions:
        grants, deeds = permissions.grants(), permissions.deeds(_DEEDS)
    note = say("note" if grants else "none")
    if deeds:
        note = "\n".join((note, "", say("done"), *(deed_words(one, language) for one in deeds)))
    ticks: JsonObject = {
        one.id: {"type": "boolean", "title": grant_words(one, language)} for one in grants
    }
    schema: JsonObject = {"type": "object", "properties": ticks, "additionalProperties": False}
    return PageForm(SettingsPage(PERMISSIONS, say("title"), note), (), schema)


def ticked(page: PageForm) -> JsonObject:
    """What the form of a page begins with: all that is allowed."""
    ticks = page.schema["properties"]
    return dict.fromkeys(ticks, True) if isinstance(ticks, Mapping) else {}


def take_back(paths: Paths, clock: Clock, changes: Iterable[Change]) -> None:
    """Revoke what was unticked; what is gone already stays gone.

    Raises:
        StorageError: the book cannot be written.
    """
    with _opened(paths, clock) as permissions:
        for change in changes:
            match change:
                case Put((str() as grant_id,), False) | Unset((str() as grant_id,)):
                    permissions.revoke(grant_id)


@contextlib.contextmanager
def _opened(paths: Paths, clock: Clock) -> Iterator[Permissions]:
    with contextlib.closing(PermissionBook(paths.permissions_database)) as book:
        yield Permissions(book, clock)
