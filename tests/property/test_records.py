"""Whatever was said comes back from a session's file as it was."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given
from hypothesis import strategies as st

from geekagent_tui.agent.events import Citation, Level, ToolEntry, ToolState
from geekagent_tui.agent.messages import ToolCall
from geekagent_tui.agent.records import (
    AssistantSaid,
    CommandTyped,
    Dequeued,
    Forgotten,
    Named,
    Noted,
    Partial,
    Queued,
    Recalled,
    Record,
    ToolEnded,
    UserSaid,
    decode,
    encode,
)
from geekagent_tui.agent.session_lines import before, questions, read_lines, through
from geekagent_tui.agent.sessions import Sessions
from geekagent_tui.rag.model import Hit

TEXT = st.text(st.characters(codec=None), max_size=40)
NUMBER = st.integers(1, 10**6)
TIME = st.datetimes(
    min_value=datetime(2000, 1, 1),
    max_value=datetime(2100, 1, 1),
    timezones=st.sampled_from([UTC, timezone(timedelta(hours=8))]),
)
HIT = st.builds(Hit, NUMBER, TEXT, TEXT, NUMBER, NUMBER, TEXT, TEXT, st.floats(0, 1000, allow_nan=False))
HITS = st.lists(HIT, max_size=2).map(tuple)
ENTRY = st.builds(
    ToolEntry,
    TEXT,
    TEXT,
    TEXT,
    TEXT,
    TIME,
    st.sampled_from(ToolState),
    TEXT,
    TEXT,
    HITS,
    st.none() | st.floats(0, 1000, allow_nan=False),
)
CITATION = st.builds(Citation, NUMBER, NUMBER, TEXT, NUMBER, st.none() | NUMBER, TEXT)
RECORD: st.SearchStrategy[Record] = st.one_of(
    st.builds(UserSaid, NUMBER, TEXT, TIME),
    st.builds(CommandTyped, NUMBER, TEXT, TIME),
    st.builds(Queued, TEXT, TEXT),
    st.builds(Dequeued, TEXT),
    st.builds(Recalled, HITS),
    st.builds(Partial, TEXT),
    st.builds(
        AssistantSaid,
        NUMBER,
        TEXT,
        TIME,
        st.lists(st.builds(ToolCall, TEXT, TEXT, TEXT), max_size=2).map(tuple),
        st.booleans(),
        st.booleans(),
        st.lists(CITATION, max_size=2).map(tuple),
    ),
    st.builds(ToolEnded, ENTRY, st.none() | TEXT),
    st.builds(Noted, NUMBER, TEXT, TIME, st.sampled_from(Level)),
    st.builds(Named, TEXT),
    st.just(Forgotten()),
)


@given(RECORD)
def test_a_record_survives_its_line(record: Record) -> None:
    line = encode(record)
    assert line.count(b"\n") == 1
    assert decode(line) == record


@given(st.binary(max_size=200))
def test_any_other_line_is_refused_cleanly(line: bytes) -> None:
    try:
        decode(line)
    except ValueError:
        return


@pytest.mark.parametrize(
    "line",
    [
        b'{"type":"user"}',
        b'{"type":"user","entry_id":1,"text":2,"at":"2026-01-01T00:00:00"}',
        b'{"type":"tool","entry":{},"content":null}',
        b'{"type":"assistant","entry_id":1,"text":"","at":"x","calls":[],"interrupted":false}',
        b"[]",
        b"null",
        b"[" * 100_000,
    ],
)
def test_a_line_that_is_not_a_record_is_refused(line: bytes) -> None:
    with pytest.raises(ValueError):  # noqa: PT011  # a broken line may fail in any way
        decode(line)


def test_a_record_of_a_later_version_is_passed_over() -> None:
    assert decode(b'{"type":"compaction","summary":"x"}') is None


@given(st.lists(RECORD, max_size=6), st.integers(min_value=0))
def test_a_file_cut_anywhere_opens_with_every_whole_record(records: list[Record], cut: int) -> None:
    with TemporaryDirectory() as name:
        sessions = Sessions(Path(name))
        file = sessions.create("s")
        file.append(records, durable=False)
        file.close()
        data = file.path.read_bytes()
        cut %= len(data) + 1
        file.path.write_bytes(data[:cut])

        again = sessions.open("s")
        whole = data[:cut].count(b"\n")
        # A last line without its line end counts when it is complete.
        assert len(again.records) in {whole, whole + 1}
        assert again.records[1:] == records[: max(0, len(again.records) - 1)]
        assert not again.notices
        again.append([Queued("k", "on")], durable=False)
        again.close()
        last = sessions.open("s")
        assert last.records[-1] == Queued("k", "on")
        # What was cut in its first line begins anew with the next write
        assert len(last.records) == max(1, len(again.records)) + 1
        last.close()


@given(st.lists(RECORD | st.just(b'{"type": "later", "value": [1]}'), max_size=8))
def test_a_copy_holds_every_line_but_those_of_the_queue(lines: list[Record | bytes]) -> None:
    written = [line if isinstance(line, bytes) else encode(line).rstrip(b"\n") for line in lines]
    with TemporaryDirectory() as name:
        sessions = Sessions(Path(name))
        file = sessions.create("work")
        file.take(written)
        file.close()
        read = read_lines(file.path)
        copy = sessions.copy("work", [line.data for line in read])
        copy.close()
        kept = [line for line in written if not isinstance(decode(line), Queued | Dequeued)]
        assert copy.path.read_bytes().split(b"\n")[1:-1] == kept
        for number in range(1, len(questions(read)) + 1):
            until, question = before(read, number)
            assert len(until) == questions(read)[number - 1]
            assert isinstance(question, str)
            whole = through(read, number)
            assert whole[: len(until)] == until
            assert len(whole) > len(until)
