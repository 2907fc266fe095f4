"""The core's events, loaded when the first is asked for: the first frame is drawn before there are any.

Making fifty dataclasses takes as long as a tenth of everything before the first frame. Use it as a module:
`from geekagent_tui.ui import ev`, then `ev.ChatAdded` inside functions.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from geekagent_tui.agent.events import *  # noqa: F403
else:

    def __getattr__(name: str) -> object:
        from geekagent_tui.agent import events

        return getattr(events, name)
