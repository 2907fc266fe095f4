"""Taking nodes out of a parsed page safely, walking beside them, and measuring what they say."""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator

from selectolax.lexbor import LexborNode


def outermost(nodes: Iterable[LexborNode]) -> list[LexborNode]:
    """The nodes that are not inside another one of them, each once: a list of selectors finds some twice."""
    by_id = {node.mem_id: node for node in nodes}
    return [node for node in by_id.values() if not _is_below(node, by_id)]


def drop(nodes: Iterable[LexborNode]) -> None:
    """Remove nodes; a removed node's descendants are freed with it and must not be touched again."""
    for node in outermost(nodes):
        node.decompose()


def elements(node: LexborNode) -> Iterator[LexborNode]:
    """The elements right inside a node."""
    child = node.child
    while child is not None:
        if not (child.tag or "-").startswith("-"):
            yield child
        child = child.next


def element_after(node: LexborNode, *, skipping: frozenset[str] = frozenset()) -> LexborNode | None:
    """The next sibling element, unless words stand before it; those with names in `skipping` don't count."""
    following = node.next
    while following is not None:
        tag = following.tag or "-"
        if tag == "-text" and following.text().strip():
            return None
        if not tag.startswith("-") and tag not in skipping:
            return following
        following = following.next
    return None


def size_of(node: LexborNode) -> int:
    """Characters of text in a node, without white space."""
    return len("".join(node.text().split()))


def linked_size(node: LexborNode) -> int:
    """Characters of a node's links, without white space."""
    if node.tag == "a":
        return size_of(node)
    return 0 if node.tag == "-text" else sum(map(size_of, node.css("a")))


def prose_size(node: LexborNode) -> int:
    """Characters outside links: a page is mostly links, its text is not."""
    return size_of(node) - linked_size(node)


def _is_below(node: LexborNode, ids: Container[int]) -> bool:
    parent = node.parent
    while parent is not None:
        if parent.mem_id in ids:
            return True
        parent = parent.parent
    return False
