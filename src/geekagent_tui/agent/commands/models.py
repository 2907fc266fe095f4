"""`/model`, `/compact`, `/retry`."""

from __future__ import annotations

from collections.abc import Sequence

from geekagent_tui.agent.commands.base import Command, Context
from geekagent_tui.agent.events import Level, ModelChoice
from geekagent_tui.agent.journal import Journal
from geekagent_tui.agent.models.switch import Models, UnknownModelError
from geekagent_tui.agent.records import ModelChosen
from geekagent_tui.i18n import _


async def model(context: Context, rest: str) -> None:
    """`/model`: the models there are; `/model NAME`: have another one answer."""
    if not rest:
        context.say(listing(await context.models.choices()))
        return
    try:
        choice = await context.models.find(rest)
        use(context.models, context.journal, choice)
    except UnknownModelError as error:
        context.say(str(error))
        return
    context.say(_("（已换用模型 {name}，{server}）").format(name=choice.name, server=choice.server))


def use(models: Models, journal: Journal, choice: ModelChoice) -> None:
    """Have a model answer from here on, and keep that with the session.

    Raises:
        UnknownModelError: Its server may not be asked.
    """
    models.use(choice)
    journal.record(ModelChosen(choice.name, choice.profile, choice.base_url, choice.context_window))


def take_up(models: Models, journal: Journal) -> None:
    """Have the model answer that was chosen for the open session.

    Without a choice, or when its server may not be asked any more, which is told, the present one stays.
    """
    chosen = journal.conversation.chosen
    if chosen is None:
        return
    server = chosen.profile or chosen.base_url
    choice = ModelChoice(chosen.name, server, chosen.base_url, chosen.profile, chosen.context_window)
    try:
        models.use(choice)
    except UnknownModelError as error:
        journal.remark(str(error), Level.WARNING)


def listing(choices: Sequence[ModelChoice]) -> str:
    """What `/model` prints: a line for each, the current one marked, servers that did not answer last."""
    lines = [_line(choice) for choice in choices if not choice.problem]
    lines += [_line(choice) for choice in choices if choice.problem]
    return "\n".join([_("可用模型（/model 名称或配置名 来换用）："), *lines])


def _line(choice: ModelChoice) -> str:
    told = [choice.server]
    if choice.context_window is not None:
        told.append(_("上下文 {n}").format(n=choice.context_window))
    if choice.running:
        told.append(_("已加载"))
    if choice.problem:
        told.append(choice.problem)
    return f"{'*' if choice.current else ' '} {choice.name}  {' · '.join(told)}"


async def compact(context: Context, rest: str) -> None:
    """`/compact`: sum up the older part of the conversation now."""
    await context.turns.compact()


async def retry(context: Context, rest: str) -> None:
    """`/retry`: ask the last question again."""
    if not await context.turns.again():
        context.say(_("（没有可以重新回答的问题）"))


COMMANDS = (
    Command(
        "/model",
        model,
        lambda: _("查看可用的模型，或换用一个"),
        lambda: _("[名称|配置名|offline]"),
        changes_session=True,
    ),
    Command("/compact", compact, lambda: _("把较早的对话压缩成摘要"), changes_session=True),
    Command("/retry", retry, lambda: _("重新回答上一个问题"), changes_session=True),
)
