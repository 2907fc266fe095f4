from __future__ import annotations

import contextlib
import zlib
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from geekagent_tui.rag.addresses import normalise
from geekagent_tui.rag.errors import SourceError
from geekagent_tui.rag.inflate import Inflater
from geekagent_tui.rag.sources import resolve, split_words

QUOTES = "\"'“‘「"
word = st.text(min_size=1).filter(
    lambda text: not any(char.isspace() for char in text) and text[0] not in QUOTES + "/~"
)
hosts = st.sampled_from(["x", "EXAMPLE.com", "例子.中国", "a.b-c.d", "[::1]", "127.0.0.1"])
urls = st.builds(
    "{}://{}{}{}".format,
    st.sampled_from(["http", "HTTPS"]),
    hosts,
    st.sampled_from(["", ":80", ":443", ":8"]),
    st.text(),
)


@given(st.lists(word))
def test_plain_words_come_back_as_they_were(words: list[str]) -> None:
    assert split_words(" ".join(words)) == words


@given(st.lists(st.text(min_size=1).filter(lambda text: text.strip() != "" and '"' not in text)))
def test_quoted_words_come_back_as_they_were(words: list[str]) -> None:
    assert split_words(" ".join(f'"{word}"' for word in words)) == words


@given(st.text())
def test_splitting_loses_nothing_but_quotes_and_space(line: str) -> None:
    kept = {char for char in line if not char.isspace() and char not in QUOTES + "”’」"}
    assert kept <= set("".join(split_words(line)))


@given(urls)
def test_a_normal_address_is_its_own_normal_form(url: str) -> None:
    try:
        once = normalise(url)
    except SourceError:
        return
    assert normalise(once) == once
    assert once.isascii()
    assert "#" not in once
    assert once.split("://")[0] in {"http", "https"}


@given(st.text().map("http://".__add__))
def test_any_address_is_normal_or_refused(url: str) -> None:
    with contextlib.suppress(SourceError):
        assert normalise(normalise(url)) == normalise(url)


@settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(typed=st.text())
def test_any_words_give_sources_or_a_problem(tmp_path: Path, typed: str) -> None:
    (tmp_path / "a.md").write_text("x")
    preview = resolve(typed, tmp_path, tmp_path)
    assert bool(preview.problem) is not bool(preview.sources)
    for source in preview.sources:
        again = resolve(source.identity, tmp_path, tmp_path)
        assert [other.identity for other in again.sources] == [source.identity]


@settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(name=st.text(min_size=1).filter(lambda name: "/" not in name and "\0" not in name))
def test_a_file_with_any_name_is_found_by_its_name(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    try:
        path.write_text("x")
    except (OSError, UnicodeEncodeError):
        return  # the file system does not take it
    try:
        preview = resolve(str(path), tmp_path)
        if name.strip() == name and "://" not in str(path):
            assert [source.identity for source in preview.sources] == [name]
    finally:
        path.unlink()


@given(st.binary(), st.sampled_from(["gzip", "deflate", "", "x-gzip"]))
def test_any_body_inflates_or_is_refused(data: bytes, encoding: str) -> None:
    inflater = Inflater(encoding)
    with contextlib.suppress(SourceError):
        b"".join(inflater.feed(data))
        inflater.finish()


@given(st.binary(), st.integers(1, 50), st.sampled_from([("gzip", 31), ("deflate", 15), ("deflate", -15)]))
def test_any_split_of_a_body_inflates_alike(data: bytes, step: int, how: tuple[str, int]) -> None:
    encoding, bits = how
    body = zlib.compress(data, wbits=bits)
    inflater = Inflater(encoding)
    pieces = [piece for at in range(0, len(body), step) for piece in inflater.feed(body[at : at + step])]
    inflater.finish()
    assert b"".join(pieces) == data


def test_unknown_encodings_are_refused() -> None:
    with pytest.raises(SourceError):
        Inflater("br, gzip")
