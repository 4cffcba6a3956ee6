"""Which accounts the settings and the plugins want open at this moment.

wanted_accounts(needs, opener)      # by channel and account, for `ChannelAccounts`
anything_wanted(needs)              # whether there is a channel at all
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

from moltbot_desktop.app.account_opener import AccountOpener
from moltbot_desktop.app.channel_accounts import Place, WantedAccount
from moltbot_desktop.app.channel_kinds import accounts_in
from moltbot_desktop.app.channel_needs import PHRASES, ChannelNeeds
from moltbot_desktop.channels.pipe import PipeAccount
from moltbot_desktop.channels.pipe_lines import CHANNEL as PIPE
from moltbot_desktop.core.json import JsonObject
from moltbot_desktop.gateway.client import ClientEvent, Notice


def anything_wanted(needs: ChannelNeeds) -> bool:
    """Whether an account is there to be opened."""
    if pipe_accounts(needs, _nobody):
        return True
    return any(
        account.enabled
        for channel, section in _sections(needs).items()
        if channel in needs.kinds.known
        for account in accounts_in(channel, section)
    )


def wanted_accounts(needs: ChannelNeeds, opener: AccountOpener) -> Mapping[Place, WantedAccount]:
    """What the settings want now and the plugins can give. What is wrong is told by `states`, and
    of a pipe at the start."""
    found = {(PIPE, one.name): opener.pipe(one) for one in pipe_accounts(needs, _nobody)}
    for channel, section in _sections(needs).items():
        kind = needs.kinds.known.get(channel)
        if kind is not None:
            for account in accounts_in(channel, section):
                if account.enabled:
                    found[channel, account.name] = opener.hosted(kind, account)
    return found


def pipe_accounts(needs: ChannelNeeds, tell: Callable[[ClientEvent], None]) -> list[PipeAccount]:
    """Those that have both their files; `tell` hears of the others."""
    found = []
    for account in accounts_in(PIPE, needs.channel(PIPE)):
        if not account.enabled:
            continue
        paths = _paths(account.settings, needs.paths.user_home)
        if paths is None:
            text = PHRASES.say("no_paths", needs.language, name=account.name)
            tell(Notice(text, PHRASES.say("no_paths_hint", needs.language), serious=True))
        else:
            found.append(PipeAccount(account.name, *paths))
    return found


def _sections(needs: ChannelNeeds) -> JsonObject:
    channels = needs.config.raw.get("channels")
    return channels if isinstance(channels, Mapping) else {}


def _nobody(_: ClientEvent) -> None:
    """Hears nothing."""


def _paths(account: JsonObject, home: Path) -> tuple[Path, Path] | None:
    ends = [account.get(end) for end in ("in", "out")]
    texts = [end for end in ends if isinstance(end, str) and end.strip()]
    if len(texts) != 2:
        return None
    path_in, path_out = (home / text.removeprefix("~/") for text in texts)
    return path_in, path_out
