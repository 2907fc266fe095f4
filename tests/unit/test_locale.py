"""Both languages are complete: every message of the code has an English translation that fits it."""

import ast
import gettext
import importlib.util
import string
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).resolve().parents[2]
PO = ROOT / "src/geekagent_tui/locale/en/LC_MESSAGES/geekagent.po"


def load_script() -> ModuleType:
    spec = importlib.util.spec_from_file_location("catalogues", ROOT / "scripts/catalogues.py")
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


script = load_script()


def fields(message: str) -> set[str]:
    return {name for _, name, _, _ in string.Formatter().parse(message) if name}


def test_the_catalogue_holds_exactly_the_messages_of_the_code() -> None:
    assert {m.id for m in script.template() if m.id} == {m.id for m in script.read(PO) if m.id}


def test_the_catalogue_has_what_the_code_asks_for() -> None:
    """The extractor does not look into f-strings: what is asked for there would stay Chinese."""
    known = {m.id[0] if isinstance(m.id, tuple) else m.id for m in script.read(PO)}
    asked = {
        call.args[0].value
        for file in (ROOT / "src").rglob("*.py")
        for call in ast.walk(ast.parse(file.read_text("utf-8")))
        if isinstance(call, ast.Call)
        and isinstance(call.func, ast.Name)
        and call.func.id in ("_", "ngettext")
        and isinstance(call.args[0], ast.Constant)
    }
    assert len(asked) > 500
    assert asked - known == set()


def test_every_message_is_translated_with_the_same_fields() -> None:
    wrong = []
    for message in script.read(PO):
        if not message.id:
            continue
        ids = message.id if isinstance(message.id, tuple) else (message.id,)
        translations = message.string if isinstance(message.string, tuple) else (message.string,)
        if message.fuzzy or not all(translations) or any(fields(t) != fields(ids[0]) for t in translations):
            wrong.append(message.id)
    assert wrong == []


def test_no_english_message_holds_chinese() -> None:
    allowed = set("《》")
    wrong = [
        message.id
        for message in script.read(PO)
        if message.id
        for text in (message.string if isinstance(message.string, tuple) else (message.string,))
        if any("\u3000" <= c <= "\u9fff" or "\uff00" <= c <= "\uffef" for c in text if c not in allowed)
    ]
    assert wrong == []


def test_the_compiled_catalogue_is_the_translated_one() -> None:
    assert PO.with_suffix(".mo").read_bytes() == script.mo_bytes(script.read(PO))


@pytest.mark.parametrize("message", ["已取消采集"])
def test_the_installed_catalogue_translates(message: str) -> None:
    translation = gettext.translation("geekagent", PO.parents[2], languages=["en"])
    assert translation.gettext(message).isascii()
