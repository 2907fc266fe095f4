"""Streamed tool calls come together whatever the server does to ids, indexes and names."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from geekagent_tui.agent.models.tool_calls import ToolCallAssembler

NAMES = ("rag_search", "rag_add", "get_current_time")
Fragment = dict[str, Any]


def part(
    arguments: object = None, name: object = None, call_id: object = None, index: object = None
) -> Fragment:
    function = {"arguments": arguments, "name": name}
    fragment = {
        "id": call_id,
        "index": index,
        "function": {key: value for key, value in function.items() if value is not None},
    }
    return {key: value for key, value in fragment.items() if value is not None}


def assemble(*parts: Fragment) -> list[tuple[str, str]]:
    assembler = ToolCallAssembler(NAMES)
    for fragment in parts:
        assembler.feed(fragment)
    calls = assembler.finish()
    assert all(call.id for call in calls)
    assert len({call.id for call in calls}) == len(calls)
    return [(call.name, call.arguments) for call in calls]


SEARCH = '{"query": "a{b"}'
ADD = '{"source": "x"}'
ONE = [("rag_search", SEARCH)]
TWO = [*ONE, ("rag_add", ADD)]

QUIRKS: dict[str, tuple[list[Fragment], list[tuple[str, str]]]] = {
    "as documented": (
        [
            part("", "rag_search", "a", 0),
            part('{"query": ', index=0),
            part('"a{b"}', index=0),
            part("", "rag_add", "b", 1),
            part(ADD, index=1),
        ],
        TWO,
    ),
    "interleaved": (
        [
            part('{"query": ', "rag_search", "a", 0),
            part('{"source"', "rag_add", "b", 1),
            part('"a{b"}', index=0),
            part(': "x"}', index=1),
        ],
        TWO,
    ),
    "no index": (
        [part('{"query": ', "rag_search", "a"), part('"a{b"}'), part("", "rag_add", "b"), part(ADD)],
        TWO,
    ),
    "index always 0": (
        [
            part('{"query": ', "rag_search", "a", 0),
            part('"a{b"}', index=0),
            part("", "rag_add", "b", 0),
            part(ADD, index=0),
        ],
        TWO,
    ),
    "index always 0, no ids": ([part(SEARCH, "rag_search", index=0), part(ADD, "rag_add", index=0)], TWO),
    "neither index nor ids": ([part(SEARCH, "rag_search"), part(ADD, "rag_add")], TWO),
    "the same call twice": ([part(SEARCH, "rag_search"), part(SEARCH, "rag_search")], ONE * 2),
    "indexes but empty ids": (
        [part(SEARCH, "rag_search", "", 0), part(ADD, "rag_add", "", 1)],
        TWO,
    ),
    "index counts fragments": (
        [part('{"query"', "rag_search", "a", 0), part(": ", index=1), part('"a{b"}', index=2)],
        ONE,
    ),
    "late name": (
        [part('{"query": ', call_id="a", index=0), part(name="rag_search", index=0), part('"a{b"}', index=0)],
        ONE,
    ),
    "name in every fragment": (
        [
            part("", "rag_search", "a", 0),
            part('{"query": ', "rag_search", "", 0),
            part('"a{b"}', "rag_search"),
        ],
        ONE,
    ),
    "name in pieces": ([part("", "rag_", "a", 0), part(SEARCH, "search", None, 0)], ONE),
    "a new id in every fragment": (
        [
            part("", "rag_search", "a", 0),
            part('{"query": ', call_id="b", index=0),
            part('"a{b"}', call_id="c", index=0),
            part("", call_id="d", index=0),
        ],
        ONE,
    ),
    "arguments as an object": ([part({"query": "a{b"}, "rag_search", 7, "0")], ONE),
    "no arguments": ([part("", "get_current_time", "a", 0)], [("get_current_time", "{}")]),
    "empty fragments": (
        [part(None, "get_current_time"), {}, {"function": None}],
        [("get_current_time", "{}")],
    ),
    "braces in strings": (
        [part('{"a": "\\"}"', "rag_add", index=0), part("}", "rag_add")],
        [("rag_add", '{"a": "\\"}"}')],
    ),
    "arguments cut off": ([part('{"query": "', "rag_search", "a", 0)], [("rag_search", '{"query": "')]),
}


@pytest.mark.parametrize("quirk", QUIRKS)
def test_quirks(quirk: str) -> None:
    parts, calls = QUIRKS[quirk]
    assert assemble(*parts) == calls


JSON = st.recursive(st.none() | st.integers() | st.text(), lambda inner: st.dictionaries(st.text(), inner))


@given(st.lists(st.dictionaries(st.sampled_from(["id", "index", "function", "type"]), JSON)))
def test_no_fragment_is_trouble(parts: list[Fragment]) -> None:
    assemble(*parts)
