"""JupyterLab's manager of language servers finds ours, and accepts its answers."""

from __future__ import annotations

import tomllib
from importlib import import_module
from pathlib import Path

import pytest

PROJECT = Path(__file__).resolve().parents[2] / "pyproject.toml"


def test_the_spec_is_one() -> None:
    schema = pytest.importorskip("jupyter_lsp.schema")
    entries = tomllib.loads(PROJECT.read_text())["project"]["entry-points"]["jupyter_lsp_spec_v1"]
    module, _, name = entries["torchferry"].partition(":")
    found = getattr(import_module(module), name)(None)
    schema.LANGUAGE_SERVER_SPEC_MAP.validate(found)
    assert "lsp_server" in found["torchferry"]["argv"]
