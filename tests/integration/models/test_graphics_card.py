"""A graphics card that is asked for, and one that refuses.

llama.cpp here is built for processors alone, so no layer ever runs on a card in these tests: what
is looked at is what llama.cpp is told, and what happens when it says no.
"""

from __future__ import annotations

import asyncio
import ctypes
import sys
from pathlib import Path

import pytest

from moltbot_desktop.core.errors import ModelFileInvalid
from moltbot_desktop.models import llama_library
from moltbot_desktop.models.chat import load_chat_model
from moltbot_desktop.models.llama import LlamaContext, LlamaEmbedding, LlamaParameters
from moltbot_desktop.models.stop_flag import StopFlag
from moltbot_desktop.models.thread import ModelThread
from moltbot_desktop.models.worker.model import load_isolated_chat_model
from moltbot_desktop.sdk.models import ModelInfo
from tests.data.make_gguf import TinyModel

LAYERS = TinyModel().layers + 1  # and the one that writes
_LLAMA = llama_library.llama_cpp
_ERROR = 4


class Card:
    """A card that llama.cpp believes in.

    Attributes:
        room: layers that fit.
        no_window: a context is refused while layers are on it.
        asked: layers of each load, in order.
        devices: whether a load may use any.
        open: models that are loaded and not yet freed.
    """

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.room, self.no_window = 10**6, False
        self.asked: list[int] = []
        self.devices: list[bool] = []
        self.open = 0
        self._load, self._free = _LLAMA.llama_model_load_from_file, _LLAMA.llama_model_free
        self._start = _LLAMA.llama_init_from_model
        monkeypatch.setattr(_LLAMA, "llama_supports_gpu_offload", lambda: True)
        monkeypatch.setattr(_LLAMA, "llama_model_load_from_file", self.load)
        monkeypatch.setattr(_LLAMA, "llama_model_free", self.free)
        monkeypatch.setattr(_LLAMA, "llama_init_from_model", self.start)

    def load(self, path: bytes, parameters: ctypes.Structure) -> object:
        layers = parameters.n_gpu_layers
        self.asked.append(layers)
        none = parameters.split_mode == _LLAMA.LLAMA_SPLIT_MODE_NONE and parameters.main_gpu < 0
        self.devices.append(not none)
        if (LAYERS if layers < 0 else layers) > self.room:
            llama_library._on_log(_ERROR, b"alloc_buffer: cudaMalloc failed: out of memory", None)
            return None
        model = self._load(path, parameters)
        self.open += bool(model)
        return model

    def start(self, model: object, parameters: ctypes.Structure) -> object:
        if self.no_window and self.asked[-1]:
            llama_library._on_log(_ERROR, b"kv_cache: failed to allocate buffer", None)
            return None
        return self._start(model, parameters)

    def free(self, model: object) -> None:
        self.open -= 1
        self._free(model)


@pytest.fixture
def card(monkeypatch: pytest.MonkeyPatch) -> Card:
    return Card(monkeypatch)


def _opened(file: Path, wanted: int | None, kv_cache: str = "f16") -> tuple[int, str]:
    """Layers on the card and the reason, of a context that was seen to work."""
    parameters = LlamaParameters(256, 1, gpu_layers=wanted, kv_cache=kv_cache)
    context = LlamaContext(file, parameters, StopFlag())
    context.advance([301, 302])
    assert len(context.logits()) == context.vocabulary_size
    context.close()
    return context.gpu_layers, context.gpu_reason


@pytest.mark.parametrize(
    ("wanted", "told", "layers"),
    [(None, -1, LAYERS), (1, 1, 1), (500, 500, LAYERS), (0, 0, 0)],
    ids=["all", "some", "more than there are", "none"],
)
def test_llama_cpp_is_told_what_the_settings_say(
    wanted: int | None, told: int, layers: int, card: Card, chat_file: Path
) -> None:
    assert _opened(chat_file, wanted) == (layers, "")
    assert (card.asked, card.devices, card.open) == ([told], [told != 0], 0)


@pytest.mark.parametrize("wanted", [None, 2])
def test_a_card_without_room_for_the_weights_is_left_out(
    wanted: int | None, card: Card, chat_file: Path
) -> None:
    card.room = 1
    layers, reason = _opened(chat_file, wanted)
    assert layers == 0 and "out of memory" in reason
    assert card.asked[1:] == [0] and card.devices == [True, False] and card.open == 0


@pytest.mark.parametrize("kv_cache", ["f16", "q8_0"])
def test_a_card_without_room_for_the_window_is_left_out(
    kv_cache: str, card: Card, chat_file: Path
) -> None:
    card.no_window = True
    layers, reason = _opened(chat_file, None, kv_cache)
    assert layers == 0 and "failed to allocate buffer" in reason
    assert (card.asked, card.open) == ([-1, 0], 0)


def test_a_file_that_is_bad_anywhere_is_not_the_fault_of_the_card(
    card: Card, chat_file: Path, tmp_path: Path
) -> None:
    card.room = 0
    strange = tmp_path / "strange.gguf"
    strange.write_bytes(chat_file.read_bytes().replace(b"llama", b"zzzzz"))
    with pytest.raises(ModelFileInvalid, match="unknown model architecture: 'zzzzz'"):
        LlamaContext(strange, LlamaParameters(256, 1, gpu_layers=None), StopFlag())
    assert (card.asked, card.open) == ([-1, 0], 0)


def test_embeddings_are_computed_without_the_card(card: Card, embedding_file: Path) -> None:
    LlamaEmbedding(embedding_file, 1).close()
    assert (card.asked, card.devices) == ([0], [False])


def test_without_a_card_nothing_changes_and_who_asked_is_told(
    monkeypatch: pytest.MonkeyPatch, chat_file: Path
) -> None:
    monkeypatch.setattr(_LLAMA, "llama_supports_gpu_offload", lambda: False)
    assert _opened(chat_file, None) == (0, "")
    layers, reason = _opened(chat_file, 5)
    assert layers == 0 and "no graphics card" in reason


def test_the_chat_model_passes_it_on_and_tells(
    card: Card, model_thread: ModelThread, chat_file: Path, state_dir: Path
) -> None:
    def loaded(**options: int | None) -> ModelInfo:
        loading = load_chat_model(
            model_thread, chat_file, context_tokens=256, threads=1, state_dir=state_dir, **options
        )
        return asyncio.run(loading).info

    assert (loaded(gpu_layers=1).gpu_layers, card.asked) == (1, [1])
    assert (loaded().gpu_layers, card.asked) == (LAYERS, [1, -1])
    card.room = 0
    assert "out of memory" in loaded().gpu_reason


WITH_A_CARD = """
import sys
from moltbot_desktop.models.worker.channel import claim_stdout
answers = claim_stdout()
from moltbot_desktop.models import llama_library
from moltbot_desktop.models.worker import child
llama_library.llama_cpp.llama_supports_gpu_offload = lambda: True
sys.exit(child.serve(answers))
"""


def test_a_model_in_a_process_of_its_own_is_told_too(chat_file: Path, state_dir: Path) -> None:
    async def run() -> ModelInfo:
        model = await load_isolated_chat_model(
            chat_file,
            context_tokens=256,
            threads=1,
            state_dir=state_dir,
            gpu_layers=1,
            command=(sys.executable, "-c", WITH_A_CARD),
        )
        await model.close()
        return model.info

    info = asyncio.run(run())
    assert (info.gpu_layers, info.gpu_reason) == (1, "")
