"""Two writings of one word become one, character for character."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from moltbot_desktop.memory.forms import fold


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("媽媽的藥放在廚房裡", "妈妈的药放在厨房里"),
        ("換機油要多少錢", "换机油要多少钱"),
        ("匯款帳號", "汇款账号"),
        ("甚麼時候", "什么时候"),
        ("頭髮", "头发"),
        ("カギ", "かぎ"),
        ("ヴァイオリン", "ゔぁいおりん"),
    ],
)
def test_either_writing_finds_the_other(one: str, other: str) -> None:
    assert fold(one) == fold(other)


@pytest.mark.parametrize("text", ["Wi-Fi password 42", "我的牙医", "비밀번호", "ー", "·"])
def test_what_has_one_form_keeps_it(text: str) -> None:
    assert fold(text) == text


@given(text=st.text() | st.text(alphabet="媽藥裡帳账賬カきヶー后後乾干", max_size=20))
def test_places_in_the_text_stay_and_twice_is_once(text: str) -> None:
    assert len(fold(text)) == len(text)
    assert fold(fold(text)) == fold(text)
