"""What kind a document is, told by its source: a page or a file, and by its name's ending what is in it."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import PurePosixPath
from urllib.parse import unquote, urlsplit

from geekagent_tui.rag.model import SourceKind

_NAMES: dict[str, tuple[str, ...]] = {
    "asciidoc": ("adoc", "asciidoc"),
    "c": ("c", "h"),
    "c#": ("cs",),
    "c++": ("cc", "cpp", "cxx", "hh", "hpp", "hxx"),
    "code": (),  # every language below, see `_CODE`
    "excel": ("xlsx",),
    "go": ("go",),
    "html": ("htm", "html", "xhtml"),
    "java": ("java",),
    "javascript": ("cjs", "js", "jsx", "mjs"),
    "json": ("geojson", "json", "jsonl", "ndjson"),
    "jupyter": ("ipynb",),
    "kotlin": ("kt", "kts"),
    "lua": ("lua",),
    "mail": ("eml",),
    "markdown": ("markdown", "md", "mdown", "mdx", "mkd", "qmd", "rmd"),
    "perl": ("pl", "pm"),
    "php": ("php",),
    "powerpoint": ("pptx",),
    "python": ("py", "pyi"),
    "r": ("r",),
    "restructuredtext": ("rest", "rst"),
    "ruby": ("rb",),
    "rust": ("rs",),
    "scala": ("scala",),
    "shell": ("bash", "fish", "sh", "zsh"),
    "sql": ("sql",),
    "swift": ("swift",),
    "text": ("text", "txt"),
    "typescript": ("ts", "tsx"),
    "word": ("docx",),
    "yaml": ("yaml", "yml"),
}
_CODE = (
    "c", "c#", "c++", "go", "java", "javascript", "kotlin", "lua", "perl", "php", "python", "r", "ruby",
    "rust", "scala", "shell", "sql", "swift", "typescript",
)  # fmt: skip
_ALIASES = {
    "md": "markdown",
    "htm": "html",
    "cpp": "c++",
    "cs": "c#",
    "txt": "text",
    "rst": "restructuredtext",
}
_PAGE = "html"
"""What a web page is whose address does not say."""
_SCRIPTS = frozenset({"", "asp", "aspx", "cgi", "jsp", "php"})
"""Endings of addresses that tell how a page is made, not what it is."""


def endings(kinds: Collection[str]) -> tuple[frozenset[SourceKind], frozenset[str]]:
    """The kinds of sources and the endings of names, without a dot, that some names of kinds stand for."""
    sources: set[SourceKind] = set()
    found: set[str] = set()
    for kind in kinds:
        name = kind.strip().removeprefix(".").casefold()
        if name in {SourceKind.URL, SourceKind.FILE}:
            sources.add(SourceKind(name))
        elif name == "code":
            found.update(*(_NAMES[language] for language in _CODE))
        elif name:
            found.update(_NAMES.get(_ALIASES.get(name, name), (name,)))
    return frozenset(sources), frozenset(found)


def ending(source: str, kind: SourceKind) -> str:
    """What a source's name ends in, in lower case and without a dot; "html" for a page that does not tell."""
    path = source if kind is SourceKind.FILE else unquote(urlsplit(source).path)
    found = PurePosixPath(path).suffix.removeprefix(".").casefold()
    if kind is SourceKind.URL and (found in _SCRIPTS or not found.isalnum()):
        return _PAGE
    return found
