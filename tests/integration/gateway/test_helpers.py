"""Helpers: what comes back of them, what they may not do, and what a crash leaves."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from threading import Timer

import pytest

from moltbot_desktop.core.errors import UserInputInvalid
from moltbot_desktop.core.ids import RunId, SessionKey
from moltbot_desktop.core.results import OutcomeKind
from moltbot_desktop.gateway import helper_book
from moltbot_desktop.gateway.helper_book import HelperRecord
from moltbot_desktop.gateway.helper_desk import MOST_BY_ITSELF, HelperRules
from moltbot_desktop.schedule.notices import NewNotice
from moltbot_desktop.sdk.models import GenerationRequest
from moltbot_desktop.sdk.session_access import HelperTask
from moltbot_desktop.security.labels import Labels
from moltbot_desktop.sessions.keys import KeyKind, parse_session_key
from moltbot_desktop.sessions.store import SessionStore
from moltbot_desktop.storage.locks import taken_lock
from tests.fakes.chat_model import ScriptedTurn, calls, hangs, says
from tests.fakes.company import Company, asked, users
from tests.integration.gateway.test_front_desk import KEY, play

TASK = "Compare the two offers."


def delegating(request: GenerationRequest) -> ScriptedTurn:
    """The parent starts a helper; whoever is asked for the task does it."""
    if users(request)[-1].startswith(TASK):
        return says("Offer A is cheaper.")
    if "Offer A" in asked(request):
        return says("My helper says: offer A.")
    if request.messages[-1].role.value == "tool":
        return says("A helper looks into it.")
    return calls("sessions_spawn", {"task": TASK, "label": "offers"})


def test_its_result_comes_back_as_a_notice_and_is_told(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with Company(tmp_path, delegating) as company:
            assert (await company.say("compare")).outcome.text == "A helper looks into it."
            await company.becomes(lambda: len(company.ends()) == 2)
            assert company.ends()[-1].outcome.text == "My helper says: offer A."
            telling = company.requests[-1]
            assert "told by the program" in asked(telling) and "offers" in asked(telling)
            said = [text for text in company.texts() if "Offer A is cheaper" in text]
            assert said == []  # never in the transcript as somebody's words
            assert company.notices.waiting(KEY) == ()
            (helper,) = company.helpers.of(KEY)
            assert (helper.label, helper.state) == ("offers", "answered")
            assert helper.result == "Offer A is cheaper."
            parsed = parse_session_key(helper.session)
            assert parsed is not None and parsed.kind is KeyKind.SUBAGENT
            assert company.texts(helper.session) == [TASK, "Offer A is cheaper."]

    play(scenario)


def test_nothing_worth_telling_is_not_told(tmp_path: Path) -> None:
    def answer(request: GenerationRequest) -> ScriptedTurn:
        return says("NO_REPLY") if "Offer A" in asked(request) else delegating(request)

    async def scenario() -> None:
        async with Company(tmp_path, answer) as company:
            await company.say("compare")
            await company.becomes(lambda: len(company.ends()) == 2)
            assert company.ends()[-1].outcome.kind is OutcomeKind.SILENT
            assert company.notices.waiting(KEY) == ()

    play(scenario)


def test_a_question_in_between_tells_it_and_the_turn_of_its_own_asks_no_model(
    tmp_path: Path,
) -> None:
    async def scenario() -> None:
        async with Company(tmp_path, lambda _: says("yes")) as company:
            assert company.turns.take(KEY)
            await company.becomes(lambda: company.ends())
            assert company.ends()[0].outcome.kind is OutcomeKind.SILENT
            assert company.requests == []

    play(scenario)


def test_it_has_the_labels_of_the_conversation_it_works_for(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with Company(tmp_path, delegating) as company:
            labels = Labels(untrusted=True, private=True).as_mapping()
            company.desk.session.transcript.append_labels(labels)
            started = company.helpers.spawn(KEY, HelperTask(TASK))
            session = company.desks.of(started.session).session
            assert Labels.from_mapping(session.transcript.labels()) == Labels(True, True)
            await company.becomes(lambda: company.ends())

    play(scenario)


def test_what_it_read_labels_the_conversation_that_hears_of_it(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with Company(tmp_path, delegating) as company:
            started = company.helpers.spawn(KEY, HelperTask(TASK))
            read = company.desks.of(started.session).session.transcript
            read.append_labels(Labels(untrusted=True).as_mapping())
            await company.becomes(lambda: company.ends())
            mine = Labels.from_mapping(company.desk.session.transcript.labels())
            assert mine.untrusted

    play(scenario)


def test_a_model_and_a_level_that_are_not_there_are_told(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with Company(tmp_path, lambda _: says("done")) as company:
            for wish, note in (
                (HelperTask(TASK, model="small", thinking="high"), ""),
                (HelperTask(TASK, model="huge"), "model"),
                (HelperTask(TASK, thinking="hard"), "thinking"),
            ):
                started = company.helpers.spawn(KEY, wish)
                settings = company.assistant.store.settings(started.session)
                assert started.note == note
                assert settings.model == ("" if note else "small")
                assert settings.think == ("" if note else "high")
                assert (settings.spawned_by, settings.label) == (KEY, TASK)

    play(scenario)


def test_it_starts_no_helpers(tmp_path: Path) -> None:
    def answer(request: GenerationRequest) -> ScriptedTurn:
        if users(request)[-1].startswith(TASK) and request.messages[-1].role.value != "tool":
            return calls("sessions_spawn", {"task": "deeper"})
        return says("I may not.")

    async def scenario() -> None:
        async with Company(tmp_path, answer) as company:
            started = company.helpers.spawn(KEY, HelperTask(TASK))
            with pytest.raises(UserInputInvalid):
                company.helpers.spawn(started.session, HelperTask("deeper"))
            await company.becomes(lambda: company.ends())
            assert len(company.book.all()) == 1

    play(scenario)


def test_only_so_many_at_once_and_only_allowed_agents(tmp_path: Path) -> None:
    async def scenario() -> None:
        rules = HelperRules(at_once=2, agents=("work",), known=frozenset({"main", "work", "home"}))
        async with Company(tmp_path, lambda _: hangs(), rules) as company:
            for agent in ("", "work"):
                started = company.helpers.spawn(KEY, HelperTask(TASK, agent=agent))
            assert started.session.startswith("agent:work:subagent:")
            with pytest.raises(UserInputInvalid, match="already"):
                company.helpers.spawn(KEY, HelperTask(TASK))
            other = SessionKey("agent:main:cli")
            for agent in ("home", "nobody"):
                with pytest.raises(UserInputInvalid, match="may not"):
                    company.helpers.spawn(other, HelperTask(TASK, agent=agent))

    play(scenario)


def test_an_agent_that_goes_on_by_itself_is_ended(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with Company(tmp_path, lambda _: says("done")) as company:
            by_itself = HelperTask(TASK, by_itself=True)
            for _ in range(MOST_BY_ITSELF):
                company.helpers.spawn(KEY, by_itself)
            with pytest.raises(UserInputInvalid, match="Enough"):
                company.helpers.spawn(KEY, by_itself)
            company.helpers.spawn(KEY, HelperTask(TASK))  # the person asked
            company.helpers.spawn(KEY, by_itself)

    play(scenario)


def test_stop_stops_those_that_work_for_the_conversation(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with Company(tmp_path, lambda _: hangs("...")) as company:
            company.helpers.spawn(KEY, HelperTask(TASK))
            await company.becomes(lambda: company.requests)
            assert company.desk.stop()
            await company.becomes(lambda: company.helpers.of(KEY)[0].state == "cancelled")
            await company.assistant.settled()
            assert company.ends() == []  # nobody takes a turn for what the person stopped
            assert not company.desk.stop()

    play(scenario)


def test_the_command_lists_stops_and_talks_to_them(tmp_path: Path) -> None:
    def answer(request: GenerationRequest) -> ScriptedTurn:
        if users(request)[-1].startswith("hurry"):
            return says("Nearly there.")
        return hangs() if users(request)[-1].startswith(TASK) else says("noted")

    async def scenario() -> None:
        async with Company(tmp_path, answer) as company:
            assert await company.command("subagents") == "No helper works for this conversation."
            company.helpers.spawn(KEY, HelperTask(TASK, label="offers"))
            await company.becomes(lambda: company.requests)
            assert await company.command("subagents", "list") == "- 1. offers: running"
            assert TASK in await company.command("subagents", "info 1")
            assert "stopped" in await company.command("subagents", "stop 1")
            await company.becomes(lambda: company.helpers.of(KEY)[0].state == "cancelled")
            assert "message" in await company.command("subagents", "send 1 hurry up")
            await company.becomes(lambda: company.helpers.of(KEY)[0].state == "answered")
            assert await company.command("subagents", "log 1") == "Nearly there."
            await company.becomes(lambda: company.ends())

    play(scenario)


def test_a_limit_of_its_own(tmp_path: Path) -> None:
    def answer(request: GenerationRequest) -> ScriptedTurn:
        return hangs("half") if users(request)[-1].startswith(TASK) else says("It took too long.")

    async def scenario() -> None:
        async with Company(tmp_path, answer) as company:
            company.helpers.spawn(KEY, HelperTask(TASK, seconds=1))
            await company.becomes(lambda: company.ends())
            assert company.helpers.of(KEY)[0].state == "timed_out"

    play(scenario)


def test_one_that_a_crash_stopped_is_told_as_interrupted_once(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with Company(tmp_path, lambda _: hangs()) as company:
            company.helpers.spawn(KEY, HelperTask(TASK, label="offers"))
            await company.becomes(lambda: company.requests)
        async with Company(tmp_path, lambda _: says("I see.")) as again:
            assert again.notices.waiting(KEY) == ()
            again.helpers.recover()
            (notice,) = again.notices.waiting(KEY)
            assert "offers" in notice.text and "ended in the middle" in notice.text
            again.helpers.recover()
            assert len(again.notices.waiting(KEY)) == 1
            await again.say("hello")
            assert "offers" in asked(again.requests[0])
        async with Company(tmp_path, lambda _: says("Fine.")) as third:
            third.helpers.recover()
            assert third.notices.waiting(KEY) == ()

    play(scenario)


def test_a_kill_in_the_middle_of_a_run_leaves_it_to_be_told(tmp_path: Path) -> None:
    """As kill -9 leaves it: what it was asked is kept, and no outcome."""
    child = SessionKey("agent:main:subagent:1")

    async def scenario() -> None:
        async with Company(tmp_path, lambda _: says("I see.")) as company:
            company.book.put(HelperRecord(RunId("r1"), child, KEY, TASK, "offers", 1))
            session = company.assistant.store.open(child)
            session.transcript.append_user(TASK, RunId("r1"))
            company.assistant.store.close(session)
            for _ in range(2):
                company.helpers.recover()
                assert len(company.notices.waiting(KEY)) == 1
            await company.say("hello")
            company.helpers.recover()
            assert company.notices.waiting(KEY) == ()
            assert company.helpers.of(KEY)[0].state == "cancelled"

    play(scenario)


def test_one_that_works_in_another_process_is_left_to_it(tmp_path: Path) -> None:
    child = SessionKey("agent:main:subagent:1")

    async def scenario() -> None:
        async with Company(tmp_path, lambda _: says("I see.")) as company:
            company.book.put(HelperRecord(RunId("r1"), child, KEY, TASK, "offers", 1))
            other = SessionStore(tmp_path, company.assistant.clock)
            held = other.open(child)
            company.helpers.recover()
            assert company.notices.waiting(KEY) == () and not company.book.all()[0].told
            other.close(held)

    play(scenario)


def test_a_result_that_was_not_told_before_the_crash_is_told_whole(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with Company(tmp_path, lambda _: says("Offer A.")) as company:
            started = company.helpers.spawn(KEY, HelperTask(TASK))
            await company.becomes(lambda: company.ends())
            (record,) = company.book.all()
            assert record.session == started.session
        text = company.book._path.read_text(encoding="utf-8")
        company.book._path.write_text(text.replace('"announced": true', '"announced": false'))
        async with Company(tmp_path, lambda _: says("I see.")) as again:
            again.helpers.recover()
            assert "Offer A." in again.notices.waiting(KEY)[0].text

    play(scenario)


def test_two_that_say_the_same_are_told_both(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with Company(tmp_path, lambda _: hangs()) as company:
            keys = [company.helpers.spawn(KEY, HelperTask(TASK)).session for _ in range(2)]
            await company.becomes(lambda: len(company.requests) == 2)
            company.desk.stop()  # nobody takes a turn for them, so the notices stay
            await company.becomes(lambda: all(one.told for one in company.book.all()))
            told = [notice.text for notice in company.notices.waiting(KEY)]
            # In the order in which the disk took their ends.
            assert sorted(key for text in told for key in keys if key in text) == sorted(keys)

    play(scenario)


def test_told_before_a_crash_and_followed_by_other_news_it_is_told_once(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with Company(tmp_path, delegating) as company:
            company.helpers.spawn(KEY, HelperTask(TASK))
            await company.becomes(lambda: company.ends())
            (record,) = company.book.all()
        async with Company(tmp_path, delegating) as again:
            again.book.put(replace(record, told=False))  # as if killed before it was noted
            again.helpers.recover()
            again.notices.add(NewNotice(KEY, "The backup has finished."))
            again.book.put(replace(record, told=False))
            again.helpers.recover()
            told = [notice.text for notice in again.notices.waiting(KEY)]
            assert [TASK in text for text in told] == [True, False]

    play(scenario)


def test_its_conversation_is_put_away_after_a_while_or_at_once(tmp_path: Path) -> None:
    async def scenario() -> None:
        rules = HelperRules(archive_minutes=1)
        async with Company(tmp_path, lambda _: says("done"), rules) as company:
            gone = company.helpers.spawn(KEY, HelperTask(TASK, delete=True))
            kept = company.helpers.spawn(KEY, HelperTask(TASK))
            await company.becomes(lambda: company.put_away)
            assert company.put_away == [(gone.session, True)]
            assert [one.session for one in company.helpers.of(KEY)] == [kept.session]
            await company.becomes(lambda: company.book.all()[0].told)
        async with Company(tmp_path, lambda _: says("done"), rules) as again:
            again.assistant.clock.advance(3600)
            again.helpers.recover()
            await again.becomes(lambda: again.put_away)
            assert again.put_away == [(kept.session, False)]
            assert again.helpers.of(KEY) == ()

    play(scenario)


@pytest.mark.expect_log("damaged")
def test_a_damaged_book_is_set_aside(tmp_path: Path) -> None:
    async def scenario() -> None:
        folder = tmp_path / "subagents"
        folder.mkdir()
        (folder / "runs.json").write_text("{" * 9)
        async with Company(tmp_path, lambda _: says("done")) as company:
            assert company.helpers.of(KEY) == ()
            company.helpers.spawn(KEY, HelperTask(TASK))
            assert len(company.helpers.of(KEY)) == 1
            await company.becomes(lambda: company.ends())
        assert (folder / "runs.damaged").exists()

    play(scenario)


def test_the_book_keeps_as_many_as_it_says_and_waits_for_another_process(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(helper_book, "MOST", 8)
    path = tmp_path / "runs.json"
    book = helper_book.HelperBook(path)
    for number in range(10):
        key = SessionKey(f"agent:main:subagent:{number}")
        book.put(HelperRecord(RunId(f"r{number}"), key, KEY, "look", "look", number, told=True))
        assert len(book.all()) == min(number + 1, 8)
    assert [one.started_ms for one in book.all()] == list(range(2, 10))
    held = taken_lock(path.with_suffix(".lock"))
    letting_go = Timer(0.05, held.release)
    letting_go.start()
    book.drop(book.all()[0].session)
    letting_go.join()
    assert len(book.all()) == 7
