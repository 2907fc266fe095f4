"""Session files: locked, owner-only, and never a reason not to start."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path

import pytest

from geekagent_tui.agent.conversation import Conversation
from geekagent_tui.agent.opening import replayed
from geekagent_tui.agent.records import Began, Forgotten, Noted, Queued, Record, UserSaid
from geekagent_tui.agent.sessions import SessionError, SessionFile, Sessions

WHEN = datetime(2026, 12, 1, tzinfo=UTC)
HELLO: Record = UserSaid(1, "你好", WHEN)


@pytest.fixture
def sessions(tmp_path: Path) -> Sessions:
    return Sessions(tmp_path / "sessions")


def reopen(sessions: Sessions, session: str) -> list[Record]:
    file = sessions.open(session)
    file.close()
    return [record for record in file.records if not isinstance(record, Began)]


def test_a_session_nobody_named_is_made_with_its_first_record(sessions: Sessions) -> None:
    file = sessions.begin()
    assert not file.path.exists()
    file.append([HELLO])
    assert stat.S_IMODE(file.path.stat().st_mode) == 0o600
    assert stat.S_IMODE(file.path.parent.stat().st_mode) == 0o700
    file.close()
    assert reopen(sessions, file.session) == [HELLO]


def test_a_name_taken_meanwhile_is_changed(sessions: Sessions) -> None:
    file = sessions.begin()
    taken = file.session
    other = sessions.create(taken)
    file.append([HELLO])
    assert file.session != taken
    assert file.path.stem == file.session
    file.close()
    other.close()
    assert reopen(sessions, file.session) == [HELLO]
    assert reopen(sessions, taken) == []


@pytest.mark.parametrize("name", ["", "a b", "../x", "a/b", "会话", "a.b", "x" * 65])
def test_names_are_plain(sessions: Sessions, name: str) -> None:
    with pytest.raises(SessionError, match="会话 ID 只能包含字母、数字、短横线和下划线"):
        sessions.create(name)
    with pytest.raises(SessionError, match="不存在"):
        sessions.open(name)


def test_a_name_is_taken_once(sessions: Sessions) -> None:
    sessions.create("work").close()
    with pytest.raises(SessionError, match="会话 ID 已存在"):
        sessions.create("work")


def test_the_last_open_session_is_resumed(sessions: Sessions) -> None:
    for name in ("a", "b"):
        file = sessions.create(name)
        file.append([HELLO])
        file.close()
    sessions.remember("a")
    file = sessions.resume()
    assert file.session == "a"
    file.close()
    (file.path.parent / "current").write_bytes(b"\xff")
    os.utime(file.path, (1, 1))
    newest = sessions.resume()
    assert newest.session == "b"
    newest.close()


def test_a_session_open_in_another_process_is_left_alone(sessions: Sessions) -> None:
    file = sessions.create("shared")
    file.close()
    holder = subprocess.Popen(
        [
            sys.executable,
            "-c",
            "import fcntl, sys; f = open(sys.argv[1]); fcntl.flock(f, fcntl.LOCK_EX);"
            "print('held', flush=True); input()",
            str(file.path),
        ],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    with holder:
        assert holder.stdout is not None
        holder.stdout.readline()
        with pytest.raises(SessionError, match="会话 shared 正在另一个程序里打开"):
            sessions.open("shared")
        fresh = sessions.resume()
        assert fresh.session != "shared"
        holder.kill()
    again = sessions.resume()  # the lock ends with its holder
    assert again.session == "shared"
    again.close()


def test_broken_lines_are_kept_aside_and_the_rest_opens(sessions: Sessions) -> None:
    file = sessions.create("s")
    file.append([HELLO])
    file.close()
    good = file.path.read_bytes()
    file.path.write_bytes(good + b'{"type":"user","entry\x00\xff\n' + b"\n" + good.splitlines(True)[1])

    again = sessions.open("s")
    assert again.records[1:] == [HELLO, HELLO]
    assert len(again.notices) == 1
    aside = [path for path in file.path.parent.iterdir() if ".broken-" in path.name]
    assert len(aside) == 1
    assert aside[0].name in again.notices[0]
    assert b"\x00\xff" in aside[0].read_bytes()
    again.append([Queued("k", "on")])
    again.close()
    assert reopen(sessions, "s") == [HELLO, HELLO, Queued("k", "on")]
    assert [summary.session for summary in sessions.summaries()] == ["s"]


def test_a_file_of_nothing_but_noise_opens_empty(sessions: Sessions) -> None:
    file = sessions.create("s")
    file.close()
    file.path.write_bytes(b"\x00" * 5000 + b"\n\n")
    assert reopen(sessions, "s") == []


def test_what_could_not_be_written_comes_with_the_next_write(
    sessions: Sessions, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = sessions.create("s")
    real_write = os.write

    def full_disk(descriptor: int, data: memoryview) -> int:
        if len(data) > 10:
            return real_write(descriptor, data[:10])
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("geekagent_tui.agent.sessions.os.write", full_disk)
    with pytest.raises(OSError, match="No space left"):
        file.append([HELLO])
    assert file.path.read_bytes().endswith(b"\n")
    monkeypatch.undo()
    file.append([Noted(2, "again", WHEN)])
    file.close()
    assert reopen(sessions, "s") == [HELLO, Noted(2, "again", WHEN)]


def test_summaries_count_messages_since_the_last_reset(sessions: Sessions) -> None:
    file = sessions.create("s")
    file.append([HELLO, Forgotten(), HELLO, Noted(3, "no message", WHEN)])
    file.close()
    assert [(summary.session, summary.messages) for summary in sessions.summaries()] == [("s", 1)]


def test_no_folder_means_no_sessions(sessions: Sessions) -> None:
    assert sessions.summaries() == []
    assert isinstance(sessions.resume(), SessionFile)


def test_a_session_that_does_not_add_up_is_closed(
    sessions: Sessions, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(_conversation: Conversation, _record: Record) -> None:
        raise ValueError("broken")

    file = sessions.create("a")
    file.append([UserSaid(1, "问", datetime.now(UTC))])
    file.close()
    opened = sessions.open("a")
    monkeypatch.setattr(Conversation, "apply", broken)
    with pytest.raises(ValueError, match="broken"):
        replayed(opened)
    sessions.open("a").close()
