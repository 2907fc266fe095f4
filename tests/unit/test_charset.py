from __future__ import annotations

import codecs

import pytest

from geekagent_tui.rag.extract.charset import decode

CHINESE = "历史压缩的触发阈值默认是四千个字符，超过之后最近的六条消息会原样保留下来。"
TRADITIONAL = "歷史壓縮的觸發閾值預設是四千個字元，超過之後最近的六條訊息會原樣保留下來。"
JAPANESE = "履歴の圧縮は四千文字を超えたときに始まり、最新の六件はそのまま残ります。カタカナも読めます。"
KOREAN = "기록 압축은 사천 글자를 넘으면 시작되고 최근 여섯 개의 메시지는 그대로 남습니다."
RUSSIAN = "Сжатие истории начинается, когда она длиннее четырёх тысяч знаков; последние сообщения остаются."
TEXTS = [
    ("gb2312", CHINESE),
    ("gbk", CHINESE + "镕堃喆"),
    ("gb18030", CHINESE + "㐀𠮷"),
    ("big5", TRADITIONAL),
    ("shift_jis", JAPANESE),
    ("euc-jp", JAPANESE),
    ("iso-2022-jp", JAPANESE),
    ("euc-kr", KOREAN),
    ("koi8-r", RUSSIAN),
    ("windows-1251", RUSSIAN),
    ("utf-8", CHINESE + "🎉"),
]


@pytest.mark.parametrize(("encoding", "text"), TEXTS)
def test_declared_by_the_header(encoding: str, text: str) -> None:
    assert decode(text.encode(encoding), encoding.upper()) == text


@pytest.mark.parametrize(("encoding", "text"), TEXTS)
@pytest.mark.parametrize(
    "declaration",
    [
        '<meta charset="{}">',
        "<META CHARSET={}>",
        "<meta http-equiv='Content-Type' content='text/html; charset={}'>",
        '<?xml version="1.0" encoding="{}"?>',
    ],
)
def test_declared_inside(encoding: str, text: str, declaration: str) -> None:
    page = f"<html><head>{declaration.format(encoding)}</head><body>{text}</body></html>"
    assert decode(page.encode(encoding), markup=True) == page


@pytest.mark.parametrize(("encoding", "text"), [pair for pair in TEXTS if pair[0] != "iso-2022-jp"])
def test_not_declared(encoding: str, text: str) -> None:
    text = text.rstrip("㐀𠮷") * 5
    assert decode(text.encode(encoding)) == text


@pytest.mark.parametrize("wrong", ["gbk", "big5", "iso-8859-1", "us-ascii", "shift_jis", "windows-1252"])
def test_utf8_that_is_declared_as_something_else(wrong: str) -> None:
    page = f'<meta charset="{wrong}">{CHINESE}'
    assert decode(page.encode(), wrong, markup=True) == page


def test_gbk_that_is_declared_as_gb2312() -> None:
    assert decode("朱镕基".encode("gbk"), "gb2312") == "朱镕基"


@pytest.mark.parametrize(
    ("bom", "encoding"),
    [
        (codecs.BOM_UTF8, "utf-8"),
        (codecs.BOM_UTF16_LE, "utf-16-le"),
        (codecs.BOM_UTF16_BE, "utf-16-be"),
        (codecs.BOM_UTF32_LE, "utf-32-le"),
        (codecs.BOM_UTF32_BE, "utf-32-be"),
    ],
)
def test_a_byte_order_mark_decides(bom: bytes, encoding: str) -> None:
    assert decode(bom + CHINESE.encode(encoding), "gbk", markup=True) == CHINESE


def test_a_few_damaged_bytes() -> None:
    data = (CHINESE * 20).encode("gbk")
    damaged = data[:100] + b"\xff" + data[101:]
    assert decode(damaged, "gbk").count("\ufffd") <= 2
    assert CHINESE in decode(damaged, "gbk")
    damaged = (CHINESE * 20).encode() + b"\xe4"
    assert decode(damaged, "utf-8") == CHINESE * 20 + "\ufffd"


@pytest.mark.parametrize(
    "name",
    [
        "",
        "no-such-charset",
        "utf-7",
        "base64",
        "rot13",
        "idna",
        "undefined",
        "utf-16",
        "x\0y",
        "文",
        "unicode_escape",
        "uu",
        "hex",
        "zip",
    ],
)
def test_declarations_that_are_not_believed(name: str) -> None:
    assert decode(b"plain +AGE- \\u0041", name) == "plain +AGE- \\u0041"
    assert decode(CHINESE.encode(), name) == CHINESE
    assert decode(CHINESE.encode("gbk") * 9, name) == CHINESE * 9


def test_latin_text_without_a_declaration_is_windows() -> None:
    text = "Les élèves français étudient « l'été » à l'école — déjà vu, naïveté, cœur. " * 5
    assert decode(text.encode("cp1252"), "iso-8859-1") == text
