"""`fetch`: a web page as Markdown, a stretch at a time."""

from __future__ import annotations

import asyncio
import re
import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

from geekagent_tui.agent.consent import Consent, Wish
from geekagent_tui.agent.events import ToolState
from geekagent_tui.agent.models.base import ToolSpec
from geekagent_tui.agent.targets import HostTarget
from geekagent_tui.agent.tools.base import Arguments, Outcome, ToolError, object_schema, text_argument
from geekagent_tui.agent.tools.files_shown import offset_of, stretch
from geekagent_tui.i18n import _, ngettext
from geekagent_tui.rag.addresses import host_of, is_url, normalise
from geekagent_tui.rag.errors import RagError, SourceError

if TYPE_CHECKING:
    from geekagent_tui.rag.network import Zone
    from geekagent_tui.rag.pages import Page
    from geekagent_tui.rag.service import RagService

CHARACTERS = 8000
"""Characters that one answer holds at most."""
KEPT = 8
"""Pages kept for reading on."""
KEPT_SECONDS = 600.0
"""How long a page is kept: reading on asks neither the user nor the server again."""


_PORT = re.compile(r":\d+\Z")


class Fetch:
    """`fetch`: the text of a web page, after asking the user.

    Consent is for one host: a redirect to another one is told and not followed.
    """

    spec = ToolSpec(
        "fetch",
        "抓取一个网页，返回 Markdown 形式的正文。"
        "长网页每次返回一段，末尾会给出续读用的 offset。会先请用户确认。",
        object_schema(
            {"url": "http 或 https 链接"},
            offset={"type": "integer", "minimum": 0, "description": "从第几个字符开始"},
        ),
        read_only=True,
    )
    asks_itself = True
    guarded = True

    def __init__(self, rag: RagService, consent: Consent, mask: Callable[[str], str]) -> None:
        self._rag = rag
        self._consent = consent
        self._mask = mask
        self._kept: OrderedDict[str, tuple[float, Page]] = OrderedDict()

    def target(self, arguments: Arguments) -> str:
        """The address."""
        return text_argument(arguments, "url")

    async def run(self, arguments: Arguments) -> Outcome:
        """Ask, then fetch."""
        url = _address(self.target(arguments))
        offset = offset_of(arguments)
        page = self._known(url) if offset else None
        if page is None:
            question = "\n".join([_("即将访问网页："), url, _("确认抓取？")])
            wish = Wish("fetch", HostTarget(host_of(url)), question)
            zone = await self._allowed(url, wish, arguments)
            if zone is None:
                return Outcome(_("已取消抓取"), _("已拒绝"), ToolState.DENIED)
            page = await self._fetched(url, zone)
        return _stretch(page, offset)

    async def _allowed(self, url: str, wish: Wish, arguments: Arguments) -> Zone | None:
        """The closest zone that the page may come from; None when the user refused.

        No name is looked up before the user agreed, as the name itself could carry something out. One that
        looks public and leads inside is a question of its own: it may lead elsewhere than it did yesterday.
        """
        from geekagent_tui.rag.network import Zone, zone_of_url

        if not await self._consent.given(wish, arguments):
            return None
        zone = await zone_of_url(url)
        if zone is Zone.PUBLIC or _is_inside(host_of(url)):
            return zone
        inside = _("{host}（本机或内网地址）").format(host=host_of(url))
        question = _("{host} 指向本机或内网，仍要抓取？").format(host=host_of(url))
        wish = replace(wish, target=HostTarget(inside), question=question)
        return zone if await self._consent.given(wish, arguments) else None

    def _known(self, url: str) -> Page | None:
        fetched, page = self._kept.get(url, (0.0, None))
        return page if time.monotonic() - fetched < KEPT_SECONDS else None

    async def _fetched(self, url: str, closest: Zone) -> Page:
        from geekagent_tui.rag.fetch import Leash

        async def same_host(address: str, _zone: Zone | None) -> None:
            if host_of(address) != host_of(url):
                raise _ElsewhereError(address)

        try:
            page = await self._rag.page(url, Leash(closest, same_host))
        except _ElsewhereError as error:
            raise ToolError(
                _("网页重定向到了另一个网站，没有跟随：{url}；需要时请再抓取这个地址").format(
                    url=error.message
                )
            ) from error
        except RagError as error:
            raise ToolError(_explained(error)) from error
        # Before it is cut into stretches, so that no secret is shown in two halves
        page = replace(page, text=await asyncio.to_thread(self._mask, page.text))
        self._kept[url] = (time.monotonic(), page)
        self._kept.move_to_end(url)
        while len(self._kept) > KEPT:
            self._kept.popitem(last=False)
        return page


class _ElsewhereError(SourceError):
    """A page leads to another host; the message is the address."""


def _address(typed: str) -> str:
    """The normalised address.

    Raises:
        ToolError: It is none that can be fetched.
    """
    try:
        return normalise(typed)
    except SourceError as error:
        if is_url(typed) and not typed.lower().startswith(("http:", "https:")):
            raise ToolError(_("只支持 http/https 链接")) from error
        if "@" in typed:
            raise ToolError(_("链接里不能带用户名或密码，请去掉后再抓取")) from error
        raise ToolError(_("URL 不合法：{url}").format(url=typed)) from error


def _is_inside(host: str) -> bool:
    """Whether a host says itself that it is on this machine or the network around it: an address, `nas`."""
    name = host.rpartition(":")[0] if _PORT.search(host) else host
    last = name.rpartition(".")[2]
    return "." not in name or last.isdecimal() or last in ("localhost", "local", "lan", "internal")


def _explained(error: RagError) -> str:
    """The reference's sentence for a page that can't be fetched."""
    reason = error.message.removeprefix(_("采集失败：{reason}").format(reason=""))
    if isinstance(error, SourceError) and error.status is not None:
        reason = reason.removeprefix(_("抓取失败：{reason}").format(reason=""))
        return _("请求失败：{reason}").format(reason=reason)
    return _("抓取失败：{reason}").format(reason=reason)


def _stretch(page: Page, start: int) -> Outcome:
    text, length = page.text, len(page.text)
    if start >= length:
        raise ToolError(_("offset 已越过网页末尾"))
    piece, end = stretch(text, start, CHARACTERS)
    head = _("《{title}》 {url}").format(title=page.title, url=page.url)
    where = _("（网页共 {n} 字符，已读第 {start}-{end} 段）").format(n=length, start=start, end=end)
    return Outcome(
        "\n".join([head, where, piece]), ngettext("{n} 字符", "{n} 字符", end - start).format(n=end - start)
    )
