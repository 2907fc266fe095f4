"""Our own colours: two calm themes with two accents, the user's and the knowledge base's.

Beside Textual's variables, style sheets use five of ours: `$user` and `$knowledge` (the accents), `$muted`
(secondary text), `$faint` (what is there but not read) and `$hairline` (the only lines).
"""

from __future__ import annotations

from collections.abc import Iterable

from textual.theme import Theme

from geekagent_tui.i18n import _

DARK = Theme(
    name="geek-dark",
    dark=True,
    primary="#74c7ae",
    secondary="#8fb4d8",
    accent="#e3b072",
    foreground="#d8dde6",
    background="#11141a",
    surface="#171b22",
    panel="#1e242d",
    error="#e8827d",
    warning="#e0b66a",
    success="#8ccb93",
    variables={
        "user": "#e3b072",
        "knowledge": "#74c7ae",
        "muted": "#8a93a3",
        "faint": "#566070",
        "hairline": "#2a313c",
        "border": "#74c7ae",
        "border-blurred": "#2a313c",
        "block-cursor-background": "#29423d",
        "block-cursor-foreground": "#eef2f7",
        "block-cursor-text-style": "none",
        "block-cursor-blurred-background": "#1e242d",
        "block-cursor-blurred-foreground": "#d8dde6",
        "block-hover-background": "#1a1f27",
        "input-selection-background": "#74c7ae 30%",
        "screen-selection-background": "#74c7ae 30%",
        "scrollbar": "#2a313c",
        "scrollbar-hover": "#3a4350",
        "scrollbar-active": "#566070",
        "scrollbar-background": "#11141a",
        "scrollbar-background-hover": "#11141a",
        "scrollbar-background-active": "#11141a",
        "scrollbar-corner-color": "#11141a",
        "link-color": "#74c7ae",
        "link-style": "none",
        "link-color-hover": "#11141a",
        "link-background-hover": "#74c7ae",
        "link-style-hover": "none",
        "markdown-h1-color": "#eef2f7",
        "markdown-h1-background": "transparent",
        "markdown-h1-text-style": "bold",
        "markdown-h2-color": "#eef2f7",
        "markdown-h2-background": "transparent",
        "markdown-h2-text-style": "bold",
        "markdown-h3-color": "#c3cad6",
        "markdown-h3-background": "transparent",
        "markdown-h3-text-style": "bold",
        "button-focus-text-style": "bold",
    },
)

LIGHT = Theme(
    name="geek-light",
    dark=False,
    primary="#0f766e",
    secondary="#3b6ea5",
    accent="#9a5b12",
    foreground="#2a2f37",
    background="#fdfcf9",
    surface="#f5f3ed",
    panel="#ece9e1",
    error="#b3363b",
    warning="#8f6100",
    success="#2f7d3b",
    variables={
        "user": "#9a5b12",
        "knowledge": "#0f766e",
        "muted": "#69707d",
        "faint": "#a4a8b0",
        "hairline": "#dedad1",
        "border": "#0f766e",
        "border-blurred": "#dedad1",
        "block-cursor-background": "#d3e8e3",
        "block-cursor-foreground": "#16191e",
        "block-cursor-text-style": "none",
        "block-cursor-blurred-background": "#ece9e1",
        "block-cursor-blurred-foreground": "#2a2f37",
        "block-hover-background": "#f5f3ed",
        "input-selection-background": "#0f766e 25%",
        "screen-selection-background": "#0f766e 25%",
        "scrollbar": "#dedad1",
        "scrollbar-hover": "#c9c4b8",
        "scrollbar-active": "#a4a8b0",
        "scrollbar-background": "#fdfcf9",
        "scrollbar-background-hover": "#fdfcf9",
        "scrollbar-background-active": "#fdfcf9",
        "scrollbar-corner-color": "#fdfcf9",
        "link-color": "#0f766e",
        "link-style": "none",
        "link-color-hover": "#fdfcf9",
        "link-background-hover": "#0f766e",
        "link-style-hover": "none",
        "markdown-h1-color": "#16191e",
        "markdown-h1-background": "transparent",
        "markdown-h1-text-style": "bold",
        "markdown-h2-color": "#16191e",
        "markdown-h2-background": "transparent",
        "markdown-h2-text-style": "bold",
        "markdown-h3-color": "#3c424c",
        "markdown-h3-background": "transparent",
        "markdown-h3-text-style": "bold",
        "button-focus-text-style": "bold",
    },
)

OURS = (DARK, LIGHT)


def theme_name(wanted: str) -> str:
    """The name of a theme as settings spell it: ours also without the prefix, anything else as it is."""
    return {"": DARK.name, "dark": DARK.name, "light": LIGHT.name}.get(wanted, wanted)


def unknown_theme(name: str, available: Iterable[str]) -> str:
    """What to say of a name that is no theme's."""
    names = ", ".join(["dark", "light", *sorted(available)])
    return _("没有名为 {name} 的配色；可用：{names}").format(name=name, names=names)


def fallback_variables(theme: Theme) -> dict[str, str]:
    """Our variables for a theme that is not ours."""
    accents = {"user": theme.accent or theme.primary, "knowledge": theme.primary}
    if theme.ansi:
        return accents | dict.fromkeys(("muted", "faint", "hairline"), "ansi_bright_black")
    colors = theme.to_color_system().generate()
    return accents | {
        "muted": colors["foreground-muted"],
        "faint": colors["foreground-disabled"],
        "hairline": colors["panel"],
    }
