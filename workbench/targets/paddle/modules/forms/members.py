"""Layer attributes and weight resets: `conv.stride`, `conv.reset_parameters()`."""

from __future__ import annotations

import ast

from workbench.rules.difference import unless
from workbench.rules.forms import FormSet
from workbench.rules.match import Match
from workbench.rules.outcome import Keep, Outcome, Rewrite
from workbench.source.traits.program import Program
from workbench.source.traits.training import simple
from workbench.targets.paddle.common.writing import class_of_receiver
from workbench.targets.paddle.layers.forms import conv, embedding, norm
from workbench.targets.paddle.layers.forms.linear import COMPAT, FRESH, drawn, linear_class

forms = FormSet()

_CONV = "torch.nn.modules.conv._ConvNd"
_BATCH_NORM = "torch.nn.modules.batchnorm._NormBase"
_RESET = "reset_parameters"
_LISTS = frozenset({"kernel_size", "stride", "dilation"})  # tuples in torch
_OTHER = {"eps": "epsilon"}


def _is_native(program: Program, layer: str) -> bool:
    """Return whether a layer of this class is one of Paddle's own."""
    if layer.startswith("Conv"):
        return conv.is_native(program, layer)
    if layer.startswith("BatchNorm"):
        return norm.batch_norms_are_native(program)
    classes = {
        "Embedding": embedding.embedding_class,
        "LayerNorm": norm.layer_norm_class,
        "GroupNorm": norm.group_norm_class,
        "Linear": linear_class,
    }
    return layer in classes and classes[layer](program) == f"paddle.nn.{layer}"


_NAMES = [
    *(f"{_CONV}.{one}" for one in conv.MEMBERS if one != _RESET),
    *(f"{_BATCH_NORM}.{one}" for one in norm.MEMBERS if one != _RESET),
    *(f"torch.nn.Embedding.{one}" for one in embedding.MEMBERS if one != _RESET),
    "torch.nn.LayerNorm.eps",
    "torch.nn.GroupNorm.eps",
]


@forms.form(*_NAMES)
def member(match: Match) -> Outcome | None:
    """Return the attribute's name in Paddle's layer, with lists converted to tuples."""
    layer = class_of_receiver(match)
    if layer is None or not _is_native(match.program, layer):
        return None
    name = match.use.name.rpartition(".")[2]
    text = f"{{self}}._{_OTHER.get(name, name)}"
    return Rewrite(f"tuple({text})" if name in _LISTS else text)


@forms.form("torch.nn.Linear.in_features", "torch.nn.Linear.out_features")
def features(match: Match) -> Outcome | None:
    """Write the sizes from the shape of the weight, which is transposed in Paddle."""
    if linear_class(match.program) != "paddle.nn.Linear":
        return None
    return Rewrite(f"{{self}}.weight.shape[{int('out' in match.use.name)}]")


@forms.form(
    f"{_CONV}.{_RESET}",
    f"{_BATCH_NORM}.{_RESET}",
    f"torch.nn.Linear.{_RESET}",
    f"torch.nn.Embedding.{_RESET}",
    f"torch.nn.LayerNorm.{_RESET}",
    f"torch.nn.GroupNorm.{_RESET}",
)
def reset(match: Match) -> Outcome | None:
    """Draw new weights as torch does, and set biases to zero as Paddle's new ones are."""
    use, layer = match.use, class_of_receiver(match)
    alone = isinstance(use.statement, ast.Expr) and use.statement.value is use.node
    if layer is None or not alone or use.receiver is None or not simple(use.receiver):
        return None
    name = ast.unparse(use.receiver)
    if layer == "Linear" and (cls := linear_class(match.program)) in (COMPAT, FRESH):
        return Keep() if cls == COMPAT else Rewrite("{self}.reset_parameters()", after=drawn(name))
    if not _is_native(match.program, layer):
        return None
    if layer == "Embedding":
        return Rewrite("paddle.nn.init.normal_({self}.weight)")
    if "Norm" in layer:
        fresh, lines = "paddle.nn.init.ones_", [f"paddle.nn.init.zeros_({name}.bias)"]
    else:
        fresh, lines = "torch_init", _without_bias(match, name)
    if layer.startswith("BatchNorm"):
        lines += [f"{name}._mean.zero_()", f"{name}._variance.fill_(1.0)"]
    text = "\n".join([f"{fresh}({name}.weight)", *lines])
    return Rewrite(f"{fresh}({{self}}.weight)", also=((use.statement, text, None, ""),))


def _without_bias(match: Match, layer: str) -> list[str]:
    """Return the lines that set a bias to zeros, for a layer that may lack one."""
    text = f"paddle.nn.init.zeros_({layer}.bias)"
    if "bias" in match.program.traits.keywords:
        return [f"if {layer}.bias is not None:", f"    {text}"]
    return [text]


_WITH_BACKWARD = unless("hooks of the backward pass are in this dictionary in {target}, too")


@forms.form("torch.nn.Module._forward_hooks", whole=True)
def forward_hooks(match: Match) -> Outcome | None:
    """Write hooks after the forward pass; a backward hook is added by one of these."""
    if not match.program.calls("register_full_backward_hook", "register_backward_hook"):
        return None
    return Rewrite("{self}._forward_post_hooks", differs=_WITH_BACKWARD)
