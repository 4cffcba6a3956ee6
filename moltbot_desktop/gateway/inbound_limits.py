"""What comes over a channel, held to a measure before anything of it is written down.

    limits = InboundLimits(clock)
    kept = limits.fitting(envelope, InboundRules(), access_rules(channel))      # None: not read

A stranger's message is dropped here: it costs no flush of the disk and no row. Whoever is let in
because everybody is, and on no list by id, may write so many messages a minute, and a group of
such people four times as many; those whom the owner has named may write as they like. Texts are
cut, and ids that no platform gives are refused, so that nobody fills the disk or a key with them.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, field, replace

from moltbot_desktop.core.clock import Clock
from moltbot_desktop.gateway.access import AccessRules, Admission, admitted, is_named
from moltbot_desktop.sdk.channels import DESKTOP, Envelope, PeerKind, Quoted, Sender

CUT = "\n[… cut …]"
LONGEST_ID = 256
LONGEST_QUOTE = 1_000
"""Characters of what a message answers: it was read before, or belongs to others."""
MOST_ATTACHMENTS = 20
_LONGEST_NAME = 200
_GROUP_FACTOR = 4
_MOST_KNOWN = 10_000
_MINUTE = 60.0


@dataclass(frozen=True)
class InboundRules:
    """Attributes:
    per_minute: messages of one sender that no list names; 0 for as many as they like.
    characters: of one message; what is more is cut.
    """

    per_minute: int = 30
    characters: int = 20_000


@dataclass
class _Bucket:
    """So many messages are free now; they come back evenly over a minute."""

    free: float
    at: float
    told: bool = False


@dataclass
class InboundLimits:
    """Lives on the agent's event loop.

    Attributes:
        on_flood: told once of a sender or group that writes too much, until it is quiet again.
    """

    clock: Clock
    on_flood: Callable[[Envelope], None]
    _buckets: OrderedDict[tuple[str, ...], _Bucket] = field(default_factory=OrderedDict)

    def fitting(
        self, envelope: Envelope, rules: InboundRules, access: AccessRules
    ) -> Envelope | None:
        """`envelope` as it may be kept; None when it is not to be read at all."""
        if envelope.channel.strip().lower() == DESKTOP or not ids_fit(envelope):
            return None  # the owner's own channel is no channel's to speak for
        if admitted(envelope, access) is not Admission.YES:
            return None
        if not is_named(envelope, access) and not self._has_room(envelope, rules.per_minute):
            return None
        return _cut(envelope, rules.characters)

    def _has_room(self, envelope: Envelope, per_minute: int) -> bool:
        if per_minute <= 0:
            return True
        place = (envelope.channel, envelope.account)
        peer = envelope.peer
        wanted = [((*place, "from", envelope.sender.id), per_minute)]
        if peer is not None and peer.kind is not PeerKind.DM:
            wanted.append(((*place, peer.kind, peer.id), per_minute * _GROUP_FACTOR))
        buckets = [(self._bucket(key, most), most) for key, most in wanted]
        for bucket, _ in buckets:
            if bucket.free < 1:
                if not bucket.told:
                    bucket.told = True
                    self.on_flood(envelope)
                return False
        for bucket, most in buckets:
            bucket.free -= 1
            bucket.told = bucket.told and bucket.free < most / 2
        return True

    def _bucket(self, key: tuple[str, ...], most: int) -> _Bucket:
        now = self.clock.monotonic()
        bucket = self._buckets.setdefault(key, _Bucket(most, now))
        self._buckets.move_to_end(key)
        while len(self._buckets) > _MOST_KNOWN:
            self._buckets.popitem(last=False)
        bucket.free = min(most, bucket.free + max(0.0, now - bucket.at) * most / _MINUTE)
        bucket.at = now
        return bucket


def ids_fit(envelope: Envelope) -> bool:
    """Whether its ids are such as a platform gives."""
    peer = envelope.peer.id if envelope.peer else ""
    ids = (envelope.sender.id, peer, envelope.message_id, envelope.thread_id, envelope.reply_to)
    more = (envelope.account, envelope.channel, envelope.guild_id, envelope.team_id)
    return all(len(one) <= LONGEST_ID and "\0" not in one for one in (*ids, *more))


def _cut(envelope: Envelope, characters: int) -> Envelope:
    sender, text = envelope.sender, envelope.text
    if len(text) > characters:
        text = text[: max(0, characters - len(CUT))] + CUT
    names = sender.name[:_LONGEST_NAME], sender.username[:_LONGEST_NAME]
    if (text, *names) != (envelope.text, sender.name, sender.username):
        shown = replace(sender, name=names[0], username=names[1])
        envelope = replace(envelope, text=text, sender=shown)
    if len(envelope.attachments) > MOST_ATTACHMENTS:
        envelope = replace(envelope, attachments=envelope.attachments[:MOST_ATTACHMENTS])
    if envelope.quoted is not None:
        envelope = replace(envelope, quoted=_cut_quote(envelope.quoted))
    return envelope


def _cut_quote(quoted: Quoted) -> Quoted | None:
    """A quote is a courtesy: one that no platform gives costs not the message it came with."""
    sender, text = quoted.sender, quoted.text
    if len(sender.id) > LONGEST_ID or "\0" in sender.id or not text.strip():
        return None
    if len(text) > LONGEST_QUOTE:
        text = text[: LONGEST_QUOTE - len(CUT)] + CUT
    names = sender.name[:_LONGEST_NAME], sender.username[:_LONGEST_NAME]
    return replace(quoted, text=text, sender=Sender(sender.id, *names))
