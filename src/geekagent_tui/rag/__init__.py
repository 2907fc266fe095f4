"""The isolated knowledge base: sources in, passages out.

`geekagent_tui.rag.service.RagService` is its only door and `geekagent_tui.rag.model` its vocabulary.
"""
