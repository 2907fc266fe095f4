"""Collect the messages of the code into the catalogues, and compile them.

Run it, translate what is empty in `src/geekagent_tui/locale/*/LC_MESSAGES/geekagent.po`, run it again.
The ids are the Chinese messages themselves, so Chinese needs no catalogue.
"""

from __future__ import annotations

import sys
from datetime import UTC, datetime
from io import BytesIO
from pathlib import Path

from babel.messages.catalog import Catalog
from babel.messages.extract import extract_from_dir
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po, write_po

SOURCE = Path(__file__).resolve().parent.parent / "src" / "geekagent_tui"
LOCALES = SOURCE / "locale"


def template() -> Catalog:
    """Every message of the code."""
    catalog = Catalog(project="geekagent", charset="utf-8", header_comment="# Messages of GeekAgent TUI.")
    for name, _line, message, comments, context in extract_from_dir(
        str(SOURCE), method_map=[("**.py", "python")], keywords={"_": None, "ngettext": (1, 2)}
    ):
        catalog.add(message, locations=[(name, 0)], auto_comments=comments, context=context)
    return catalog


def read(path: Path) -> Catalog:
    """A catalogue as it is translated now; empty when there is none."""
    locale = path.parent.parent.name
    if path.exists():
        with path.open("rb") as file:
            catalog = read_po(file, locale=locale)
    else:
        catalog = Catalog(locale=locale, charset="utf-8")
    catalog.fuzzy = False
    catalog.creation_date = datetime.fromtimestamp(0, UTC)  # else the same messages give other bytes
    catalog.header_comment = "# Messages of GeekAgent TUI; the ids are the Chinese messages."
    return catalog


def po_bytes(catalog: Catalog) -> bytes:
    """The catalogue as a `.po` file, the same for the same messages."""
    buffer = BytesIO()
    write_po(
        buffer,
        catalog,
        width=110,
        sort_output=True,
        omit_header=False,
        include_lineno=False,
        ignore_obsolete=True,
    )
    lines = buffer.getvalue().splitlines(keepends=True)
    kept = (b'"Language', b'"Plural', b'"MIME', b'"Content')
    header_end = lines.index(b"\n")
    return b"".join(
        line
        for number, line in enumerate(lines)
        if number > header_end
        or not line.startswith(b'"')
        or (line.startswith(kept) and b"-Team" not in line)
    )


def mo_bytes(catalog: Catalog) -> bytes:
    """The catalogue as a `.mo` file."""
    buffer = BytesIO()
    write_mo(buffer, catalog)
    return buffer.getvalue()


def main() -> int:
    """Update and compile every catalogue; tell what lacks a translation."""
    messages = template()
    lacking = 0
    for folder in sorted(path for path in LOCALES.iterdir() if path.is_dir()):
        path = folder / "LC_MESSAGES" / "geekagent.po"
        catalog = read(path)
        catalog.update(messages, no_fuzzy_matching=True)
        path.write_bytes(po_bytes(catalog))
        path.with_suffix(".mo").write_bytes(mo_bytes(read(path)))
        for message in catalog:
            strings = message.string if isinstance(message.string, tuple) else (message.string,)
            if message.id and (message.fuzzy or not all(strings)):
                lacking += 1
                sys.stderr.write(f"{folder.name}: not translated: {message.id!r}\n")
    return 1 if lacking else 0


if __name__ == "__main__":
    raise SystemExit(main())
