"""The vocabulary of the starter model and the token sequence of a dialogue.

llama.cpp reads it as a SentencePiece vocabulary ("llama"). Two properties make exact copying easy:
a piece never crosses the border between letters and anything else, and digits, punctuation and
Chinese characters stand one by one. A value is therefore the same run of tokens in the request and
in the call, and copying is pointing.
"""

import json
import re
import zlib
from collections.abc import Iterable
from pathlib import Path
from typing import Final

from starter_model.dialogues import Dialogue
from starter_model.tools import (
    CLOSE_TEXT,
    TOOLS,
    argument_names,
    open_text,
    separator_text,
    syntax_texts,
)

CONTROL: Final = ["<unk>", "<s>", "<|end|>", "<|user|>", "<|assistant|>", "<|tool|>", "<pad>"]
UNKNOWN, BEGIN, END, USER, ASSISTANT, TOOL, PAD = range(7)
SPACE: Final = "\u2581"
SYNTAX: Final = syntax_texts()
BYTES: Final = [f"<0x{value:02X}>" for value in range(256)]
FIRST_BYTE: Final = len(CONTROL) + len(SYNTAX)
PUNCTUATION: Final = [chr(code) for code in range(33, 127)] + list(
    "。，！？：；、（）《》“”‘’「」【】—…·￥℃°×÷−＝＋～éèüöäßñçàá€£\n"
)
# Frequent characters outside the first level of GB 2312: provinces, names, food, the internet.
MORE_CHARACTERS: Final = (
    "皖赣黔冀鄂邕琼闽豫沪粤浙渝陕滇您咖啡馄饨饺炖煲菠萝莓榴莲柠檬橙柚猕芒葡萄樱荔龙眼瑜伽蟑螂蜘蛛鹦鹉猫"
    "咪嘟喵汪嗨嘿呃唉哟妞妮娜婷婧莉薇琳琪瑶璇鑫淼森垚昊旻晟晗睿轩梓涵萱妍婉嫣媛怡雯霏茜芸芮菲萍蕾蓉嘛咯"
    "噢嗯喽呗啰婴厕锅碟筷扳插钥匙镯钻暖棉袄裤袜鞋帽拖栋幢楼厦倩丽颖瑾瑜珏珂玥浩晨昕旭彤彬炜煜烨焕琛琦玮"
)
# Longer requests (characters) are read once: twice they would not leave room for the call.
READ_TWICE: Final = 300
# One dialogue in so many is trained like that, whatever its length.
ONCE: Final = 10
WORD: Final = re.compile(f"{SPACE}?[A-Za-z]+|.", re.DOTALL)
LETTERS: Final = re.compile(f"{SPACE}?[A-Za-z]+")


class Vocabulary:
    """Tokens with ids, and the tokenization that llama.cpp applies to them."""

    def __init__(self, pieces: list[str]) -> None:
        self.pieces = pieces
        self.tokens = CONTROL + SYNTAX + BYTES + pieces
        self.ids = {token: index for index, token in enumerate(self.tokens)}
        self.open = {tool: self.ids[open_text(tool)] for tool in TOOLS}
        self.separator = {
            name: self.ids[separator_text(name)]
            for tool in TOOLS
            for name in argument_names(tool)[1:]
        }
        self.close = self.ids[CLOSE_TEXT]
        self._cache: dict[str, list[int]] = {}

    @property
    def size(self) -> int:
        """The number of rows of the embedding, a multiple of 32 as q8_0 likes it."""
        return (len(self.tokens) + 31) // 32 * 32

    def _word(self, word: str) -> list[int]:
        """Merges the pair with the best score (lowest id) until nothing merges."""
        if word in self._cache:
            return self._cache[word]
        parts = list(word)
        while len(parts) > 1:
            pairs = [
                (self.ids[parts[i] + parts[i + 1]], i)
                for i in range(len(parts) - 1)
                if parts[i] + parts[i + 1] in self.ids
            ]
            if not pairs:
                break
            place = min(pairs)[1]
            parts[place : place + 2] = [parts[place] + parts[place + 1]]
        ids: list[int] = []
        for part in parts:
            if part in self.ids:
                ids.append(self.ids[part])
            else:
                ids.extend(FIRST_BYTE + byte for byte in part.encode())
        if len(self._cache) < 200_000:
            self._cache[word] = ids
        return ids

    def encode(self, text: str) -> list[int]:
        """Token ids of plain text (no special tokens inside)."""
        return [i for word in WORD.findall(text.replace(" ", SPACE)) for i in self._word(word)]

    def decode(self, ids: Iterable[int]) -> str:
        """The text of token ids."""
        raw = b"".join(
            bytes([i - FIRST_BYTE])
            if FIRST_BYTE <= i < FIRST_BYTE + 256
            else self.tokens[i].encode()
            for i in ids
        )
        return raw.decode("utf-8", "replace").replace(SPACE, " ")

    def prompt(self, user: str, *, once: bool = False) -> list[int]:
        """The prompt of a request, up to and including the token that starts the answer.

        The request stands in it twice: attention looks back only, so the first time no word knows
        what follows it. The second time each does, as in a model that reads in both directions.
        A long one is read `once`.
        """
        said = [USER, *self.encode(" " + user)]
        times = 1 if once or len(user) > READ_TWICE else 2
        return [BEGIN, *said * times, END, ASSISTANT]

    def call(self, dialogue: Dialogue) -> list[int]:
        """The tokens of a call. A value has a leading space if it has one in the request."""
        ids = [self.open[dialogue.tool]]
        text = " " + dialogue.user
        for index, (name, value, start) in enumerate(dialogue.args):
            if index:
                ids.append(self.separator[name])
            spaced = start < 0 or text[start] == " "
            ids.extend(self.encode(" " + value if spaced else value))
        if TOOLS[dialogue.tool]:
            ids.append(self.close)
        return ids

    def dialogue(self, dialogue: Dialogue) -> tuple[list[int], list[bool]]:
        """All tokens of a dialogue and which of them the model has to predict."""
        ids = self.prompt(dialogue.user, once=zlib.crc32(dialogue.user.encode()) % ONCE == 0)
        mask = [False] * len(ids)

        def add(tokens: list[int], predicted: bool) -> None:
            ids.extend(tokens)
            mask.extend([predicted] * len(tokens))

        if dialogue.tool:
            add([*self.call(dialogue), END], True)
        else:
            add([*self.encode(" " + dialogue.answer), END], True)
        return ids, mask

    def save(self, path: Path) -> None:
        """Writes the trained pieces, one JSON list."""
        path.write_text(json.dumps(self.pieces, ensure_ascii=False) + "\n", encoding="utf-8")

    @staticmethod
    def load(path: Path) -> "Vocabulary":
        return Vocabulary(json.loads(path.read_text(encoding="utf-8")))
