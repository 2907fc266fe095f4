"""Dense retrieval: passages and questions as vectors, compared by their direction.

Off unless the user's settings turn it on; the lexical search never waits for any of it.
"""
