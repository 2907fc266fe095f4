"""The agent core: turns, tools, permissions, sessions and memory, without any user interface."""
