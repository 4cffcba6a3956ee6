"""A channel's settings tried without side effects, for `channels test` and the settings page.

    found = await ChannelProbe(settings, kinds, secret, language)("telegram", "default")
    found.name                          # "@moltbot"; or found.problem

It runs on a thread and a loop of its own, as the channel itself does: what blocks there holds up
nobody, and what breaks is what came of it.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass

from moltbot_desktop.app.channel_kinds import ChannelKind, accounts_in
from moltbot_desktop.channels.hosted_words import library_missing
from moltbot_desktop.core.errors import MoltbotError
from moltbot_desktop.core.i18n import Language, Phrases, in_one_line
from moltbot_desktop.core.json import JsonObject
from moltbot_desktop.gateway.rpc.channel_methods import Probed
from moltbot_desktop.plugins.opening import with_secrets

PROBE_SECONDS = 20.0
_PHRASES = Phrases(
    english={"slow": "It did not answer within {seconds} seconds."},
    chinese={"slow": "{seconds} 秒内没有回应。"},
)
_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class ChannelProbe:
    """Attributes:
    settings: the file as it is written now.
    kinds: the channels of plugins, by id.
    secret: what ``keyring:NAME`` stands for; blocks, raises MoltbotError.
    """

    settings: Callable[[], JsonObject]
    kinds: Callable[[], Mapping[str, ChannelKind]]
    secret: Callable[[str], str]
    language: Language

    async def __call__(self, channel: str, account: str) -> Probed | None:
        """What came of it; None where the channel cannot be tried, or there is no such account."""
        kind = self.kinds().get(channel)
        channels = self.settings().get("channels")
        section = channels.get(channel) if isinstance(channels, Mapping) else None
        found = next((one for one in accounts_in(channel, section) if one.name == account), None)
        if kind is None or kind.channel.probe is None or found is None:
            return None
        return await asyncio.to_thread(self._tried, kind, kind.channel.probe, found.settings)

    def _tried(
        self, kind: ChannelKind, probe: Callable[[JsonObject], Awaitable[str]], written: JsonObject
    ) -> Probed:
        async def within_time(settings: JsonObject) -> str:
            async with asyncio.timeout(PROBE_SECONDS):
                return await probe(settings)

        try:
            settings = with_secrets(kind.settings(written, self.language), self.secret)
            return Probed(asyncio.run(within_time(settings)))
        except MoltbotError as error:
            return Probed(problem=in_one_line(error.message, error.hint))
        except TimeoutError:
            return Probed(problem=_PHRASES.say("slow", self.language, seconds=int(PROBE_SECONDS)))
        except ImportError as error:
            name = (error.name or str(error)).partition(".")[0]
            missing = library_missing(kind.channel.id, kind.channel.extra, name, self.language)
            return Probed(problem=missing)
        except Exception as error:  # noqa: BLE001 - border: a plugin's bug is what came of it
            _log.exception("trying channel %s broke", kind.channel.id)
            return Probed(problem=f"{type(error).__name__}: {error}"[:300])
