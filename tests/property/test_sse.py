"""Events come out the same however the network cuts them."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from geekagent_tui.agent.models.sse import LIMIT, EventDecoder, EventTooLongError


def decode(pieces: list[bytes]) -> tuple[list[str], bytes]:
    decoder = EventDecoder()
    events = [event for piece in pieces for event in decoder.feed(piece)]
    return events + list(decoder.close()), bytes(decoder.stray)


def cut(data: bytes, places: list[int]) -> list[bytes]:
    edges = [0, *sorted(place % (len(data) + 1) for place in places), len(data)]
    return [data[start:end] for start, end in pairwise(edges)]


LINES = st.lists(
    st.sampled_from(
        ["data: {}", 'data:{"a":"\u2028\x85\x0b"}', "data", ": ping", "event: x", "", "", "<html>", "中"]
    )
)


@given(LINES, st.sampled_from(["\n", "\r\n", "\r"]), st.lists(st.integers(0, 500)))
def test_pieces_make_no_difference(lines: list[str], end: str, places: list[int]) -> None:
    data = "".join(line + end for line in lines).encode()
    assert decode(cut(data, places)) == decode([("\n".join(lines) + "\n").encode() if lines else b""])


@given(st.lists(st.binary()))
def test_no_bytes_are_trouble(pieces: list[bytes]) -> None:
    decode(pieces)


def test_fields() -> None:
    assert decode([b"data: 1\r", b"\n", b"\n", b"data: 2\n\n"]) == (["1", "2"], b"")
    text = b": hi\nevent: error\nid: 1\nretry: 5\ndata: one\ndata:two\n\ndata: \xff\n\ndata: last"
    assert decode([text]) == (["one\ntwo", "\ufffd", "last"], b"")
    assert decode([b'{"error":\n "no"}']) == ([], b'{"error":\n "no"}\n')


@pytest.mark.parametrize("line", [b"data: x\n", b"data: x", b"stray\n"])
def test_an_endless_event_is_refused(line: bytes) -> None:
    with pytest.raises(EventTooLongError):
        decode([line * 100_000] * (LIMIT // 100_000 // len(line) + 2))
