"""Which tools the model has."""

from __future__ import annotations

from typing import TYPE_CHECKING

from geekagent_tui.agent.changes import Changes
from geekagent_tui.agent.consent import Consent
from geekagent_tui.agent.journal import Journal
from geekagent_tui.agent.library import Library
from geekagent_tui.agent.memory import Memory
from geekagent_tui.agent.models.base import ChatModel
from geekagent_tui.agent.permissions import Permissions
from geekagent_tui.agent.skilled import Skilled
from geekagent_tui.agent.tools.base import Tool
from geekagent_tui.agent.tools.clock import CurrentTime
from geekagent_tui.agent.tools.delegate import DelegateTask
from geekagent_tui.agent.tools.documents import RagList, RagRemove
from geekagent_tui.agent.tools.knowledge import RagAdd, RagSearch
from geekagent_tui.agent.tools.memory import MemorySearch, MemoryWrite
from geekagent_tui.agent.tools.registry import Tools
from geekagent_tui.agent.tools.skills import UseSkill
from geekagent_tui.agent.tools.workspace import workspace_tools
from geekagent_tui.config import Config

if TYPE_CHECKING:
    from geekagent_tui.rag.service import RagService


def toolbox(
    config: Config,
    rag: RagService,
    library: Library,
    memory: Memory,
    permissions: Permissions,
    journal: Journal,
    changes: Changes,
    skilled: Skilled,
    model: ChatModel,
) -> Tools:
    """Every tool, in the order in which the model is told of them."""
    consent = Consent(permissions, lambda: journal.foreign, config.mask)
    tools: list[Tool] = [
        RagSearch(rag, library.focusing),
        RagAdd(library.ingests, library.new_report),
        RagList(rag, library.focusing),
        RagRemove(rag, library.removal, consent),
        MemoryWrite(memory),
        MemorySearch(memory, journal.met_foreign),
        CurrentTime(),
        *workspace_tools(config, consent, journal, rag, changes),
        UseSkill(skilled, consent),
        DelegateTask(model, lambda: registry),
    ]
    registry = Tools(tools, permissions, journal, config.mask, skilled.refusal)
    return registry
