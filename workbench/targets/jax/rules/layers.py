"""Layers: flax's own where they compute the same, else short ones with torch's layouts."""

from __future__ import annotations

import ast
import re

from workbench.rules.difference import Difference, at, unless
from workbench.rules.match import NOT_CONSTANT, Match
from workbench.rules.outcome import Keep, Outcome, Refusal, Rewrite
from workbench.rules.rule import RuleSet
from workbench.source.types.lattice import UNKNOWN, Table, Value

rules = RuleSet()
_N = "torch.nn."
_FRESH = (Difference.FRESH_WEIGHTS,)
_IN_RANGE = at("an index out of range gives another row or NaN in {target}; in torch it raises")
# Layers without weights are functions.
_FUNCTIONS = {
    "ReLU": "nnx.relu",
    "ReLU6": "nnx.relu6",
    "Sigmoid": "nnx.sigmoid",
    "Tanh": "nnx.tanh",
    "SiLU": "nnx.silu",
    "Softsign": "nnx.soft_sign",
    "LogSigmoid": "nnx.log_sigmoid",
    "Hardswish": "nnx.hard_swish",
    "Hardsigmoid": "nnx.hard_sigmoid",
    "Mish": "jax.nn.mish",
    "SELU": "nnx.selu",
}
_FUNCTIONS |= {
    "ELU": "partial(nnx.elu, alpha={alpha=1.0})",
    "CELU": "partial(nnx.celu, alpha={alpha=1.0})",
    "LeakyReLU": "partial(nnx.leaky_relu, negative_slope={negative_slope=0.01})",
    "Dropout": "nnx.Dropout({p=0.5}, rngs=rngs)",
}
_CHANGED = unless("if its input is read again after the layer: torch has changed it in place")


_OPTION = re.compile(r"\{(\w+)=([\w.]+)\}")


def _maker(template: str) -> str | None:
    """Return a function that takes a layer's arguments as torch's class does."""
    if "rngs" in template:
        return None
    options = "".join(f"{name}={default}, " for name, default in _OPTION.findall(template))
    made = _OPTION.sub(r"\1", template)
    return f"(lambda {options}inplace=False: {made})"


def _written(name: str, template: str) -> None:
    """Add the rule of a layer that may change its input in place."""

    @rules.rule(_N + name, value=_maker(template))
    def decide(match: Match) -> Outcome:
        given = match.given("inplace")
        left = frozenset({"inplace"} & match.arguments.keys())
        return Rewrite(template, consumed=left, differs=_CHANGED if given else ())


for _name, _text in _FUNCTIONS.items():
    _written(_name, _text)
rules.row(_N + "Flatten", "partial(torch_flatten, start_dim={start_dim=1}, end_dim={end_dim=-1})")


@rules.rule(
    _N + "GELU",
    value="(lambda approximate='none': partial(nnx.gelu, approximate=approximate == 'tanh'))",
)
def gelu(match: Match) -> Outcome:
    """Write the function with its approximation, whose default differs in JAX."""
    kind = match.constant("approximate", "none")
    if kind not in ("none", "tanh"):
        return Refusal("which approximation it uses is not known here")
    left = frozenset({"approximate"} & match.arguments.keys())
    return Rewrite(f"partial(nnx.gelu, approximate={kind == 'tanh'})", consumed=left)


@rules.rule(_N + "Softmax", _N + "LogSoftmax")
def softmax(match: Match) -> Outcome:
    """Write the function along a named dimension."""
    if not match.given("dim"):
        return Refusal("torch chooses the dimension here", "partial(nnx.softmax, axis=-1)")
    name = "softmax" if match.use.name.endswith(".Softmax") else "log_softmax"
    return Rewrite(f"partial(nnx.{name}, axis={{dim}})")


@rules.rule(_N + "Identity", value="(lambda *args, **kwargs: nnx.identity)")
def identity(match: Match) -> Outcome:
    """Write flax's layer, whose arguments have no effect either."""
    return Rewrite("nnx.identity", consumed=frozenset(match.arguments))


@rules.rule(_N + "Linear")
def linear(match: Match) -> Outcome:
    """Write flax's layer with torch's distribution of weights; its bias begins with zeros."""
    left = frozenset(name for name in match.arguments if match.is_default(name) or name == "device")
    return Rewrite(
        "nnx.Linear({in_features}, {out_features}, use_bias={bias}, kernel_init=torch_init,"
        " rngs=rngs)",
        consumed=left,
        differs=() if match.constant("bias", True) is False else _FRESH,
    )


@rules.rule(_N + "Embedding")
def embedding(match: Match) -> Outcome:
    """Write flax's layer, or a short one if a row is never trained.

    Gradients of JAX are dense, which optimizers of dense gradients do not tell apart.
    """
    if match.given("max_norm", "scale_grad_by_freq", "dtype", "_freeze"):
        return Refusal("rows that are scaled or not trained have no equivalent")
    dense = frozenset({"sparse"} & match.arguments.keys())
    if match.given("_weight"):
        if match.given("padding_idx"):
            return Refusal("only one of `padding_idx` and `_weight` is converted")
        return Rewrite(
            "nnx.Embed({num_embeddings}, {embedding_dim},"
            " embedding_init=lambda *_: {_weight}, rngs=rngs)",
            consumed=_ignored(match) | dense | ({"padding_idx"} & match.arguments.keys()),
            differs=_IN_RANGE,
        )
    if match.given("padding_idx"):
        return Rewrite(
            "TorchEmbedding({num_embeddings}, {embedding_dim}, {padding_idx}, rngs=rngs)",
            consumed=_ignored(match) | dense,
            differs=_IN_RANGE,
        )
    return Rewrite(
        "nnx.Embed({num_embeddings}, {embedding_dim},"
        " embedding_init=nnx.initializers.normal(1.0), rngs=rngs)",
        consumed=_ignored(match) | dense | ({"padding_idx"} & match.arguments.keys()),
        differs=_IN_RANGE,
    )


def _ignored(match: Match) -> frozenset[str]:
    return frozenset(
        name for name in match.arguments if match.is_default(name) or name in {"device", "inplace"}
    )


@rules.rule(_N + "LayerNorm")
def layer_norm(match: Match) -> Outcome:
    """Write flax's layer, or a short one for a norm over several dimensions."""
    if "normalized_shape" not in match:
        return Refusal("its size is not given here")
    argument = match.arguments["normalized_shape"].node
    text = "{normalized_shape}"
    texts: dict[str, str] = {}
    if isinstance(argument, ast.Tuple | ast.List) and len(argument.elts) == 1:
        texts = {"normalized_shape": ast.unparse(argument.elts[0])}
    elif isinstance(argument, ast.Tuple | ast.List | ast.Subscript | ast.Call):
        return Rewrite(
            "TorchLayerNorm({normalized_shape}, eps={eps}, elementwise_affine={elementwise_affine},"
            " bias={bias})",
            consumed=_ignored(match),
        )
    affine = match.constant("elementwise_affine", True)
    bias = match.constant("bias", True)
    if NOT_CONSTANT in (affine, bias):
        return Refusal("whether it has weights is not known here")
    flags = "" if affine else ", use_scale=False, use_bias=False"
    flags = flags or ("" if bias else ", use_bias=False")
    return Rewrite(
        f"nnx.LayerNorm({text}, epsilon={{eps=1e-05}}, use_fast_variance=False{flags}, rngs=rngs)",
        texts=texts,
        consumed=_ignored(match) | ({"elementwise_affine", "bias"} & match.arguments.keys()),
    )


@rules.rule(_N + "Sequential", value="TorchSequential", base=_N + "Sequential", signature="(*args)")
def sequential(match: Match) -> Outcome:
    """Write flax's container, or a short one if its layers may have names."""
    given = match.arguments.get("args")
    nodes = given.nodes if given is not None else []
    named = given is not None and len(nodes) == 1 and _is_dict(nodes[0], given.values[0])
    grows = match.program.calls("add_module", "append", "extend", "insert")
    name = "TorchSequential" if named or (grows and not nodes) else "nnx.Sequential"
    return Rewrite(f"{name}(...)")


def _is_dict(node: ast.expr, value: Value) -> bool:
    """Return whether a value is a dict of layers, or an object of which that is not known."""
    if isinstance(node, ast.Call):
        return ast.unparse(node.func).endswith("OrderedDict")
    unknown = isinstance(node, ast.Name) and value == UNKNOWN
    return unknown or isinstance(node, ast.Dict) or isinstance(value, Table)


@rules.rule(_N + "ModuleList")
def module_list(match: Match) -> Outcome:
    """Write flax's list, which needs its items."""
    return Rewrite("nnx.List({modules=[]})")


rules.row(_N + "ModuleDict", "nnx.Dict({modules})")
for _name in ("ModuleDict", "ParameterDict"):
    for _method in ("items", "keys", "values"):
        rules.row(f"{_N}{_name}.{_method}", f"torch_items({{self}}).{_method}()")


@rules.rule(_N + "ParameterDict")
def parameter_dict(match: Match) -> Outcome:
    """Write flax's dict; torch sorts the names of a plain dict."""
    given = match.arguments.get("parameters")
    if given is None:
        return Rewrite("nnx.Dict({parameters={}})")
    match given.node:
        case ast.Dict(keys=keys) if all(isinstance(one, ast.Constant) for one in keys):
            names = [str(one.value) for one in keys if isinstance(one, ast.Constant)]
            if names == sorted(names):
                return Rewrite("nnx.Dict({parameters})")
            return Rewrite("nnx.Dict(dict(sorted({parameters}.items())))")
        case ast.DictComp():
            return Rewrite("nnx.Dict(dict(sorted({parameters}.items())))")
    return Refusal("torch sorts the names of a plain dict only, and its type is not known here")


@rules.rule(_N + "ModuleList.append", _N + "ModuleList.extend", _N + "ModuleList.insert")
def grown(match: Match) -> Outcome:
    """Keep the call as a statement; flax's returns nothing."""
    statement = match.use.statement
    alone = isinstance(statement, ast.Expr) and statement.value is match.use.node
    return Keep() if alone else Refusal("the call returns None in JAX", "use the list itself")


_CONV = (
    "{in_channels}, {out_channels}, {kernel_size}, {stride=1}, {padding=0}, {dilation=1},"
    " {groups=1}, bias={bias}"
)
_BACK = (
    "{in_channels}, {out_channels}, {kernel_size}, {stride=1}, {padding=0}, {output_padding=0},"
    " {groups=1}, bias={bias}, dilation={dilation}"
)
_PLACED = {"device": "JAX chooses the device"}
for _dims in (1, 2, 3):
    rules.row(f"{_N}Conv{_dims}d", f"TorchConv({_CONV}, rngs=rngs, dims={_dims})", ignored=_PLACED)
    rules.row(
        f"{_N}ConvTranspose{_dims}d",
        f"TorchConvTranspose({_BACK}, rngs=rngs, dims={_dims})",
        ignored=_PLACED,
    )
    rules.row(
        f"{_N}BatchNorm{_dims}d",
        "TorchBatchNorm({num_features}, eps={eps}, momentum={momentum}, affine={affine})",
        ignored=_PLACED,
    )
    for _kind, _more in (("Max", ""), ("Avg", " count_include_pad={count_include_pad},")):
        rules.row(
            f"{_N}{_kind}Pool{_dims}d",
            f"partial(torch_{_kind.lower()}_pool, kernel_size={{kernel_size}}, stride={{stride}},"
            f" padding={{padding}},{_more} dims={_dims})",
        )
    rules.row(
        f"{_N}AdaptiveAvgPool{_dims}d",
        f"partial(torch_adaptive_avg_pool, output_size={{output_size}}, dims={_dims})",
    )
rules.row(
    _N + "GroupNorm",
    "TorchGroupNorm({num_groups}, {num_channels}, eps={eps}, affine={affine})",
    ignored=_PLACED,
)
for _kind, _more in (("LSTM", ""), ("GRU", ""), ("RNN", " nonlinearity={nonlinearity},")):
    rules.row(
        _N + _kind,
        f"TorchRecurrent('{_kind}', {{input_size}}, {{hidden_size}}, {{num_layers=1}},"
        f" bias={{bias}}, batch_first={{batch_first}}, bidirectional={{bidirectional}},{_more}"
        " rngs=rngs)",
        ignored=_PLACED,
    )
rules.row(
    _N + "Parameter",
    "nnx.Param({data}, requires_grad={requires_grad})",
)
