"""The zoo's converted models held against torch's by `torchferry verify`'s own checks.

`python tests/models/ported_verified.py [--style exact] [ID ...]`, after `ported_bench.py` has
converted the packages. Both versions of a package live in one process, one after the other under
the same name. What is certified has to be equal by `PORTED.md`, or to differ by roundings of single
precision alone, and what is not has not. `--write` fills in the column of `PORTED.md` as models are
judged.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE), str(HERE.parents[1])]

from ported_table import filled  # noqa: E402

from bench.sources import fetch  # noqa: E402

PACKAGES = ("timm==1.0.31", "torchvision==0.29.2", "transformers==5.23.0")
CONVERTED = Path("build/ported")
TABLE = HERE / "PORTED.md"
_PATIENCE = 900  # seconds for one model
_FOLDERS = re.compile(r"/\S*/(site-packages|build/wild|build/ported/\w+)/")


def verified(name: str, style: str) -> dict[str, Any]:
    """Return the outcome of one model, in this process."""
    import torch
    from torch import _jit_internal

    from workbench.targets import DEFAULT
    from workbench.targets.port import load_ports
    from workbench.upstream.vision import declare_operators
    from workbench.verify.sides.places import Births
    from workbench.verify.sides.sides import Sides
    from workbench.verify.sides.task import Task
    from workbench.verify.verification import verify

    torch.set_num_threads(1)
    declare_operators()
    before = set(sys.modules)
    sys.path.insert(0, str(fetch(*PACKAGES)))
    from model_bench import example
    from model_zoo import entries

    model, args, kwargs = example(next(one for one in entries() if one.id == name))
    # A lone image has no variance to train a batch norm with.
    lone = [isinstance(one, torch.Tensor) and len(one) == 1 for one in args]
    args = tuple(torch.cat([a, a.flip(-1)]) if b else a for a, b in zip(args, lone, strict=True))
    ours = ("timm", "torchvision", "transformers", "model_")
    for module in set(sys.modules) - before:
        if module.startswith(ours):
            del sys.modules[module]
    # Registrations of the packages in torch's script compiler, which takes each name once.
    _jit_internal._overloaded_methods.clear()
    _jit_internal._overloaded_method_class_fileno.clear()
    sys.path[0] = str((CONVERTED / style).resolve())
    from model_zoo import entries

    twin, _, _ = next(one for one in entries() if one.id == name).build()
    sides = Sides(model, twin, Task(args, kwargs), load_ports(DEFAULT))
    found = verify(sides, Births(), (), lambda what: None)
    off = [check for check in found.checks if check.outcome in ("differs", "not run")]
    difference = _short(f"{off[0].name}: {off[0].summary}") if off else ""
    return {"certified": found.certified, "reported": difference}


def _short(text: str) -> str:
    """Return the error, with paths relative to their package."""
    return _FOLDERS.sub("", text)[:150].strip()


def judged(name: str, style: str) -> dict[str, Any]:
    """Return the outcome of one model, from a separate process with one thread."""
    command = [sys.executable, __file__, "--one", "--style", style, name]
    environment = os.environ | {"OMP_NUM_THREADS": "1"}
    try:
        run = subprocess.run(
            command, capture_output=True, text=True, timeout=_PATIENCE, env=environment
        )
        found: dict[str, Any] = json.loads(run.stdout.strip().splitlines()[-1])
    except (subprocess.TimeoutExpired, ValueError, IndexError) as error:
        found = {"certified": False, "reported": f"its process ended: {type(error).__name__}"}
    return found


def main() -> None:
    """Verify models, as many at once as there are cores."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*")
    parser.add_argument("--style", default="plain")
    parser.add_argument("--write", action="store_true", help="fill in the column of PORTED.md")
    parser.add_argument("--one", action="store_true", help="in this process, told as JSON")
    options = parser.parse_args()
    if options.one:
        try:
            print(json.dumps(verified(options.names[0], options.style)))
        except Exception as error:
            difference = _short(f"{type(error).__name__}: {error}")
            print(json.dumps({"certified": False, "reported": difference}))
        return
    from model_zoo import entries

    certified = 0
    names = options.names or [entry.id for entry in entries()]
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        found = pool.map(lambda name: judged(name, options.style), names)
        for name, one in zip(names, found, strict=True):
            certified += one["certified"]
            word = "certified" if one["certified"] else f"not: {one['reported']}"
            print(f"{name}: {word}", flush=True)
            if options.write:
                text = TABLE.read_text(encoding="utf-8")
                TABLE.write_text(filled(text, options.style, {name: word}), encoding="utf-8")
    print(f"{certified} of {len(names)} certified in the {options.style} style")


if __name__ == "__main__":
    main()
