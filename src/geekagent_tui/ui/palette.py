"""What the command palette offers, in our order; Textual's own provider sorts by name."""

from __future__ import annotations

from textual.command import DiscoveryHit, Hit, Hits, Provider


class OurCommands(Provider):
    """The application's commands, as the application orders them."""

    async def discover(self) -> Hits:
        """All of them, before anything is typed; the first is what Enter would run."""
        for command in self.app.get_system_commands(self.screen):
            yield DiscoveryHit(command.title, command.callback, help=command.help)

    async def search(self, query: str) -> Hits:
        """Those whose name matches."""
        matcher = self.matcher(query)
        for command in self.app.get_system_commands(self.screen):
            if (score := matcher.match(command.title)) > 0:
                yield Hit(score, matcher.highlight(command.title), command.callback, help=command.help)
