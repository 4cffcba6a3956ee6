"""The model is lent for a run, given back when nobody needs it, and loaded again."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from moltbot_desktop.app import brain as brain_module
from moltbot_desktop.app import chat_setup, lent_model, model_setup
from moltbot_desktop.app.brain import Brain
from moltbot_desktop.app.clock import SystemClock
from moltbot_desktop.app.model_setup import ModelSetup, read_model_setup
from moltbot_desktop.app.paths import Paths
from moltbot_desktop.config.load import LoadedConfig, load_config
from moltbot_desktop.config.settings import Config, ModelsConfig
from moltbot_desktop.core.errors import (
    CatalogueInvalid,
    ModelMissing,
    ModelTooLarge,
    RemoteOverloaded,
    SecretsUnavailable,
)
from moltbot_desktop.core.i18n import Language, language_of
from moltbot_desktop.core.json import JsonObject, JsonValue
from moltbot_desktop.core.messages import ChatMessage, Role
from moltbot_desktop.memory.engine import open_memory
from moltbot_desktop.models.chat import LlamaChatModel, saved_states
from moltbot_desktop.models.embedder_fallback import FallbackEmbedder
from moltbot_desktop.models.fit import Need
from moltbot_desktop.models.gguf_header import read_header
from moltbot_desktop.models.machine import Memory
from moltbot_desktop.models.remote.embedding import RemoteEmbedder
from moltbot_desktop.models.remote.fallback import ModelSwitched
from moltbot_desktop.models.thread import CancelSource, ModelThread
from moltbot_desktop.models.worker.model import ProcessChatModel
from moltbot_desktop.sdk.models import ChatModel, GenerationRequest, TextDelta
from tests.data.make_gguf import TinyModel, write_chat_model
from tests.fakes.openai_server import DIMENSIONS, ApiServer, ends, refuses, streams, text

PROGRAM = Path(__file__).parents[3]


def with_brain(
    home: Path,
    models: ModelsConfig,
    scenario: Callable[[Brain], Awaitable[None]],
    raw: JsonObject | None = None,
    told: list[ModelSwitched] | None = None,
) -> None:
    async def run() -> None:
        switches = [] if told is None else told
        brain = Brain(setup_of(home, models, raw), None, SystemClock(), switches.append)
        try:
            await scenario(brain)
        finally:
            await brain.leave()
            brain.close()

    asyncio.run(run())


def setup_of(
    home: Path,
    models: ModelsConfig,
    raw: JsonObject | None = None,
    language: Language = Language.ENGLISH,
    keys: Mapping[str, str] | None = None,
) -> ModelSetup:
    loaded = LoadedConfig(Config(models=models, raw=raw or {}))
    return read_model_setup(Paths(home, home, PROGRAM), loaded, language, keys or {})


def test_a_part_that_is_no_group_is_told_with_the_settings_alone(tmp_path: Path) -> None:
    home = tmp_path / "home"
    home.mkdir()
    (home / "moltbot.json").write_text("{models: 5}")
    loaded = load_config(home, environment={})
    setup = read_model_setup(Paths(home, home, PROGRAM), loaded, Language.ENGLISH, {})
    assert [one.path for one in loaded.warnings] == ["models"] and setup.problems == ()


async def said(model: ChatModel) -> str:
    """What it answers to a short question."""
    question = ChatMessage(Role.USER, "the city of the sea")
    request = GenerationRequest((question,), max_tokens=8, conversation="c1")
    events = [event async for event in model.generate(request, CancelSource())]
    return "".join(event.text for event in events if isinstance(event, TextDelta))


async def until(condition: Callable[[], bool]) -> None:
    async with asyncio.timeout(20):
        while not condition():
            await asyncio.sleep(0.01)


def test_an_idle_model_gives_its_memory_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lent_model, "_SECONDS_A_MINUTE", 0.05)

    async def scenario(brain: Brain) -> None:
        async with brain.chat() as first:
            await asyncio.sleep(0.2)
            assert await first.count_tokens("still here") > 0
        await until(lambda: not brain.loaded)
        async with brain.chat() as second:
            assert second is not first
            assert await second.count_tokens("here again") > 0

    with_brain(tmp_path, ModelsConfig(idle_minutes=1), scenario)


def test_zero_minutes_keep_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lent_model, "_SECONDS_A_MINUTE", 0.0)

    async def scenario(brain: Brain) -> None:
        async with brain.chat():
            pass
        await asyncio.sleep(0.1)
        assert brain.loaded

    with_brain(tmp_path, ModelsConfig(idle_minutes=0), scenario)


def test_it_is_not_taken_from_a_run(tmp_path: Path) -> None:
    async def scenario(brain: Brain) -> None:
        assert not await brain.unload()
        async with brain.chat():
            async with brain.chat() as same:
                assert not await brain.unload()
            assert not await brain.unload()
            assert await same.count_tokens("still here") > 0
        assert await brain.unload()
        assert not brain.loaded
        assert brain.info is not None and brain.info.name == "starter"

    with_brain(tmp_path, ModelsConfig(), scenario)


def test_a_model_that_is_missing_is_told_each_time_and_leaves_nothing(tmp_path: Path) -> None:
    async def scenario(brain: Brain) -> None:
        for _ in range(2):
            with pytest.raises(ModelMissing):
                async with brain.chat():
                    raise AssertionError("there is no model")
        assert not brain.loaded

    with_brain(tmp_path, ModelsConfig(chat=str(tmp_path / "none.gguf")), scenario)


def test_what_was_read_of_a_conversation_is_dropped(tmp_path: Path) -> None:
    file = write_chat_model(tmp_path / "tiny.gguf", TinyModel())
    folder = saved_states(tmp_path / "models")

    async def scenario(brain: Brain) -> None:
        async with brain.chat() as model:
            await said(model)
        brain.forget_soon(["c1", "never heard of"])
        await until(lambda: len(asyncio.all_tasks()) == 1)
        await brain.unload()  # which saves what a restart would lose
        assert not list(folder.glob("*"))

    with_brain(tmp_path, ModelsConfig(chat=str(file)), scenario)
    with_brain(tmp_path, ModelsConfig(chat=str(file)), forgetting_without_a_model)


async def forgetting_without_a_model(brain: Brain) -> None:
    brain.forget_soon(["c1"])
    await until(lambda: len(asyncio.all_tasks()) == 1)
    assert not brain.loaded


# --- a file of the person's own


def test_a_file_that_does_not_fit_is_refused_with_numbers_and_not_loaded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(chat_setup, "read_memory", lambda: Memory(2**20, 2**33))
    file = write_chat_model(tmp_path / "tiny.gguf", TinyModel())

    async def scenario(brain: Brain) -> None:
        with pytest.raises(ModelTooLarge, match="GB"):
            async with brain.chat():
                raise AssertionError("it does not fit")
        assert not brain.loaded

    with_brain(tmp_path, ModelsConfig(chat=str(file)), scenario)


def test_it_gets_the_window_that_memory_allows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = write_chat_model(tmp_path / "tiny.gguf", TinyModel())
    need = Need.of_header(read_header(file), "f16")
    room = need.bytes_for(0) + 3000 * (need.per_token or 0)
    monkeypatch.setattr(chat_setup, "read_memory", lambda: Memory(room, 2**35))

    async def scenario(brain: Brain) -> None:
        async with brain.chat() as model:
            assert model.info.context_tokens == 2816  # a multiple of 256

    with_brain(tmp_path, ModelsConfig(chat=str(file)), scenario)


def test_what_a_restart_would_lose_is_saved_in_a_quiet_moment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lent_model, "_QUIET_SECONDS", 0.05)
    file = write_chat_model(tmp_path / "tiny.gguf", TinyModel())
    paths = Paths(tmp_path, tmp_path, PROGRAM)

    async def scenario(brain: Brain) -> None:
        async with brain.chat() as model:
            await said(model)
        await until(lambda: any(saved_states(paths.model_state).glob("*")))

    with_brain(tmp_path, ModelsConfig(chat=str(file)), scenario)


def test_it_can_run_in_a_process_of_its_own(tmp_path: Path) -> None:
    file = write_chat_model(tmp_path / "tiny.gguf", TinyModel())
    seen = []

    async def scenario(brain: Brain) -> None:
        async with brain.chat() as model:
            assert isinstance(model, ProcessChatModel)
            await said(model)
            seen.append(model)
            assert model.process_id is not None

    with_brain(tmp_path, ModelsConfig(chat=str(file), isolation="process"), scenario)
    assert seen[0].process_id is None


# --- a model by its name


def test_models_are_lent_by_name_side_by_side_and_the_usual_one_by_any_of_its_names(
    tmp_path: Path,
) -> None:
    paths = Paths(tmp_path, tmp_path, PROGRAM)
    paths.model_files.mkdir(parents=True)
    file = write_chat_model(paths.model_files / "tiny.gguf", TinyModel())

    async def scenario(brain: Brain) -> None:
        async with brain.chat() as usual, brain.chat("TINY") as other, brain.chat("starter") as one:
            assert usual.info.name == "starter" and other.info.name == "tiny" and one is usual
            assert await said(other)
        assert brain.info_of("tiny") == other.info and brain.info == usual.info
        with pytest.raises(ModelMissing):
            async with brain.chat("nobody"):
                raise AssertionError("there is no such model")

    with_brain(tmp_path, ModelsConfig(), scenario)
    assert file.is_file()


def test_where_memory_is_short_an_idle_model_goes_and_one_in_use_is_waited_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    files = Paths(tmp_path, tmp_path, PROGRAM).model_files
    files.mkdir(parents=True)
    write_chat_model(files / "one.gguf", TinyModel())
    write_chat_model(files / "two.gguf", TinyModel())
    need = Need.of_header(read_header(files / "one.gguf"), "f16")
    held: list[str] = []

    async def opened(
        setup: ModelSetup, thread: ModelThread, path: Path
    ) -> LlamaChatModel | ProcessChatModel:
        model = await chat_setup.open_local_chat(setup, thread, path)
        held.append(path.stem)
        return model

    async def closed(chat: chat_setup.OpenChat) -> None:
        held.remove(chat.model.info.name)

    def memory() -> Memory:
        return Memory(2**20 if held else need.bytes_for(8192), 2**35)

    monkeypatch.setattr(chat_setup, "read_memory", memory)
    monkeypatch.setattr(brain_module, "open_local_chat", opened)
    monkeypatch.setattr(chat_setup.OpenChat, "close", closed)

    async def scenario(brain: Brain) -> None:
        async with brain.chat("one"):
            assert held == ["one"]
        async with brain.chat("two"):
            assert held == ["two"]

            async def ask() -> str:
                async with brain.chat("one") as model:
                    return model.info.name

            waits = asyncio.create_task(ask())
            await asyncio.sleep(0.1)
            assert not waits.done() and held == ["two"]
        assert await waits == "one" and held == ["one"]

    with_brain(tmp_path, ModelsConfig(), scenario)


# --- models at other addresses


def remote(*servers: ApiServer, fallbacks: bool = False) -> JsonObject:
    providers: dict[str, JsonValue] = {
        f"lab{number}": {"baseUrl": server.base_url} for number, server in enumerate(servers)
    }
    refs = [f"{name}/small" for name in providers]
    model = {"fallbacks": refs} if fallbacks else {"primary": refs[0], "fallbacks": refs[1:]}
    return {"models": {"providers": providers}, "agents": {"defaults": {"model": model}}}


def test_a_model_the_settings_name_answers_in_place_of_the_local_one(tmp_path: Path) -> None:
    async def scenario(brain: Brain) -> None:
        async with brain.chat() as model:
            assert await said(model) == "Hello"
        assert brain.info is not None and brain.info.name == "lab0/small"

    with ApiServer([streams(text("Hello"), ends())]) as server:
        with_brain(tmp_path, ModelsConfig(), scenario, remote(server))


@pytest.mark.expect_log("is asked in place of")
def test_the_next_one_answers_when_the_first_cannot_and_it_is_told(tmp_path: Path) -> None:
    told: list[ModelSwitched] = []

    async def scenario(brain: Brain) -> None:
        async with brain.chat() as model:
            assert await said(model) == "Here"
        assert brain.info is not None and brain.info.name == "lab1/small"

    with (
        ApiServer([refuses(503)]) as broken,
        ApiServer([streams(text("Here"), ends())]) as working,
    ):
        with_brain(tmp_path, ModelsConfig(), scenario, remote(broken, working), told)
    assert [(one.before, one.chosen) for one in told] == [("lab0/small", "lab1/small")]
    assert told[0].reason


@pytest.mark.expect_log("is asked in place of")
def test_a_model_by_its_name_has_the_fallbacks_that_are_given(tmp_path: Path) -> None:
    async def scenario(brain: Brain) -> None:
        async with brain.chat("lab0/small", ("lab1/small", "nowhere/small")) as model:
            assert await said(model) == "Here"
        chain = brain.info_of("lab0/small", ("lab1/small",))
        assert chain is not None and chain.name == "lab1/small"
        with pytest.raises(RemoteOverloaded):
            async with brain.chat("lab0/small") as alone:
                await said(alone)

    with (
        ApiServer([refuses(503), refuses(503)]) as broken,
        ApiServer([streams(text("Here"), ends())]) as working,
    ):
        with_brain(tmp_path, ModelsConfig(), scenario, remote(broken, working))


def test_fallbacks_without_a_first_model_are_asked_for_nothing(tmp_path: Path) -> None:
    """The local model answers: what is typed leaves the computer only for a model named first."""

    async def scenario(brain: Brain) -> None:
        async with brain.chat() as model:
            assert model.info.name == "starter"

    with ApiServer([]) as server:
        raw = remote(server, fallbacks=True)
        with_brain(tmp_path, ModelsConfig(), scenario, raw)
        assert server.requests == []
    [problem] = setup_of(tmp_path, ModelsConfig(), raw).problems
    assert problem.serious and "fallbacks" in problem.message


# --- embedders


def test_notes_are_embedded_elsewhere_only_when_the_settings_say_so(tmp_path: Path) -> None:
    async def scenario(brain: Brain) -> None:
        opened = brain.embedder("")
        assert opened.embedder is not None
        vectors = opened.embedder.embed_passages(["tea", "milk"])
        assert [len(vector) for vector in vectors] == [DIMENSIONS, DIMENSIONS]
        assert "openai" in opened.reason

    with ApiServer([], key="sk-test") as server:
        settings = {
            "provider": "openai",
            "model": "our-own",
            "remote": {"baseUrl": server.base_url, "apiKey": "sk-test"},
        }
        raw: JsonObject = {"agents": {"defaults": {"memorySearch": settings}}}
        with_brain(tmp_path, ModelsConfig(), scenario, raw)
        assert server.requests


@pytest.mark.parametrize("language", Language)
def test_an_embedder_that_cannot_be_asked_leaves_search_by_words_and_says_why(
    language: Language, tmp_path: Path
) -> None:
    with ApiServer([], key="sk-right") as server:
        wrong = {"baseUrl": server.base_url, "apiKey": "sk-wrong"}
        settings = {"provider": "openai", "model": "our-own", "remote": wrong}
        raw: JsonObject = {"agents": {"defaults": {"memorySearch": settings}}}
        opened = setup_of(tmp_path, ModelsConfig(), raw, language).open_embedder(ModelThread(), "")
        assert not server.requests  # opening waits for nobody
        (tmp_path / "MEMORY.md").write_text("My dentist is Dr. Okafor\n我的牙医是王大夫\n")
        memory = open_memory(
            tmp_path, tmp_path / "index", opened.embedder, SystemClock(), opened.reason
        )
        asked = "Who is my dentist?" if language is Language.ENGLISH else "我的牙医是谁"
        answer = memory.search(asked)
        memory.close()
        opened.close()
    assert answer.hits
    assert "does not accept the key" in answer.note and "sk-wrong" not in answer.note
    assert language_of(answer.note) is language


def test_auto_keeps_the_model_that_made_the_index(tmp_path: Path) -> None:
    raw: JsonObject = {
        "agents": {"defaults": {"memorySearch": {"provider": "auto"}}},
    }
    setup = setup_of(tmp_path, ModelsConfig(), raw, keys={"OPENAI_API_KEY": "sk-1"})
    made = "api.openai.com:text-embedding-3-small:1536"
    opened = setup.open_embedder(ModelThread(), made)  # nothing is loaded, nothing connects
    assert isinstance(opened.embedder, RemoteEmbedder)
    opened.close()


def test_a_provider_without_a_key_gives_way_to_the_written_fallback(tmp_path: Path) -> None:
    search: JsonObject = {"provider": "openai", "fallback": "gemini"}
    raw: JsonObject = {"agents": {"defaults": {"memorySearch": search}}}
    setup = setup_of(tmp_path, ModelsConfig(), raw, keys={"GEMINI_API_KEY": "g-1"})
    opened = setup.open_embedder(ModelThread(), "")  # connects nowhere
    assert isinstance(opened.embedder, RemoteEmbedder)
    assert "gemini-embedding-001" in opened.embedder.model_id
    assert "gemini" in opened.reason and "openai" in opened.reason
    opened.close()
    assert not setup.stays_here(None)


def test_a_fallback_without_a_key_is_none_and_one_with_a_key_waits(tmp_path: Path) -> None:
    search: JsonObject = {"provider": "openai", "fallback": "gemini"}
    raw: JsonObject = {"agents": {"defaults": {"memorySearch": search}}}
    keys = {"OPENAI_API_KEY": "sk-1"}
    alone = setup_of(tmp_path, ModelsConfig(), raw, keys=keys).open_embedder(ModelThread(), "")
    assert isinstance(alone.embedder, RemoteEmbedder)
    keys["GEMINI_API_KEY"] = "g-1"
    both = setup_of(tmp_path, ModelsConfig(), raw, keys=keys).open_embedder(ModelThread(), "")
    assert isinstance(both.embedder, FallbackEmbedder)
    assert both.embedder.opened[0].model_id.startswith("api.openai.com:")
    assert both.reason_now == both.reason
    alone.close()
    both.close()


def test_a_local_memory_with_a_fallback_elsewhere_does_not_stay_here(tmp_path: Path) -> None:
    for search, stays in (({"fallback": "gemini"}, False), ({"fallback": "none"}, True)):
        raw: JsonObject = {"agents": {"defaults": {"memorySearch": search}}}
        assert setup_of(tmp_path, ModelsConfig(), raw).stays_here(None) is stays


def test_a_locked_key_ring_is_told_as_what_it_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def locked(*_: object) -> str:
        raise SecretsUnavailable("The password store is locked.")

    monkeypatch.setattr(model_setup, "find_key", locked)
    memory: JsonObject = {"provider": "openai", "remote": {"apiKey": "keyring:openai"}}
    raw: JsonObject = {"agents": {"defaults": {"memorySearch": memory}}}
    opened = setup_of(tmp_path, ModelsConfig(), raw).open_embedder(ModelThread(), "")
    assert opened.embedder is None and "locked" in opened.reason


def test_a_damaged_catalogue_stops_no_model_that_is_here(tmp_path: Path) -> None:
    resources = tmp_path / "resources" / "models"
    resources.mkdir(parents=True)
    starter = PROGRAM / "resources" / "models" / "starter-q8_0.gguf"
    (resources / starter.name).symlink_to(starter)
    (resources / "catalogue.json").write_text("{")
    setup = replace(setup_of(tmp_path, ModelsConfig()), paths=Paths(tmp_path, tmp_path, tmp_path))
    assert setup.chat_file().name == starter.name
    with pytest.raises(CatalogueInvalid):
        setup.library(strict=True)


def test_the_window_promises_only_what_the_settings_keep(tmp_path: Path) -> None:
    chat: JsonObject = {
        "models": {"providers": {"lab": {"baseUrl": "http://127.0.0.1:1/v1"}}},
        "agents": {"defaults": {"model": "lab/small"}},
    }
    notes: JsonObject = {"agents": {"defaults": {"memorySearch": {"provider": "openai"}}}}
    assert setup_of(tmp_path, ModelsConfig()).stays_here(None)
    assert not setup_of(tmp_path, ModelsConfig(), chat).stays_here(None)
    assert setup_of(tmp_path, ModelsConfig(), chat).stays_here(tmp_path / "mine.gguf")
    assert not setup_of(tmp_path, ModelsConfig(), notes).stays_here(None)
