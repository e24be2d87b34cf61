"""Containers of layers and parameters, and the members of every layer, as Paddle writes them."""

from __future__ import annotations

import ast

from workbench.rules.difference import unless
from workbench.rules.forms import FormSet
from workbench.rules.match import Match
from workbench.rules.outcome import Keep, Outcome, Rewrite
from workbench.source.traits.filling import CHANGING, state_copied
from workbench.source.traits.traits import Layout
from workbench.source.tree import container
from workbench.source.types.lattice import (
    UNKNOWN,
    Foreign,
    Instance,
    Plain,
    TorchObject,
    alternatives,
)
from workbench.source.types.views import root
from workbench.source.uses import UseKind
from workbench.targets.paddle.common.writing import underived
from workbench.targets.paddle.layers.forms.norm import batch_norms_are_native

forms = FormSet()

_M = "torch.nn.Module"
# Variables with the number of an accelerator: Paddle accepts only its name.
_RANKS = ("rank", "gpu", "device_id", "device_index")
_FLOATS = frozenset({f"torch.{name}" for name in ("float16", "bfloat16", "float32", "float64")})


# Members that Paddle's table of parameters lacks.
_OF_DICTS = ("keys", "values", "items", "get", "pop", "popitem", "setdefault", "copy", "clear")


def _holds_parameters(match: Match) -> bool:
    """Return whether what a list or table of parameters is given is written as parameters."""
    if not underived(match.program, "ParameterList", "ParameterDict"):
        return False
    if match.program.calls("extend", "fromkeys"):
        return False  # Paddle's do not have it
    if match.program.reads_of("ParameterDict", *_OF_DICTS, spelled=False):
        return False
    targets = getattr(match.use.statement, "targets", [])
    if not match.program.traits.changed.isdisjoint(filter(None, map(root, targets))):
        return False  # Paddle's copies the values of an assigned parameter into the present one
    given = [node for argument in match.arguments.values() for node in argument.nodes]
    return all(
        (isinstance(node, ast.List) and not node.elts)  # items are appended later
        or any(
            isinstance(part, ast.Call)
            and (getattr(part.func, "attr", getattr(part.func, "id", None)) == "Parameter")
            for part in ast.walk(node)
        )
        for node in given
    )


forms.row("torch.nn.ParameterList", to="paddle.nn.ParameterList", when=_holds_parameters)


@forms.form("torch.nn.ParameterList.__getitem__")
def parameter_at(match: Match) -> Outcome | None:
    """Write a negative index or a slice of a list, whose indices Paddle treats as names."""
    if match.use.kind is not UseKind.OPERATOR:
        return None
    return Rewrite("list({self})", callee_only=True)


forms.row("torch.nn.ParameterDict", to="paddle.nn.ParameterDict", when=_holds_parameters)

_ENTRIES = unless(
    "the running statistics of a BatchNorm are the entries `_mean` and `_variance` in {target},"
    " and there is no `num_batches_tracked`"
)

# The same with and without an argument ---------------------------------------------------------


def _exposes_values(match: Match) -> bool:
    """Return whether a state's values are iterated or changed; Paddle's require gradients."""
    node, statement = match.use.node, match.use.statement
    layouts = match.program.traits.laid_out
    assigned = isinstance(statement, ast.Assign) and (
        state_copied(statement.value) is node or node in getattr(statement.value, "elts", ())
    )
    written = Layout.WRITES in layouts and (assigned or isinstance(statement, ast.For))
    if written or Layout.CHANGES in layouts or (assigned and Layout.RESULTS in layouts):
        return True
    if match.program.calls("no_grad", "inference_mode"):
        return False
    if assigned:
        return match.program.calls(*CHANGING)
    return any(
        isinstance(part, ast.Attribute) and part.attr in {"items", "values"} and part.value is node
        for part in ast.walk(statement)
    )


@forms.form(f"{_M}.state_dict")
def state_dict(match: Match) -> Outcome | None:
    """Keep the method; names and number of the entries of a BatchNorm differ."""
    if match.arguments or _exposes_values(match):
        return None
    if match.program.calls("register_state_dict_pre_hook"):
        return None  # Paddle passes another `keep_vars` to the hook
    normed = match.program.calls("BatchNorm1d", "BatchNorm2d", "BatchNorm3d")
    normed = normed and batch_norms_are_native(match.program)
    return Keep(differs=_ENTRIES if normed and _shows_entries(match) else ())


def _shows_entries(match: Match) -> bool:
    """Return whether the names or the number of a state's entries are read."""
    around = container(match.use.statement, match.use.node)
    match around:
        case ast.Call(func=ast.Name(id="len" | "list" | "sorted" | "set" | "enumerate")):
            return True
        case ast.Attribute(attr="keys") | ast.For() | ast.comprehension():
            return True
    return False


forms.row(  # Paddle's frees a gradient that is still referenced
    f"{_M}.zero_grad",
    to="...",
    when=lambda match: not match.arguments and not match.program.holds_gradients,
)
forms.row(f"{_M}.cuda", to="...", when=lambda match: not match.arguments)


@forms.form(f"{_M}.to")
def to(match: Match) -> Outcome | None:
    """Keep `layer.to(device)` and `layer.to(device, dtype)`, with a device or its name."""
    if match.constant("device", None) == "meta":
        return None
    given = [name for name in match.arguments if name != "non_blocking"]
    if given in (["device"], ["dtype"], ["tensor"]) and _is_device(match, given[0]):
        return Keep()  # an untyped argument does not determine the overload
    return _to_dtype(match, given) if given in (["dtype"], ["device", "dtype"]) else None


def _to_dtype(match: Match, given: list[str]) -> Outcome | None:
    """Write a cast to a dtype; Paddle's also casts integers."""
    if match.program.calls("register_buffer") or not all(
        isinstance(one, Instance | TorchObject) and _dtype_of(one)
        for one in alternatives(match.value("dtype"))
    ):
        return None
    if given == ["dtype"]:
        rest = ", non_blocking={non_blocking}" if "non_blocking" in match else ""
        return Rewrite(f"{{self}}.to(dtype={{dtype}}{rest})")
    return Keep() if _is_device(match, "device") else None


def _dtype_of(value: Instance | TorchObject) -> bool:
    if isinstance(value, TorchObject):
        return value.name in _FLOATS
    return value.cls == "torch.dtype"


def _is_device(match: Match, name: str) -> bool:
    """Return whether an argument is a device or its name, as its value or the words for it tell."""
    node, value = match.arguments[name].node, match.value(name)
    if all(one in (Plain("str"), Instance("torch.device")) for one in alternatives(value)):
        return True
    words = ast.unparse(node).lower()
    named = "device" in words and "dtype" not in words and not words.endswith(_RANKS)
    return named and (value is UNKNOWN or isinstance(value, Foreign))


for _name in ("float", "double", "half", "bfloat16"):
    forms.row(
        f"{_M}.{_name}", to="...", when=lambda match: not match.program.calls("register_buffer")
    )
