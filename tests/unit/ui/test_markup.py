from hypothesis import given
from hypothesis import strategies as st

from moltbot_desktop.ui.markup import (
    CodeBlock,
    ItemMark,
    MarkdownReader,
    Paragraph,
    Rule,
    Span,
    Table,
)

READER = MarkdownReader()


def paragraphs(markdown: str) -> list[Paragraph]:
    return [piece for piece in READER.read(markdown) if isinstance(piece, Paragraph)]


def test_looks_nest() -> None:
    (only,) = paragraphs("a **b *c* d** `e`")
    assert only.spans == (
        Span("a "),
        Span("b ", bold=True),
        Span("c", bold=True, italic=True),
        Span(" d", bold=True),
        Span(" "),
        Span("e", code=True),
    )


def test_items_keep_their_list_depth_and_number() -> None:
    items = paragraphs("3. three\n4. four\n   - deep")
    assert [(one.mark, one.number, one.depth) for one in items] == [
        (ItemMark.NUMBER, 3, 1),
        (ItemMark.NUMBER, 4, 1),
        (ItemMark.BULLET, 0, 2),
    ]
    assert items[0].list_id == items[1].list_id != items[2].list_id


def test_a_paragraph_after_a_list_is_in_no_list() -> None:
    after = paragraphs("- a\n\nafter")[-1]
    assert (after.depth, after.mark) == (0, ItemMark.NONE)


def test_tasks_are_marked() -> None:
    marks = [one.mark for one in paragraphs("- [ ] open\n- [x] done\n- plain")]
    assert marks == [ItemMark.TODO, ItemMark.DONE, ItemMark.BULLET]


def test_an_image_is_its_description_with_an_address() -> None:
    (only,) = paragraphs("![a cat](https://example.org/cat.png)")
    assert only.spans == (Span("a cat", link="https://example.org/cat.png", image=True),)


def test_html_stays_text() -> None:
    (only,) = paragraphs("<img src=x onerror=alert(1)> <b>hi</b>")
    assert "".join(span.text for span in only.spans) == "<img src=x onerror=alert(1)> <b>hi</b>"


def test_a_block_of_html_is_shown_not_dropped() -> None:
    (only,) = paragraphs("<div>\nhello\n</div>")
    assert "".join(span.text for span in only.spans) == "<div>\nhello\n</div>"


def test_code_tables_and_rules_are_read() -> None:
    code, table, rule = READER.read("```py\nx = 1\n```\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n***")
    assert code == CodeBlock("x = 1", "py")
    assert isinstance(table, Table)
    assert [[cell[0].text for cell in row] for row in table.rows] == [["a", "b"], ["1", "2"]]
    assert isinstance(rule, Rule)


def test_scripts_are_no_links() -> None:
    (only,) = paragraphs("[x](javascript:alert(1))")
    assert all(not span.link for span in only.spans)


@given(st.text(alphabet=st.sampled_from("ab 中*_`#->[]()!|\n0123.~<&\\"), max_size=300))
def test_any_text_can_be_read(text: str) -> None:
    for piece in READER.read(text):
        if isinstance(piece, Table):
            assert len({len(row) for row in piece.rows}) == 1
