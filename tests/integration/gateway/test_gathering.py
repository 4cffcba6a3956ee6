"""Quick messages of one person are answered as one, and none of them is lost for it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from moltbot_desktop.config.messages import InboundConfig, MessagesConfig
from moltbot_desktop.config.settings import Config
from moltbot_desktop.core.clock import ManualClock
from moltbot_desktop.core.errors import StorageError
from moltbot_desktop.core.ids import RunId
from moltbot_desktop.gateway.channel_rules import quiet_seconds
from moltbot_desktop.gateway.gathering import MOST_TOGETHER, hurries, together
from moltbot_desktop.gateway.mail import MailBook
from moltbot_desktop.gateway.mail_items import Accepted, Duplicate
from moltbot_desktop.sdk.channels import Attachment, Quoted, Sender
from tests.fakes.chat_model import says
from tests.fakes.mail import NOON, counting, envelope
from tests.integration.gateway.test_channel_desk import Rig, rig
from tests.integration.gateway.test_front_desk import play

LONG, SHORT = 3_600.0, 0.001


def asked(made: Rig) -> list[str]:
    """What the model was asked, without what stands below it."""
    return [one.messages[-1].content.split("\n\n")[0] for one in made.assistant.model.requests]


def test_what_somebody_writes_in_a_row_is_one_message_and_each_part_stays_known(
    tmp_path: Path,
) -> None:
    async def scenario() -> None:
        async with rig(tmp_path, [says("ok")]) as made:
            made.quiet = SHORT
            first = [envelope("1", "tomorrow"), envelope("2", "at nine"), envelope("3", "dentist")]
            await made.desk.receive(first)
            assert await made.answers(1) == ["ok"]
            assert asked(made) == ["tomorrow\nat nine\ndentist"]
            assert made.book.unfinished() == ()
            await made.desk.receive(first)  # delivered again
            await made.assistant.settled()
            assert made.book.unfinished() == ()

    play(scenario)


def test_a_command_waits_for_nothing_and_goes_behind_what_was_said_before(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with rig(tmp_path, [says("ok")]) as made:
            made.quiet = LONG
            await made.desk.receive([envelope("1", "a"), envelope("2", "b")])
            await made.desk.receive([envelope("3", "/whoami")])
            told = await made.answers(2)
            assert "ok" in told
            assert asked(made) == ["a\nb"]

    play(scenario)


def test_what_one_of_them_answers_is_what_all_of_them_answer() -> None:
    quoted = Quoted("tea?", Sender("8", "Ben"))
    first = envelope("1", "yes", reply_to="0", quoted=quoted)
    found = together([Accepted(RunId("r"), one, NOON) for one in (first, envelope("2", "please"))])
    assert (found.text, found.reply_to, found.quoted) == ("yes\nplease", "0", quoted)
    other = envelope("3", "no", reply_to="9")
    found = together([Accepted(RunId("r"), one, NOON) for one in (first, other)])
    assert (found.reply_to, found.quoted) == ("9", None)


def test_after_a_crash_what_was_put_together_is_one_message(tmp_path: Path) -> None:
    def book() -> MailBook:
        return MailBook(tmp_path / "mail.sqlite", ManualClock(NOON), counting())

    before = book()
    found = before.receive([envelope("1", "a"), envelope("2", "b")])
    messages = [one for one in found if isinstance(one, Accepted)]
    before.merge([messages[0].run_id], replace(messages[1], envelope=together(messages)))
    before.close()
    after = book()
    [left] = after.unfinished()
    assert (left.run_id, left.envelope.message_id, left.envelope.text) == ("run1", "2", "a\nb")
    assert all(isinstance(one, Duplicate) for one in after.receive([envelope("1"), envelope("2")]))
    after.close()


def test_others_are_not_mixed_in(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with rig(tmp_path, [says("A"), says("B")]) as made:
            made.quiet = SHORT
            other = replace(envelope("2", "b"), sender=Sender("8", "Ben"))
            await made.desk.receive([envelope("1", "a"), other])
            assert sorted(await made.answers(2)) == ["A", "B"]

    play(scenario)


def test_somebody_who_never_pauses_is_answered(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with rig(tmp_path, [says("ok")]) as made:
            made.quiet = LONG
            many = [envelope(str(one), f"m{one}") for one in range(MOST_TOGETHER)]
            await made.desk.receive(many)
            assert await made.answers(1) == ["ok"]

    play(scenario)


def test_the_end_of_the_program_leaves_what_waits_for_the_next_start(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with rig(tmp_path, []) as before:
            before.quiet = LONG
            await before.desk.receive([envelope("1", "a"), envelope("2", "b")])
        async with rig(tmp_path, [says("A"), says("B")]) as made:
            assert await made.answers(2) == ["A", "B"]
            assert made.book.unfinished() == ()

    play(scenario)


@pytest.mark.expect_log("cannot be put together")
def test_what_the_disk_does_not_put_together_is_answered_one_by_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def merge(book: MailBook, gone: Sequence[RunId], into: Accepted) -> None:
        raise StorageError("the disk is full", hint="make room")

    monkeypatch.setattr(MailBook, "merge", merge)

    async def scenario() -> None:
        async with rig(tmp_path, [says("A"), says("B")]) as made:
            made.quiet = SHORT
            await made.desk.receive([envelope("1", "a"), envelope("2", "b")])
            assert await made.answers(2) == ["A", "B"]
            assert asked(made) == ["a", "b"]

    play(scenario)


def test_together_they_are_for_the_assistant_when_one_of_them_was() -> None:
    def one(number: str, **more: object) -> Accepted:
        return Accepted(RunId(number), envelope(number, number, **more), NOON)

    merged = together([one("1", mentioned=True, reply_to="9"), one("2", mentioned=False)])
    assert (merged.message_id, merged.text) == ("2", "1\n2")
    assert (merged.mentioned, merged.reply_to) == (True, "9")
    assert together([one("1"), one("2")]).mentioned is None


@pytest.mark.parametrize("text", ["stop", "/new", "please /think high", " /STOP "])
def test_commands_hurry(text: str) -> None:
    assert hurries(envelope("1", text))


def test_words_do_not_and_files_do() -> None:
    assert not hurries(envelope("1", "half of 1/2"))
    photo = Attachment(Path("/x"), "cat.png")
    assert hurries(envelope("1", "look", attachments=(photo,)))


def test_a_channel_has_its_own_patience() -> None:
    inbound = InboundConfig(debounce_ms=500, by_channel={"pipe": 0})
    config = Config(messages=MessagesConfig(inbound=inbound))
    assert (quiet_seconds(config, "pipe"), quiet_seconds(config, "telegram")) == (0.0, 0.5)
