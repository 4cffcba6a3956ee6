"""The text of a settings file with the names of today, as far as possible with its comments."""

from __future__ import annotations

from collections.abc import Mapping

from moltbot_desktop.config.json5_text import parse_settings
from moltbot_desktop.config.legacy import migrated
from moltbot_desktop.config.places import Place
from moltbot_desktop.config.rewrite import Rewritten, with_setting, without_setting
from moltbot_desktop.core.json import JsonObject, JsonValue


def migrated_text(text: str) -> Rewritten:
    """`text` in the names of today; only what differs is touched.

    Raises:
        UnusableText: `text` is no settings file.
    """
    raw = parse_settings(text.encode())
    today = migrated(raw).raw
    made, kept = text, True
    for name in raw.keys() - today.keys():
        one = without_setting(made, (name,))
        made, kept = one.text, kept and one.kept
    for place, value in _differences(raw, today):
        one = with_setting(made, place, value)
        made, kept = one.text, kept and one.kept
    return Rewritten(made, kept)


def _differences(old: JsonObject, new: JsonObject) -> list[tuple[Place, JsonValue]]:
    """What has to be written so that `old` says what `new` does, but for what is too much."""
    found: list[tuple[Place, JsonValue]] = []
    for name, value in new.items():
        before = old.get(name)
        if name in old and before == value:
            continue
        if isinstance(before, Mapping) and isinstance(value, Mapping):
            if before.keys() <= value.keys():
                inner = _differences(before, value)
                found += [((name, *place), item) for place, item in inner]
                continue
        found.append(((name,), value))
    return found
