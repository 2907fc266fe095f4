"""The model that answers, and the others that could."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from dataclasses import replace

from geekagent_tui.agent.events import ModelChoice
from geekagent_tui.agent.messages import Message
from geekagent_tui.agent.models.base import ChatModel, ModelEvent, ToolSpec
from geekagent_tui.agent.models.choose import OFFLINE, offline_model
from geekagent_tui.agent.models.discovery import LOCALS, Local, discover
from geekagent_tui.agent.models.probe import root_of
from geekagent_tui.agent.streams import closing
from geekagent_tui.config import Config, Connection
from geekagent_tui.i18n import _


class UnknownModelError(Exception):
    """There is no such model, or no server that may be asked for it; the text is a sentence about it."""


class Models:
    """A chat model that stands for whichever one was chosen last. Those that were left it closes.

    Args:
        config: The servers there are.
        model: Who answers at first.
        locals_: The servers of this machine that are looked for.
    """

    def __init__(self, config: Config, model: ChatModel, locals_: Sequence[Local] = LOCALS) -> None:
        self._config = config
        self._locals = locals_
        self._model = model
        self._left: list[ChatModel] = []
        self._asked: list[ChatModel] = []
        self._closing: set[asyncio.Task[None]] = set()
        first = None if model.offline else config.connection
        self._current = ModelChoice(model.name, _server(first), first.base_url if first else "", current=True)

    @property
    def name(self) -> str:
        """The current model's name."""
        return self._model.name

    @property
    def offline(self) -> bool:
        """Whether the current one is the built-in one."""
        return self._model.offline

    @property
    def context_window(self) -> int:
        """Tokens the current one can take."""
        return self._model.context_window

    @property
    def current(self) -> ModelChoice:
        """Who answers now."""
        return self._current

    def stream(
        self, system: str, messages: Sequence[Message], tools: Sequence[ToolSpec]
    ) -> AsyncIterator[ModelEvent]:
        """Ask the current one; see `ChatModel.stream`."""
        return self._streamed(self._model, system, messages, tools)

    async def close(self) -> None:
        """Release every connection; safe to call twice."""
        while self._closing:
            await asyncio.wait(self._closing)
        await self._model.close()
        while self._left:
            await self._left.pop().close()

    async def choices(self) -> tuple[ModelChoice, ...]:
        """Every model there is, the current one marked: servers are asked now, all at once, for a second."""
        found = [*await discover(self._connections(), self._locals), ModelChoice(OFFLINE, _("离线模型"))]
        here = [self._is_current(choice) for choice in found]
        if not any(here):
            found.insert(0, self._current)
            here.insert(0, True)
        return tuple(replace(choice, current=now) for choice, now in zip(found, here, strict=True))

    async def find(self, wanted: str) -> ModelChoice:
        """The choice that a word means: `offline`, a profile, or a model's name, on the current server first.

        Raises:
            UnknownModelError: It means none.
        """
        if wanted == OFFLINE:
            return ModelChoice(OFFLINE, _("离线模型"))
        if (profile := self._config.profiles.get(wanted)) is not None:
            return _choice_of(profile)
        choices = await self.choices()
        named = [choice for choice in choices if choice.name == wanted]
        if named:
            return min(named, key=lambda choice: choice.base_url != self._current.base_url)
        mute = any(choice.problem for choice in choices if choice.base_url == self._current.base_url)
        if mute and self._current.base_url:  # it does not list its models: the user knows better
            return replace(self._current, name=wanted, context_window=None)
        raise UnknownModelError(_("没有找到模型或配置 {name}。用 /model 查看可用的模型").format(name=wanted))

    def use(self, choice: ModelChoice) -> None:
        """Have another one answer from the next request on.

        Raises:
            UnknownModelError: Its server is none of the settings and none of this machine's usual ones: the
                choice may come from a session file that somebody else wrote.
        """
        if self._is_current(choice):
            return
        model = self._make(choice)
        left, self._model = self._model, model
        self._left.append(left)
        self._current = replace(choice, current=True, problem="")
        self._let_go(left)

    async def _streamed(
        self, model: ChatModel, system: str, messages: Sequence[Message], tools: Sequence[ToolSpec]
    ) -> AsyncIterator[ModelEvent]:
        self._asked.append(model)
        try:
            async with closing(model.stream(system, messages, tools)) as events:
                async for event in events:
                    yield event
        finally:
            self._asked.remove(model)
            self._let_go(model)

    def _let_go(self, model: ChatModel) -> None:
        """Close a model that was left, unless it is still answering."""
        if model in self._left and model not in self._asked:
            self._left.remove(model)
            task = asyncio.create_task(model.close(), name="close model")
            self._closing.add(task)
            task.add_done_callback(self._closing.discard)

    def _make(self, choice: ModelChoice) -> ChatModel:
        if not choice.base_url and choice.name == OFFLINE:
            return offline_model()
        connection = self._connection(choice)
        if connection is None:
            sentence = _("模型 {name} 的服务 {url} 不在你的设置里，也不是本机的模型服务")
            raise UnknownModelError(sentence.format(name=choice.name, url=choice.base_url))
        from geekagent_tui.agent.models.openai_compatible import OpenAICompatibleModel

        window = choice.context_window or connection.context_window
        return OpenAICompatibleModel(replace(connection, model=choice.name, context_window=window))

    def _connection(self, choice: ModelChoice) -> Connection | None:
        """The server of a choice, with its key; the key belongs to the address and to nothing else."""
        known = (one for one in self._connections() if one.base_url == choice.base_url)
        for connection in known:
            if connection.profile == choice.profile:
                return connection
        for local in self._locals:
            if root_of(local.base_url) == root_of(choice.base_url):
                return Connection(local.base_url, choice.name, place=local.kind)
        return None

    def _connections(self) -> list[Connection]:
        own = self._config.connection
        return [*([own] if own is not None else []), *self._config.profiles.values()]

    def _is_current(self, choice: ModelChoice) -> bool:
        return _identity(choice) == _identity(self._current)


def _identity(choice: ModelChoice) -> tuple[str, str, str]:
    return choice.name, choice.base_url, choice.profile


def _choice_of(connection: Connection) -> ModelChoice:
    return ModelChoice(
        connection.model,
        _server(connection),
        connection.base_url,
        connection.profile,
        connection.context_window,
    )


def _server(connection: Connection | None) -> str:
    if connection is None:
        return _("离线模型")
    return connection.profile or connection.place
