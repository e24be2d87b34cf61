"""`%verify` in a real IPython shell: a live port against its live model."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from IPython.core.interactiveshell import InteractiveShell

from jupyter_ext.errors import ConvertError

MODELS = """
import paddle
import torch
net = torch.nn.Sequential(torch.nn.Linear(3, 4), torch.nn.GELU(), torch.nn.Linear(4, 2))
port = paddle.nn.Sequential(paddle.nn.Linear(3, 4), paddle.nn.GELU({}), paddle.nn.Linear(4, 2))
x = torch.randn(5, 3)
before = port[0].weight.numpy().copy()
"""


@pytest.fixture
def shell() -> Iterator[InteractiveShell]:
    shell = InteractiveShell.instance()
    shell.reset(new_session=False)
    shell.run_line_magic("load_ext", "jupyter_ext")
    yield shell
    shell.run_line_magic("unload_ext", "jupyter_ext")
    InteractiveShell.clear_instance()


def test_a_live_port_is_certified_and_stays_as_it_is(
    shell: InteractiveShell, capsys: pytest.CaptureFixture[str]
) -> None:
    shell.run_cell(MODELS.format("")).raise_error()
    shell.run_line_magic("verify", "net port x")
    assert capsys.readouterr().out.splitlines()[-1].startswith("certified: ")
    shell.run_cell("assert (port[0].weight.numpy() == before).all()").raise_error()


def test_a_wrong_port_is_reported_with_the_cause(
    shell: InteractiveShell, capsys: pytest.CaptureFixture[str]
) -> None:
    shell.run_cell(MODELS.format("approximate=True")).raise_error()
    shell.run_line_magic("verify", "net port x")
    printed = capsys.readouterr().out
    assert printed.splitlines()[-1] == "not certified"
    assert "GELU is exact" in printed


def test_parts_that_cannot_be_verified_are_reported(shell: InteractiveShell) -> None:
    shell.run_cell(MODELS.format("")).raise_error()
    with pytest.raises(ConvertError, match="the inputs of both"):
        shell.run_line_magic("verify", "net port")
    with pytest.raises(ConvertError, match="nothing: NameError"):
        shell.run_line_magic("verify", "nothing port x")
    with pytest.raises(ConvertError, match="the port is a Sequential, and must be paddle's Layer"):
        shell.run_line_magic("verify", "net net x")
