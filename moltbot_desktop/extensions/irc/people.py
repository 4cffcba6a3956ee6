"""Who is behind a nick, as far as the server has said; pure.

    people = People(by_nick=False)
    person = people.seen(line, "rfc1459")       # "ada" (her account), or "eve!e@host.example"
    people.nick_of("ada")                       # "Ada|away", the nick that she writes under now

Anybody can take a nick that is free. Only an account that the server itself names
(``account`` tag) is proof; without one a person is known by the nick together with the address,
which is an id of its own and can never be the name of an account.
"""

from __future__ import annotations

from collections import OrderedDict

from moltbot_desktop.extensions.irc.lines import IrcLine
from moltbot_desktop.extensions.irc.text import folded

_MOST = 2_000
_NO_ACCOUNT = ("", "*", "0")


class People:
    """Nicks by sender id, the newest last."""

    def __init__(self, *, by_nick: bool = False) -> None:
        self._by_nick = by_nick
        self._nicks: OrderedDict[str, str] = OrderedDict()

    def id_of(self, source: str, account: str, mapping: str) -> str:
        """The id of whoever writes as ``nick!user@host`` and is logged in as `account`."""
        nick, _, address = source.partition("!")
        if self._by_nick:
            return folded(nick, mapping)
        if account not in _NO_ACCOUNT:
            return folded(account, mapping)
        return f"{folded(nick, mapping)}!{address.lower()}"

    def seen(self, line: IrcLine, mapping: str) -> str:
        """Remember who wrote a line; the id."""
        person = self.id_of(line.source, line.tags.get("account", ""), mapping)
        self._nicks[person] = line.nick
        self._nicks.move_to_end(person)
        while len(self._nicks) > _MOST:
            self._nicks.popitem(last=False)
        return person

    def nick_of(self, person: str) -> str:
        """The nick somebody was last seen under; "" when not, or when they have left since."""
        return person if self._by_nick else self._nicks.get(person, "")

    def moved(self, old: str, new: str, mapping: str) -> None:
        """A nick became another: the account is the same, the address's id is not."""
        for person, nick in self._nicks.items():
            if folded(nick, mapping) == folded(old, mapping) and "!" not in person:
                self._nicks[person] = new
                return

    def gone(self, nick: str, mapping: str) -> None:
        """Whoever had that nick has left, or is logged in as somebody else."""
        name = folded(nick, mapping)
        for person in [p for p, n in self._nicks.items() if folded(n, mapping) == name]:
            del self._nicks[person]
