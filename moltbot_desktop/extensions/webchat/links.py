"""`moltbot-desktop webchat [--open | --forget]`: a link for a browser, and an end to all of them.

    $ moltbot-desktop webchat --open
    WebChat was opened in the browser.

The assistant runs in another process; the code that the link holds reaches it by the account's
folder. It stands in the arguments of the browser for a moment, where other people of this computer
may see it: it is good once, and whoever was let in is told to the owner.
"""

from __future__ import annotations

import argparse
import sys
import webbrowser
from collections.abc import Callable
from dataclasses import dataclass

from moltbot_desktop.core.i18n import Language
from moltbot_desktop.extensions.webchat.house import House
from moltbot_desktop.extensions.webchat.words import PHRASES
from moltbot_desktop.sdk.channels import DEFAULT_ACCOUNT
from moltbot_desktop.sdk.plugins import CommandCall


@dataclass(frozen=True)
class Links:
    """Attributes:
    house: of an account.
    """

    house: Callable[[str], House]
    language: Language

    def options(self, parser: argparse.ArgumentParser) -> None:
        """What stands behind the subcommand."""
        say = self._say
        parser.add_argument("--open", action="store_true", help=say("help_open"))
        parser.add_argument("--forget", action="store_true", help=say("help_forget"))
        parser.add_argument("--account", default=DEFAULT_ACCOUNT, help=say("help_account"))

    def in_shell(self, arguments: argparse.Namespace) -> int:
        """Carry the subcommand out; returns the exit code."""
        house = self.house(arguments.account)
        try:
            said, code = self._forget(house) if arguments.forget else self._link(house, arguments)
        except OSError as error:
            said, code = self._say("not_kept", reason=error.strerror or error), 1
        sys.stdout.write(f"{said}\n")
        return code

    def in_chat(self, call: CommandCall) -> str:
        """The answer to ``/webchat``: a link is the owner's to give."""
        if not call.owner:
            return self._say("owner")
        try:
            link = self.house(call.arguments or DEFAULT_ACCOUNT).link()
        except OSError as error:
            return self._say("not_kept", reason=error.strerror or error)
        return self._say("in_chat", url=link) if link else self._say("off")

    def _link(self, house: House, arguments: argparse.Namespace) -> tuple[str, int]:
        link = house.link()
        if not link:
            return self._say("off"), 1
        if arguments.open and webbrowser.open(link):
            return self._say("opened"), 0
        return f"{self._say('link')}\n{link}", 0

    def _forget(self, house: House) -> tuple[str, int]:
        browsers = house.browsers.all()
        for one in browsers:
            house.browsers.remove(one.id)
        told = self._say("forgotten", count=len(browsers)) if browsers else self._say("nobody")
        return told, 0

    def _say(self, key: str, **slots: object) -> str:
        return PHRASES.say(key, self.language, **slots)
