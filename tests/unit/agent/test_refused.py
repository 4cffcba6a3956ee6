"""What is told of a call that was asked for and not made: the reason, not that it was asked."""

from __future__ import annotations

import pytest

from moltbot_desktop.agent.refusals import refused
from moltbot_desktop.core.i18n import Language
from moltbot_desktop.core.messages import ToolCall
from moltbot_desktop.security.policy import Decision, Verdict

CALL = ToolCall("c", "exec", {"command": "rm x"})
ASKED = Verdict(Decision.ASK, "R3")


@pytest.mark.parametrize(
    ("by", "english", "chinese", "model"),
    [
        ("owner", "you said no", "你没有同意", "the owner said no"),
        ("expiry", "nobody answered in time", "没有人及时回应", "nobody answered in time"),
        ("cancel", "it needs your permission", "需要你的许可", "denied: R3"),
    ],
)
def test_the_reason_is_told_to_the_person_and_to_the_model(
    by: str, english: str, chinese: str, model: str
) -> None:
    for language, words in ((Language.ENGLISH, english), (Language.CHINESE, chinese)):
        ran = refused(CALL, ASKED, by, language)
        assert words in ran.result.display and "rm x" in ran.result.display
        assert ran.outcome == "denied"
        assert model in str(ran.result.data)
        assert not ran.result.question
