"""The full-screen Textual application."""
