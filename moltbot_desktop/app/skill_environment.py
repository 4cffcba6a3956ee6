"""What skills of an agent want in the environment of programs, looked up for one run.

    environment = run_environment(view.usable, config.skills.entries, store, os.environ)

The password store is opened only when a skill that may be used has a key there. A key that cannot
be had is left out and told in the log: the program then says itself what it misses, and other
programs are not held up by it.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable, Mapping
from functools import partial

from moltbot_desktop.config.providers import key_source
from moltbot_desktop.config.skills import SkillEntryConfig
from moltbot_desktop.core.errors import MoltbotError
from moltbot_desktop.security.secrets import SecretStore, find_key
from moltbot_desktop.skills.discovery import Skill
from moltbot_desktop.skills.eligibility import SkillEntry
from moltbot_desktop.skills.environment import SkillEnvironment, skill_environment

_log = logging.getLogger(__name__)


def run_environment(
    usable: Iterable[Skill],
    entries: Mapping[str, SkillEntryConfig],
    store: SecretStore,
    process: Mapping[str, str],
) -> SkillEnvironment:
    """The variables for a run that may use those skills. May wait for the password store, so it
    is nothing for an event loop.

    Args:
        entries: ``skills.entries`` of the settings.
        process: the variables of this process.
    """
    usable = tuple(usable)
    found: dict[str, SkillEntry] = {}
    keys: dict[str, str] = {}
    for key in {one.key for one in usable} & entries.keys():
        value = partial(_value, skill=key, store=store, process=process)
        env = {name: value(written) for name, written in entries[key].env.items()}
        keys[key] = value(entries[key].api_key)
        found[key] = SkillEntry(env=env, api_key=bool(keys[key]))
    return skill_environment(usable, found, keys, process)


def _value(written: str, *, skill: str, store: SecretStore, process: Mapping[str, str]) -> str:
    """What is meant by `written`: itself, or the key that ``keyring:NAME`` points to."""
    source = key_source(written)
    if source is None or source.literal:  # also what could be no key: it is a variable's value
        return written
    try:
        return find_key(source, skill, store, process)
    except MoltbotError as error:
        _log.warning("the skill %s goes without a key: %s", skill, error)
        return ""
