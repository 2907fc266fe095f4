"""Text to terms: what is found by what."""

from __future__ import annotations

import pickle

import pytest

from geekagent_tui.rag.analysis import Terms, analyse, analyse_query


def words(text: str) -> list[str]:
    return analyse(text).words.split()


def asked(text: str) -> list[str]:
    return analyse_query(text).words.split()


def test_chinese_makes_pairs_and_single_characters() -> None:
    assert analyse("历史压缩，阈值") == Terms("历史 史压 压缩 阈值", "历 史 压 缩 阈 值", "")


def test_traditional_characters_are_folded() -> None:
    assert analyse("歷史壓縮的觸發閾值") == analyse("历史压缩的触发阈值")


def test_compatible_characters_are_folded() -> None:
    assert analyse("ＭＡＸ　ﬁle １２３") == analyse("max file 123")


def test_kana_and_hangul_make_pairs() -> None:
    assert words("かな入力 한국어") == ["かな", "な入", "入力", "한국", "국어"]


def test_thai_makes_triples() -> None:
    assert words("สวัสดี") == ["สวั", "วัส", "ัสด", "สดี"]
    assert words("ที่") == ["ที่"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("MAX_HISTORY_CHARS", "max_history_chars max histori char"),
        ("getUserName", "getusernam get user name"),
        ("HTTPServer", "httpserver http server"),
        ("C++ C# .NET", "c++ c# .net net"),
        ("Node.js v2.0", "node.js node js v2.0"),
        ("GPT-4 utf-8", "gpt-4 gpt utf-8 utf"),
        ("day5", "day5 day"),
        ("1,042 1042 3.14", "1042 1042 3.14 14"),
        ("https://example.com/a_b", "https example.com exampl com a_b"),
        ("don't Beyoncé's", "don beyoncé"),
        ("__init__", "init"),
    ],
)
def test_identifiers_whole_and_in_parts(text: str, expected: str) -> None:
    assert analyse(text).words.split() == expected.split()


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("compacting", "compacts"),
        ("сжатием", "сжатие"),
        ("المدينة", "مدينة"),
        ("Ёлка", "елка"),
        ("STRASSE", "straße"),
        ("किताबें", "किताब"),
    ],
)
def test_inflected_words_have_one_stem(one: str, other: str) -> None:
    assert words(one) == words(other)


def test_triples_find_compounds_accents_and_vowel_points() -> None:
    parts = set(analyse("Vertrag").trigrams.split()) - {"^ve"}
    assert parts <= set(analyse("Kaufvertrag").trigrams.split())
    assert analyse("café").trigrams == analyse("cafe").trigrams
    assert analyse("مُدَرِّس").trigrams == analyse("مدرس").trigrams


def test_endless_words_are_found_as_a_whole() -> None:
    secret = "0123456789abcdef" * 40
    (term,) = words(secret)
    assert len(term.encode()) == 255
    assert analyse(secret).trigrams == ""
    assert len(words("字" + "é" * 200)[0].encode()) <= 255


@pytest.mark.parametrize(
    "text",
    [
        "你好",
        "您好！",
        "谢谢",
        "好的。",
        "Hello",
        "hi there!",
        "Thank you very much.",
        "早上好，谢谢",
        "",
        "？",
        "🚀",
        "привет",
        "什么",
    ],
)
def test_a_greeting_asks_nothing(text: str) -> None:
    assert not analyse_query(text)


def test_a_greeting_before_a_question_is_left_out() -> None:
    assert analyse_query("你好，压缩阈值是多少？") == Terms("压缩 缩阈 阈值", "压 缩 阈 值", "")


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("历史压缩的触发阈值是多少？", "历史 史压 压缩 触发 发阈 阈值"),
        ("請問什麼是歷史壓縮？", "历史 史压 压缩"),
        ("What is the history threshold?", "histori threshold"),
        ("Wie hoch ist die Schwelle?", "hoch schwell"),
        ("Кто такой автор?", "автор"),
        ("hello world", "hello world"),
        ("1,042 characters", "1042 charact"),
        ("IT department of WHO", "it depart who"),
    ],
)
def test_question_words_leave_queries(question: str, expected: str) -> None:
    assert asked(question) == expected.split()


@pytest.mark.parametrize("word", ["许多大学", "目的地", "酒吧", "吗啡", "哪吒", "许多高校", "是非", "的确"])
def test_words_that_contain_question_syllables_stay(word: str) -> None:
    assert asked(f"{word}在哪里")[: len(word) - 1] == words(word)


def test_documents_keep_function_words() -> None:
    assert words("什么是压缩") == ["什么", "么是", "是压", "压缩"]
    assert "the" in words("the end")


def test_terms_travel_to_worker_processes() -> None:
    terms = analyse("历史 history")
    assert pickle.loads(pickle.dumps(terms)) == terms
