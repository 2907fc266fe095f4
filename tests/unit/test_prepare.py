from __future__ import annotations

from geekagent_tui.rag.model import SourceKind
from geekagent_tui.rag.prepare import prepare
from geekagent_tui.rag.raw import Raw
from support.documents import pdf


def test_passages_know_the_page_they_begin_on() -> None:
    lines = [f"这是第{number}行，它用来把一页填满，好让每一页都有自己的段落。" for number in range(20)]
    prepared = prepare(Raw(pdf([lines, [], lines]), SourceKind.FILE, "a.pdf"), "structure")
    assert [span.page for span in prepared.spans] == [1, 3]
    assert [term.number for term in prepared.terms] == [1, 2]


def test_text_has_no_pages() -> None:
    prepared = prepare(Raw("字".encode(), SourceKind.FILE, "a.txt"), "window")
    assert [span.page for span in prepared.spans] == [0]
