"""Accounts on platforms where no program may write as a person, seen alone: `--live telegram`."""

from __future__ import annotations

import pytest

from tests.live.contract import Alone, LiveAccount, from_environment

pytestmark = pytest.mark.outer_network


class TestTelegram(LiveAccount):
    """https://core.telegram.org/bots/faq#why-doesn-39t-my-bot-see-messages-from-other-bots"""

    reason = "bots do not see what bots write; a person would need a telephone number"

    @pytest.fixture
    def platform(self) -> Alone:
        [token] = from_environment("MOLTBOT_LIVE_TELEGRAM_TOKEN").values()
        return Alone("telegram", {"botToken": token}, {"botToken": "1:no"})


class TestDiscord(LiveAccount):
    """https://support.discord.com/hc/en-us/articles/115002192352"""

    reason = "bots are not answered, and Discord forbids programs that write as a person"

    @pytest.fixture
    def platform(self) -> Alone:
        [token] = from_environment("MOLTBOT_LIVE_DISCORD_TOKEN").values()
        return Alone("discord", {"token": token}, {"token": "no"})


class TestSlack(LiveAccount):
    """https://docs.slack.dev/reference/events/message: what an app writes with a person's token
    has a ``bot_id``."""

    reason = "what an app writes as a person counts as a bot's, which is not answered"

    @pytest.fixture
    def platform(self) -> Alone:
        names = ("MOLTBOT_LIVE_SLACK_BOT_TOKEN", "MOLTBOT_LIVE_SLACK_APP_TOKEN")
        bot, app = from_environment(*names).values()
        return Alone("slack", {"botToken": bot, "appToken": app}, {"botToken": "xoxb-no"})


class TestMattermost(LiveAccount):
    """A person's token would do there; nobody has written those people yet."""

    reason = "no people are written for it yet"

    @pytest.fixture
    def platform(self) -> Alone:
        names = ("MOLTBOT_LIVE_MATTERMOST_URL", "MOLTBOT_LIVE_MATTERMOST_TOKEN")
        server, token = from_environment(*names).values()
        return Alone("mattermost", {"baseUrl": server, "botToken": token}, {"botToken": "no"})
