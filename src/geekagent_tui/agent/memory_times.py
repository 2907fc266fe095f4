"""When, and by whom, each entry of long-term memory was written: `memory.meta.json`, beside the entries.

`memory.json` stays the reference's list of strings. Entries are known here by the hash of their text, so one
that another program wrote merely has no time, and this file may be lost without harm.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from geekagent_tui.files import write_atomically


@dataclass(frozen=True, slots=True)
class Times:
    """When an entry was written.

    Attributes:
        added: First.
        changed: Last; None when it never was.
        seal: Says that it was written here; see `seals`.
    """

    added: datetime
    changed: datetime | None = None
    seal: str = ""


def key_of(entry: str) -> str:
    """How an entry is known: the first 32 hexadecimal digits of its SHA-256."""
    return hashlib.sha256(entry.encode(errors="surrogatepass")).hexdigest()[:32]


def read_times(file: Path) -> dict[str, Times]:
    """The times by entries' keys; what is broken or missing has none. Blocks."""
    try:
        content = json.loads(file.read_bytes())
    except (OSError, ValueError, RecursionError):
        return {}
    if not isinstance(content, dict):
        return {}
    read = ((key, _times(value)) for key, value in content.items())
    return {key: times for key, times in read if times is not None}


def write_times(file: Path, times: Mapping[str, Times], entries: Iterable[str]) -> None:
    """Keep the times of those entries that there are; blocks.

    Raises:
        OSError: They can't be written.
    """
    keys = set(map(key_of, entries))
    content = {
        key: {
            "added": each.added.isoformat(),
            **({"changed": each.changed.isoformat()} if each.changed else {}),
            **({"seal": each.seal} if each.seal else {}),
        }
        for key, each in times.items()
        if key in keys
    }
    write_atomically(file, (json.dumps(content, indent=2) + "\n").encode())


def _times(value: object) -> Times | None:
    if not isinstance(value, dict):
        return None
    try:
        changed = value.get("changed")
        seal = str(value.get("seal", ""))
        return Times(_time(value["added"]), None if changed is None else _time(changed), seal)
    except (KeyError, TypeError, ValueError):
        return None


def _time(value: str) -> datetime:
    return datetime.fromisoformat(value).astimezone()
