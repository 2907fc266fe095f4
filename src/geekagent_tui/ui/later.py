"""Screens and dialogs that the first frame does without."""

from __future__ import annotations


def load_screens() -> None:
    """Import them; for a thread, right after the first frame, so that opening one does not wait for it."""
    import geekagent_tui.ui.dialogs.add_sources
    import geekagent_tui.ui.dialogs.confirm
    import geekagent_tui.ui.dialogs.ingest_review
    import geekagent_tui.ui.dialogs.permission
    import geekagent_tui.ui.dialogs.tags
    import geekagent_tui.ui.dialogs.trust
    import geekagent_tui.ui.panels.knowledge_hits
    import geekagent_tui.ui.screens.document
    import geekagent_tui.ui.screens.kept  # noqa: F401
