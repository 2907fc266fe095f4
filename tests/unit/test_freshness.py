"""Badges, and what is recorded about the looks at a source."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from geekagent_tui.rag.model import Badge, GivenText
from geekagent_tui.rag.opening import DATABASE
from geekagent_tui.rag.rows import to_iso
from geekagent_tui.rag.service import RagService
from support.bases import rag_folder, reference_doc, reference_json, write_files
from support.pages import PageServer, Reply
from support.versions import Versioned, page


@pytest.fixture
async def rag(tmp_path: Path) -> AsyncIterator[RagService]:
    service = await RagService.open(tmp_path)
    yield service
    await service.close()


@pytest.fixture
async def web() -> AsyncIterator[PageServer]:
    async with PageServer() as running:
        yield running


async def _badges(rag: RagService) -> dict[str, Badge | None]:
    return {document.source: document.badge for document in await rag.documents()}


def _execute(workspace: Path, statement: str, *values: str) -> None:
    connection = sqlite3.connect(rag_folder(workspace) / DATABASE)
    with connection:
        connection.execute(statement, values)
    connection.close()


def _ago(**span: float) -> str:
    return to_iso(datetime.now(UTC) - timedelta(**span))


def _log(workspace: Path) -> tuple[bytes, bytes]:
    """The database's files."""
    path = rag_folder(workspace) / DATABASE
    return path.read_bytes(), path.with_name(path.name + "-wal").read_bytes()


async def test_new_and_changed_for_a_day(rag: RagService, tmp_path: Path) -> None:
    write_files(tmp_path, {"a.md": "eins", "b.md": "zwei"})
    await rag.add(["a.md", "b.md"])
    assert await _badges(rag) == {"a.md": Badge.NEW, "b.md": Badge.NEW}

    write_files(tmp_path, {"a.md": "anders"})
    await rag.sync()
    assert await _badges(rag) == {"a.md": Badge.CHANGED, "b.md": Badge.NEW}
    found = await rag.find("a.md")
    assert found is not None
    assert found.badge is Badge.CHANGED
    assert (await rag.document(found.id)).document == found

    _execute(tmp_path, "UPDATE documents SET added_at = ?, updated_at = ?", _ago(hours=25), _ago(hours=25))
    assert await _badges(rag) == {"a.md": None, "b.md": None}


async def test_a_second_sync_writes_nothing_at_all(rag: RagService, web: PageServer, tmp_path: Path) -> None:
    write_files(tmp_path, {"a.md": "eins", "gone.md": "zwei"})
    web.pages["/etag"] = Versioned(web, page("Etag"), etag='W/"v1"')
    web.pages["/plain"] = Versioned(web, page("Ohne"))
    await rag.add(["a.md", "gone.md", f"{web.url}/etag", f"{web.url}/plain"])
    _execute(tmp_path, "UPDATE checks SET checked_at = ?", _ago(days=2))
    (tmp_path / "gone.md").unlink()

    await rag.sync()
    checked = {document.source: document.checked_at for document in await rag.documents()}
    since = datetime.now(UTC) - timedelta(minutes=5)
    assert {source for source, at in checked.items() if at and at > since} == checked.keys() - {"gone.md"}
    files, changes = _log(tmp_path), await rag._write.run(lambda store: store.connection.total_changes)

    results = await rag.sync()
    assert {result.state.value for result in results} == {"unchanged", "failed"}
    assert _log(tmp_path) == files
    assert await rag._write.run(lambda store: store.connection.total_changes) == changes


async def test_a_problem_is_kept_until_it_is_over(rag: RagService, web: PageServer, tmp_path: Path) -> None:
    write_files(tmp_path, {"a.md": "eins"})
    web.pages["/p"] = Reply(page("Seite"))
    url = f"{web.url}/p"
    await rag.add(["a.md", url])
    changes = rag.watch()
    web.pages["/p"] = Reply(status=503, reason="Busy")
    await rag.sync()
    found = await rag.find(url)
    assert found is not None
    assert (found.badge, found.problem) == (Badge.FAILED, "抓取失败：HTTP 503 Busy")
    assert (await anext(changes)).revision > 0
    await changes.aclose()

    web.pages["/p"] = Reply(page("Seite"))
    await rag.add([url])
    assert await _badges(rag) == {"a.md": Badge.NEW, url: Badge.NEW}
    web.pages["/p"] = Reply(status=503, reason="Busy")
    await rag.add([url, f"{web.url}/unknown"])
    assert await _badges(rag) == {"a.md": Badge.NEW, url: Badge.FAILED}


async def test_a_changed_or_missing_file_is_stale_until_it_is_read(rag: RagService, tmp_path: Path) -> None:
    write_files(tmp_path, {"a.md": "eins", "b.md": "zwei", "c.md": "drei", "d.md": "vier"})
    await rag.add(["a.md", "b.md", "c.md", "d.md"], texts=[GivenText(b"Text", "given")])
    assert not await rag.look_for_stale()
    write_files(tmp_path, {"a.md": "eins und zwei"})
    os.utime(tmp_path / "b.md", ns=(0, 0))
    (tmp_path / "c.md").unlink()

    assert await rag.look_for_stale()
    assert not await rag.look_for_stale()
    badges = {"a.md": Badge.STALE, "b.md": Badge.STALE, "c.md": Badge.STALE}
    assert await _badges(rag) == badges | {"d.md": Badge.NEW, "stdin:given": Badge.NEW}
    found = await rag.find("b.md")
    assert found is not None
    assert found.badge is Badge.STALE
    assert (await rag.document(found.id)).document.badge is Badge.STALE

    await rag.sync()
    assert await _badges(rag) == {
        "a.md": Badge.CHANGED,
        "b.md": Badge.NEW,
        "c.md": Badge.FAILED,
        "d.md": Badge.NEW,
        "stdin:given": Badge.NEW,
    }


async def test_a_page_is_stale_when_nobody_looked_for_a_month(
    rag: RagService, web: PageServer, tmp_path: Path
) -> None:
    web.pages["/p"] = Versioned(web, page("Etag"), etag='"1"')
    url = f"{web.url}/p"
    await rag.add([url])
    (tmp_path / "in.json").write_bytes(reference_json(reference_doc("http://example.org/", (0, "alt"))))
    await rag.import_file(tmp_path / "in.json")
    _execute(tmp_path, "UPDATE documents SET added_at = ?, updated_at = ?", _ago(days=40), _ago(days=40))
    assert not await rag.look_for_stale()
    _execute(tmp_path, "UPDATE checks SET checked_at = ?", _ago(days=31))

    assert await rag.look_for_stale()
    assert await _badges(rag) == {url: Badge.STALE, "http://example.org/": None}
    changes = rag.watch()
    await rag.sync([url])
    assert (await anext(changes)).revision > 0  # whoever shows the badge learns that it is gone
    await changes.aclose()
    assert await _badges(rag) == {url: None, "http://example.org/": None}


async def test_what_was_imported_is_neither_new_nor_changed(rag: RagService, tmp_path: Path) -> None:
    (tmp_path / "in.json").write_bytes(reference_json(reference_doc("x.md", (0, "alt"))))
    await rag.import_file(tmp_path / "in.json")
    assert await _badges(rag) == {"x.md": None}
    assert not await rag.look_for_stale()
    [document] = await rag.documents()
    assert document.checked_at is None
