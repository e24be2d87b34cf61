"""Datasets, samplers and data loaders in Paddle's own words."""

from __future__ import annotations

import ast

from workbench.rules.difference import Difference
from workbench.rules.forms import FormSet
from workbench.rules.match import Match
from workbench.rules.outcome import Outcome, Rewrite
from workbench.source.traits.program import Program
from workbench.source.types.lattice import Instance, TorchObject, UserFunction, UserObject, Value

forms = FormSet()

_D = "torch.utils.data"
_DRAWS = (Difference.RANDOM_DRAWS,)
# Parameters that change how samples are fetched and not what comes.
_FREE = frozenset({"pin_memory", "pin_memory_device", "multiprocessing_context", "in_order"})
# Functions that give tensors: a batch in which there is none ends Paddle's loop at once.
_TENSORS = frozenset(
    [
        "FloatTensor",
        "LongTensor",
        "Tensor",
        "as_tensor",
        "cat",
        "default_collate",
        "from_numpy",
        "pad_sequence",
        "stack",
        "tensor",
    ]
)


def _native(program: Program) -> bool:
    """Whether nothing is asked of loaders that Paddle's lack."""
    asked = {"sampler", "collate_fn", "prefetch_factor"}
    if not program.calls("pin_memory"):  # what a tensor has, too
        asked.add("pin_memory")
    return not (program.derives("DataLoader") or program.traits.read & asked)


def _spread(match: Match) -> Outcome | None:
    """`DataLoader(dataset, **options)`, where nothing tells of a function in them."""
    traits = match.program.traits
    told = {"collate_fn", "generator"} & (traits.strings | traits.keywords)
    if told or not _native(match.program):
        return None
    return Rewrite("torch_loader", callee_only=True)


@forms.form(
    f"{_D}.DataLoader",
    value=lambda program: "paddle.io.DataLoader" if _native(program) else None,
    spread=_spread,
)
def loader(match: Match) -> Outcome | None:
    """`DataLoader` where Paddle's gives the same batches; a sampler makes the batches' sampler."""
    if not _native(match.program) or match.given("generator") or not _collates(match):
        return None
    if match.constant("batch_size", 1) is None:
        return None
    rest = "collate_fn={collate_fn}, num_workers={num_workers}, timeout={timeout}, "
    rest += "worker_init_fn={worker_init_fn}, persistent_workers={persistent_workers}"
    if match.given("num_workers"):
        rest += ", use_shared_memory=False"  # with it workers die or wait where they read tensors
    if match.given("prefetch_factor"):
        rest += ", prefetch_factor={prefetch_factor}"
    free = {*_FREE, "prefetch_factor"}
    shuffles = match.constant("shuffle", False) not in (False, None)
    if match.given("batch_sampler"):
        text = f"{{dataset}}, batch_sampler={{batch_sampler}}, {rest}"
    elif match.given("sampler"):
        if shuffles or _may_be_none(match.value("sampler")):
            return Rewrite("torch_loader(...)")
        drop = ", drop_last={drop_last}" if match.given("drop_last") else ""
        size = ", batch_size={batch_size}" if match.given("batch_size") else ""
        batches = f"paddle.io.BatchSampler(sampler={{sampler}}{size}{drop})"
        text = f"{{dataset}}, batch_sampler={batches}, {rest}"
        free |= {"shuffle"}
    else:
        text = "{dataset}, batch_size={batch_size}, shuffle={shuffle}, drop_last={drop_last}, "
        text += rest
        free |= {"sampler", "batch_sampler"}
    consumed = frozenset(free)
    differs = _DRAWS if shuffles else ()
    return Rewrite(f"paddle.io.DataLoader({text})", consumed=consumed, differs=differs)


def _may_be_none(value: Value) -> bool:
    """Whether a sampler may be missing, as in `sampler=s, shuffle=s is None`."""
    return not isinstance(value, Instance | UserObject)


def _collates(match: Match) -> bool:
    """Whether batches are known to hold tensors: the only ones that Paddle's loader hands on."""
    if not match.given("collate_fn"):
        return True
    function = match.value("collate_fn")
    if isinstance(function, TorchObject):
        return True
    if not isinstance(function, UserFunction):
        return False
    named = (part for part in ast.walk(function.node) if isinstance(part, ast.Attribute | ast.Name))
    return any((p.attr if isinstance(p, ast.Attribute) else p.id) in _TENSORS for p in named)


forms.row(
    f"{_D}.IterableDataset",
    to="paddle.io.IterableDataset()",
    value=lambda program: None if program.calls("ChainDataset") else "paddle.io.IterableDataset",
    base=True,
)
forms.row(
    f"{_D}.random_split",
    to="paddle.io.random_split({dataset}, {lengths})",
    differs=_DRAWS,
)


for _name, _texts in (
    (
        "RandomSampler",
        "RandomSampler({data_source}, replacement={replacement}, num_samples={num_samples})",
    ),
    ("SubsetRandomSampler", "SubsetRandomSampler({indices})"),
    (
        "BatchSampler",
        "BatchSampler(sampler={sampler}, batch_size={batch_size}, drop_last={drop_last})",
    ),
):

    def _decide_when(match: Match, name: str = _name) -> bool:
        return not match.program.derives(name)

    forms.row(
        f"{_D}.{_name}",
        to=f"paddle.io.{_texts}",
        when=_decide_when,
        differs=() if _name == "BatchSampler" else _DRAWS,
        value=lambda program, name=_name: (  # type: ignore[misc]
            None if program.derives(name) else f"paddle.io.{name}"
        ),
    )


@forms.form(f"{_D}.WeightedRandomSampler")
def weighted(match: Match) -> Outcome | None:
    """Paddle takes the weights as an array alone."""
    if match.given("generator") or match.program.derives("WeightedRandomSampler"):
        return None
    text = "numpy.asarray({weights}), {num_samples}, {replacement}"
    return Rewrite(
        f"paddle.io.WeightedRandomSampler({text})",
        consumed=frozenset({"generator"}),
        differs=_DRAWS,
    )


forms.row(
    f"{_D}.get_worker_info", to="paddle.io.get_worker_info()", value="paddle.io.get_worker_info"
)
