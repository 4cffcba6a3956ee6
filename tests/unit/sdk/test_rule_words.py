"""Every rule of the policy is told in words, in both languages."""

from __future__ import annotations

import itertools

import pytest

from moltbot_desktop.core.i18n import Language
from moltbot_desktop.sdk.commands import Power
from moltbot_desktop.sdk.modes import Mode
from moltbot_desktop.sdk.rule_words import rule_words
from moltbot_desktop.sdk.tools import Effect
from moltbot_desktop.security.labels import Labels
from moltbot_desktop.security.policy import Command, Place, Presence, Situation, decide


def all_rules() -> set[str]:
    commands = [None, *(Command(power, walled) for power in Power for walled in (False, True))]
    labels = (Labels(), Labels(untrusted=True))
    return {
        decide(Situation(*one)).rule
        for one in itertools.product(Effect, Place, labels, Presence, commands, Mode)
    }


def test_every_rule_has_words_of_its_own_in_both_languages() -> None:
    rules = all_rules()
    for language in Language:
        told = {rule: rule_words(rule, language) for rule in rules}
        assert len(set(told.values())) == len(rules)
        assert not [rule for rule, words in told.items() if "_" in words or words == rule]


@pytest.mark.parametrize(
    ("rule", "english", "chinese"),
    [
        (
            "exec anything, walled, clean",
            "a command that may do anything, behind walls, only your own words in the conversation",
            "运行命令，可能做任何事，有围墙隔离，对话里只有你自己的话",
        ),
        (
            "file_write in protected, tainted",
            "changing a file that steers me or the computer, words of others in the conversation",
            "修改文件，它左右着我或这台电脑，对话里有别人的话",
        ),
        ("mode read-only", "the mode you chose (read-only)", "你选择的模式（只读）"),
    ],
)
def test_a_rule_reads_like_a_sentence(rule: str, english: str, chinese: str) -> None:
    assert rule_words(rule, Language.ENGLISH) == english
    assert rule_words(rule, Language.CHINESE) == chinese


@pytest.mark.parametrize("rule", ["", "R9 of a newer one", "mode odd", "exec twice, clean"])
def test_a_rule_that_nobody_knows_stays_as_it_is(rule: str) -> None:
    assert rule_words(rule, Language.CHINESE) == rule
