"""News of what waits for a yes, over the socket and back."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from moltbot_desktop.core.ids import SessionKey
from moltbot_desktop.core.json import JsonValue
from moltbot_desktop.gateway.client import InboxChanged, Notice
from moltbot_desktop.gateway.rpc.inbox_json import decoded_inbox, inbox_event
from moltbot_desktop.sdk.inbox import Proposal


def proposal(number: int) -> Proposal:
    return Proposal(str(number), f"fact {number}", "fact", "quote", "t", SessionKey("agent:m:main"))


def test_what_is_new_travels_and_the_rest_stays() -> None:
    payload = inbox_event(InboxChanged((proposal(1), proposal(2)), (), ("2",)))
    assert payload == {"fresh": [{"id": "2", "text": "fact 2"}], "told": ""}
    back = decoded_inbox(payload)
    assert [(one.id, one.text) for one in back.waiting] == [("2", "fact 2")]
    assert back.fresh == ("2",)


def test_what_was_done_travels() -> None:
    payload = inbox_event(InboxChanged((), (), (), "Kept."))
    assert payload is not None
    assert decoded_inbox(payload) == InboxChanged((), (), (), "Kept.")


def test_what_is_no_news_stays() -> None:
    assert inbox_event(InboxChanged((proposal(1),), ())) is None
    assert inbox_event(Notice("hi")) is None


@given(
    st.dictionaries(
        st.sampled_from(["fresh", "told", "x"]),
        st.none() | st.text() | st.lists(st.text() | st.dictionaries(st.text(), st.integers())),
    )
)
def test_anything_can_be_read(payload: dict[str, JsonValue]) -> None:
    decoded_inbox(payload)
