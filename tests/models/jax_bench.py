"""Runs the zoo through JAX: values under jit, gradients of all weights, another batch size.

`python tests/models/jax_bench.py [--part 1/4] [--add] [NAME ...]` prints a line for each model;
with `--add` they take their places in `tests/models/RESULTS.jax.md`. `--sizes` measures the other
batch size and the memory alone, and leaves the other columns as they stand there.
"""

from __future__ import annotations

import argparse
import gc
import math
import sys
import time
import warnings
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from torch.utils import _pytree as pytree

sys.path.insert(0, str(Path(__file__).parent))

import jax
from flax import nnx
from model_bench import _gap, _plain, difference, example, tensors, wide
from model_zoo import Entry, entries

from workbench.capture import CaptureError, capture
from workbench.lower import Lowered, LowerError, lower
from workbench.targets.jax.emitters.loading import from_torch, to_torch

TABLE = Path(__file__).parent / "RESULTS.jax.md"
# Of values: how far torch's float32 may be from its float64 for single precision to decide.
_ROUNDING = 1e-3
# Errors of jax.jit for sizes that depend on values.
_BY_VALUES = (jax.errors.ConcretizationTypeError, jax.errors.NonConcreteBooleanIndexError)
_COLUMNS = "model | value | difference | gradients | difference | batch | speed | first | memory"


@dataclass
class Outcome:
    """The result of one model.

    `speed` is the time of torch's eager call divided by that of the jitted one, `first` the seconds
    of the first jitted call, which compiles it, `memory` what that call needs in addition to its
    weights and inputs, in MiB. A model that is not `jitted` has none of the three.
    """

    model: str
    value: str
    difference: float = math.nan
    gradients: str = ""
    apart: float = math.nan
    batch: str = ""
    speed: float = math.nan
    first: float = math.nan
    memory: float = math.nan
    note: str = ""
    jitted: bool = True

    def row(self) -> str:
        """Return the model's row of the table."""
        note = self.note.replace("|", "/").replace("\n", " ")
        return (
            f"| {self.model} | {self.value} | {self.difference:.1e} | {self.gradients}"
            f" | {self.apart:.1e} | {self.batch} | {self.speed:.2f} | {self.first:.1f}"
            f" | {self.memory:.1f} | {note} |"
        )

    @classmethod
    def read(cls, row: str) -> Outcome:
        """Return the outcome of a row."""
        cells = [cell.strip() for cell in row.split("|")[1:-1]]
        words = {0: "model", 1: "value", 3: "gradients", 5: "batch", 9: "note"}
        numbers = {2: "difference", 4: "apart", 6: "speed", 7: "first", 8: "memory"}
        fields: dict[str, Any] = {name: cells[at] for at, name in words.items()}
        return cls(**fields, **{name: float(cells[at]) for at, name in numbers.items()})


def _runner(args: Any, kwargs: Any) -> tuple[Any, Any]:
    """Return a jitted call that gets the arguments' tensors, and these as arrays."""
    leaves, tree = pytree.tree_flatten((args, kwargs))
    places = [i for i, leaf in enumerate(leaves) if isinstance(leaf, torch.Tensor)]

    def call(module: Any, arrays: Any) -> Any:
        full = list(leaves)
        for place, array in zip(places, arrays, strict=True):
            full[place] = array
        given, named = pytree.tree_unflatten(full, tree)
        return _arrays(module(*given, **named))

    return call, [from_torch(leaves[i]) for i in places]


def _arrays(result: Any) -> list[Any]:
    """Return the arrays of a nested result in its order; JAX orders a dict by its keys."""
    if isinstance(result, dict):
        return [array for item in result.values() for array in _arrays(item)]
    if isinstance(result, (list, tuple)):
        return [array for item in result for array in _arrays(item)]
    return [result] if isinstance(result, jax.Array) else []


def _outputs(arrays: list[Any]) -> list[torch.Tensor]:
    return [to_torch(array) for array in arrays]


def _shortest(call: Any, repeats: int = 3) -> float:
    best = math.inf
    for _ in range(repeats):
        started = time.perf_counter()
        call()
        best = min(best, time.perf_counter() - started)
    return best


def _jitted(lowered: Lowered, call: Any) -> tuple[Any, Any]:
    """Return the jitted call, and the state that it takes before the inputs.

    The module is split once: nnx.jit would take it apart at every call.
    """
    definition, state = nnx.split(lowered.load())
    return jax.jit(lambda state, arrays: call(nnx.merge(definition, state), arrays)), state


def _memory(jitted: Any, state: Any, arrays: Any) -> float:
    """Return the memory of a call besides its weights and inputs, in MiB, as XLA planned it."""
    planned = jitted.lower(state, arrays).compile().memory_analysis()
    return float(planned.temp_size_in_bytes + planned.output_size_in_bytes) / 2**20


def sized(entry: Entry, known: Outcome) -> Outcome:
    """Return the known outcome of a model, with its batch size and memory measured now."""
    if known.value not in ("equal", "differs"):
        return known
    model, args, kwargs = example(entry)
    lowered = lower(capture(model, args, kwargs), target="jax")
    call, arrays = _runner(args, kwargs)
    known.memory = _memory(*_jitted(lowered, call), arrays)
    known.batch = other_batch(model, args, kwargs)
    return known


def run(entry: Entry, *, batch: bool) -> Outcome:
    """Capture, lower and compare one model."""
    outcome = Outcome(entry.id, "failed")
    try:
        model, args, kwargs = example(entry)
        with torch.no_grad():
            expected = tensors(_plain(model(*args, **kwargs)))
            torch_time = _shortest(lambda: model(*args, **kwargs))
        model.train().eval()  # LeViT and others keep what they computed without gradients
        lowered = lower(capture(model, args, kwargs), target="jax")
        call, arrays = _runner(args, kwargs)
        jitted, state = _jitted(lowered, call)
        started = time.perf_counter()
        try:
            found = _outputs(jax.block_until_ready(jitted(state, arrays)))
            outcome.first = time.perf_counter() - started
            run_jitted = lambda: jax.block_until_ready(jitted(state, arrays))  # noqa: E731
            outcome.speed = torch_time / _shortest(run_jitted)
            outcome.memory = _memory(jitted, state, arrays)
        except _BY_VALUES:
            outcome.jitted = False
            found = _outputs(call(lowered.load(), arrays))
        outcome.difference = difference(found, expected)
        gap = _gap(model, args, kwargs, expected)
    except (CaptureError, LowerError) as error:
        outcome.value, outcome.note = "refused", str(error).splitlines()[0][:160]
        return outcome
    except Exception as error:
        outcome.note = f"{type(error).__name__}: {error}".splitlines()[0][:200]
        return outcome
    notes = sorted({f"{f.op} in torch" for f in lowered.fallbacks})
    notes += [] if outcome.jitted else ["sizes depend on values: not under jit"]
    outcome.value = "equal" if outcome.difference <= max(20 * gap, 1e-5) else "differs"
    try:
        outcome.apart = gradients(model, lowered, call, arrays, args, kwargs, jitted=outcome.jitted)
        outcome.gradients = "equal" if outcome.apart <= 1e-4 else "differs"
        if gap > _ROUNDING or outcome.apart > 1e-4:
            outcome.difference, outcome.apart = in_double(
                model, args, kwargs, jitted=outcome.jitted
            )
            # torch keeps constants such as the sixth in hardsigmoid's gradient in float32.
            outcome.value = "equal" if outcome.difference <= 1e-7 else "differs"
            outcome.gradients = "equal" if outcome.apart <= 1e-7 else "differs"
            notes.append("in float64")
    except Exception as error:
        outcome.gradients = "failed"
        notes.append(f"gradients: {type(error).__name__}: {error}".splitlines()[0][:200])
    outcome.note = ", ".join(notes)
    if batch:
        outcome.batch = other_batch(model, args, kwargs)
    return outcome


def in_double(
    model: torch.nn.Module, args: Any, kwargs: Any, *, jitted: bool
) -> tuple[float, float]:
    """Return the differences of values and gradients with everything in float64.

    In float32 rounding decides here: it takes a unit across the kink of an activation, another
    entry for a window's maximum, or multiplies.
    """
    given, named = pytree.tree_map(wide, (args, kwargs))
    model.double().train().eval()
    try:
        lowered = lower(capture(model, given, named), target="jax")
        call, arrays = _runner(given, named)
        with torch.no_grad():
            expected = tensors(_plain(model(*given, **named)))
        found = _outputs((nnx.jit(call) if jitted else call)(lowered.load(), arrays))
        apart = gradients(model, lowered, call, arrays, given, named, jitted=jitted)
        return difference(found, expected), apart
    finally:
        model.float()


def _read_right(model: torch.nn.Module) -> list[Any]:
    """Have torch read the gradients that reach its batch normalisations as they lie in memory.

    For a batch of one, its kernel for the CPU takes a gradient in the order of channels last for
    one in the order of channels first, and gives wrong gradients of the weights and the input.
    """

    def contiguous(module: Any, given: Any, result: torch.Tensor) -> None:
        if result.requires_grad:
            result.register_hook(lambda gradient: gradient.contiguous())

    kinds = torch.nn.modules.batchnorm._BatchNorm
    return [m.register_forward_hook(contiguous) for m in model.modules() if isinstance(m, kinds)]


def gradients(
    model: torch.nn.Module,
    lowered: Lowered,
    call: Any,
    arrays: Any,
    args: Any,
    kwargs: Any,
    *,
    jitted: bool = True,
) -> float:
    """The largest difference of a parameter's gradient, relative to the largest of all weights."""
    hooks = _read_right(model)
    results = tensors(_plain(model(*args, **kwargs)))
    for hook in hooks:
        hook.remove()
    places = [i for i, t in enumerate(results) if t.requires_grad]
    leaves = [results[i] for i in places]
    weights = [
        torch.randn(t.shape, generator=torch.Generator().manual_seed(2)).to(t.dtype) for t in leaves
    ]
    named = {n: p for n, p in model.named_parameters() if p.requires_grad}
    loss = sum((t * w).sum() for t, w in zip(leaves, weights, strict=True))
    theirs = torch.autograd.grad(loss, list(named.values()), allow_unused=True)
    scales = [from_torch(w) for w in weights]

    def total(module: Any, arrays: Any) -> Any:
        out = call(module, arrays)
        return sum((out[i] * w).sum() for i, w in zip(places, scales, strict=True))

    module = lowered.load()
    back = nnx.grad(total)
    found = (nnx.jit(back) if jitted else back)(module, arrays)
    flat = {".".join(map(str, path)): leaf for path, leaf in nnx.to_flat_state(found)}
    largest = max(
        (g.abs().max().item() for g in theirs if g is not None and g.numel()), default=1.0
    )
    worst = 0.0
    for name, gradient in zip(named, theirs, strict=True):
        place = lowered.written.parameters[name].replace("[", ".").replace("]", "")
        mine = flat.get(place)
        if mine is None:  # a tied weight stands under its first name
            continue
        ours = to_torch(mine[...])
        other = torch.zeros_like(ours) if gradient is None else gradient
        if not bool((ours.isnan() == other.isnan()).all()):
            return math.inf
        own = max(other.abs().nan_to_num().max().item() if other.numel() else 0.0, 1e-3 * largest)
        gap = (ours - other).abs().nan_to_num().max().item() if other.numel() else 0.0
        worst = max(worst, gap / (own or 1.0))
    return worst


def other_batch(model: torch.nn.Module, args: Any, kwargs: Any) -> str:
    """Return whether a module of an open batch computes the same for another batch size."""
    held = [t for t in pytree.tree_leaves((args, kwargs)) if isinstance(t, torch.Tensor)]
    sizes = {t.shape[0] for t in held if t.dim()}
    if len(sizes) != 1 or any(t.dim() == 0 for t in held):
        return "no batch"
    if sizes == {1}:  # torch's export takes a 1 for fixed
        double = lambda t: torch.cat([t, t])  # noqa: E731
        args, kwargs = pytree.tree_map_only(torch.Tensor, double, (args, kwargs))
    open_first = lambda t: {0: torch.export.Dim.AUTO}  # noqa: E731
    shapes = pytree.tree_map_only(torch.Tensor, open_first, (args, kwargs))
    more = lambda t: torch.cat([t, t, t[:1]])  # noqa: E731
    try:
        shapes = {**dict(zip(_names(model), shapes[0], strict=False)), **shapes[1]}
        lowered = lower(capture(model, args, kwargs, dynamic_shapes=shapes), target="jax")
        first = lowered.graph.node(lowered.graph.inputs[0]).values[0]
        if first is not None and isinstance(first.shape[0], int):
            return "fixed by torch"
    except (CaptureError, LowerError) as error:
        return f"refused: {str(error).splitlines()[0][:60]}"
    args, kwargs = pytree.tree_map_only(torch.Tensor, more, (args, kwargs))
    with torch.no_grad():
        expected = tensors(_plain(model(*args, **kwargs)))
    call, arrays = _runner(args, kwargs)
    try:
        worst = difference(_outputs(nnx.jit(call)(lowered.load(), arrays)), expected)
    except Exception as error:
        return f"{type(error).__name__}: {str(error).splitlines()[0][:60]}"
    return "equal" if worst < 1e-4 else f"differs {worst:.1e}"


def _names(model: torch.nn.Module) -> list[str]:
    import inspect

    return list(inspect.signature(model.forward).parameters)


def table(rows: list[str]) -> str:
    """Return the committed table."""
    cells = [[cell.strip() for cell in row.split("|")] for row in rows]
    equal = sum(cell[2] == "equal" for cell in cells)
    trained = sum(cell[4] == "equal" for cell in cells)
    speeds = [float(cell[7]) for cell in cells if cell[7] not in ("nan", "")]
    mean = math.exp(sum(map(math.log, speeds)) / len(speeds)) if speeds else math.nan
    batches = [cell[6] for cell in cells if cell[6]]
    asked = [b for b in batches if b not in ("no batch", "fixed by torch")]
    lines = [
        "# Public models in JAX, by their graphs",
        "",
        f"torch {torch.__version__.split('+')[0]}, jax {jax.__version__}, random weights, small"
        f" configurations: {equal} of {len(rows)} equal in value, {trained} in the gradients of all"
        f" weights; with an open batch {sum(b == 'equal' for b in asked)} of {len(asked)} equal at"
        f" another size. Speed is torch's eager time through that of the jitted call, one thread"
        f" on torch's side: {mean:.2f} in the geometric mean. Where rounding decides, both sides"
        " were held against each other in float64, as the note says. Memory is what a call needs"
        " beside weights and inputs, in MiB. Written by"
        " `tests/models/jax_bench.py`.",
        "",
        f"| {_COLUMNS} | note |",
        "|---|---|---|---|---|---|---|---|---|---|",
    ]
    return "\n".join([*lines, *rows]) + "\n"


def known_rows() -> dict[str, str]:
    """Return the rows of the committed table, by model."""
    lines = TABLE.read_text().splitlines() if TABLE.exists() else []
    return {line.split(" ")[1]: line for line in lines if line.startswith("| ") and "/" in line}


def main() -> None:
    """Run some or all of the zoo."""
    warnings.simplefilter("ignore")
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*")
    parser.add_argument("--part", default="1/1", help="such as 2/4: every fourth, from the second")
    parser.add_argument("--batch", action="store_true", help="another batch size, too")
    parser.add_argument("--sizes", action="store_true", help="the batch and the memory alone")
    parser.add_argument("--add", action="store_true", help="put the rows into the table")
    options = parser.parse_args()
    torch.set_num_threads(1)
    part, parts = map(int, options.part.split("/"))
    chosen = [e for e in entries() if not options.names or e.id in options.names]
    for entry in chosen[part - 1 :: parts]:
        if options.sizes:
            outcome = sized(entry, Outcome.read(known_rows()[entry.id]))
        else:
            outcome = run(entry, batch=options.batch)
        print(outcome.row(), flush=True)
        if options.add:
            rows = known_rows() | {outcome.model: outcome.row()}
            order = [e.id for e in entries() if e.id in rows]
            TABLE.write_text(table([rows[name] for name in order]))
        jax.clear_caches()
        gc.collect()


if __name__ == "__main__":
    main()
