"""How the documents were shown last, for the next time: kept with the user's own data, not in a workspace."""

from __future__ import annotations

import asyncio
import contextlib
import json
from dataclasses import replace

from geekagent_tui.files import private_folder, write_atomically
from geekagent_tui.paths import panel_file
from geekagent_tui.ui.panels.knowledge_view import Grouping, Order, View

_MOST = 4096
"""Bytes that are read: what is larger is not ours."""


def as_kept(view: View) -> View:
    """A view with the grouping and the order of last time; blocks on the file system.

    A file that is missing, broken or from elsewhere changes nothing.
    """
    try:
        with panel_file().open("rb") as file:
            found = json.loads(file.read(_MOST))
        return replace(view, grouping=Grouping(found["grouping"]), order=Order(found["order"]))
    except (OSError, ValueError, TypeError, KeyError, RecursionError):
        return view


class Keeper:
    """Keeps grouping and order, one change after the other, so that the last choice is what stays."""

    def __init__(self) -> None:
        self._lock = asyncio.Lock()
        self._latest = View()

    async def keep(self, view: View) -> None:
        """Keep them for the next time; where nothing can be written, nothing is kept."""
        self._latest = view
        async with self._lock:
            with contextlib.suppress(OSError):
                await asyncio.to_thread(_write, self._latest)


def _write(view: View) -> None:
    path = panel_file()
    private_folder(path.parent)
    write_atomically(path, json.dumps({"grouping": view.grouping, "order": view.order}).encode())
