"""Samples of torch's own operator database, lowered to JAX and held against torch.

`python tests/workbench/targets/jax/jax_samples.py [--part 1/2] [NAME ...]` judges every operator
in four dtypes and prints each with its verdict; `--write FILE` puts all of them into a table, and
of operators that are named their rows alone.
"""

from __future__ import annotations

import argparse
import sys
import warnings
from collections import Counter
from pathlib import Path
from typing import Any

import jax
import torch
from torch.utils import _pytree as pytree

sys.path.insert(0, str(Path(__file__).parents[2] / "lower"))

from opdb import Sample, Verdict, operators, refusal_of_torch, samples

from workbench.capture import CaptureError, capture
from workbench.compare.nodes.comparison import compare_nodes
from workbench.lower import Lowered, LowerError, lower

DTYPES = (torch.float32, torch.float64, torch.int64, torch.bool)


def judge(sample: Sample) -> Verdict:
    """Capture, lower and compare one sample: every node's value and dtype, then gradients."""
    try:
        graph = capture(sample.function, sample.tensors, check=False)
    except CaptureError as error:
        return Verdict("skip", str(error).splitlines()[0][:120])
    try:
        lowered = lower(graph, target="jax")
    except LowerError as error:
        return Verdict("refused", str(error))
    result = compare_nodes(lowered, sample.tensors)
    caveats = [text for texts in lowered.caveats.values() for text in texts]
    if result.first is not None:
        first = result.first
        if any("equal values" in text for text in caveats):
            return Verdict("reported", f"{first.op}: the order of equal values")
        if refused := refusal_of_torch(graph, sample):
            return Verdict("unrun", refused)
        return Verdict("differs", f"{first.op}: {first.reason} [{first.code}]")
    drawn = any(row.random for row in result.rows)
    verdict = Verdict("equal") if drawn else gradients(lowered, sample)
    if verdict.kind == "gradient" and any("gradient" in text for text in caveats):
        return Verdict("said", verdict.reason)
    if lowered.fallbacks and verdict.kind == "equal":
        return Verdict("torch", "; ".join(f"{f.op}: {f.reason}" for f in lowered.fallbacks))
    return verdict


def gradients(lowered: Lowered, sample: Sample) -> Verdict:
    """Hold the gradients of a sample's float inputs against torch's."""
    given = [
        x.detach().clone().requires_grad_(x.dtype.is_floating_point or x.dtype.is_complex)
        for x in sample.tensors
    ]
    wanted = [i for i, x in enumerate(given) if x.requires_grad]
    try:
        leaves = pytree.tree_leaves(sample.function(*given))
    except RuntimeError as error:
        return Verdict("equal", f"torch has no gradient: {str(error)[:80]}")
    found = [y for y in leaves if isinstance(y, torch.Tensor)]
    places = [i for i, y in enumerate(found) if y.requires_grad]
    if not wanted or not places:
        return Verdict("equal")
    generator = torch.Generator().manual_seed(0)
    weights = [
        torch.randn(y.shape, dtype=y.dtype, generator=generator) for y in found if y.requires_grad
    ]
    try:
        theirs = torch.autograd.grad(
            [found[i] for i in places], [given[i] for i in wanted], weights, allow_unused=True
        )
    except RuntimeError as error:
        return Verdict("equal", f"torch has no gradient: {str(error)[:80]}")
    module, back = lowered.load(), lowered.backend
    arrays = [back.from_torch(x) for x in given]

    def run(*floats: Any) -> Any:
        full = list(arrays)
        for place, value in zip(wanted, floats, strict=True):
            full[place] = value
        out = [y for y in jax.tree.leaves(module(*full)) if isinstance(y, jax.Array)]
        return [out[i] for i in places]

    try:
        _, pull = jax.vjp(run, *(arrays[i] for i in wanted))
        # torch's gradient of a complex value is the conjugate of JAX's.
        ours = pull([back.from_torch(w).conj() for w in weights])
    except Exception as error:
        lines = [line for line in str(error).splitlines() if line.strip()]
        return Verdict("raises", f"in the gradient: {type(error).__name__}: {lines[-1][:150]}")
    for mine, theirs_of in zip(ours, theirs, strict=True):
        a = back.to_torch(mine.conj())
        b = torch.zeros_like(a) if theirs_of is None else theirs_of
        scale = max(b.abs().nan_to_num(posinf=0).max().item() if b.numel() else 0.0, 1.0)
        limit = scale * (1e-3 if b.dtype in (torch.float32, torch.complex64) else 1e-9)
        if a.shape != b.shape or a.dtype != b.dtype:
            return Verdict("gradient", f"{a.dtype} {tuple(a.shape)} for {b.dtype} {tuple(b.shape)}")
        if not torch.allclose(a, b, rtol=1e-4, atol=limit, equal_nan=True):
            if torch.allclose(a[~b.isnan()], b[~b.isnan()], rtol=1e-4, atol=limit):
                return Verdict("number", "a number where torch's gradient is NaN")
            gap = (a - b).abs().nan_to_num().max().item() if b.numel() else 0.0
            return Verdict("gradient", f"off by {gap:.2g} of {scale:.2g}")
    return Verdict("equal")


_ORDER = (
    *("crash", "differs", "gradient", "raises", "said", "number", "reported", "torch"),
    *("unrun", "refused", "skip", "equal"),
)
_WORDS = {
    "equal": "=",
    "reported": "= but for the order of equal values, which is reported",
    "torch": "runs in torch",
    "raises": "=; its gradient raises",
    "gradient": "**another gradient**",
    "said": "=; its gradient is another one, which is reported",
    "number": "=; its gradient is a number where torch's is NaN",
    "differs": "**differs**",
    "partly": "=; other calls are refused",
    "refused": "refused",
    "skip": "torch exports no such call",
    "unrun": "torch exports such a call, and does not run it",
}


def judged(name: str, dtype: torch.dtype, count: int) -> tuple[str, str]:
    """Return the worst verdict of an operator's samples in a dtype, with its reason."""
    reasons: dict[str, str] = {}
    try:
        for sample in samples(operators()[name], dtype, count):
            verdict = judge(sample)
            reasons.setdefault(verdict.kind, verdict.reason)
    except Exception as error:
        reasons["crash"] = f"{type(error).__name__}: {str(error)[:200]}"
    worst = next((kind for kind in _ORDER if kind in reasons), "skip")
    if worst in ("unrun", "refused", "skip") and "equal" in reasons:
        return "partly", reasons[worst].replace("\n", " ")[:200]
    return worst, reasons.get(worst, "").replace("\n", " ")[:200]


def page(rows: dict[str, dict[str, str]]) -> str:
    """Return the table of all operators, by name and dtype."""
    dtypes = [str(dtype).removeprefix("torch.") for dtype in DTYPES]
    counts = Counter(kind for kinds in rows.values() for kind in kinds.values())
    total = sum(counts.values()) - counts["skip"] - counts["unrun"]
    lines = [
        "# Operators in JAX",
        "",
        f"torch {torch.__version__.split('+')[0]}, jax {jax.__version__}: {len(rows)} operators of"
        f" torch's own database, by its own samples, in value, dtype and gradient. Of {total}"
        f" operators in a dtype {counts['equal']} are equal, {counts['partly']} are in some calls"
        f" and are refused in others, {counts['refused']} are refused,"
        f" {counts['torch']} run in torch,"
        f" {counts['reported']} order equal values otherwise,"
        f" {counts['raises']} raise in the gradient,"
        f" {counts['said']} have another gradient, which is reported, {counts['number']} one where"
        f" torch's is NaN, {counts['gradient']} have another that is not reported and"
        f" {counts['differs']} differ. Written by `make jax`.",
        "",
        f"| operator | {' | '.join(dtypes)} |",
        f"|---|{'---|' * len(dtypes)}",
    ]
    for name, kinds in sorted(rows.items()):
        cells = " | ".join(_WORDS.get(kinds.get(dtype, ""), "") for dtype in dtypes)
        lines.append(f"| {name} | {cells} |")
    return "\n".join(lines) + "\n"


def written(path: Path) -> dict[str, dict[str, str]]:
    """Return the rows of a table that was written before."""
    kinds = {word: kind for kind, word in _WORDS.items()}
    dtypes = [str(dtype).removeprefix("torch.") for dtype in DTYPES]
    rows: dict[str, dict[str, str]] = {}
    for line in path.read_text(encoding="utf-8").splitlines()[6:]:
        name, *cells = (cell.strip() for cell in line.strip("|").split("|"))
        found = {d: kinds[cell] for d, cell in zip(dtypes, cells, strict=True) if cell}
        rows[name] = found
    return rows


def main() -> None:
    """Judge operators and print each with its verdict."""
    warnings.simplefilter("ignore")
    torch.set_num_threads(1)
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*")
    parser.add_argument("--part", default="1/1", help="such as 2/4: every fourth, from the second")
    parser.add_argument("--count", type=int, default=2, help="samples of each operator and dtype")
    parser.add_argument("--write", type=Path)
    options = parser.parse_args()
    number, of = (int(part) for part in options.part.split("/"))
    rows = written(options.write) if options.names and options.write else {}
    for name in options.names or list(operators())[number - 1 :: of]:
        for dtype in DTYPES:
            if dtype in operators()[name].supported_dtypes("cpu"):
                word = str(dtype).removeprefix("torch.")
                kind, reason = judged(name, dtype, options.count)
                rows.setdefault(name, {})[word] = kind
                print(f"{kind:9} {name} {word} {reason}", flush=True)
    if options.write:
        options.write.write_text(page(rows), encoding="utf-8")


if __name__ == "__main__":
    main()
