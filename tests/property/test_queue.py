"""A queue's file: what is written is read again, and nothing else is ever taken for an agreement."""

from __future__ import annotations

import json
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from geekagent_tui.rag import queue_format
from geekagent_tui.rag.model import GivenText, Growth, Source, SourceKind
from geekagent_tui.rag.queue_format import NoPlanError, Plan, parse, sealed

_KEY, _FOLDER = b"k" * 32, "/home/x/笔记"
_names = st.text(st.characters(codec=None), max_size=20)  # lone surrogates: names that are no UTF-8
_sources = st.builds(
    Source,
    st.sampled_from([SourceKind.URL, SourceKind.FILE]),
    _names,
    _names,
    st.just(Growth.LINKS),
    st.integers(1, 10_000),
    st.none() | st.builds(GivenText, st.binary(max_size=50), _names),
) | st.builds(Source, st.just(SourceKind.FILE), _names, _names)
_plans = st.builds(
    Plan,
    st.datetimes(timezones=st.just(UTC)),
    st.lists(_sources, max_size=5).map(tuple),
    st.booleans(),
    st.booleans(),
    st.lists(_names, max_size=3).map(tuple),
)
_json = st.recursive(
    st.none()
    | st.integers()
    | st.text(max_size=9)
    | st.sampled_from(["end", "page", "found", "site", "seal"]),
    lambda inner: st.lists(inner, max_size=5) | st.dictionaries(st.text(max_size=9), inner, max_size=3),
)
_lines = st.lists(st.binary(max_size=30) | _json.map(lambda value: json.dumps(value).encode()), max_size=6)


@given(_plans, st.lists(_names, max_size=4), _lines)
def test_a_plan_survives_whatever_is_behind_it(plan: Plan, ended: list[str], junk: list[bytes]) -> None:
    data = sealed(plan, _KEY, _FOLDER)
    data += queue_format.lines(queue_format.ended(name, "x") for name in ended) + b"\n".join(junk)

    found, trail = parse(data, _KEY, _FOLDER)

    assert found == plan
    assert set(ended) <= set(trail.ended)
    assert not set(trail.left(found)) & set(ended)


@given(_plans, st.data())
def test_a_changed_plan_is_none(plan: Plan, data: st.DataObject) -> None:
    whole = sealed(plan, _KEY, _FOLDER)
    at = data.draw(st.integers(0, len(whole) - 2))
    byte = data.draw(st.integers(0, 255).filter(lambda value: value != whole[at]))
    with pytest.raises(NoPlanError):
        parse(whole[:at] + bytes([byte]) + whole[at + 1 :], _KEY, _FOLDER)
    with pytest.raises(NoPlanError):
        parse(whole[:at], _KEY, _FOLDER)


@given(_lines)
def test_nothing_else_is_a_plan(lines: list[bytes]) -> None:
    with pytest.raises(NoPlanError):
        parse(b"\n".join(lines), _KEY, _FOLDER)


def test_a_plan_holds_for_one_folder_and_one_secret() -> None:
    data = sealed(Plan(datetime.now(UTC), (Source(SourceKind.FILE, "a", "/a"),)), _KEY, _FOLDER)
    for key, folder in ((_KEY, "/elsewhere"), (b"x" * 32, _FOLDER)):
        with pytest.raises(NoPlanError, match="not ours"):
            parse(data, key, folder)
