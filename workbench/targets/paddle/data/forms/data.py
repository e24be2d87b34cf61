"""Datasets, samplers and data loaders as Paddle writes them."""

from __future__ import annotations

import ast

from workbench.rules.difference import Difference
from workbench.rules.forms import FormSet
from workbench.rules.match import Match
from workbench.rules.outcome import Outcome, Rewrite
from workbench.source.traits.containers import maker
from workbench.source.traits.program import Program
from workbench.source.traits.samples import Samples, returns_object
from workbench.source.traits.training import simple
from workbench.source.types.lattice import (
    UNKNOWN,
    Instance,
    Items,
    Partial,
    TorchObject,
    UserFunction,
    UserObject,
)
from workbench.targets.paddle.common.samples import samples_of
from workbench.words import words

forms = FormSet()

_D = "torch.utils.data"
_DRAWS = (Difference.RANDOM_DRAWS,)
# Parameters that change how samples are fetched, but not which.
_FREE = frozenset({"pin_memory", "pin_memory_device", "multiprocessing_context", "in_order"})
_OF_STRINGS = (
    "each sample must contain a tensor, an array or a number: Paddle's DataLoader yields"
    " no batch for samples of strings only, turns a named tuple into a list, and hangs on"
    " None"
)
# Functions that return tensors: a batch without any ends Paddle's loop at once.
_TENSORS = frozenset(
    words(
        "FloatTensor LongTensor Tensor as_tensor cat default_collate from_numpy pad_sequence "
        "stack tensor"
    )
)


# Functions that ask what they list for its length, which Paddle's streams refuse to give.
_LISTING = ("list", "tuple", "sorted")
# Members that Paddle's loaders lack.
_OF_LOADERS = ("pin_memory", "prefetch_factor", "persistent_workers")


def _native(program: Program) -> bool:
    """Return whether nothing is asked of loaders that Paddle's lack."""
    if program.derives("DataLoader") or program.splits("DataLoader"):
        return False
    if not program.calls("DataLoader") and not program.is_passed_on("DataLoader"):
        return True  # other files construct them
    if program.reads_of("DataLoader", *_OF_LOADERS, spelled=False):
        return False  # in strings these are options
    return not program.reads_of("DataLoader", "collate_fn", rewritable=("sampler",))


def _streams(match: Match) -> bool:
    """Return whether a loader's samples come from an iterable dataset."""
    dataset = match.value("dataset")
    streams = f"{_D}.IterableDataset"
    return isinstance(dataset, UserObject) and dataset.cls.torch_base() == streams


@forms.form(f"{_D}.DataLoader.sampler")
def sampler(match: Match) -> Outcome | None:
    """Return the sampler that Paddle's loader keeps in its batch sampler."""
    return Rewrite("{self}.batch_sampler.sampler") if _native(match.program) else None


# Paddle's own lack the member; one that is given a generator is the rule's class.
for _name in ("DataLoader", "SubsetRandomSampler", "WeightedRandomSampler"):
    forms.row(f"{_D}.{_name}.generator", to='getattr({self}, "generator", None)')


def _spread(match: Match) -> Outcome | None:
    """Return the helper for `DataLoader(dataset, **options)` if no option may be a function."""
    traits = match.program.traits
    functions = {"collate_fn", "generator"} & (traits.strings | traits.keywords)
    if functions or not _native(match.program):
        return None
    shuffles = "shuffle" in traits.strings | traits.keywords
    return Rewrite("torch_loader", callee_only=True, differs=_DRAWS if shuffles else ())


@forms.form(
    f"{_D}.DataLoader",
    value=lambda program: "paddle.io.DataLoader" if _native(program) else None,
    spread=_spread,
)
def loader(match: Match) -> Outcome | None:
    """Write `DataLoader` if Paddle's gives the same batches; a sampler becomes a batch sampler."""
    if not _native(match.program) or match.given("generator"):
        return None
    if match.constant("batch_size", 1) is None:
        return None
    if _streams(match) and match.program.calls(*_LISTING):
        return None
    samples = samples_of(match.value("dataset"), match.program)
    if not _collates(match) or (samples is Samples.NOT_TAKEN and not match.given("collate_fn")):
        return _with_any_batches(match)
    caveat = _OF_STRINGS if samples is Samples.OPEN and not match.given("collate_fn") else None
    rest = "collate_fn={collate_fn}, num_workers={num_workers}, timeout={timeout}, "
    rest += "worker_init_fn={worker_init_fn}, persistent_workers={persistent_workers}"
    if match.given("num_workers"):
        rest += ", use_shared_memory=False"  # with it, workers that read tensors crash or hang
    if match.given("prefetch_factor"):
        rest += ", prefetch_factor={prefetch_factor}"
    free = {*_FREE, "prefetch_factor"}
    shuffles = match.constant("shuffle", False) not in (False, None)
    if match.given("batch_sampler"):
        text = f"{{dataset}}, batch_sampler={{batch_sampler}}, {rest}"
    elif match.given("sampler"):
        batches = _batches(match)
        if batches is None:
            return Rewrite("torch_loader(...)", caveat=caveat)
        text = f"{{dataset}}, batch_sampler={batches}, {rest}"
        free |= {"shuffle"}
    else:
        text = "{dataset}, batch_size={batch_size}, shuffle={shuffle}, drop_last={drop_last}, "
        text += rest
        free |= {"sampler", "batch_sampler"}
    consumed = frozenset(free)
    differs = _DRAWS if shuffles else ()
    text = f"paddle.io.DataLoader({text})"
    return Rewrite(text, consumed=consumed, differs=differs, caveat=caveat)


def _with_any_batches(match: Match) -> Outcome | None:
    """Return a loader of batches that Paddle's does not accept, in the program's own process."""
    if match.given("num_workers", "sampler", "batch_sampler", "worker_init_fn", "prefetch_factor"):
        return None
    if not isinstance(match.value("dataset"), Items | UserObject):
        return None
    if _streams(match):
        return None
    text = "{dataset}, batch_size={batch_size}, shuffle={shuffle}, drop_last={drop_last}, "
    shuffles = match.constant("shuffle", False) not in (False, None)
    return Rewrite(
        f"TorchPlainLoader({text}collate_fn={{collate_fn}})",
        consumed=_FREE | {"sampler", "batch_sampler", "timeout", "persistent_workers"},
        differs=_DRAWS if shuffles else (),
    )


def _batches(match: Match) -> str | None:
    """Return the batch sampler for a sampler that may be None: `sampler=s, shuffle=s is None`."""
    rest = ", batch_size={batch_size}" if match.given("batch_size") else ""
    rest += ", drop_last={drop_last}" if match.given("drop_last") else ""
    shuffles = match.constant("shuffle", False) not in (False, None)
    if not shuffles and not _may_be_none(match):
        return f"paddle.io.BatchSampler(sampler={{sampler}}{rest})"
    if not simple(match.arguments["dataset"].node) or not simple(match.arguments["sampler"].node):
        return None
    rest = f", shuffle={{shuffle}}{rest}" if shuffles else rest
    whole = "{dataset} if {sampler} is None else None"
    return f"paddle.io.BatchSampler({whole}, {{sampler}}{rest})"


def _may_be_none(match: Match) -> bool:
    """Return whether a sampler may be None: it is not known, and by no class of others' either."""
    node, value = match.arguments["sampler"].node, match.value("sampler")
    if isinstance(value, Instance | UserObject):
        return False
    name = getattr(node, "attr", getattr(node, "id", ""))
    made = {maker(node)} if isinstance(node, ast.Call) else match.program.makers(name)
    return not made or not all(one[:1].isupper() and one != "None" for one in made)


def _collates(match: Match) -> bool:
    """Return whether batches are known to hold tensors; Paddle's loader returns no others."""
    if not match.given("collate_fn"):
        return True
    function = match.value("collate_fn")
    function = function.func if isinstance(function, Partial) else function
    if isinstance(function, UserObject):
        function = function.cls.find("__call__") or UNKNOWN
    if isinstance(function, TorchObject):
        return True
    if not isinstance(function, UserFunction):
        return False
    body = function.node
    if isinstance(body, ast.FunctionDef) and returns_object(body):
        return False
    named = (part for part in ast.walk(body) if isinstance(part, ast.Attribute | ast.Name))
    return any((p.attr if isinstance(p, ast.Attribute) else p.id) in _TENSORS for p in named)


forms.row(
    f"{_D}.IterableDataset",
    to="paddle.io.IterableDataset()",
    value=lambda program: (
        None if program.calls("ChainDataset", *_LISTING) else "paddle.io.IterableDataset"
    ),
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
    """Return Paddle's sampler, which requires the weights as an array."""
    if match.given("generator") or match.program.derives("WeightedRandomSampler"):
        return None
    text = "numpy.asarray({weights}), {num_samples}, {replacement}"
    return Rewrite(
        f"paddle.io.WeightedRandomSampler({text})",
        consumed=frozenset({"generator"}),
        differs=_DRAWS,
    )


# Paddle's sampler keeps an array, and NumPy's number of samples.
forms.row(
    f"{_D}.WeightedRandomSampler.weights", to='paddle.to_tensor({self}.weights, dtype="float64")'
)
forms.row(f"{_D}.WeightedRandomSampler.__len__", to="len({self})")
forms.row(
    f"{_D}.get_worker_info", to="paddle.io.get_worker_info()", value="paddle.io.get_worker_info"
)
