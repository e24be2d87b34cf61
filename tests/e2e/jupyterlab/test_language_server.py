"""Findings in the cells themselves, by JupyterLab's own way to language servers."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest
from lab_page import Lab, Server
from playwright.sync_api import expect

if TYPE_CHECKING:
    from collections.abc import Iterator

pytest.importorskip("jupyterlab_lsp", reason="pip install jupyterlab-lsp")


@pytest.fixture
def language_servers(server: Server) -> Iterator[None]:
    """jupyterlab-lsp, which the other tests do without, is on."""
    server.disable()
    yield
    server.disable("@jupyter-lsp/jupyterlab-lsp")


@pytest.mark.usefixtures("language_servers")
def test_cells_show_what_the_server_finds_below_convert_too(lab: Lab) -> None:
    cells = ["import torch", "x = torch.hub.load('a', 'b')", "%%convert\ny = torch.ham()"]
    lab.open("served", cells)
    for index, name in ((1, "torch.hub.load"), (2, "torch.ham")):
        marked = lab.cell(index).locator(".cm-lintRange-error")
        expect(marked.first).to_have_text(re.compile(re.escape(name)))
    # The line of the magic is none of the server's business.
    expect(lab.cell(2).locator(".cm-line").first.locator(".cm-lintRange")).to_have_count(0)
