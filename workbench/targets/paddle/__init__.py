"""PaddlePaddle as a target."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from contextlib import suppress
from functools import cache
from importlib import import_module
from importlib.metadata import PackageNotFoundError
from importlib.metadata import version as distribution_version
from pathlib import Path
from pkgutil import iter_modules
from typing import Any

from workbench.errors import UnknownTargetError
from workbench.rules.difference import Differs
from workbench.rules.forms import Forms, FormSet
from workbench.rules.match import Match
from workbench.rules.rule import Registry, RuleSet
from workbench.rules.same import SameCalls
from workbench.source.traits.program import Program
from workbench.targets import MODULES_NAMED, Target, Unproven
from workbench.targets.helpers import MODULE, HelperLibrary
from workbench.targets.layer import COMPAT
from workbench.targets.paddle.common.corners import RELU_OF_NAN
from workbench.targets.paddle.common.promotion import unlike_dtypes
from workbench.targets.paddle.compat import import_layer, switches
from workbench.targets.paddle.copies import of_copies, reported
from workbench.targets.paddle.counts import takes_tensor
from workbench.targets.paddle.dimensions import of_many_dimensions
from workbench.targets.paddle.halves import halved
from workbench.targets.paddle.narrow import lacks_kernel, widened
from workbench.targets.paddle.parts import warned
from workbench.targets.paddle.remaining import refusal
from workbench.targets.paddle.second_derivatives import NEVER, NOT_THRICE, ONCE
from workbench.upstream.facts import Facts, load
from workbench.upstream.ported import Ported
from workbench.words import words

PACKAGES = ("paddle",)
VERSIONS = ("3.0", "3.1", "3.2", "3.3")
PROGRAM = ".json"
# Folders with the rules, plain forms and helpers of related torch names.
FAMILIES = words(
    "data distributions layers linalg losses math modules running sequences tensors training vision"
)
# Families of rules for names with these prefixes, which most programs do not use.
_APART = {"distributions": ("torch.distributions.",), "vision": ("torchvision.", "timm.")}
# Torch modules whose local name in a file is rebound to a Paddle module.
_COUNTERPARTS = {
    "torch": "paddle",
    "torch.autograd": "paddle.autograd",
    "torch.distributed": "paddle.distributed",
    "torch.fft": "paddle.fft",
    "torch.linalg": "paddle.linalg",
    "torch.nn": "paddle.nn",
    "torch.nn.functional": "paddle.nn.functional",
    "torch.nn.init": "paddle.nn.init",
    "torch.nn.utils": "paddle.nn.utils",
    "torch.optim": "paddle.optimizer",
    "torch.optim.lr_scheduler": "paddle.optimizer.lr",
    "torch.utils.data": "paddle.io",
    "torchvision.datasets": "paddle.vision.datasets",
    "torchvision.models": "paddle.vision.models",
    "torchvision.transforms": "paddle.vision.transforms",
}
# torch draws new weights of linear and convolution layers uniformly within 1/sqrt(fan in).
_KAIMING = "negative_slope=5**0.5, nonlinearity='leaky_relu'"
_CONSTANTS = {"torch_init": ("init", f"paddle.nn.initializer.KaimingUniform({_KAIMING})")}
# The argument with which layers of plain forms draw as in torch; without it, as in Paddle.
_TORCH_INIT = r",\s*weight_attr=(?:torch_init|paddle\.nn\.initializer\.Normal\(\))"
_PACKAGES = ("paddlepaddle", "paddlepaddle-gpu")
OLDER = Path(__file__).parent / "older.json"
# Names whose trials do not show whether the same call has another meaning.
_NOT_SAME = frozenset(
    # Their backward passes may crash the process.
    {"torch.linalg.cross", "torch.topk", "torch.Tensor.topk"}
    # Paddle's raises for no steps.
    | {"torch.logspace"}
    | {f"torch.Tensor.{name}" for name in ("bool", "byte", "int", "long", "short")}
)
_PASSED_OVER = "it ignores NaN in {target}; in torch it returns the index of NaN"
_FLOORED = "a rounded quotient has no gradient in {target}; in torch its gradient is zero"
_SHARED = "the gradient is divided differently among equal values"
# Values for which the same calls return something else than in torch.
_CORNERS = {
    "torch.argmax": _PASSED_OVER,
    "torch.argmin": _PASSED_OVER,
    "torch.Tensor.argmax": _PASSED_OVER,
    "torch.Tensor.argmin": _PASSED_OVER,
    "torch.div": _FLOORED,
    "torch.divide": _FLOORED,
    "torch.Tensor.div": _FLOORED,
    "torch.Tensor.div_": _FLOORED,
    "torch.Tensor.logsumexp": (
        "it is NaN in {target} if the largest value is infinite; in torch it is that value"
    ),
    "torch.max": _SHARED,
    "torch.min": _SHARED,
    "torch.Tensor.max": _SHARED,
    "torch.Tensor.min": _SHARED,
    "torch.norm": "if all values are 0, the gradient for a `p` below 1 is NaN in {target}",
    "torch.Tensor.norm": "if all values are 0, the gradient for a `p` below 1 is NaN in {target}",
    "torch.nn.functional.relu": RELU_OF_NAN,
    "torch.sqrt": "sqrt(inf) is NaN in {target}, inf in torch",
}
_UNGENERIC = frozenset({"paddle.io.DataLoader", "TorchDistributedSampler", "TorchStackDataset"})
# Methods of `paddle.nn.Layer` that `torch.nn.Module` lacks.
_OF_LAYERS = frozenset(
    words(
        "_build_once _dygraph_call_func _obtain_parameters_buffers _set_op_attrs _startup_program "
        "_state_dict_impl _to_impl _transform add_parameter add_sublayer astype backward "
        "clear_gradients create_parameter create_tensor create_variable float16 full full_name "
        "get_sublayer load_dict named_sublayers register_forward_post_hook "
        "register_state_dict_hook set_dict set_state_dict set_sublayer sharded_state_dict "
        "sublayers to_static_state_dict"
    )
)
SAME = Path(__file__).parent / "same.json"


def target(version: str | None) -> Target:
    """Return Paddle in the given version, or else the installed one, or else the newest."""
    short = ".".join((version or _installed()).split(".")[:2])
    if short not in VERSIONS:
        raise UnknownTargetError(
            f"paddle {version} is not supported; write one of: "
            + ", ".join(f"paddle=={known}" for known in VERSIONS)
        )
    return Target(
        name="paddle",
        title="Paddle",
        module="paddle",
        version=short,
        rules=_registry(),
        helpers=_helpers(),
        facts=_facts(),
        packages={"torch": "paddlepaddle", "torchvision": "paddlepaddle"},
        modules={"einops.layers.torch": "einops.layers.paddle"},
        unproven=_unproven(short),
        modules_named=(*MODULES_NAMED, "einops"),
        devices=frozenset({"cpu", "cuda", "xpu"}),
        forms=_forms(),
        counterparts=_COUNTERPARTS,
        units=("torch.optim.",),
        constants=_CONSTANTS,
        torch_init=_TORCH_INIT,
        switches=switches,
        layers={COMPAT: lambda: import_layer(_same_calls())},
        ungeneric=_UNGENERIC,
        takes_tensor=takes_tensor,
        otherwise=frozenset({"max", "min", "sort", "median"}),
        module_methods=_OF_LAYERS,
        promotes_floats_alone=True,
        drawable=False,
        no_kernel=r"kernel_key\.backend\(\)|kernel .* is not registered|not support data type"
        r"|data type of '?\w+'? (in .* )?must be",
    )


def _installed() -> str:
    """Return the installed version if it has rules, else the newest; import nothing."""
    for package in _PACKAGES:
        with suppress(PackageNotFoundError):
            found = distribution_version(package)
            if ".".join(found.split(".")[:2]) in VERSIONS:
                return found
    return VERSIONS[-1]


def _unproven(short: str) -> dict[str, Unproven]:
    """Return the rules some of whose cases fail in an older version, from `make prove-older`."""
    if short == VERSIONS[-1] or not OLDER.exists():
        return {}
    failing: dict[str, dict[str, str]] = json.loads(OLDER.read_text(encoding="utf-8"))
    later = VERSIONS[VERSIONS.index(short) + 1 :]
    found = {}
    for name, share in failing.get(short, {}).items():
        last = max((i for i, v in enumerate(later) if name in failing.get(v, {})), default=-1)
        found[name] = Unproven(later[last + 1], some=share == "some")
    return found


@cache
def _helpers() -> HelperLibrary:
    folders = (Path(__file__).parent / family / "helpers" for family in FAMILIES)
    return HelperLibrary(sorted(file for one in folders for file in one.rglob("[!_]*.py")))


# Names that provide types in a file that is converted one fix at a time, in addition to those in
# rules and forms: the target's other names, and modules that correspond to torch's.
_CALLED = {
    "paddle.compat": "torch",
    "paddle.nn.Layer": "torch.nn.Module",
    "paddle.nn.LayerList": "torch.nn.ModuleList",
    "paddle.nn.LayerDict": "torch.nn.ModuleDict",
    "paddle.to_tensor": "torch.tensor",
    "paddle.concat": "torch.cat",
    "paddle.grad": "torch.autograd.grad",
    # Functions that return only values; torch's function of this name also returns indices.
    "paddle.max": "torch.amax",
    "paddle.min": "torch.amin",
    "paddle.sort": "torch.msort",
}
# Helpers that rules or forms choose, each with a torch name that has the same result.
_CHOSEN = {"torch_buffers": "torch.nn.Module.buffers", "torch_compare": "torch.eq"}
# Tensor methods in plain forms for which torch has another name.
_METHODS = {"scale_": "mul_", "set_value": "copy_"}


@cache
def _facts() -> Facts:
    roots = frozenset({"paddle"})
    return load().with_ported(Ported(roots, MODULE, _ported, _source_of_helper, _METHODS))


def _source_of_helper(name: str) -> str | None:
    return _helpers()[name].source if name in _helpers() else None


def _ported() -> dict[str, str]:
    """Return Paddle's names, and those of helpers, with the torch names that they replace."""
    found = {other: name for name, other in _COUNTERPARTS.items()} | _CALLED
    found |= {
        f"{prefix}{one}": name for one, name in _CHOSEN.items() for prefix in ("", f"{MODULE}.")
    }
    for form in _forms():
        text = form.value(Program()) if form.value is not None else None
        if text is not None:
            found.setdefault(text, form.name)
    rules = [one for one in _registry() if ".Tensor." not in one.name and one.refusal is None]
    called = [
        ((text or "").partition("(")[0], rule.name)
        for rule in rules
        for text in (rule.value, *rule.templates)
    ]
    # Of several torch names that a Paddle name replaces, prefer the one with the same last name.
    called.sort(key=lambda pair: pair[0].rpartition(".")[2] != pair[1].rpartition(".")[2])
    for callee, name in called:
        helper = callee in _helpers()
        if helper or re.fullmatch(r"paddle(\.\w+)+", callee):
            found.setdefault(callee, name)
        if helper:
            found.setdefault(f"{MODULE}.{callee}", name)
    return found


# Functions that return a list where torch's return a tuple.
_LISTS = frozenset(
    {
        f"{owner}.{name}"
        for owner in ("torch", "torch.Tensor")
        for name in words("chunk dsplit hsplit tensor_split unbind vsplit")
    }
    | {"torch.autograd.grad", "torch.broadcast_tensors", "torch.meshgrid"}
)


@cache
def _same_calls() -> SameCalls:
    return SameCalls(SAME, _COUNTERPARTS, VERSIONS[-1], but=_NOT_SAME, corners=_CORNERS)


@cache
def _forms() -> Forms:
    """Return the plain forms; every module in the `forms` of a family has a FormSet `forms`."""
    sets: Iterator[FormSet] = (
        module.forms for one in FAMILIES for module in _modules(one, "forms")
    )
    return Forms(
        sets,
        _same_calls(),
        once=ONCE,
        never_twice=NEVER,
        not_thrice=NOT_THRICE,
        lacks_kernel=lacks_kernel,
        depends=_depending,
        lists=_LISTS,
    )


def _depending(name: str, match: Match) -> Differs:
    """Return the differences of plain forms and unchanged calls that their tensors decide."""
    found = (unlike_dtypes, of_copies, of_many_dimensions)
    return tuple(difference for of in found for difference in of(name, match))


@cache
def _registry() -> Registry:
    """Return the registry; every module in the `rules` of a family has a RuleSet `rules`."""
    apart = {prefixes: _rule_sets([family]) for family, prefixes in _APART.items()}
    return Registry(
        _rule_sets(one for one in FAMILIES if one not in _APART), load(), refusal, apart
    )


def _rule_sets(families: Iterable[str]) -> Iterator[RuleSet]:
    for family in families:
        for module in _modules(family, "rules"):
            found: RuleSet = module.rules
            found.rules = [reported(widened(warned(halved(rule)))) for rule in found.rules]
            yield found


def _modules(family: str, folder: str) -> Iterator[Any]:
    """Yield the modules of one folder of a family."""
    path = Path(__file__).parent / family / folder
    for module in iter_modules([str(path)], f"{__name__}.{family}.{folder}."):
        yield import_module(module.name)
