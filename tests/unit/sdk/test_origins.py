"""A card says where it comes from."""

from __future__ import annotations

from moltbot_desktop.core.i18n import Language
from moltbot_desktop.core.ids import SessionKey
from moltbot_desktop.sdk.origins import origin_words


def test_a_conversation_in_an_editor_is_named_shortly() -> None:
    key = SessionKey("agent:main:acp:5f0c2a1bdeadbeef")
    assert origin_words(key, Language.ENGLISH) == "Asked in editor (5f0c2a1b)."
