from __future__ import annotations

import pytest

from geekagent_tui.rag import limits
from geekagent_tui.rag.errors import EmptyContentError, SourceError, TooLargeError
from geekagent_tui.rag.extract import Extracted, extract
from geekagent_tui.rag.model import SourceKind
from geekagent_tui.rag.raw import Raw

LONG = "这一段足够长，读起来像一篇文章的正文，而不是导航或页脚；它只是为了让正文提取有东西可找。" * 4


def file(name: str, content: str | bytes) -> Extracted:
    return extract(Raw(content.encode() if isinstance(content, str) else content, SourceKind.FILE, name))


def page(
    content: str | bytes, content_type: str = "text/html", url: str = "http://x/dir/a%20b.html"
) -> Extracted:
    data = content.encode() if isinstance(content, str) else content
    return extract(Raw(data, SourceKind.URL, url, content_type, final_url=url))


def test_plain_text_stays_as_it_is() -> None:
    text = "  indented\n\ttab\n# no heading, but so be it\n1 < 2 & *x*"
    assert file("notes.txt", text) == Extracted("notes.txt", text)


def test_source_code_stays_as_it_is() -> None:
    code = "def f():\n    return 'a'  # comment\n\n\nclass X: ..."
    assert file("x.py", code + "\n").text == code


def test_line_ends_and_control_characters() -> None:
    text = file("a.txt", "\ufeff\n\na\r\nb\rc\x0cd\u2028e\x1b[31m\x07f\tg\x9b\n \n").text
    assert text == "a\nb\nc\nd\ne[31mf\tg"


def test_nothing_in_it() -> None:
    for content in ("", " \n\t \u3000", "\ufeff", "\x07"):
        with pytest.raises(EmptyContentError, match=r"^内容为空，未入库$"):
            file("a.md", content)
    with pytest.raises(EmptyContentError):
        page("<html><head><title>只有标题</title></head><body><nav>首页</nav></body></html>")
    with pytest.raises(EmptyContentError):
        file("a.md", "---\ntitle: 只有标题\n---\n")


def test_too_much_text() -> None:
    with pytest.raises(TooLargeError) as caught:
        file("a.txt", "字" * 3_000_000)
    assert caught.value.message.startswith("内容过大（3000000 字符，上限 2MB），未入库；")
    assert limits.CHARACTERS_VARIABLE in caught.value.message
    assert len(file("a.txt", "字" * limits.CHARACTERS).text) == limits.CHARACTERS


def test_too_much_text_on_a_page() -> None:
    paragraph = f"<p>{LONG}</p>"
    content = f"<title>大</title><main>{paragraph * (3_000_000 // len(LONG))}</main>"
    with pytest.raises(TooLargeError, match="内容过大（3"):
        page(content)


def test_the_limit_can_be_raised(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(limits.CHARACTERS_VARIABLE, "3000000")
    assert len(file("a.txt", "字" * 3_000_000).text) == 3_000_000
    monkeypatch.setenv(limits.CHARACTERS_VARIABLE, "1000")
    with pytest.raises(TooLargeError, match="1001 字符"):
        file("a.txt", "x" * 1001)
    for nonsense in ("0", "-1", "many", ""):
        monkeypatch.setenv(limits.CHARACTERS_VARIABLE, nonsense)
        assert limits.max_characters() == limits.CHARACTERS


@pytest.mark.parametrize("data", [b"{\\rtf1", b"\x89PNG\r\n", b"PK\x03\x04", b"abc\0def"])
def test_no_text_at_all(data: bytes) -> None:
    with pytest.raises(SourceError, match="不是文本"):
        file("a.md", data)


def test_markdown_front_matter() -> None:
    for matter in (
        "---\ntitle: 标题 一\ntags: [a]\n---\n",
        '---\r\nTitle: "标题 一"\r\n---\r\n',
        "+++\ntitle = '标题 一'\n+++\n",
        "---\ndate: 1\ntitle: 标题 一\n...\n",
    ):
        assert file("a.md", matter + "# 正文\n\n段落") == Extracted("标题 一", "# 正文\n\n段落")


def test_markdown_without_front_matter() -> None:
    assert file("a.md", "intro\n\n## 第 `一` [节](x.md) ##\ntext").title == "第 一 节"
    assert file("a.md", "标题\n====\n\ntext").title == "标题"
    assert file("a.md", "```\n# no\n```\n# yes").title == "yes"
    assert file("a.md", "just text").title == "a.md"
    assert file("a.md", "---\nno end").text == "---\nno end"
    text = "# 标题\n\n```py\nx  =  1\n```\n\n| a | b |\n| - | - |\n* [x] <b>y</b> &amp; z"
    assert file("a.MD", text) == Extracted("标题", text)


def test_titles_are_short_single_lines() -> None:
    assert page(f"<title> a \n\t b\x07 {'长' * 300}</title><p>{LONG}</p>").title == f"a b {'长' * 116}"
    assert file("x" * 200 + ".txt", "text").title == "x" * 120


def test_titles_of_pages() -> None:
    body = f"<h1>第一个 <b>标题</b></h1><p>{LONG}</p>"
    assert page(f"<title>A &amp; B</title>{body}").title == "A & B"
    assert page(f"<title> </title><meta property='og:title' content='OG'>{body}").title == "OG"
    assert page(body).title == "第一个 标题"
    assert page(f"<p>{LONG}</p>").title == "a b.html"
    assert page(f"<p>{LONG}</p>", url="http://x.example/").title == "x.example"
    assert file("本地.html", f"<title>网页标题</title><p>{LONG}</p>").title == "网页标题"
    assert page(f"<body><svg><title>icon</title></svg><p>{LONG}</p>").title != "icon"


@pytest.mark.parametrize(
    ("content_type", "url", "is_html"),
    [
        ("text/html", "http://x/a", True),
        ("application/xhtml+xml", "http://x/a", True),
        ("", "http://x/a", True),
        ("application/octet-stream", "http://x/a.html", True),
        ("text/plain", "http://x/a.html", False),
        ("text/plain", "http://x/a", False),
        ("application/json", "http://x/a.html", False),
        ("text/markdown", "http://x/a", False),
    ],
)
def test_what_is_read_as_html(content_type: str, url: str, is_html: bool) -> None:
    text = page(f"<!DOCTYPE html><html><p>{LONG}</p></html>", content_type, url).text
    assert ("<p>" not in text) is is_html


def test_markdown_from_the_web() -> None:
    assert page("# T\n\ntext", "text/plain", "http://x/README.md").title == "T"
    assert page("# T\n\ntext", "text/markdown", "http://x/readme").title == "T"


@pytest.mark.parametrize("encoding", ["gbk", "big5hkscs", "utf-8"])
def test_pages_in_other_encodings(encoding: str) -> None:
    text = "標題與內文" if encoding == "big5hkscs" else "标题与正文"
    html = f'<meta charset="{encoding[:4]}"><title>{text}</title><body><p>{text * 60}</p></body>'
    extracted = page(html.encode(encoding))
    assert extracted == Extracted(text, text * 60)
