"""Runs the zoo: capture, lower, compare with torch; writes a table of the result.

`python tests/models/model_bench.py` runs everything and writes `tests/models/RESULTS.md`; names on
the command line (`timm/resnet18`) or `--part 1/4` run some and print them, and with `--add` their
rows take their places in the table.
"""

from __future__ import annotations

import argparse
import gc
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch

sys.path.insert(0, str(Path(__file__).parent))

from model_zoo import Entry, entries

from workbench.capture import CaptureError, capture
from workbench.capture.outputs import plain
from workbench.lower import Lowered, LowerError, lower
from workbench.upstream.vision import declare_operators

TABLE = Path(__file__).parent / "RESULTS.md"
_STEADY = 1e-3

# The other two libraries import torchvision as well.
declare_operators()


@dataclass
class Outcome:
    """The result of one model; differences are relative to the output's largest value."""

    model: str
    verdict: str
    nodes: int = 0
    fallbacks: tuple[str, ...] = ()
    difference: float = float("nan")
    gap: float = float("nan")
    seconds: float = 0.0
    note: str = ""


def tensors(value: Any) -> list[torch.Tensor]:
    """Return the tensors of a nested result, in order."""
    if isinstance(value, torch.Tensor):
        return [value]
    if isinstance(value, dict):
        return [t for item in value.values() for t in tensors(item)]
    if isinstance(value, (list, tuple)):
        return [t for item in value for t in tensors(item)]
    return []


def difference(ours: list[torch.Tensor], theirs: list[torch.Tensor]) -> float:
    """Return the largest difference, relative to the largest magnitude of each tensor.

    Raises:
        AssertionError: another number of tensors, another shape or dtype, NaN in one side only.
    """
    assert len(ours) == len(theirs), f"{len(ours)} tensors for {len(theirs)}"
    worst = 0.0
    for a, b in zip(ours, theirs, strict=True):
        assert a.shape == b.shape, f"shape {tuple(a.shape)} for {tuple(b.shape)}"
        assert a.dtype == b.dtype, f"dtype {a.dtype} for {b.dtype}"
        a, b = a.detach().to(torch.float64), b.detach().to(torch.float64)
        assert torch.equal(a.isnan(), b.isnan()), "NaN in one side only"
        if b.numel():
            scale = b.nan_to_num().abs().max().item() or 1.0
            worst = max(worst, (a - b).nan_to_num().abs().max().item() / scale)
    return worst


def example(entry: Entry) -> tuple[torch.nn.Module, tuple[Any, ...], dict[str, Any]]:
    """Return the entry's model and inputs, the same on every run.

    Running statistics are drawn too, and heads, offsets and tables that start as zeros: at their
    initial values they hide mistakes.
    """
    torch.manual_seed(0)
    model, args, kwargs = entry.build()
    generator = torch.Generator().manual_seed(1)
    for name, buffer in model.named_buffers():
        if name.endswith("running_mean"):
            buffer.normal_(0, 0.1, generator=generator)
        elif name.endswith("running_var"):
            buffer.uniform_(0.5, 1.5, generator=generator)
    with torch.no_grad():
        for parameter in model.parameters():
            if parameter.dim() > 1 and not parameter.any():
                parameter.normal_(0, 0.1, generator=generator)
    return model, args, kwargs


def paddle_outputs(lowered: Lowered, args: Any, kwargs: Any) -> list[torch.Tensor]:
    """Return the generated layer's result for torch inputs, as torch tensors."""
    import paddle
    from torch.utils import _pytree as pytree

    back = lowered.backend
    move = lambda v: back.from_torch(v) if isinstance(v, torch.Tensor) else v  # noqa: E731
    layer = lowered.load()
    with paddle.no_grad():
        result = layer(*pytree.tree_map(move, args), **pytree.tree_map(move, kwargs))
    return tensors(_converted(result, back.to_torch))


def _converted(value: Any, convert: Any) -> Any:
    if isinstance(value, dict):
        return {key: _converted(item, convert) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_converted(item, convert) for item in value]
    return convert(value)


def run(entry: Entry, *, fallback: bool = True) -> Outcome:
    """Capture, lower and compare one model."""
    started = time.perf_counter()
    try:
        model, args, kwargs = example(entry)
        with torch.no_grad():
            expected = tensors(_plain(model(*args, **kwargs)))
        graph = capture(model, args, kwargs)
        lowered = lower(graph, fallback=fallback)
        found = paddle_outputs(lowered, args, kwargs)
        worst = difference(found, expected)
        gap = _gap(model, args, kwargs, expected)
    except (CaptureError, LowerError) as error:
        return Outcome(entry.id, "refused", note=str(error).splitlines()[0][:160])
    except Exception as error:
        return Outcome(entry.id, "failed", note=f"{type(error).__name__}: {error}"[:300])
    verdict = "equal" if worst <= max(20 * gap, 1e-5) else "differs"
    if gap > _STEADY and worst > 1e-5:
        # Rounding moves the result as far, so agreement within it shows nothing.
        verdict = "unstable"
    return Outcome(
        entry.id,
        verdict,
        len(graph.calls),
        tuple(sorted({f.op for f in lowered.fallbacks})),
        worst,
        gap,
        time.perf_counter() - started,
    )


def _plain(value: Any) -> Any:
    """Return a model output as the nested containers that the generated layer returns."""
    value = plain(value)
    if hasattr(value, "to_tuple"):
        return dict(value.items())
    return value


def wide(value: Any) -> Any:
    """Return a tensor of float32 as one of float64; anything else as it is."""
    floating = isinstance(value, torch.Tensor) and value.dtype == torch.float32
    return value.double() if floating else value


def _gap(model: torch.nn.Module, args: Any, kwargs: Any, expected: list[torch.Tensor]) -> float:
    """How far torch's own float32 result is from its float64 one: the size of rounding."""
    from torch.utils import _pytree as pytree

    with torch.no_grad():
        try:
            precise = model.double()(*pytree.tree_map(wide, args), **pytree.tree_map(wide, kwargs))
        except RuntimeError:  # a model that fixes float32 somewhere inside
            return 0.0
        finally:
            model.float()
    exact = [t.to(e.dtype) for t, e in zip(tensors(_plain(precise)), expected, strict=True)]
    return difference(exact, expected)


def row(o: Outcome) -> str:
    """Return one model's row of the table."""
    note = o.note.replace("|", "/").replace("\n", " ")
    return (
        f"| {o.model} | {o.verdict} | {o.nodes} | {o.difference:.1e} | {o.gap:.1e} | "
        f"{', '.join(o.fallbacks)} | {note} |"
    )


def known_rows() -> dict[str, str]:
    """Return the rows of the committed table, by model."""
    lines = TABLE.read_text().splitlines() if TABLE.exists() else []
    return {line.split(" ")[1]: line for line in lines if line.startswith("| ") and "/" in line}


def table(rows: list[str]) -> str:
    """Return the committed table."""
    equal = sum(" | equal | " in line for line in rows)
    lines = [
        "# Public models, captured and lowered",
        "",
        f"torch {torch.__version__.split('+')[0]}, random weights, small configurations: "
        f"{equal} of {len(rows)} equal. The difference is the largest one of any output, "
        "relative to that output's largest value; the gap is torch's own between float32 and "
        "float64. Written by `tests/models/model_bench.py`.",
        "",
        "| model | verdict | nodes | difference | gap | in torch | note |",
        "|---|---|---|---|---|---|---|",
    ]
    return "\n".join([*lines, *rows]) + "\n"


def main() -> None:
    """Run some or all of the zoo."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*")
    parser.add_argument("--part", default="1/1", help="such as 2/4: every fourth, from the second")
    parser.add_argument("--no-fallback", action="store_true")
    parser.add_argument("--add", action="store_true", help="put the rows into the table")
    options = parser.parse_args()
    torch.set_num_threads(1)
    part, parts = map(int, options.part.split("/"))
    chosen = [e for e in entries() if not options.names or e.id in options.names]
    outcomes = []
    for entry in chosen[part - 1 :: parts]:
        outcome = run(entry, fallback=not options.no_fallback)
        outcomes.append(outcome)
        extra = f" in torch: {', '.join(outcome.fallbacks)}" if outcome.fallbacks else ""
        print(
            f"{outcome.model:45} {outcome.verdict:8} {outcome.difference:8.1e} "
            f"(gap {outcome.gap:7.1e}) {outcome.seconds:5.1f} s{extra} {outcome.note}",
            flush=True,
        )
        gc.collect()
    whole = not options.names and parts == 1
    if (whole or options.add) and not options.no_fallback:
        rows = {} if whole else known_rows()
        rows |= {outcome.model: row(outcome) for outcome in outcomes}
        order = [entry.id for entry in entries() if entry.id in rows]
        TABLE.write_text(table([rows[name] for name in order]))
    print(f"{sum(o.verdict == 'equal' for o in outcomes)} of {len(outcomes)} equal")
    sys.exit(any(o.verdict in ("failed", "differs", "unstable") for o in outcomes))


if __name__ == "__main__":
    main()
