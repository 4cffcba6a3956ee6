"""The models of plugins for a command in a shell, where no assistant runs.

    with plugin_models_opened(setup, loaded, clock) as unusable:
        setup.plugin_models.names()            # ("zoo/parrot",)

The plugins that are on are opened and only their providers take effect: no service starts, no hook
hears anything. At the end they are closed again.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

from moltbot_desktop.app.model_setup import ModelSetup
from moltbot_desktop.app.plugin_life import memory_tools
from moltbot_desktop.app.plugins import NoMemory, ProgramLender, plugin_survey
from moltbot_desktop.config.load import LoadedConfig
from moltbot_desktop.core.clock import Clock
from moltbot_desktop.core.errors import MoltbotError
from moltbot_desktop.plugins.host import PluginStatus, static_records
from moltbot_desktop.plugins.opening import open_plugin


@contextmanager
def plugin_models_opened(
    setup: ModelSetup, loaded: LoadedConfig, clock: Clock
) -> Iterator[tuple[MoltbotError, ...]]:
    """Fills `setup.plugin_models` meanwhile; gives why plugins that are on cannot be used.

    Raises:
        AgentUnusable: the default agent's workspace cannot be said.
    """
    paths, language = setup.paths, setup.language
    survey = plugin_survey(paths, loaded.config, loaded.environment, language)
    unusable: list[MoltbotError] = []
    with ExitStack() as stack:
        lender = ProgramLender(paths, clock, language, memory_tools, setup.seal, NoMemory(language))
        for record in static_records(survey, lender.python, language):
            if record.status is not PluginStatus.ON:
                continue
            try:
                opened = open_plugin(record.found, survey.entry(record.found.id), lender, language)
            except MoltbotError as error:
                unusable.append(error)
                continue
            stack.callback(opened.close)
            stack.callback(setup.plugin_models.add(opened.registration.providers))
        yield tuple(unusable)
