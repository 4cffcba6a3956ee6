"""Labels only rise."""

from __future__ import annotations

import itertools

from moltbot_desktop.security.labels import Labels

EVERY = [Labels(u, p) for u, p in itertools.product((False, True), repeat=2)]


def test_joining_never_drops_a_label() -> None:
    for one, other in itertools.product(EVERY, repeat=2):
        joined = one.joined(other)
        assert joined.untrusted == (one.untrusted or other.untrusted)
        assert joined.private == (one.private or other.private)


def test_labels_survive_the_transcript() -> None:
    assert [Labels.from_mapping(labels.as_mapping()) for labels in EVERY] == EVERY


def test_a_damaged_label_counts_as_the_stricter_one() -> None:
    assert Labels.from_mapping({"private": False}) == Labels(untrusted=True, private=False)
    assert Labels.from_mapping({}) == Labels()
