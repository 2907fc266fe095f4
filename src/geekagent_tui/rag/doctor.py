"""Looking whether everything of a knowledge base is sound, and saying what to do when it is not."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import Path

from geekagent_tui.i18n import _
from geekagent_tui.rag import interchange, queries
from geekagent_tui.rag.errors import RagError
from geekagent_tui.rag.exchange import Exchange
from geekagent_tui.rag.follower import Follower
from geekagent_tui.rag.model import DenseStatus, Interrupted, Stats
from geekagent_tui.rag.opening import DATABASE, SUSPECT
from geekagent_tui.rag.store import PIECE, Store

_MOST = 5
"""Most lines of SQLite's own findings that are passed on."""


class Copy(StrEnum):
    """What the second copy, index.json, is."""

    CURRENT = "current"
    BEHIND = "behind"
    MISSING = "missing"
    RETIRED = "retired"


@dataclass(frozen=True, slots=True)
class Problem:
    """Something that is wrong.

    Attributes:
        what: A sentence.
        advice: What to do, another one.
    """

    what: str
    advice: str


@dataclass(frozen=True, slots=True)
class Checkup:
    """What was found.

    Attributes:
        stats: As the database has it.
        database_bytes: Size of the database with its log.
        indexed: Passages in the index; None when it can't be read or is behind.
        index_bytes: Size of the index's folder.
        copy: What index.json is; RETIRED when the base has outgrown it.
        copied: Documents in it; None when there are none to count.
        copy_bytes: Its size.
        limit: Passages above which it is retired.
        undoable: Documents that undoing the last removal would bring back.
        interrupted: Batches whose processes died, to be resumed.
        set_aside: Broken files that were set aside, name and size.
        problems: What is wrong; empty when everything is sound.
        dense: How far the passages have vectors.
    """

    stats: Stats
    database_bytes: int
    indexed: int | None
    index_bytes: int
    copy: Copy
    copied: int | None
    copy_bytes: int
    limit: int
    undoable: int
    interrupted: tuple[Interrupted, ...]
    set_aside: tuple[tuple[str, int], ...]
    problems: tuple[Problem, ...]
    dense: DenseStatus = DenseStatus()  # noqa: RUF009  # frozen

    def with_dense(self, dense: DenseStatus) -> Checkup:
        """The same, with what was found out about vectors."""
        found = list(self.problems)
        if dense.problem:
            advice = _("按提示安装或检查 config.toml 的 [dense]；没有向量时照常按词检索")
            found.append(Problem(_("向量还没有建好：{reason}").format(reason=dense.problem), advice))
        return replace(self, dense=dense, problems=tuple(found))


def lost_passages(store: Store, follower: Follower) -> bool:
    """Whether the index has not what it says it has; asked before it is brought forward and so mended."""
    passages = queries.stats(store).passages
    return bool(passages) and follower.seems_current(store) and _indexed(store, follower) != passages


def examine(
    store: Store,
    exchange: Exchange,
    follower: Follower,
    interrupted: Sequence[Interrupted],
    mended: bool,
    trouble: str,
) -> Checkup:
    """Check everything; reads the whole database, so it takes a while for a big one.

    Args:
        store: The store.
        exchange: index.json.
        follower: The index, after it was brought forward.
        interrupted: What is in the queue.
        mended: Whether it had lost something before.
        trouble: Why it could not be brought forward; else empty.
    """
    problems = _database_problems(store, exchange.folder)
    stats, indexed = queries.stats(store), _indexed(store, follower)
    problems += _index_problems(stats, indexed, exchange.folder / "index", mended, trouble)
    copy, copied = _copy(store, exchange, problems)
    undoable = store.connection.execute("SELECT count(*) FROM removed").fetchone()[0]
    folders = (exchange.folder, exchange.folder / "queue")
    aside = [file for folder in folders for file in sorted(folder.glob("*.broken-*"))]
    return Checkup(
        stats=stats,
        database_bytes=sum(_size(exchange.folder / (DATABASE + end)) for end in ("", "-wal", "-shm")),
        indexed=indexed,
        index_bytes=sum(map(_size, (exchange.folder / "index").rglob("*"))),
        copy=copy,
        copied=copied,
        copy_bytes=_size(exchange.file),
        limit=exchange.limit,
        undoable=undoable,
        interrupted=tuple(interrupted),
        set_aside=tuple((file.name, _size(file)) for file in aside),
        problems=tuple(problems),
    )


def _database_problems(store: Store, folder: Path) -> list[Problem]:
    problems = []
    rows = store.connection.execute(f"PRAGMA integrity_check({_MOST})").fetchall()
    if rows != [("ok",)]:
        (folder / SUSPECT).touch()
        found = "; ".join(str(row[0]) for row in rows)
        problems.append(
            Problem(
                _("数据库已损坏：{found}").format(found=found),
                _("先用 rag export 备份，再重新启动程序：它会把损坏的文件另存，并从 index.json 重建"),
            )
        )
    if odd := _incomplete(store):
        problems.append(
            Problem(
                _("这些文档的正文或段落不完整：{sources}").format(sources=_("、").join(odd)),
                _("用 rag remove 移除，再用 rag add 重新采集"),
            )
        )
    return problems


def _incomplete(store: Store) -> list[str]:
    """Some documents whose rows don't fit together."""
    rows = store.connection.execute(
        "SELECT source FROM documents WHERE"
        " passages != (SELECT count(*) FROM passages WHERE document_id = id)"
        " OR (characters + ?1 - 1) / ?1 != (SELECT count(*) FROM texts WHERE document_id = id)"
        " OR characters < (SELECT ifnull(max(start + length), 0) FROM passages WHERE document_id = id)"
        " LIMIT ?2",
        (PIECE, _MOST),
    )
    return [str(row[0]) for row in rows]


def _index_problems(
    stats: Stats, indexed: int | None, folder: Path, mended: bool, trouble: str
) -> list[Problem]:
    rebuild = _("删除文件夹 {folder}，下次启动会重建索引").format(folder=folder)
    if trouble:
        return [Problem(_("索引不能更新：{reason}").format(reason=trouble), rebuild)]
    if stats.passages and indexed is None:
        return [Problem(_("索引还没有跟上数据库"), _("稍后再检查；若一直如此，{step}").format(step=rebuild))]
    if indexed is not None and indexed != stats.passages:
        what = _("索引里有 {found} 块，数据库里有 {wanted} 块")
        return [Problem(what.format(found=indexed, wanted=stats.passages), rebuild)]
    return [Problem(_("索引的文件曾经缺失或损坏"), _("已经重建，不必处理"))] if mended else []


def _indexed(store: Store, follower: Follower) -> int | None:
    if not follower.is_current(store) or follower.index is None:
        return None
    try:
        return follower.index.count()
    except (ValueError, OSError, RagError):
        return None


def _copy(store: Store, exchange: Exchange, problems: list[Problem]) -> tuple[Copy, int | None]:
    """What index.json is, and how many documents are in it; adds what is wrong with it."""
    if queries.meta(store, "json_retired") is not None:
        return Copy.RETIRED, None
    if queries.is_empty(store) and not exchange.file.exists():
        return Copy.MISSING, None
    check = _("检查磁盘空间和文件夹 {folder} 的权限").format(folder=exchange.folder)
    try:
        entries, unusable = interchange.parse(exchange.file.read_bytes())
    except (ValueError, OSError) as error:
        problems.append(Problem(_("index.json 不能读写：{reason}").format(reason=error), check))
        return Copy.BEHIND, None
    copied, documents = len(entries) + unusable, queries.stats(store).documents
    if exchange.is_behind(store):
        problems.append(Problem(_("index.json 落后于数据库"), check))
        return Copy.BEHIND, copied
    if copied != documents:
        what = _("index.json 里有 {found} 个文档，数据库里有 {wanted} 个")
        advice = _("删除 index.json，下次启动会重新写一份")
        problems.append(Problem(what.format(found=copied, wanted=documents), advice))
    return Copy.CURRENT, copied


def _size(file: Path) -> int:
    try:
        return file.stat().st_size if file.is_file() else 0
    except FileNotFoundError:  # gone between two looks
        return 0
