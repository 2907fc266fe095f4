"""Opening what is outside: only after the real target was shown, and only web and mail addresses."""

from __future__ import annotations

import asyncio
from urllib.parse import urlsplit

from textual.app import App

from geekagent_tui.i18n import _
from geekagent_tui.sanitize import clean_line

_SCHEMES = frozenset({"http", "https", "mailto"})


def openable(url: str) -> bool:
    """Whether a target may be handed to the browser: http, https or mailto, and nothing hidden in it."""
    if url != clean_line(url) or " " in url:
        return False
    try:
        parts = urlsplit(url)
    except ValueError:
        return False
    return parts.scheme.lower() in _SCHEMES and bool(parts.netloc or parts.scheme.lower() == "mailto")


def open_original(app: App[None], target: str, *, is_url: bool = True) -> None:
    """Show where something is; open it when it is a web or mail address and the user agrees."""
    from geekagent_tui.ui.dialogs.confirm import Confirm

    if is_url and openable(target):
        app.run_worker(_ask_and_open(app, target), group="browser")
    else:
        title = _("不打开这种链接") if is_url else _("本地文件")
        app.push_screen(Confirm(title, clean_line(target), ""))


async def _ask_and_open(app: App[None], url: str) -> None:
    import webbrowser

    from geekagent_tui.ui.dialogs.confirm import Confirm

    agreed = await app.push_screen(Confirm(_("在浏览器中打开？"), url, _("打开")), wait_for_dismiss=True)
    if agreed and not await asyncio.to_thread(webbrowser.open, url):
        app.notify(_("没有找到浏览器：{url}").format(url=url), severity="warning", markup=False)
