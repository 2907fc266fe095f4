"""What the user typed → sources: a web page, a file, all files of a folder or of a pattern.

Nothing here opens a connection or asks a name server: a preview must be free of any request.
"""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Callable
from dataclasses import replace
from datetime import datetime
from pathlib import Path

from geekagent_tui.i18n import _
from geekagent_tui.rag import limits
from geekagent_tui.rag.addresses import host_of, is_url, normalise
from geekagent_tui.rag.errors import SourceError
from geekagent_tui.rag.listing import Listing, is_pattern, list_files, split_pattern
from geekagent_tui.rag.model import Growth, Source, SourceKind, SourcePreview
from geekagent_tui.rag.sitemap import is_sitemap
from geekagent_tui.rag.words import split_words
from geekagent_tui.reasons import reason_of

_LOOKS_LIKE_A_HOST = re.compile(
    r"(?:www\.|localhost[:/]|\d{1,3}(?:\.\d{1,3}){3}(?:[:/]|\Z)|[\w.-]+:\d{2,5}(?:/|\Z)"
    r"|[\w.-]+\.(?:ai|cn|com|dev|edu|gov|io|net|org)(?:[:/]|\Z))",
    re.I,
)

__all__ = ["identity_of", "inside", "leading_on", "resolve", "split_words"]


def resolve(
    typed: str,
    workspace: Path,
    root: Path | None = None,
    crawl: int = 0,
    stopped: Callable[[], object] = bool,
) -> SourcePreview:
    """Tell what typed words stand for; blocks on the file system, so call it in a thread.

    Args:
        typed: A URL, or a path to a file or folder, or a glob pattern; relative paths start at `workspace`.
        workspace: Absolute path of the workspace.
        root: The folder that files must really be in, links followed; None means any readable file.
        crawl: How many pages a web page may lead to along its links, itself included, or a sitemap by what
            it lists; 0 means the page alone, and `limits.SITEMAP_PAGES` of a sitemap.
        stopped: As for `list_files`: nobody waits for the answer any more.

    Returns:
        A preview with `known=0`; `problem` is set instead of an error being raised.
    """
    typed = typed.strip()
    try:
        if not typed:
            raise SourceError(_("缺少要采集的来源"))
        if is_url(typed):
            return _resolve_url(typed, crawl)
        return _resolve_path(typed, workspace, root, stopped)
    except SourceError as error:
        kind = SourceKind.URL if is_url(typed) else SourceKind.FILE
        return SourcePreview(typed=typed, kind=kind, place="", problem=error.message)


def leading_on(source: Source, crawl: int) -> Source:
    """The same source, leading to as many pages as `crawl` says (see `resolve`); a file stays as it is."""
    if source.kind is not SourceKind.URL:
        return source
    growth, pages = Growth.LINKS if crawl else None, crawl or 1
    if is_sitemap(source.identity):
        growth, pages = Growth.SITEMAP, crawl or limits.SITEMAP_PAGES
    return replace(source, growth=growth, pages=min(pages, limits.CRAWL_PAGES))


def identity_of(path: Path, workspace: Path) -> str:
    """The one spelling of a file: relative to the workspace with `/`, absolute when it is outside.

    Args:
        path: Absolute, without dot segments; links in it may have any spelling, only the last part stays.
        workspace: Absolute path of the workspace.
    """
    for candidate, base in (
        (path, Path(os.path.normpath(workspace))),
        (Path(os.path.realpath(path.parent)) / path.name, Path(os.path.realpath(workspace))),
    ):
        if candidate.is_relative_to(base):
            return candidate.relative_to(base).as_posix()
    return path.as_posix()


def inside(path: Path, root: Path | None) -> bool:
    """Whether a path, all links followed (dangling ones too), lies in the root; always when there is none."""
    if root is None:
        return True
    return Path(os.path.realpath(path)).is_relative_to(os.path.realpath(root))


def _resolve_url(typed: str, crawl: int) -> SourcePreview:
    url = normalise(typed)
    source = leading_on(Source(SourceKind.URL, identity=url, location=url), crawl)
    return SourcePreview(
        typed=typed,
        kind=SourceKind.URL,
        place=host_of(url),
        sources=(source,),
        growth=source.growth,
        pages=source.pages,
    )


def _resolve_path(
    typed: str, workspace: Path, root: Path | None, stopped: Callable[[], object]
) -> SourcePreview:
    if re.search("[\x00\ud800-\udfff]", typed):
        raise SourceError(_("路径里有不能使用的字符：{path}").format(path=typed))
    path = _absolute(typed, workspace)
    if is_pattern(typed) and not os.path.lexists(path):
        return _resolve_pattern(typed, path, workspace, root, stopped)
    if not inside(path, root):
        raise SourceError(_outside(typed))
    try:
        status = path.stat()
    except OSError as error:
        raise SourceError(_why_not(typed, error)) from None
    if stat.S_ISDIR(status.st_mode):
        return _expanded(typed, path, list_files(path, stopped=stopped), workspace)
    if not stat.S_ISREG(status.st_mode):
        raise SourceError(_("不是普通文件：{path}").format(path=typed))
    return SourcePreview(
        typed=typed,
        kind=SourceKind.FILE,
        place=identity_of(path.parent, workspace),
        sources=(_source(path, workspace),),
        size=status.st_size,
        modified=datetime.fromtimestamp(status.st_mtime).astimezone(),
    )


def _resolve_pattern(
    typed: str, path: Path, workspace: Path, root: Path | None, stopped: Callable[[], object]
) -> SourcePreview:
    folder, pattern = split_pattern(path)
    if not inside(folder, root):
        raise SourceError(_outside(typed))
    listing = list_files(folder, pattern, stopped)
    if not listing.files and not listing.skipped:
        raise SourceError(_("没有匹配的文件：{path}").format(path=typed))
    return _expanded(typed, folder, listing, workspace)


def _expanded(typed: str, folder: Path, listing: Listing, workspace: Path) -> SourcePreview:
    return SourcePreview(
        typed=typed,
        kind=SourceKind.FOLDER,
        place=identity_of(folder, workspace),
        sources=tuple(_source(path, workspace) for path in listing.files),
        size=listing.size,
        skipped=dict(listing.skipped),
        problem="" if listing.files else _nothing_in(typed, listing),
    )


def _nothing_in(typed: str, listing: Listing) -> str:
    problem = _("没有可以采集的文件：{path}").format(path=typed)
    if not listing.skipped:
        return problem
    reasons = _("，").join(f"{reason} {n}" for reason, n in listing.skipped.items())
    return problem + _("（跳过 {n}：{reasons}）").format(n=listing.skipped.total(), reasons=reasons)


def _absolute(typed: str, workspace: Path) -> Path:
    """The path that is meant: `~` and dot segments resolved, links not."""
    path = _joined(typed, workspace)
    if "\\" in typed and not os.path.lexists(path):
        # A file dragged into a terminal arrives as the shell would want it: `/a/my\ notes.md`
        unescaped = _joined(re.sub(r"\\(.)", r"\1", typed), workspace)
        if os.path.lexists(unescaped):
            return unescaped
    return path


def _joined(typed: str, workspace: Path) -> Path:
    try:
        path = Path(typed).expanduser()
    except RuntimeError:  # `~nobody`: no such user, so the name is meant literally
        path = Path(typed)
    return Path(os.path.normpath(workspace / path))


def _source(path: Path, workspace: Path) -> Source:
    return Source(SourceKind.FILE, identity=identity_of(path, workspace), location=str(path))


def _outside(typed: str) -> str:
    advice = _("（只能采集 GeekAgent.json 里 root 指定的文件夹中的文件）")
    return _("路径越界：{path}").format(path=typed) + advice


def _why_not(typed: str, error: OSError) -> str:
    if isinstance(error, FileNotFoundError | NotADirectoryError):
        if _LOOKS_LIKE_A_HOST.match(typed):
            return _("文件不存在：{path}（网页要写完整的 http:// 或 https:// 地址）").format(path=typed)
        return _("文件不存在：{path}").format(path=typed)
    if isinstance(error, PermissionError):
        return _("没有读取权限：{path}").format(path=typed)
    return _("打不开 {path}：{reason}").format(path=typed, reason=reason_of(error))
