"""Saving and loading: the file's name stays, its format is Paddle's."""

from __future__ import annotations

import ast

from workbench.rules.difference import Difference, unless
from workbench.rules.forms import FormSet
from workbench.rules.match import Match
from workbench.rules.outcome import Keep, Outcome, Rewrite
from workbench.source.traits.traits import Layout, Training
from workbench.source.types.lattice import ForeignInstance, Instance, UserObject, Value

forms = FormSet()

_FORMAT = (Difference.FILE_FORMAT,)
_WHOLE = unless("a file of a whole model, not of its state_dict, raises an error here")
# Members of a loaded layer: `torch.load(path).eval()`.
_OF_LAYERS = frozenset({"eval", "train", "forward", "modules", "parameters", "state_dict"})
# Names of variables that hold a whole model, if nothing else is known of them.
_MODELS = ("model", "net", "network")


def _place(match: Match) -> str | None:
    """Return the path for `paddle.save`: a string or a buffer, or None for an open file."""
    node, value = match.arguments["f"].node, match.value("f")
    modules = match.program.traits.modules
    if isinstance(node, ast.Call) and ast.unparse(node.func) in {"open", "str"}:
        return None if ast.unparse(node.func) == "open" else "{f}"
    if isinstance(node, ast.Name) and node.id in match.program.traits.opened:
        return None
    text = ast.unparse(node)
    if isinstance(value, ForeignInstance):
        return "str({f})" if value.name.startswith("pathlib.") else "{f}"
    divided = isinstance(node, ast.BinOp) and isinstance(node.op, ast.Div)
    if divided or "Path(" in text or ".joinpath(" in text or ".with_" in text:
        return "str({f})"
    named = isinstance(node, ast.Name | ast.Attribute | ast.Subscript)
    if named and "pathlib" in modules:
        return None if "io" in modules else "str({f})"
    return "{f}"


def _is_layer(value: Value) -> bool:
    if isinstance(value, UserObject):
        return (value.cls.torch_base() or "").startswith("torch.nn.")
    return isinstance(value, Instance) and value.cls.startswith("torch.nn.")


def _unpacked(match: Match) -> Outcome | None:
    """Return the object and the path of `torch.save(*args, **kwargs)`."""
    arrays = Training.SAVES_ARRAYS in match.program.traits.training
    return None if arrays else Rewrite("paddle.save", callee_only=True, differs=_FORMAT)


@forms.form("torch.save", spread=_unpacked)
def save(match: Match) -> Outcome | None:
    """Save a state or other tensors and plain objects; a whole layer is pickled."""
    place = _place(match)
    arrays = Training.SAVES_ARRAYS in match.program.traits.training
    if place is None or arrays or _is_layer(match.value("obj")):
        return None
    free = frozenset({"f", "pickle_protocol", "pickle_module", "_use_new_zipfile_serialization"})
    return Rewrite(f"paddle.save({{obj}}, {place})", consumed=free, differs=_FORMAT)


_OTHER_SHAPE = unless(
    "if a tensor has another shape than the model's, {target} leaves it out with a warning; torch"
    " raises an error"
)


@forms.form("torch.load")
def load(match: Match) -> Outcome | None:
    """Load a file; Paddle reads to the current device, not the one it was written from."""
    place = _place(match)
    if place is None or _loads_layer_or_array(match):
        return None
    free = frozenset({"f", "map_location", "weights_only", "mmap", "pickle_module"})
    # torch loads only states by default.
    whole = _WHOLE if match.constant("weights_only") is False else ()
    return Rewrite(f"paddle.load({place})", consumed=free, differs=(*_FORMAT, *whole))


def _loads_layer_or_array(match: Match) -> bool:
    """Return whether the loaded value is a layer, `model = torch.load(path)`, or a NumPy array."""
    statement, traits = match.use.statement, match.program.traits
    if Training.SAVES_ARRAYS in traits.training or "from_numpy(" in ast.unparse(statement):
        return True
    if any(
        isinstance(part, ast.Attribute) and part.value is match.use.node and part.attr in _OF_LAYERS
        for part in ast.walk(statement)
    ):
        return True
    if not isinstance(statement, ast.Assign) or statement.value is not match.use.node:
        return False
    name = ast.unparse(statement.targets[0]).rpartition(".")[2]
    return name in traits.arrays or name.lower().endswith(_MODELS)


_HOOKS = (
    "register_load_state_dict_pre_hook",
    "_register_load_state_dict_pre_hook",
    "register_load_state_dict_post_hook",
)


@forms.form("torch.nn.Module.load_state_dict")
def load_state_dict(match: Match) -> Outcome | None:
    """Load a state by Paddle's own method, which casts no values."""
    if match.given("assign") or Layout.ENTRIES in match.program.traits.laid_out:
        return None
    if match.program.calls(*_HOOKS):
        return None  # Paddle's method calls no hooks
    may_be_lenient = match.constant("strict", True) is not True
    return Keep(differs=(Difference.SAVED_STATE, *(_OTHER_SHAPE if may_be_lenient else ())))
