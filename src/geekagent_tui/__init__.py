"""GeekAgent TUI: ask your own material from the terminal."""

__version__ = "0.1.0"
