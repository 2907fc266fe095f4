"""What a user types, taken apart; for front ends, which know nothing else of the rag service's rooms."""

from geekagent_tui.rag.words import split_words as split_words
