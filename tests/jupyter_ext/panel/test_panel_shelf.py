"""Graphs that the kernel keeps for a page that is reloaded."""

from __future__ import annotations

import io
import zipfile

import pytest
import torch

from jupyter_ext.panel.shelf import Shelf
from workbench.capture import capture


def test_the_last_graphs_are_kept() -> None:
    graph = capture(torch.nn.Linear(3, 2), (torch.ones(1, 3),))
    shelf = Shelf()
    contents = [shelf.put({"number": number}, [b"netron"], graph)[0] for number in range(7)]
    with pytest.raises(ValueError, match="no longer has this graph"):
        shelf.get(contents[0]["key"])
    last = shelf.get(contents[-1]["key"])
    assert (last.content, last.files) == (contents[-1], [b"netron"])
    written = shelf.program(contents[-1]["key"])
    # Netron passes over entries whose names begin with a dot.
    names = zipfile.ZipFile(io.BytesIO(written)).namelist()
    assert names and not [name for name in names if name.startswith(".")]
    again = torch.export.load(io.BytesIO(written))
    assert again.module()(torch.zeros(1, 3)).shape == (1, 2)
