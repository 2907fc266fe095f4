from dataclasses import dataclass

import pytest

from geekagent_tui.rag.model import Hit, SearchResult
from geekagent_tui.sanitize import clean, clean_line, clean_value, hide_credentials


@pytest.mark.parametrize(
    ("raw", "shown"),
    [
        ("plain text", "plain text"),
        ("历史压缩，4000 字符。", "历史压缩，4000 字符。"),
        ("\x1b]52;c;aGk=\x07", "␛]52;c;aGk=␇"),
        ("\x1b[2J", "␛[2J"),
        ("\x9b2J", "\ufffd2J"),
        ("a\x00b\x7f", "a␀b␡"),
        ("one\r\ntwo\rthree\u2028four", "one\ntwo\nthree\nfour"),
        ("tab\tstays", "tab\tstays"),
        ("evil\u202etxt.exe", "eviltxt.exe"),
        ("zero\u200bwidth\ufeff", "zerowidth"),
        ("hidden\U000e0041\U000e007f", "hidden"),
        ("lone \ud800 surrogate", "lone \ufffd surrogate"),
        ("\U0001f469\u200d\U0001f4bb and क्\u200dष", "\U0001f469\u200d\U0001f4bb and क्\u200dष"),
        ("\uffff\U0001fffe", "\ufffd\ufffd"),
    ],
)
def test_clean_shows_what_it_can_and_removes_what_steers(raw: str, shown: str) -> None:
    assert clean(raw) == shown


def test_clean_line_is_one_line() -> None:
    assert clean_line(" a\r\n b\t\tc ") == "a b c"


def test_clean_value_reaches_every_string_of_a_result_and_keeps_the_rest() -> None:
    hit = Hit(1, "标题\x1b[31m", "http://x/\u202ea", 2, 0, "text\x07", "头\x9b", 1.5)
    result = clean_value(SearchResult("q\x00", (hit,), 3.25))
    assert result == SearchResult(
        "q␀", (Hit(1, "标题␛[31m", "http://x/a", 2, 0, "text␇", "头\ufffd", 1.5),), 3.25
    )


def test_clean_value_reaches_containers() -> None:
    @dataclass(frozen=True)
    class Box:
        items: dict[str, list[str]]

    assert clean_value(Box({"k\x1b": ["v\x1b"]})) == Box({"k␛": ["v␛"]})


@pytest.mark.parametrize(
    ("text", "hidden"),
    [
        ("看 https://me:p@ss@example.com/a?b@c 吧", "看 https://***@example.com/a?b@c 吧"),
        ('{"url": "HTTP:\\/\\/tok@h"}', '{"url": "HTTP:\\/\\/***@h"}'),
        ("https://example.com/a@b", "https://example.com/a@b"),
        ("写信到 a@b.cn，见 https://c.cn", "写信到 a@b.cn，见 https://c.cn"),
    ],
)
def test_credentials_in_addresses_are_hidden(text: str, hidden: str) -> None:
    assert hide_credentials(text) == hidden
    assert hide_credentials(hidden) == hidden
