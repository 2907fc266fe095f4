"""A session's file as its lines: what is copied from one into another, so that nothing in them is lost.

Lines of kinds that this version does not know are kept as they are. Everything here blocks: call it off the
event loop.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from geekagent_tui.agent.records import Began, Dequeued, Forgotten, Queued, Record, UserSaid, decode

# A copy has a first line of its own, and what waits goes on waiting in the original.
_OWN = (Began, Queued, Dequeued)


_TYPED = '{"type": "'
"""How a line begins, as `records.encode` writes it."""


@dataclass(frozen=True, slots=True)
class Line:
    """A line that can be read.

    Attributes:
        data: As it is in the file, without its end.
        record: None for one of a kind this version does not know.
    """

    data: bytes
    record: Record | None


def read_lines(path: Path) -> list[Line]:
    """The lines of a file, which another program may be writing: what it has not finished is left out.

    Raises:
        OSError: It can't be read.
    """
    lines: list[Line] = []
    for data in path.read_bytes().split(b"\n"):
        try:
            record = decode(data)
        except ValueError:
            continue
        if not isinstance(record, _OWN):
            lines.append(Line(data, record))
    return lines


def records_of(data: bytes, kinds: tuple[str, ...]) -> Iterator[Record]:
    """The records of some kinds in a file's content, named as their lines name them.

    Most of a file is what tools and searches found; those lines are passed over without being read.
    """
    wanted = tuple(f'{_TYPED}{kind}"'.encode() for kind in kinds)
    for line in data.split(b"\n"):
        if line.startswith(_TYPED.encode()) and not line.startswith(wanted):
            continue
        try:
            record = decode(line)
        except ValueError:  # broken or cut short: what is around it still counts
            continue
        if record is not None:
            yield record


def questions(lines: Sequence[Line]) -> list[int]:
    """Where the user's questions since the last reset stand, oldest first."""
    places: list[int] = []
    for place, line in enumerate(lines):
        if isinstance(line.record, Forgotten):
            places.clear()
        elif isinstance(line.record, UserSaid):
            places.append(place)
    return places


def before(lines: Sequence[Line], number: int) -> tuple[list[bytes], str]:
    """The lines before a question, counted from 1, and the question.

    Raises:
        IndexError: There is no such question.
    """
    place = _place(lines, number)
    question = lines[place].record
    assert isinstance(question, UserSaid)
    return [line.data for line in lines[:place]], question.text


def through(lines: Sequence[Line], number: int) -> list[bytes]:
    """The lines up to the end of the turn that answers a question, so that no turn is cut in two.

    Raises:
        IndexError: There is no such question.
    """
    _place(lines, number)
    following = questions(lines)[number:]
    return [line.data for line in lines[: following[0] if following else None]]


def _place(lines: Sequence[Line], number: int) -> int:
    places = questions(lines)
    if not 1 <= number <= len(places):
        raise IndexError(number)
    return places[number - 1]
