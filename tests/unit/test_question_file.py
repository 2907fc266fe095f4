"""Files of questions: both forms, and what is said about a wrong one."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from geekagent_tui.rag.question_file import Paragraphs, QuestionFileError, Wanted, read_question_file


def written(folder: Path, text: str | bytes) -> Path:
    path = folder / "questions"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def squad(*paragraphs: object) -> str:
    return json.dumps({"version": "1", "data": [{"title": "t", "paragraphs": paragraphs}]}, indent=1)


def test_json_lines(tmp_path: Path) -> None:
    path = written(
        tmp_path,
        '\ufeff{"question": "阈值？", "source": "day5.html"}\r\n'
        "\r\n"
        '{"question": "a", "source": "b", "passage": 2, "note": 1}\n'
        '{"question": "a", "passage": "its words"}\n'
        '{"question": "a", "source": "b", "text": "one", "passage": "other"}\n'
        '{"question": "a", "text": "4000\u2028x", "source": null}',
    )
    assert read_question_file(path) == (
        Wanted("阈值？", "day5.html"),
        Wanted("a", "b", 2),
        Wanted("a", texts=("its words",)),
        Wanted("a", "b", texts=("one", "other")),
        Wanted("a", texts=("4000\u2028x",)),
    )


def test_squad(tmp_path: Path) -> None:
    asked = {"context": "Eins", "qas": [{"question": "1?", "id": "x", "answers": []}, {"question": "2?"}]}
    text = json.dumps({"data": [{"paragraphs": [{"context": ""}, asked]}, {"paragraphs": [asked]}]})
    expected = Paragraphs(("", "Eins", "Eins"), (("1?", 1), ("2?", 1), ("1?", 2), ("2?", 2)))
    assert read_question_file(written(tmp_path, text)) == expected


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ('{"question": "a", "source": "b"}\n{"question": "a", ', "第 2 行不是有效的 JSON"),
        ('\n\nquestion\n{"question": "a", "source": "b"}', "第 3 行不是有效的 JSON"),
        ('{\n "data": [\n  {"paragraphs" []}\n ]\n}', "第 3 行不是有效的 JSON"),
        ("[" * 100_000, "第 1 行不是有效的 JSON"),
        ("9" * 5000, "第 1 行不是有效的 JSON"),
        ('{"question": "a", "source": "b"}\n["a"]', "第 2 行不是 JSON 对象"),
        ("[]", "第 1 行不是 JSON 对象"),
        ('{"question": "a", "source": "b"}\n\n{"source": "b"}', "第 3 行没有 question"),
        ('{"question": " ", "source": "b"}', "第 1 行的 question 应是文字"),
        ('{"question": "a", "source": 5}', "第 1 行的 source 应是文字"),
        ('{"question": "a", "source": "b", "passage": 0}', "第 1 行的 passage"),
        ('{"question": "a", "source": "b", "passage": true}', "第 1 行的 passage"),
        ('{"question": "a", "passage": 2}', "却没有 source"),
        ('{"question": "a"}', "第 1 行没有写明答案"),
        ('{"data": {}}', "data 应是列表"),
        ('{"data": [1]}', r"data\[0\] 应是对象"),
        ('{"data": [{}]}', r"data\[0\].paragraphs 应是列表"),
        (squad("a"), r"data\[0\].paragraphs\[0\] 应是对象"),
        (squad({"context": "a", "qas": []}, {"qas": []}), r"data\[0\].paragraphs\[1\].context 应是文字"),
        (squad({"context": "a", "qas": [{}]}), r"paragraphs\[0\].qas\[0\].question 应是文字"),
        (squad({"context": "a", "qas": []}), "里没有问题"),
        ("", "里没有问题|不是有效的 JSON"),
        ("问题".encode("gbk"), "不是 UTF-8"),
    ],
)
def test_a_wrong_file_is_named_with_its_place(tmp_path: Path, text: str | bytes, told: str) -> None:
    with pytest.raises(QuestionFileError, match=told):
        read_question_file(written(tmp_path, text))


def test_a_file_that_cannot_be_opened(tmp_path: Path) -> None:
    for path in (tmp_path, tmp_path / "missing"):
        with pytest.raises(QuestionFileError, match=f"打不开问题文件 {path}"):
            read_question_file(path)
