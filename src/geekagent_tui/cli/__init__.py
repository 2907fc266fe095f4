"""The `geekagent` command: one front end on the agent core and the rag service.

Exit codes: 0 all done, 1 some failed, 2 usage, 3 refused, 130 interrupted.
"""

from __future__ import annotations

from collections.abc import Sequence

OK, FAILED, USAGE, REFUSED, INTERRUPTED = 0, 1, 2, 3, 130


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit code."""
    try:
        from geekagent_tui.cli.run import run

        return run(arguments)
    except KeyboardInterrupt:  # while modules are loaded, or a second one while the first is told
        return INTERRUPTED
