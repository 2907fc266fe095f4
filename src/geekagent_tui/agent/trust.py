"""The one question about what came with a folder: asked before anything of it counts.

It is asked before the agent opens, and not by the agent: the root, the server, the keys to hide and the
policies are what an agent is made of, so there is never one that half follows a folder's files.
"""

from __future__ import annotations

from pathlib import Path

from geekagent_tui.agent.events import TrustDecision, TrustReview
from geekagent_tui.agent.instructions import instruction_items
from geekagent_tui.agent.skills import skill_items
from geekagent_tui.config import Trust, TrustItem, brought_settings
from geekagent_tui.config.trust import remember
from geekagent_tui.paths import Workspace

_REQUEST = "trust"


def brought(workspace: Workspace) -> list[TrustItem]:
    """Everything in a workspace that would change how the agent works; blocks."""
    instructions = instruction_items(workspace.folder, Path.home())
    return [*brought_settings(workspace), *instructions, *skill_items(workspace.folder)]


def review(workspace: Workspace, trust: Trust) -> TrustReview | None:
    """The question about what has not been asked about yet; None when there is nothing. Blocks."""
    items = tuple(item for item in brought(workspace) if trust.is_open(item))
    return TrustReview(_REQUEST, str(workspace.folder), items) if items else None


def settle(workspace: Workspace, asked: TrustReview, decision: TrustDecision) -> None:
    """Keep the answer; blocks.

    Raises:
        OSError: It can't be written.
    """
    remember(workspace, asked.items, trusted=decision.trust)
