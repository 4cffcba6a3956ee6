"""What a person means by the name of a file: a part of it, several words, `*.pdf`, "my photos"."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import PurePosixPath
from types import MappingProxyType

_KINDS = {
    "pdf": ("pdf",),
    "image": ("jpg", "jpeg", "png", "gif", "webp", "bmp", "heic", "svg", "tif", "tiff"),
    "video": ("mp4", "mkv", "mov", "avi", "webm", "m4v"),
    "music": ("mp3", "flac", "wav", "ogg", "m4a", "aac", "opus"),
    "text": ("txt", "md", "rst", "log"),
    "markdown": ("md", "markdown"),
    "document": ("pdf", "doc", "docx", "odt", "rtf", "txt", "md", "pages"),
    "word": ("doc", "docx", "odt"),
    "spreadsheet": ("xls", "xlsx", "ods", "csv", "numbers"),
    "slides": ("ppt", "pptx", "odp", "key"),
    "archive": ("zip", "tar", "gz", "7z", "rar", "xz", "bz2"),
    "python": ("py", "ipynb"),
    "json": ("json",),
    "csv": ("csv",),
}
_WORDS = MappingProxyType(
    {
        word: _KINDS[kind]
        for kind, words in {
            "pdf": "pdf pdfs pdf文件 pdf文档",
            "image": "image images picture pictures photo photos 图片 照片 图像 相片 截图",
            "video": "video videos movie movies 视频 电影 录像",
            "music": "music song songs audio 音乐 歌曲 音频 录音",
            "text": "txt 文本 文本文件 纯文本",
            "markdown": "markdown md 笔记",
            "document": "document documents docs 文档",
            "word": "word docx doc word文档",
            "spreadsheet": "spreadsheet spreadsheets excel xlsx xls 表格 电子表格 excel表格",
            "slides": "presentation presentations slides powerpoint ppt pptx 幻灯片 演示文稿",
            "archive": "archive archives zip zips 压缩包 压缩文件",
            "python": "py ipynb",
            "json": "json",
            "csv": "csv",
        }.items()
        for word in words.split()
    }
)
_IGNORED = frozenset(
    "a an the my all any every some of file files named called with name in for me "
    "的 文件 所有 全部 我的 叫 名叫 名为".split()
)
_SEPARATORS = re.compile(r"[\s,;、，]+")
_QUOTES = "\"'“”‘’「」《》`"


@dataclass(frozen=True)
class NamePattern:
    """What to look for; compared with names that were made `comparable`.

    Attributes:
        glob: a shell pattern, or "".
        whole: the words as one piece.
        words: each must be in the name.
        endings: extensions without dot; empty for any.
    """

    glob: str = ""
    whole: str = ""
    words: tuple[str, ...] = ()
    endings: tuple[str, ...] = ()

    def rank(self, name: str, path: str) -> int | None:
        """How well a file fits, 0 best; None when it does not. Both are `comparable`."""
        if self.glob:
            return 0 if fnmatchcase(path if "/" in self.glob else name, self.glob) else None
        stem = PurePosixPath(name).stem
        if self.whole:
            exact = (name == self.whole, stem == self.whole, name.startswith(self.whole))
            for rank, fits in enumerate((*exact, self.whole in name)):
                if fits:
                    return rank
            if "/" in self.whole and path.endswith(self.whole):
                return 0
        if self.endings and not name.endswith(tuple(f".{ending}" for ending in self.endings)):
            return None
        if self.words:
            return 5 if all(word in name for word in self.words) else None
        return 6 if self.endings else None


def comparable(text: str) -> str:
    """`text` so that spellings of one name are equal: NFC, no case."""
    return unicodedata.normalize("NFC", text).casefold()


def pattern_of(text: str) -> NamePattern:
    """What `text` looks for. An empty pattern fits nothing."""
    plain = comparable(text.strip().strip(_QUOTES).strip()).replace("\\", "/").removeprefix("./")
    if not plain:
        return NamePattern()
    if any(character in plain for character in "*?["):
        return NamePattern(glob=plain if "/" not in plain else f"*{plain}".replace("**", "*"))
    if re.fullmatch(r"\.[a-z0-9]{1,8}", plain):
        return NamePattern(endings=(plain[1:],))
    words = [word for word in _SEPARATORS.split(plain) if word and word not in _IGNORED]
    words = [stripped for word in words if (stripped := _without_filler(word))]
    endings = tuple(ending for word in words for ending in _WORDS.get(word, ()))
    names = tuple(word for word in words if word not in _WORDS)
    return NamePattern(whole=plain, words=names, endings=endings)


def _without_filler(word: str) -> str:
    """发票文件 looks for 发票; a known word stays as it is."""
    if word in _WORDS or word.isascii():
        return word
    for filler in ("的文件", "文件"):
        word = word.removesuffix(filler)
    return word.removeprefix("所有").removeprefix("我的").removeprefix("全部")
