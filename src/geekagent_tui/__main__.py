"""`python -m geekagent_tui` is the `geekagent` command."""

from geekagent_tui.cli import main

raise SystemExit(main())
