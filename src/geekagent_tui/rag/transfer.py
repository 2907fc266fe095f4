"""Taking a whole knowledge base elsewhere, and bringing one in: the reference's `index.json` as a file."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from geekagent_tui.i18n import _
from geekagent_tui.rag import interchange, queries
from geekagent_tui.rag.errors import RagError, SourceError
from geekagent_tui.rag.exchange import store_entries
from geekagent_tui.rag.failures import failed
from geekagent_tui.rag.model import Document, IngestResult, IngestState
from geekagent_tui.rag.store import Store
from geekagent_tui.reasons import reason_of


class NotWrittenError(RagError):
    """Whoever takes an export could not take it; the reason is the cause."""

    code = "not_written"


def export(store: Store, write: Callable[[str], object]) -> int:
    """Write everything as an index.json, piece by piece, however much it is.

    Args:
        store: The store, of which one state is written.
        write: Takes the next piece.

    Returns:
        The number of documents.

    Raises:
        NotWrittenError: `write` raised an `OSError`.
    """
    with store.reading():
        for piece in interchange.render(queries.everything(store)):
            try:
                write(piece)
            except OSError as error:
                reason = reason_of(error)
                raise NotWrittenError(_("导出没有写完：{reason}").format(reason=reason)) from error
        return queries.stats(store).documents


def read(file: Path) -> bytes:
    """The content of a file to import; blocks.

    Raises:
        SourceError: It can't be read.
    """
    try:
        return file.read_bytes()
    except FileNotFoundError:
        raise failed(_("文件不存在：{path}").format(path=file)) from None
    except OSError as error:
        message = _("打不开 {path}：{reason}")
        raise failed(message.format(path=file, reason=reason_of(error))) from None


def take(store: Store, data: bytes, name: str, workspace: Path) -> list[IngestResult]:
    """Import an index.json in one transaction: unknown documents are added, differing ones replaced.

    Args:
        store: The store.
        data: The file's content.
        name: What the file is called.
        workspace: What relative sources are relative to.

    Returns:
        A result for each entry, and a failed one for all that can't be understood.

    Raises:
        SourceError: It is no such file; nothing was stored.
    """
    try:
        entries, unusable = interchange.parse(data)
    except ValueError:
        raise SourceError(_("{file} 不是 index.json 格式的文件，没有导入").format(file=name)) from None
    with store.writing():
        results = [_result(*stored) for stored in store_entries(store, entries, workspace)]
    if unusable:
        reason = _("{file} 里有 {n} 个条目无法识别，没有导入").format(file=name, n=unusable)
        results.append(IngestResult(name, IngestState.FAILED, reason=reason))
    return results


def _result(document: Document, state: IngestState) -> IngestResult:
    reason = _("已在知识库中，跳过（重复采集）") if state is IngestState.UNCHANGED else ""
    return IngestResult(
        document.source,
        state,
        document.id,
        document.title,
        document.characters,
        document.passages,
        reason,
    )
