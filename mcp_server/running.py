"""Tools that run the user's code: each in a separate process, which is ended when it hangs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from mcp_server.roots import Given, Roots
from workbench.commands import compare as compare_command
from workbench.commands import trace as trace_command
from workbench.commands import verify as verify_command
from workbench.commands.model_request import ModelRequest
from workbench.commands.shown import Sheet
from workbench.commands.watched import watched
from workbench.errors import TorchferryError
from workbench.files import TENSORS
from workbench.targets import DEFAULT

PATIENCE = 300.0  # seconds that one step may take
_MOST = 20  # rows of a table in one answer


def trace(
    model: str,
    roots: Given,
    inputs: Sequence[str] = (),
    dynamic: Sequence[str] = (),
    train: bool = False,
    source: bool = False,
    target: str = DEFAULT,
) -> dict[str, Any]:
    """RUNS the file. Capture a torch model's graph; report whether all of it lowers to the target.

    `model` is FILE:NAME. `inputs` are shapes (1x3x224x224, 2x16:int64), files of tensors, names of
    the file or plain values, NAME=INPUT for keywords. `dynamic` is auto, or x[0]=batch:1-64.
    `source` gives the code of the layer that the graph becomes. `target` is paddle or jax.
    """
    asked = ModelRequest(_side(model, roots), _inputs(inputs, roots), tuple(dynamic), train, target)
    sheet = _run(partial(trace_command.work, asked, ()))
    wanted = ("facts", "warnings", "caveats", "fallbacks", *(["source"] if source else []))
    return roots.near(_short(sheet, wanted))


def compare(
    model: str,
    roots: Given,
    inputs: Sequence[str] = (),
    dynamic: Sequence[str] = (),
    train: bool = False,
    target: str = DEFAULT,
) -> dict[str, Any]:
    """RUNS the file. Compare a torch model with its lowered graph on the same inputs, node by node.

    Takes the arguments of `trace`. Reports the first node that differs, with its line.
    """
    asked = ModelRequest(_side(model, roots), _inputs(inputs, roots), tuple(dynamic), train, target)
    sheet = _run(partial(compare_command.work, asked, 1))
    answer = _short(sheet, ("equal", "first", "warnings", "caveats", "baked_in", "in_torch"))
    rows = sheet.data["teacher_forced"]["rows"]
    answer["differs"] = [row for row in rows if row["reason"]][:_MOST]
    return roots.near(answer)


def verify(
    original: str,
    port: str,
    roots: Given,
    inputs: Sequence[str] = (),
    batch: str = "",
    loss: str = "",
    optimizer: str = "",
    steps: int = 5,
    maps: Sequence[str] = (),
    channels_last: bool = False,
) -> dict[str, Any]:
    """RUNS both files. Compare a port for PaddlePaddle or flax.nnx with its original in torch.

    `original` and `port` are FILE:NAME; NAME is a class, a call such as Net(10, width=4), an
    instance or a function that returns one. Checks weights, outputs, gradients, training and state,
    and reports the lines where they diverge. `inputs` are as in `trace`; `batch` is a function of
    the original's file that returns inputs and targets; `loss` and `optimizer` are functions of
    both files (a=b if their names differ). `maps` are pairs of tensors, such as fc.weight=out.w:T,
    or a file of such lines. `channels_last`: the port takes images with channels last.
    """
    asked = {
        "inputs": list(_inputs(inputs, roots)),
        "batch": batch,
        "loss": loss,
        "optimizer": optimizer,
        "steps": steps,
        "maps": [text if "=" in text else str(roots.existing(text)) for text in maps],
        "channels_last": channels_last,
    }
    sides = _side(original, roots), _side(port, roots)
    sheet = _run(partial(verify_command.work, *sides, asked, "", verify_command.Written()))
    answer = _short(sheet, ("certified", "precise", "places", "doubts"))
    answer["places"] = answer["places"][:_MOST]
    answer["checks"] = [
        {key: check[key] for key in ("name", "outcome", "summary")}
        for check in sheet.data["checks"]
    ]
    return roots.near(answer)


def _run(work: Callable[..., Sheet]) -> Sheet:
    sheet: Sheet = watched(work, patience=PATIENCE)
    return sheet


def _short(sheet: Sheet, keys: Sequence[str]) -> dict[str, Any]:
    return {"verdict": sheet.verdict, **{key: sheet.data[key] for key in keys}}


def _side(text: str, roots: Roots) -> str:
    """Return FILE:NAME with the file below the roots.

    Raises:
        TorchferryError: it is none.
    """
    head, mark, call = text.partition("(")
    file, colon, name = head.rpartition(":")
    if not colon or not name:
        raise TorchferryError(f"{text}: write FILE:NAME, such as model.py:Net")
    return f"{roots.existing(file)}:{name}{mark}{call}"


def _inputs(texts: Sequence[str], roots: Roots) -> tuple[str, ...]:
    """Return inputs, with files of tensors below the roots."""
    found = []
    for text in texts:
        name, mark, value = text.partition("=")
        head, value = (f"{name}=", value) if mark and name.isidentifier() else ("", text)
        if Path(value).suffix in TENSORS:
            value = str(roots.existing(value))
        found.append(head + value)
    return tuple(found)
