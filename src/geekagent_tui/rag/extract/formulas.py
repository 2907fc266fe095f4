"""Formulas as their authors typed them: TeX, where the page keeps it beside what it draws."""

from __future__ import annotations

from selectolax.lexbor import LexborHTMLParser, LexborNode

from geekagent_tui.rag.extract.dom import outermost

_MATHJAX_2 = "script[type^='math/tex']"
_DRAWN = ".katex, mjx-container, .mwe-math-element, math"
_MEDIAWIKI = r"{\displaystyle "  # around each formula
_TEX = "annotation[encoding='application/x-tex']"


def keep_tex(page: LexborHTMLParser) -> None:
    """Replace drawn formulas by `$TeX$`; those whose page does not keep it stay as they are."""
    for script in outermost(page.css(_MATHJAX_2)):
        _replace(script, script.text())
    for drawn in outermost(page.css(_DRAWN)):
        if (tex := drawn.css_first(_TEX)) is not None:
            _replace(drawn, tex.text())


def _replace(node: LexborNode, tex: str) -> None:
    tex = " ".join(tex.split())
    if tex.startswith(_MEDIAWIKI) and tex.endswith("}"):
        tex = tex[len(_MEDIAWIKI) : -1]
    if tex:
        node.replace_with(f"${tex.strip()}$")
