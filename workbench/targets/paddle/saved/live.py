"""The layers of a live model, whose program runs in its own process as on import."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

from workbench.errors import TorchferryError
from workbench.targets.paddle.saved.states import Layers, from_classes

_PATIENCE = 300
_RUN = "torchferry-run"
_MADE = "torchferry-made"
_MARK = "torchferry-layers:"
# A program that prints the class of each layer, or its Paddle base class.
_SHOW = f"""
import json, sys
from pathlib import Path
from workbench.importing import import_file
path, name = sys.argv[1:]
module = import_file(Path(path))
print("\\n{_RUN}")
model = eval(name, dict(vars(module)))
model = model() if isinstance(model, type) or not hasattr(model, "named_sublayers") else model
print("\\n{_MADE}")
found = {{}}
for place, layer in model.named_sublayers(include_self=True):
    kind = next(k for k in type(layer).__mro__ if k.__module__.split(".")[0] == "paddle")
    found[place] = f"{{kind.__module__}}:{{kind.__qualname__}}"
print("\\n{_MARK}" + json.dumps(found))
"""


def layers(code: Path, name: str) -> Layers:
    """Return the layers of an expression in a program: a layer, a class or a function.

    Raises:
        TorchferryError: the program fails, hangs or creates no layer.
    """
    if not code.is_file():
        raise TorchferryError(f"{code}: no such file; give the converted program")
    command = [sys.executable, "-c", _SHOW, str(code.resolve()), name]
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, timeout=_PATIENCE, check=False
        )
    except subprocess.TimeoutExpired:
        raise TorchferryError(
            f"{code}: {name} was not created within {_PATIENCE} seconds; give a layer, class or"
            " function that is created faster"
        ) from None
    shown = [line for line in done.stdout.splitlines() if line.startswith(_MARK)]
    if done.returncode or not shown:
        raise _failure(code, name, done)
    return from_classes(f"{code}:{name}", json.loads(shown[-1].removeprefix(_MARK)))


def _failure(code: Path, name: str, done: subprocess.CompletedProcess[str]) -> TorchferryError:
    """Return the error for a program that shows no layers, with its progress and the remedy."""
    message = (done.stderr.strip().splitlines() or ["it ended without a message"])[-1][:200]
    reached = done.stdout.splitlines()
    if _RUN not in reached:
        return TorchferryError(
            f"{code}: the file does not run ({message}); fix it, or omit :{name} to find the"
            " layers in its text"
        )
    if _MADE not in reached:
        return TorchferryError(
            f"{code}: {name} cannot be created ({message}); give the call with its arguments, such"
            f" as {name.partition('(')[0]}(10), or a layer that the file creates"
        )
    return TorchferryError(
        f"{code}: {name} does not give a layer of Paddle ({message}); give a layer, its class"
        " or a function that returns one"
    )
