"""What forms draw, each drawn once: a form never changes, an edit makes another one. Pure.

drawings = Drawings(language)
drawings.of(page, form).root, drawings.of(page, form).parts
searched(page, form, "colour", language).places          # in a thread: drawing takes its time
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from moltbot_desktop.core.i18n import Language
from moltbot_desktop.sdk.forms import FieldPlace, FormNode, FormState, SettingsPage
from moltbot_desktop.ui.settings.parts import Part, found_in, parts_of


@dataclass(frozen=True)
class Drawn:
    """A form of a page, and what of it is shown alone."""

    form: FormState
    root: FormNode
    parts: tuple[Part, ...]


@dataclass(frozen=True)
class Searched:
    """What a page has of the words that were searched for; `places` are to be shown."""

    drawn: Drawn
    places: frozenset[FieldPlace]


class Drawings:
    """The last drawing of each page."""

    def __init__(self, language: Language) -> None:
        self._language = language
        self._made: dict[str, Drawn] = {}

    def of(self, page: SettingsPage, form: FormState) -> Drawn:
        made = self._made.get(page.id)
        if made is None or made.form is not form:
            made = self._made[page.id] = drawn(page, form, self._language)
        return made

    def all(self, forms: Mapping[str, FormState]) -> dict[str, tuple[Part, ...]]:
        """The parts of the pages that were drawn and whose forms are still those."""
        made = self._made.items()
        return {page: one.parts for page, one in made if forms.get(page) is one.form}


def drawn(page: SettingsPage, form: FormState, language: Language) -> Drawn:
    root = form.root(language)
    return Drawn(form, root, parts_of(root, page.sections))


def searched(
    page: SettingsPage, form: FormState, words: str, language: Language, known: Drawn | None = None
) -> Searched:
    """`known`: what `form` draws, where that is there already."""
    found = known or drawn(page, form, language)
    places = found_in(found.parts, form.found(words, language), words) if words.strip() else ()
    return Searched(found, frozenset(places))
