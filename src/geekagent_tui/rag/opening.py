"""Opening the database, whatever state its files are in, and telling its errors in plain words."""

from __future__ import annotations

import contextlib
import fcntl
import logging
import os
import sqlite3
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path

from geekagent_tui.files import locked, private_folder, try_lock
from geekagent_tui.i18n import _
from geekagent_tui.rag import queries, undo
from geekagent_tui.rag.errors import StoreError
from geekagent_tui.rag.exchange import Exchange
from geekagent_tui.rag.store import Store
from geekagent_tui.reasons import reason_of

DATABASE = "knowledge.db"

_log = logging.getLogger(__name__)

_BROKEN = frozenset({sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB})
_SMALL = 4_000_000
"""Bytes of a database that is checked whole at every opening: that takes milliseconds."""
SUSPECT = "knowledge.db.suspect"
"""A file that makes the next opening check the database whole."""


def open_database(exchange: Exchange) -> tuple[Store, list[str]]:
    """Open the knowledge base's database; a broken one is set aside and filled again from index.json.

    Returns:
        The connection, and what the user should know.

    Raises:
        StoreTooNewError: A newer program wrote it.
        StoreError: It can't be opened for a reason that has nothing to do with its content.
    """
    with in_plain_words(exchange.folder):
        private_folder(exchange.folder)
        with locked(exchange.folder / "open.lock"):
            store, notices = _held(exchange.folder)
        try:
            notices += _taken_in(exchange, store, recovering=bool(notices))
            with contextlib.suppress(sqlite3.OperationalError):  # a disk that is full: it can wait
                undo.forget_old(store)
        except BaseException:
            store.close()
            raise
    return store, notices


@contextlib.contextmanager
def in_plain_words(folder: Path) -> Iterator[None]:
    """Turn errors of the database into sentences; remember when one says that the file is broken."""
    try:
        yield
    except sqlite3.Error as error:
        _log.warning("database in %s: %s", folder, error)
        if _is_broken(error):
            with contextlib.suppress(OSError):
                (folder / SUSPECT).touch()
            raise StoreError(_("知识库文件已损坏，重新启动程序会把它另存并重建")) from error
        raise StoreError(_reason(error)) from error
    except TimeoutError as error:
        raise StoreError(_("知识库正被另一个进程占用，请稍后重试")) from error
    except OSError as error:
        raise StoreError(
            _("打不开知识库 {path}：{reason}").format(path=folder, reason=reason_of(error))
        ) from error


def _opened(folder: Path, in_use: int) -> tuple[Store, list[str]]:
    path = folder / DATABASE
    try:
        return _checked(path), []
    except sqlite3.Error as error:
        if not _is_broken(error) and _code(error) != sqlite3.SQLITE_ERROR:  # ERROR: other tables than ours
            raise
        _log.warning("%s is broken: %s", path, error)
    if not try_lock(in_use, fcntl.LOCK_EX):  # what it stores from now on would go into the renamed file
        raise StoreError(_("知识库文件已损坏，而另一个程序正开着它；请先退出那个程序，再重新打开"))
    aside = _set_aside(path)
    notice = _("知识库文件已损坏，已另存为 {aside}").format(aside=aside.name)
    return _checked(path), [notice]


def _held(folder: Path) -> tuple[Store, list[str]]:
    """Open it, and show to other programs that it is open for as long as it is."""
    in_use = os.open(folder / "in-use.lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        store, notices = _opened(folder, in_use)
        try_lock(in_use, fcntl.LOCK_SH)  # nobody has it exclusively: that is only done under open.lock
    except BaseException:
        os.close(in_use)
        raise
    store.when_closed(lambda: os.close(in_use))
    return store, notices


def _checked(path: Path) -> Store:
    if not path.exists():
        path.touch(mode=0o600)  # SQLite gives its other files the same rights
    store = Store.open(path)
    try:
        queries.stats(store)  # touches every document's row, none of their texts
        suspect = path.with_name(SUSPECT)
        if suspect.exists() or path.stat().st_size <= _SMALL:
            # Whoever suspects it may have looked closer
            check = "integrity_check" if suspect.exists() else "quick_check"
            found = store.connection.execute(f"PRAGMA {check}(1)").fetchone()[0]
            if found != "ok":
                error = sqlite3.DatabaseError(found)
                error.sqlite_errorcode = sqlite3.SQLITE_CORRUPT
                raise error
            suspect.unlink(missing_ok=True)
    except BaseException:
        store.close()
        raise
    return store


def _set_aside(path: Path) -> Path:
    """Rename a database and what belongs to it, so that a repair tool still finds them together."""
    stamp = datetime.now().strftime("%Y%m%d-%H%M%S-%f")
    aside = path.with_name(f"{path.name}.broken-{stamp}")
    for suffix in ("-shm", "-wal", ""):
        with contextlib.suppress(FileNotFoundError):
            path.with_name(path.name + suffix).rename(aside.with_name(aside.name + suffix))
    path.with_name(SUSPECT).unlink(missing_ok=True)
    return aside


def _taken_in(exchange: Exchange, store: Store, *, recovering: bool) -> list[str]:
    """What index.json brings; that it can't be read is no reason not to start."""
    try:
        notices = exchange.take_in(store)
        return notices + (exchange.recover(store) if recovering else [])
    except OSError as error:
        _log.warning("index.json: %s", error)
        return [_("index.json 无法读取：{reason}").format(reason=reason_of(error))]


def _code(error: sqlite3.Error) -> int:
    return getattr(error, "sqlite_errorcode", 0) & 0xFF  # the rest tells more than is needed


def _is_broken(error: sqlite3.Error) -> bool:
    return _code(error) in _BROKEN


def _reason(error: sqlite3.Error) -> str:
    reasons = {
        sqlite3.SQLITE_FULL: _("磁盘已满，知识库没有写入"),
        sqlite3.SQLITE_READONLY: _("知识库文件是只读的，没有写入"),
        sqlite3.SQLITE_BUSY: _("知识库正被另一个进程占用，请稍后重试"),
        sqlite3.SQLITE_CANTOPEN: _("打不开知识库文件，请检查文件夹的权限"),
    }
    return reasons.get(_code(error)) or _("知识库读写失败：{reason}").format(reason=error)
