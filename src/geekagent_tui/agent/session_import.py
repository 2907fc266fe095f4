"""Taking over the sessions of the reference: its `.geekagent/sessions.json`, read and never written.

Everything here blocks: call it off the event loop.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from geekagent_tui.agent.events import Level, ToolEntry, ToolState
from geekagent_tui.agent.messages import ToolCall
from geekagent_tui.agent.records import (
    AssistantSaid,
    Compacted,
    Noted,
    Record,
    ToolEnded,
    UserSaid,
    encode,
)
from geekagent_tui.agent.session_seal import mark
from geekagent_tui.agent.sessions import SessionError, SessionFile, Sessions
from geekagent_tui.files import private_folder, write_atomically
from geekagent_tui.i18n import _

LARGEST = 64 * 1024 * 1024
"""Bytes of an archive up to which it is read."""

_ID = re.compile(r"[a-zA-Z0-9_-]+")
_ID_LENGTH = 60
_ROLES = {"system", "user", "assistant", "tool", "developer", "function"}
_SUMMARY = "【此前对话摘要】"
_IMPORTED = "imported"


@dataclass(frozen=True, slots=True)
class Archive:
    """What the reference saved.

    Attributes:
        current: The session that was open.
        sessions: The messages of each, as chat servers take them.
        at: When it was saved, for want of the messages' own times.
        state: Tells this state of the file from another.
    """

    current: str
    sessions: dict[str, list[dict[str, Any]]]
    at: datetime
    state: str


@dataclass(frozen=True, slots=True)
class Imported:
    """What came of an archive.

    Attributes:
        added: Sessions that are new here.
        current: The id, here, of the one that was open in the reference; "" when it is not new.
    """

    added: tuple[str, ...]
    current: str


def read_archive(path: Path) -> Archive:
    """Read an archive, by the checks of the reference.

    Raises:
        SessionError: It is none.
        OSError: It can't be read.
    """
    invalid = SessionError(_("存档不是有效的多会话数据"))
    status = path.stat()
    if status.st_size > LARGEST:
        raise invalid
    try:
        value = json.loads(path.read_bytes())
        current, sessions = value["current"], value["sessions"]
        valid = current in sessions and all(map(_is_session, sessions, sessions.values()))
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        raise invalid from None
    if not valid:
        raise invalid
    at = datetime.fromtimestamp(status.st_mtime).astimezone()
    return Archive(current, sessions, at, _state(status))


def waits(sessions: Sessions, path: Path) -> bool:
    """Whether there is an archive with sessions that were not taken over yet."""
    known = _known(sessions.folder)
    try:
        if not path.is_file() or _state(path.stat()) in known:
            return False
        archive = read_archive(path)
    except (SessionError, OSError):
        return False
    return any(
        messages and _digest(name, messages) not in known for name, messages in archive.sessions.items()
    )


def take_over(sessions: Sessions, archive: Archive) -> Imported:
    """Make a session of each in the archive that was not taken over before; nothing here is overwritten.

    Raises:
        OSError: A session can't be written; those before it are there and are not taken over again.
    """
    folder = private_folder(sessions.folder)
    known = _known(folder)
    added: dict[str, str] = {}
    for name, messages in archive.sessions.items():
        digest = _digest(name, messages)
        if digest in known:
            continue
        records = list(_records(messages, archive.at))
        file = _new(sessions, name, [encode(record).rstrip(b"\n") for record in records])
        file.close()
        added[name] = file.session
        known.add(digest)
        _note(folder, known)
    _note(folder, known | {archive.state})
    return Imported(tuple(added.values()), added.get(archive.current, ""))


def _new(sessions: Sessions, name: str, lines: Sequence[bytes]) -> SessionFile:
    name = name[:_ID_LENGTH]
    try:
        file = sessions.create(name)
    except SessionError:  # there is one with this name
        return sessions.copy(name, lines)
    file.take([*lines, mark()])
    return file


def _is_session(name: str, messages: object) -> bool:
    return (
        bool(_ID.fullmatch(name))
        and isinstance(messages, list)
        and all(isinstance(each, dict) and each.get("role") in _ROLES for each in messages)
    )


def _digest(name: str, messages: object) -> str:
    data = json.dumps([name, messages], sort_keys=True).encode()
    return hashlib.sha256(data).hexdigest()


def _known(folder: Path) -> set[str]:
    """The sessions that were taken over before."""
    try:
        return set((folder / _IMPORTED).read_text(encoding="ascii").split())
    except (OSError, UnicodeDecodeError):
        return set()


def _note(folder: Path, known: set[str]) -> None:
    write_atomically(folder / _IMPORTED, "".join(f"{each}\n" for each in sorted(known)).encode())


def _state(status: os.stat_result) -> str:
    return f"{status.st_mtime_ns}-{status.st_size}"


def _records(messages: Sequence[Mapping[str, Any]], at: datetime) -> Iterator[Record]:
    """What was said, in order; the reference used ids of calls again, here each has its own."""
    entry = calls = 0
    open_calls: dict[str, ToolCall] = {}
    for message in messages:
        text = _text(message.get("content"))
        match message["role"]:
            case "assistant":
                made = []
                for given, name, arguments in _calls(message.get("tool_calls")):
                    calls += 1
                    open_calls[given] = ToolCall(f"imported_{calls}", name, arguments)
                    made.append(open_calls[given])
                entry += bool(text.strip())
                if text.strip() or made:
                    yield AssistantSaid(entry, text, at, tuple(made))
            case "tool":
                call = open_calls.pop(_text(message.get("tool_call_id")), None)
                if call is not None:
                    yield _answered(call, text, at, entry)
            case role if text.strip():
                entry += 1
                if role == "user":
                    yield UserSaid(entry, text, at)
                elif text.startswith(_SUMMARY) and entry == 1:  # it stands for what was said before
                    yield _summed_up(text.removeprefix(_SUMMARY).strip(), at)
                else:
                    yield Noted(entry, text, at, Level.INFO)
            case _:
                pass


def _summed_up(summary: str, at: datetime) -> Compacted:
    """The summary with which the reference's history begins; of what, and how long it was, is not told."""
    return Compacted(1, _("此前的对话已合并为摘要"), at, (summary,), 0, None, (), 0, 0)


def _answered(call: ToolCall, text: str, at: datetime, after: int) -> ToolEnded:
    summary = " ".join(text[:200].split())[:40]
    entry = ToolEntry(
        call.id, call.name, "", call.arguments, at, ToolState.DONE, summary=summary, result=text, after=after
    )
    return ToolEnded(entry, text)


def _text(content: object) -> str:
    """A message's words; of content in parts, those of its texts."""
    if isinstance(content, str):
        return content
    if isinstance(content, list):
        return "".join(_text(part.get("text")) for part in content if isinstance(part, dict))
    return ""


def _calls(value: object) -> Iterator[tuple[str, str, str]]:
    """Id, name and arguments of each call."""
    for call in value if isinstance(value, list) else ():
        function = call.get("function") if isinstance(call, dict) else None
        if isinstance(function, dict) and (name := _text(function.get("name"))):
            yield _text(call.get("id")), name, _text(function.get("arguments"))
