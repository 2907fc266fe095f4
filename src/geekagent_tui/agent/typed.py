"""What a user types, taken apart; for front ends, which know nothing else of the rag service's rooms."""

from geekagent_tui.rag.tags import bare as bare
from geekagent_tui.rag.tags import clean_tag as clean_tag
from geekagent_tui.rag.tags import same_as as same_as
from geekagent_tui.rag.tags import split_tags as split_tags
from geekagent_tui.rag.words import split_words as split_words
