"""Where others' words came from: kept with the labels, few, short, and harmless to show."""

from __future__ import annotations

import unicodedata

from hypothesis import given, settings
from hypothesis import strategies as st

from moltbot_desktop.security.labels import SOURCES, Labels, joined_stored
from moltbot_desktop.security.sources import (
    MOST_FIRST,
    MOST_LAST,
    Source,
    SourceKind,
    joined_sources,
)

names = st.text(max_size=300)
some = st.builds(Source, st.sampled_from(SourceKind), names)
several = st.lists(some, max_size=12).map(tuple)
labels = st.builds(Labels, st.booleans(), st.booleans(), several.map(lambda one: one[:4]))


def pages(*names: str) -> tuple[Source, ...]:
    return tuple(Source(SourceKind.PAGE, name) for name in names)


@settings(max_examples=60)
@given(some)
def test_a_source_is_one_short_line_that_can_be_seen(one: Source) -> None:
    assert len(one.name) <= 100
    assert not any(unicodedata.category(char) in ("Cc", "Cf", "Zl", "Zp") for char in one.name)
    assert Source.of_stored(one.stored) == one


def test_a_kind_of_a_later_version_is_still_named() -> None:
    assert Source.of_stored("dream:of sheep") == Source(SourceKind.TOOL, "dream:of sheep")


@settings(max_examples=60)
@given(several, several)
def test_the_first_and_the_last_are_kept_of_many(
    before: tuple[Source, ...], more: tuple[Source, ...]
) -> None:
    joined = joined_sources(before, more)
    every = tuple(dict.fromkeys((*before, *more)))
    assert len(joined) == min(len(every), MOST_FIRST + MOST_LAST)
    assert joined[:MOST_FIRST] == every[:MOST_FIRST]
    assert joined[-1:] == every[-1:]
    assert joined_sources(joined, joined) == joined


@settings(max_examples=60)
@given(labels, labels)
def test_what_is_stored_joins_as_the_labels_do(one: Labels, other: Labels) -> None:
    assert Labels.from_mapping(one.as_mapping()) == Labels().joined(one)
    stored = joined_stored(one.as_mapping(), other.as_mapping())
    assert Labels.from_mapping(stored) == one.joined(other)


def test_labels_without_a_source_are_stored_as_before() -> None:
    assert Labels(True, False).as_mapping() == {"untrusted": True, "private": False}
    stored = Labels(True, False, pages("a.example")).as_mapping()
    assert stored[SOURCES] == ("page:a.example",)
