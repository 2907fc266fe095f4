"""Dialogs: a question over a dimmed screen, and answers that can't be given by accident."""

from __future__ import annotations

from abc import abstractmethod
from typing import ClassVar, TypeVar

from textual import events
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.screen import ModalScreen
from textual.timer import Timer
from textual.widgets import Button

from geekagent_tui.ui.typing_clock import SLEEP

T = TypeVar("T")


class Dialog(ModalScreen[T]):
    """A question with yes and no.

    Args:
        guarded: Nobody asked for this dialog: it listens only after a moment without keys, and Enter
            refuses until the user moves the focus on purpose.
    """

    CSS_PATH = "dialogs.tcss"
    AUTO_FOCUS = ""
    HORIZONTAL_BREAKPOINTS = [(0, "-thin"), (50, "-narrow"), (80, "-wide")]  # noqa: RUF012  # as Textual declares it
    VERTICAL_BREAKPOINTS = [(0, "-tiny"), (20, "-short"), (38, "-tall")]  # noqa: RUF012  # as Textual declares it
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("y", "yes", "", id="dialog.yes"),
        Binding("n,escape", "no", "", id="dialog.no"),
        Binding("tab", "app.focus_next", "", show=False, id="dialog.tab"),
        Binding("right", "app.focus_next", "", show=False, id="dialog.next"),
        Binding("left", "app.focus_previous", "", show=False, id="dialog.previous"),
    ]

    def __init__(self, *, guarded: bool = False) -> None:
        super().__init__()
        self._guarded = guarded
        self._asleep: Timer | None = None
        self._withdrawn = False

    @property
    def asleep(self) -> bool:
        """Whether it doesn't listen yet."""
        return self._asleep is not None

    def on_mount(self) -> None:
        """Listen, at once or in a moment."""
        if self._guarded:
            self._sleep()
        else:
            self.first_focus()

    def withdraw(self) -> None:
        """Close, as the question is no longer asked; under another screen, when it comes up again."""
        self._withdrawn = True
        if self.is_active:
            self.action_no()

    def on_screen_resume(self) -> None:
        """Close now, if it should have been closed before."""
        if self._withdrawn:
            self.action_no()

    def first_focus(self) -> None:
        """Put the focus where the easy answer is."""
        self.query_one("#no" if self._guarded else "#yes", Button).focus()

    def _sleep(self) -> None:
        if self._asleep is not None:
            self._asleep.stop()
        self.query_one("#dialog").disabled = True
        self._asleep = self.set_timer(SLEEP, self._wake)

    def _wake(self) -> None:
        self._asleep = None
        self.query_one("#dialog").disabled = False
        self.first_focus()
        self.refresh_bindings()

    def on_key(self, event: events.Key) -> None:
        """A key that nobody here understands was meant for something else: sleep again."""
        if not self._guarded:
            return
        if self.asleep or (event.is_printable and event.key not in self._bindings.key_to_bindings):
            event.stop()
            self._sleep()

    def on_paste(self, event: events.Paste) -> None:
        """Likewise for a paste."""
        event.stop()
        if self._guarded:
            self._sleep()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Nothing works while it sleeps."""
        return not self.asleep

    def on_button_pressed(self, event: Button.Pressed) -> None:
        """A button is its action."""
        event.stop()
        if event.button.id == "yes":
            self.action_yes()
        elif event.button.id == "no":
            self.action_no()

    @abstractmethod
    def action_yes(self) -> None:
        """Agree."""

    @abstractmethod
    def action_no(self) -> None:
        """Refuse."""


def button(words: str, key: str, button_id: str) -> Button:
    """A flat button that shows its key."""
    label = Content.assemble(words, "  ", (key, "dim")) if key else Content(words)
    return Button(label, id=button_id, compact=True)
