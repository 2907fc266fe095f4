"""Files of questions whose answers are known, to measure retrieval with.

Two forms, told apart by what is in the file: JSON Lines about the documents of a knowledge base, and SQuAD's
JSON (`data[].paragraphs[].{context, qas[].question}`), which brings its own paragraphs.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from geekagent_tui.i18n import _
from geekagent_tui.rag.errors import RagError
from geekagent_tui.reasons import reason_of


class QuestionFileError(RagError):
    """A file of questions can't be read, or is not one."""

    code = "question_file"


@dataclass(frozen=True, slots=True)
class Wanted:
    """A question about documents of the knowledge base; a right hit has all that is given.

    Attributes:
        source: The document's source, in any spelling.
        passage: The passage's number in that document, from 1.
        texts: Words of the passage; white space and case don't matter.
    """

    question: str
    source: str | None = None
    passage: int | None = None
    texts: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Paragraphs:
    """A pool of paragraphs with questions about them.

    Attributes:
        texts: The pool, in the file's order.
        questions: Each with the number of its paragraph in `texts`, from 0.
    """

    texts: tuple[str, ...]
    questions: tuple[tuple[str, int], ...]


QuestionFile = tuple[Wanted, ...] | Paragraphs


def read_question_file(path: Path) -> QuestionFile:
    """Read a file of either form.

    Raises:
        QuestionFileError: It can't be read, holds no question, or has a line or part that is none.
    """
    try:
        text = path.read_bytes().decode("utf-8-sig")
    except OSError as error:
        raise QuestionFileError(
            _("打不开问题文件 {path}：{reason}").format(path=path, reason=reason_of(error))
        ) from error
    except UnicodeDecodeError as error:
        raise QuestionFileError(_("问题文件 {path} 不是 UTF-8 编码").format(path=path)) from error
    found = _parsed(text)
    if not (found.questions if isinstance(found, Paragraphs) else found):
        raise QuestionFileError(_("问题文件 {path} 里没有问题").format(path=path))
    return found


def _parsed(text: str) -> QuestionFile:
    try:
        whole = _json(text)
    except json.JSONDecodeError as error:
        return _lines(text, error.lineno)
    if isinstance(whole, dict) and "data" in whole:
        return _paragraphs(whole["data"])
    return _lines(text, 1)


def _json(text: str) -> Any:
    try:
        return json.loads(text)
    except json.JSONDecodeError:
        raise
    except (RecursionError, ValueError) as error:  # lists in lists without end, a number of 5,000 digits
        raise json.JSONDecodeError(str(error), text, 0) from error


def _lines(text: str, wrong: int) -> tuple[Wanted, ...]:
    """JSON Lines; `wrong` is the line where the text stops being one JSON value."""
    found: list[Wanted] = []
    for number, line in enumerate(text.split("\n"), start=1):
        if not line.strip():
            continue
        try:
            value = _json(line)
        except json.JSONDecodeError as error:
            place = number if found else max(number, wrong)  # else one value over many lines
            raise QuestionFileError(_("第 {line} 行不是有效的 JSON").format(line=place)) from error
        found.append(_wanted(value, number))
    return tuple(found)


def _wanted(value: Any, line: int) -> Wanted:
    if not isinstance(value, dict):
        raise QuestionFileError(_("第 {line} 行不是 JSON 对象").format(line=line))
    passage, texts = value.get("passage"), [_words(value, "text", line)]
    if isinstance(passage, str):
        passage, texts = None, [*texts, _words(value, "passage", line)]
    question, source = _words(value, "question", line), _words(value, "source", line)
    if question is None:
        raise QuestionFileError(_("第 {line} 行没有 question（问题）").format(line=line))
    if passage is not None and (type(passage) is not int or passage < 1):
        raise QuestionFileError(
            _("第 {line} 行的 passage 既不是从 1 数起的段号，也不是段落文字").format(line=line)
        )
    if passage is not None and source is None:
        raise QuestionFileError(_("第 {line} 行有段号 passage，却没有 source（来源）").format(line=line))
    if source is None and not any(texts):
        raise QuestionFileError(
            _("第 {line} 行没有写明答案：需要 source（来源）、passage（段落）或 text（文字）").format(
                line=line
            )
        )
    return Wanted(question, source, passage, tuple(filter(None, texts)))


def _words(value: dict[str, Any], key: str, line: int) -> str | None:
    words = value.get(key)
    if words is None:
        return None
    if not isinstance(words, str) or not words.strip():
        raise QuestionFileError(_("第 {line} 行的 {key} 应是文字，且不能为空").format(line=line, key=key))
    return words


def _paragraphs(data: Any) -> Paragraphs:
    texts: list[str] = []
    questions: list[tuple[str, int]] = []
    for path, paragraph in _each(data, "data", "paragraphs"):
        texts.append(_string(paragraph, "context", path))
        for inner, asked in _each(paragraph.get("qas", []), f"{path}.qas"):
            questions.append((_string(asked, "question", inner), len(texts) - 1))
    return Paragraphs(tuple(texts), tuple(questions))


def _each(values: Any, path: str, inside: str = "") -> Iterator[tuple[str, dict[str, Any]]]:
    """The objects of a list, or of the lists inside them, and how each is reached."""
    if not isinstance(values, list):
        raise QuestionFileError(_("问题文件里的 {path} 应是列表").format(path=path))
    for number, value in enumerate(values):
        here = f"{path}[{number}]"
        if not isinstance(value, dict):
            raise QuestionFileError(_("问题文件里的 {path} 应是对象").format(path=here))
        if inside:
            yield from _each(value.get(inside), f"{here}.{inside}")
        else:
            yield here, value


def _string(value: dict[str, Any], key: str, path: str) -> str:
    text = value.get(key)
    if not isinstance(text, str):
        raise QuestionFileError(_("问题文件里的 {path} 应是文字").format(path=f"{path}.{key}"))
    return text
