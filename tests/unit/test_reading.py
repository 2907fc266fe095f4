from __future__ import annotations

import os
from pathlib import Path

import pytest

from geekagent_tui.rag import limits
from geekagent_tui.rag.errors import SourceError, TooLargeError
from geekagent_tui.rag.fetch import read_file
from geekagent_tui.rag.model import Source, SourceKind


def source(path: Path) -> Source:
    return Source(SourceKind.FILE, identity=path.name, location=str(path))


def reason(path: Path, root: Path | None = None) -> str:
    with pytest.raises(SourceError) as caught:
        read_file(source(path), root)
    return caught.value.message


def test_a_file(tmp_path: Path) -> None:
    path = tmp_path / "笔记.md"
    path.write_bytes(b"\xff\xfeA\0")
    raw = read_file(source(path), tmp_path)
    assert (raw.data, raw.kind, raw.name) == (b"\xff\xfeA\0", SourceKind.FILE, "笔记.md")
    assert raw.final_url == raw.content_type == ""


def test_an_empty_file_is_read(tmp_path: Path) -> None:
    (tmp_path / "empty.md").touch()
    assert read_file(source(tmp_path / "empty.md")).data == b""


def test_a_document_is_read_whatever_its_name(tmp_path: Path) -> None:
    (tmp_path / "paper").write_bytes(b"%PDF-1.7\0\0")
    assert read_file(source(tmp_path / "paper")).data == b"%PDF-1.7\0\0"


def test_what_cannot_be_read(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "photo").write_bytes(b"\x89PNG\r\n\x1a\n")
    (tmp_path / "folder").mkdir()
    assert reason(tmp_path / "gone.md") == "采集失败：文件不存在：gone.md"
    assert reason(tmp_path / "pipe") == "采集失败：不是普通文件：pipe"
    assert reason(tmp_path / "folder") == "采集失败：不是普通文件：folder"
    assert reason(Path("/dev/zero")) == "采集失败：不是普通文件：zero"
    (tmp_path / "b.xlsx").write_bytes(b"PK\x03\x04" + bytes(90))
    assert reason(tmp_path / "b.xlsx") == "采集失败：XLSX 文件已损坏，无法解析"
    (tmp_path / "c.docx").write_bytes(bytes(90))
    assert reason(tmp_path / "c.docx") == "采集失败：DOCX 文件已损坏，无法解析"
    assert reason(tmp_path / "photo") == "采集失败：photo 不是文本，是 PNG，暂不支持"
    assert reason(tmp_path / ("n" * 300)).startswith("采集失败：打不开 ")


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_no_permission(tmp_path: Path) -> None:
    (tmp_path / "a.md").touch(mode=0)
    assert reason(tmp_path / "a.md") == "采集失败：没有读取权限：a.md"


def test_a_link_out_of_the_root_is_not_read(tmp_path: Path) -> None:
    root = tmp_path / "root"
    root.mkdir()
    (tmp_path / "secret.md").write_text("secret")
    (root / "link.md").symlink_to(tmp_path / "secret.md")
    (root / "folder").symlink_to(tmp_path, target_is_directory=True)
    assert reason(root / "link.md", root) == "采集失败：路径越界：link.md"
    assert reason(root / "folder" / "secret.md", root) == "采集失败：路径越界：secret.md"
    assert read_file(source(root / "link.md")).data == b"secret"


def test_a_link_inside_the_root_is_read(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("a")
    (tmp_path / "link.md").symlink_to("a.md")
    root_link = tmp_path / "root link"
    root_link.symlink_to(tmp_path, target_is_directory=True)
    assert read_file(source(tmp_path / "link.md"), root_link).data == b"a"


def test_too_many_bytes(tmp_path: Path) -> None:
    path = tmp_path / "big.txt"
    with path.open("wb") as file:
        file.truncate(limits.BYTES + 1)
    with pytest.raises(TooLargeError, match=r"^采集失败：原始内容超过 32MB，请拆成几份再采集$"):
        read_file(source(path))


def test_a_file_that_says_it_is_empty_and_is_not(tmp_path: Path) -> None:
    # Files of /proc have size 0; what counts is what can be read
    path = Path("/proc/self/status")
    if not path.exists():
        pytest.skip("needs /proc")
    assert b"Name:" in read_file(source(path)).data
