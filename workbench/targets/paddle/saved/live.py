"""The layers of a live model: the program is run, as an import would run it, in its own process."""

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
# Prints the class of each layer: Paddle's own, where a class of the program derives from one.
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
    """The layers of what an expression makes in a program: a layer, a class, a function.

    Raises:
        TorchferryError: the program fails, hangs, or makes no layer.
    """
    if not code.is_file():
        raise TorchferryError(f"{code}: no such file; give the converted program")
    command = [sys.executable, "-c", _SHOW, str(code.resolve()), name]
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, timeout=_PATIENCE, check=False
        )
    except subprocess.TimeoutExpired:
        raise TorchferryError(f"{code}: {name} was not made in {_PATIENCE} seconds") from None
    shown = [line for line in done.stdout.splitlines() if line.startswith(_MARK)]
    if done.returncode or not shown:
        raise _failure(code, name, done)
    return from_classes(f"{code}:{name}", json.loads(shown[-1].removeprefix(_MARK)))


def _failure(code: Path, name: str, done: subprocess.CompletedProcess[str]) -> TorchferryError:
    """What is reported of a program that shows no layers: how far it came, and what to do."""
    said = (done.stderr.strip().splitlines() or ["it ended without a word"])[-1][:200]
    reached = done.stdout.splitlines()
    if _RUN not in reached:
        return TorchferryError(
            f"{code}: the file does not run ({said}); mend it, or leave out :{name}: then the"
            " layers are read from its text"
        )
    if _MADE not in reached:
        return TorchferryError(
            f"{code}: {name} cannot be made ({said}); write the call with its arguments, such as"
            f" {name.partition('(')[0]}(10), or name a layer that the file makes"
        )
    return TorchferryError(
        f"{code}: {name} makes no layer of Paddle's ({said}); name a layer, its class or a function"
        " that makes one"
    )
