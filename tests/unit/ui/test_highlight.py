from hypothesis import given
from hypothesis import strategies as st

from moltbot_desktop.ui.highlight import MAX_COLOURED_CHARACTERS, colour_spans
from moltbot_desktop.ui.theme import CodeKind


def coloured(code: str, language: str) -> dict[str, CodeKind]:
    return {
        code[one.start : one.start + one.length]: one.kind for one in colour_spans(code, language)
    }


def test_python_is_coloured() -> None:
    kinds = coloured("def f():\n    return 'x' # why", "python")
    assert kinds["def"] is CodeKind.KEYWORD
    assert kinds["f"] is CodeKind.NAME
    assert kinds["# why"] is CodeKind.COMMENT


def test_an_unknown_language_stays_plain() -> None:
    assert colour_spans("x = 1", "no-such-language") == ()


def test_very_long_code_stays_plain() -> None:
    assert colour_spans("x = 1\n" * MAX_COLOURED_CHARACTERS, "python") == ()


@given(st.text(max_size=200), st.sampled_from(["python", "json", "bash", "html"]))
def test_spans_lie_inside_the_code_as_qt_counts_it(code: str, language: str) -> None:
    units = len(code.encode("utf-16-le", "surrogatepass")) // 2
    at = 0
    for span in colour_spans(code, language):
        assert span.start >= at
        assert span.length > 0
        at = span.start + span.length
    assert at <= units
