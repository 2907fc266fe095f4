"""Draw the README's pictures anew: the real application on the sample notes, with the offline model.

Writes `assets/screenshots/*.svg`. They name no font from the network: a browser uses its own monospaced ones.
"""

from __future__ import annotations

import asyncio
import re
import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path

from textual.pilot import Pilot

from geekagent_tui.agent.core import Agent
from geekagent_tui.agent.models.offline import OfflineModel
from geekagent_tui.config import load_config
from geekagent_tui.paths import Workspace
from geekagent_tui.ui.app import GeekAgentApp
from geekagent_tui.ui.dialogs.ingest_review import IngestDialog
from geekagent_tui.ui.screens.document import DocumentScreen
from geekagent_tui.ui.screens.main import MainScreen
from geekagent_tui.ui.widgets.chat_lines import Notice
from geekagent_tui.ui.widgets.composer import Composer
from geekagent_tui.ui.widgets.sources_row import SourcesRow
from geekagent_tui.ui.widgets.text_view import TextView

ASSETS = Path(__file__).parents[1] / "assets"
PICTURES = ASSETS / "screenshots"
FONTS = '"Sarasa Mono SC", "Noto Sans Mono CJK SC", "DejaVu Sans Mono", Menlo, Consolas, monospace'
SHOWN = {"answer-dark", "answer-light", "ingest-dark", "document-dark"}
"""The pictures that README shows."""
SIZES = {"dark": (120, 34), "light": (120, 34)}


async def until(pilot: Pilot[None], condition: Callable[[], object]) -> None:
    """Let the application run until a condition holds; what it draws then is drawn as well."""
    async with asyncio.timeout(30):
        while not condition():
            await pilot.pause(0.05)
    await pilot.pause(0.3)


def draw(app: GeekAgentApp, name: str) -> None:
    """Write the present screen as a picture, if README shows it."""
    if name not in SHOWN:
        return
    picture = re.sub(r"@font-face\s*{[^}]*}", "", app.export_screenshot(title="GeekAgent"))
    picture = re.sub(r"font-family:\s*[^;]+;", f"font-family: {FONTS};", picture)
    (PICTURES / f"{name}.svg").write_text(picture, encoding="utf-8")


async def send(pilot: Pilot[None], text: str) -> None:
    """Type a line and send it."""
    composer = pilot.app.screen.query_one(Composer)
    composer.load_text(text)
    await pilot.pause(0.2)
    composer.post_message(Composer.Sent(text))
    composer.load_text("")


async def pictures(theme: str, folder: Path) -> None:
    """Walk the story once and draw it."""
    workspace = Workspace(folder)

    async def open_agent() -> Agent:
        config = await asyncio.to_thread(load_config, workspace, {})
        return await Agent.open(workspace, config, OfflineModel())

    app = GeekAgentApp(open_agent, folder=folder, theme=theme)
    async with app.run_test(size=SIZES[theme]) as pilot:
        await until(pilot, lambda: app.gateway is not None)
        draw(app, f"welcome-{theme}")
        await send(pilot, "/rag add notes/day5.html notes/day9.html notes/local.md")
        await until(pilot, lambda: isinstance(app.screen, IngestDialog))
        draw(app, f"ingest-{theme}")
        await pilot.press("y")
        await until(pilot, lambda: isinstance(app.screen, MainScreen) and len(app.screen.query(Notice)) == 3)
        await send(pilot, "这套笔记里，历史压缩相关的触发阈值是多少？")
        await until(pilot, lambda: app.screen.query(SourcesRow))
        draw(app, f"answer-{theme}")
        app.screen.query_one(SourcesRow).focus()
        await pilot.press("enter")
        await until(
            pilot,
            lambda: isinstance(app.screen, DocumentScreen) and app.screen.query_one(TextView).virtual_size,
        )
        draw(app, f"document-{theme}")


def main() -> None:
    """Draw every picture."""
    PICTURES.mkdir(exist_ok=True)
    for theme in SIZES:
        with tempfile.TemporaryDirectory() as place:
            folder = Path(place) / "笔记库"
            shutil.copytree(ASSETS / "notes", folder / "notes")
            asyncio.run(pictures(theme, folder))


if __name__ == "__main__":
    main()
