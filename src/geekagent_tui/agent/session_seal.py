"""Whether a session was begun here: its first line says so under seal."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime

from geekagent_tui.agent.records import Began, MetForeign, Record, encode
from geekagent_tui.seals import Seals


def began(session: str, seals: Seals) -> bytes:
    """The first line of a session that begins here and now."""
    first = Began(session, datetime.now().astimezone())
    return encode(replace(first, seal=seals.seal(_sealed(first))))


def is_own(records: Sequence[Record], seals: Seals) -> bool:
    """Whether a file with these records was begun here, and did not come with the folder."""
    first = records[0] if records else None
    return isinstance(first, Began) and seals.fits(first.seal, _sealed(first))


def mark() -> bytes:
    """A line, without its end, that says of those before it that they are not the user's own."""
    return encode(MetForeign()).rstrip(b"\n")


def _sealed(first: Began) -> str:
    return f"{first.session}\n{first.at.isoformat()}"
