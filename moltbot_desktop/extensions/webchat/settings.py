"""One account's settings, as the manifest's schema has let them through.

settings = settings_from(account.settings)
settings.port                    # 18795

"""

from __future__ import annotations

from dataclasses import dataclass

from moltbot_desktop.core.json import JsonObject

PORT = 18795
MEGABYTE = 1_000_000


@dataclass(frozen=True)
class WebChatSettings:
    """Attributes:
    port: 0 takes a free one, another at each start; a browser then has to be let in anew.
    """

    port: int = PORT


def settings_from(settings: JsonObject) -> WebChatSettings:
    """Raises nothing: the schema was checked before."""
    port = settings.get("port", PORT)
    return WebChatSettings(port if isinstance(port, int) else PORT)
