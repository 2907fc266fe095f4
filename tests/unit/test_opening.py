from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest

from geekagent_tui.rag import queries
from geekagent_tui.rag.errors import StoreError, StoreTooNewError
from geekagent_tui.rag.opening import DATABASE, in_plain_words, open_database
from support.bases import exchange, index_json, new_document, open_store, rag_folder


def _filled(workspace: Path, *, export: bool = True) -> Path:
    store = open_store(workspace)
    store.put([new_document(f"{at}.md", f"Text {at} " * 500) for at in range(20)])
    if export:
        exchange(workspace).write(store)
    store.close()
    return rag_folder(workspace) / DATABASE


def _overwrite(path: Path, at: int, data: bytes) -> None:
    with path.open("r+b") as file:
        file.seek(at)
        file.write(data)


def _foreign(path: Path) -> None:
    path.unlink()
    connection = sqlite3.connect(path)
    connection.execute("CREATE TABLE documents (other TEXT)")
    connection.close()


DAMAGE: dict[str, Callable[[Path], object]] = {
    "no database": lambda path: path.write_bytes(b"something else entirely" * 1000),
    "header": lambda path: _overwrite(path, 0, b"\xff" * 100),
    "pages": lambda path: _overwrite(path, 4096, os.urandom(path.stat().st_size - 4096)),
    "some pages": lambda path: _overwrite(path, path.stat().st_size // 2, b"\xff" * 20_000),
    "cut": lambda path: os.truncate(path, path.stat().st_size // 2),
    "another's tables": _foreign,
}


@pytest.mark.parametrize("damage", DAMAGE.values(), ids=DAMAGE.keys())
def test_a_broken_database_is_set_aside_and_filled_again(
    tmp_path: Path, damage: Callable[[Path], object]
) -> None:
    path = _filled(tmp_path)
    damage(path)
    broken = path.read_bytes()

    store, notices = open_database(exchange(tmp_path))

    assert "已损坏" in notices[0]
    assert "新增 20 个文档" in notices[1]
    assert queries.stats(store).documents == 20
    store.close()
    [aside] = [each for each in path.parent.glob("knowledge.db.broken-*") if not each.name.endswith("-wal")]
    assert aside.name in notices[0]
    assert aside.read_bytes()[100:] == broken[100:]  # looking into it may mark the header


def test_without_a_copy_it_begins_anew(tmp_path: Path) -> None:
    path = _filled(tmp_path, export=False)
    path.write_bytes(b"x" * 5000)

    store, notices = open_database(exchange(tmp_path))

    assert len(notices) == 1
    assert queries.is_empty(store)
    store.close()


def test_the_copy_that_was_given_up_is_better_than_nothing(tmp_path: Path) -> None:
    path = _filled(tmp_path)
    index_json(tmp_path).rename(exchange(tmp_path).old_file)
    path.write_bytes(b"x" * 5000)

    store, notices = open_database(exchange(tmp_path))

    assert "index.old.json" in notices[1]
    assert queries.stats(store).documents == 20
    store.close()


def test_a_database_found_broken_later_is_checked_whole_next_time(tmp_path: Path) -> None:
    folder = rag_folder(tmp_path)
    error = sqlite3.DatabaseError("database disk image is malformed")
    error.sqlite_errorcode = sqlite3.SQLITE_CORRUPT_VTAB
    with pytest.raises(StoreError, match="已损坏"), in_plain_words(folder):
        raise error
    suspect = folder / "knowledge.db.suspect"
    assert suspect.exists()

    store, notices = open_database(exchange(tmp_path))
    store.close()

    assert notices == []
    assert not suspect.exists()


def test_a_newer_database_stays_where_it_is(tmp_path: Path) -> None:
    path = _filled(tmp_path)
    connection = sqlite3.connect(path)
    connection.execute("PRAGMA user_version = 99")
    connection.close()

    with pytest.raises(StoreTooNewError):
        open_database(exchange(tmp_path))

    assert path.exists()
    assert not list(path.parent.glob("*.broken-*"))


def test_what_is_no_damage_is_not_taken_for_damage(tmp_path: Path) -> None:
    (rag_folder(tmp_path) / DATABASE).mkdir()

    with pytest.raises(StoreError, match="打不开"):
        open_database(exchange(tmp_path))

    assert (rag_folder(tmp_path) / DATABASE).is_dir()


def test_an_index_json_that_cannot_be_read_does_not_stop_the_start(tmp_path: Path) -> None:
    index_json(tmp_path).mkdir()

    store, notices = open_database(exchange(tmp_path))

    assert len(notices) == 1
    assert "index.json" in notices[0]
    store.close()


def test_only_the_owner_may_read_it(tmp_path: Path) -> None:
    store, _ = open_database(exchange(tmp_path))
    store.put([new_document("a", "geheim")])

    for path in rag_folder(tmp_path).iterdir():
        assert path.stat().st_mode & 0o077 == 0, path
    store.close()


def test_sentences_for_everything(tmp_path: Path) -> None:
    for error, sentence in (
        (OSError(28, "No space left on device"), "磁盘已满"),
        (sqlite3.OperationalError("something odd"), "something odd"),
    ):
        with pytest.raises(StoreError, match=sentence), in_plain_words(tmp_path):
            raise error


def test_a_broken_database_that_another_program_has_open_stays(tmp_path: Path) -> None:
    path = _filled(tmp_path)
    other, _notices = open_database(exchange(tmp_path))
    broken = path.with_name("copy")
    broken.write_bytes(b"something else entirely" * 1000)
    broken.replace(path)

    with pytest.raises(StoreError, match="另一个程序"):
        open_database(exchange(tmp_path))
    assert path.read_bytes().startswith(b"something else")

    other.close()
    store, notices = open_database(exchange(tmp_path))
    assert "已损坏" in notices[0]
    assert queries.stats(store).documents == 20
    store.close()
