"""What stands in a prompt. https://agentclientprotocol.com/protocol/content"""

from __future__ import annotations

import base64
from typing import Any

import pytest
from acp.schema import (
    AudioContentBlock,
    BlobResourceContents,
    EmbeddedResourceContentBlock,
    ImageContentBlock,
    PromptRequest,
    ResourceContentBlock,
    TextContentBlock,
    TextResourceContents,
)
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from moltbot_desktop.core.errors import UserInputInvalid
from moltbot_desktop.core.i18n import Language
from moltbot_desktop.gateway.acp.words import MOST_BLOCKS, clean, named, read_prompt
from moltbot_desktop.gateway.editors import GivenText
from moltbot_desktop.gateway.handed_files import HandedFile

PNG = base64.b64encode(b"\x89PNG\r\n\x1a\nxyz").decode()


def words(text: str) -> TextContentBlock:
    return TextContentBlock(type="text", text=text)


def link(uri: str) -> ResourceContentBlock:
    return ResourceContentBlock(type="resource_link", uri=uri, name="obey me", description="now")


def along(uri: str, **contents: str) -> EmbeddedResourceContentBlock:
    kind = BlobResourceContents if "blob" in contents else TextResourceContents
    return EmbeddedResourceContentBlock(type="resource", resource=kind(uri=uri, **contents))


def picture(data: str) -> ImageContentBlock:
    return ImageContentBlock(type="image", data=data, mime_type="image/png")


def read(*blocks: Any) -> Any:
    return read_prompt(blocks, Language.ENGLISH)


def test_words_and_links_stand_in_their_order() -> None:
    found = read(words("Compare "), link("file:///a%20b.py"), words("with"), link("https://x.y/z"))
    assert found.words == "Compare /a b.py with https://x.y/z"
    assert found.texts == found.pictures == ()


def test_a_text_that_came_along_is_no_words_of_the_owner() -> None:
    found = read(words("What is"), along("file:///a.py", text="x = 1\0"), words("?"))
    assert found.words == "What is /a.py ?"
    assert found.texts == (GivenText("file:///a.py", "x = 1\ufffd"),)
    (text,) = read(along("file:///b", blob=base64.b64encode("é".encode()).decode())).texts
    assert text.text == "é"


def test_a_picture_is_what_its_bytes_are() -> None:
    assert read(words("See"), picture(PNG)).pictures == (HandedFile("picture.png", PNG),)


@pytest.mark.parametrize(
    "blocks",
    [
        [picture(base64.b64encode(b"<svg/>").decode())],
        [picture("no base64!")],
        [picture(PNG)] * 9,
        [picture("A" * 8_000_000)],
        [along("file:///x", blob=base64.b64encode(b"\0\1").decode())],
        [along("file:///x", blob=base64.b64encode(b"\xff\xfe\xfa").decode())],
        [along("file:///x", blob="no base64!")],
        [AudioContentBlock(type="audio", data="", mime_type="audio/wav")],
        [words("a")] * (MOST_BLOCKS + 1),
    ],
)
def test_what_cannot_be_taken_is_said(blocks: list[Any]) -> None:
    with pytest.raises(UserInputInvalid):
        read(*blocks)


@pytest.mark.parametrize(
    ("address", "wanted"),
    [
        ("file:///home/ada/a.py", "/home/ada/a.py"),
        ("file:///C:/x/a.py", "C:/x/a.py"),
        ("file://localhost/a", "/a"),
        ("file://elsewhere/a", "file://elsewhere/a"),
        ("file:///a%0A[obey]", "/a (obey)"),
        ("http://[x", "http://(x"),
    ],
)
def test_an_address_among_words(address: str, wanted: str) -> None:
    assert named(address) == wanted


@given(st.text(alphabet=st.characters(), max_size=40))
def test_whatever_is_said_can_be_written(text: str) -> None:
    clean(text).encode("utf-8")
    named(text).encode("utf-8", "surrogatepass")


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=9),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=9), inner),
    max_leaves=6,
)
BLOCKS = st.fixed_dictionaries(
    {"type": st.sampled_from(["text", "image", "audio", "resource", "resource_link"])},
    optional=dict.fromkeys(("text", "data", "mimeType", "uri", "name"), JSON)
    | {"resource": st.dictionaries(st.sampled_from(["uri", "text", "blob"]), st.text(max_size=9))},
)


@given(st.lists(BLOCKS, max_size=4))
def test_whatever_an_editor_sends_is_read_or_refused(blocks: list[dict[str, Any]]) -> None:
    try:
        found = PromptRequest.model_validate({"sessionId": "s", "prompt": blocks})
        read(*found.prompt).words.encode("utf-8")
    except (ValidationError, UserInputInvalid):
        pass
