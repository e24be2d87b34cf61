"""Functions of `torch.nn.functional` that need no keys."""

from __future__ import annotations

import ast

from workbench.rules.difference import at
from workbench.rules.match import Match
from workbench.rules.outcome import Outcome, Refusal, Rewrite
from workbench.rules.rule import Rule, RuleSet
from workbench.targets.jax.writing import dtype_kind

rules = RuleSet()
_F = "torch.nn.functional."
_INPLACE = Refusal(
    "JAX arrays cannot be changed in place",
    "F.relu(x), if nothing reads the argument afterwards",
)

_IN_RANGE = at("an index out of range reads another row in {target}; in torch it raises")


def _of_floats(name: str, template: str) -> None:
    """Add the rule of a function of floats, which does not change its argument.

    As a value it is the function of JAX alone.
    """

    called = template.partition("(")[0] if template.startswith("jax.nn.") else None

    @rules.rule(_F + name, value=called)
    def decide(match: Match) -> Outcome:
        if match.given("inplace"):
            return _INPLACE
        if dtype_kind(match) in {0, 1}:
            return Refusal("whole numbers and truth values become floats in JAX")
        return Rule(_F + name, (template,), ignored={"inplace": "it is False"}).apply(match)


for _name, _text in {
    "sigmoid": "jax.nn.sigmoid({input})",
    "tanh": "jnp.tanh({input})",
    "logsigmoid": "jax.nn.log_sigmoid({input})",
    "softsign": "jax.nn.soft_sign({input})",
    "linear": "torch_linear({input}, {weight}, {bias})",
    "one_hot": "torch_one_hot({input}, {num_classes})",
    "cosine_similarity": "torch_cosine_similarity({x1}, {x2}, dim={dim}, eps={eps})",
    "normalize": "torch_normalize({input}, p={p}, dim={dim}, eps={eps})",
}.items():
    rules.row(_F + _name, _text)
for _name, _text in {
    "relu": "jax.nn.relu({input})",
    "relu6": "jax.nn.relu6({input})",
    "silu": "jax.nn.silu({input})",
    "mish": "jax.nn.mish({input})",
    "selu": "jax.nn.selu({input})",
    "elu": "jax.nn.elu({input}, alpha={alpha})",
    "celu": "jax.nn.celu({input}, alpha={alpha})",
    "leaky_relu": "jax.nn.leaky_relu({input}, {negative_slope})",
    "hardswish": "jax.nn.hard_swish({input})",
    "hardsigmoid": "jax.nn.hard_sigmoid({input})",
}.items():
    _of_floats(_name, _text)


@rules.rule(*(f"{_F}{_name}_" for _name in ("relu", "elu", "leaky_relu", "selu", "celu")))
def changing(match: Match) -> Outcome:
    """Write the function of a value that nothing else reads."""
    name = match.use.name.removeprefix(_F).removesuffix("_")
    given = match.arguments.get("input")
    if given is None or not isinstance(given.node, ast.BinOp | ast.Call):
        return _INPLACE
    options = {"elu": ", alpha={alpha}", "celu": ", alpha={alpha}"}
    options["leaky_relu"] = ", {negative_slope}"
    return Rewrite(f"jax.nn.{name}({{input}}{options.get(name, '')})")


@rules.rule(_F + "gelu", value="partial(jax.nn.gelu, approximate=False)")
def gelu(match: Match) -> Outcome:
    """Write the exact function, which is not the default of JAX, or its approximation by tanh."""
    kind = match.constant("approximate", "none")
    if kind not in ("none", "tanh"):
        return Refusal("which approximation it uses is not known here")
    return Rewrite(
        f"jax.nn.gelu({{input}}, approximate={kind == 'tanh'})",
        consumed=frozenset({"approximate"} & match.arguments.keys()),
    )


@rules.rule(_F + "softplus")
def softplus(match: Match) -> Outcome:
    """Write torch's default, which is linear above 20, where both round to the same number."""
    if match.given("beta", "threshold", "out"):
        return Refusal("beta and threshold have no equivalent", "jnp.logaddexp(beta * x, 0) / beta")
    return Rewrite("jax.nn.softplus({input})", consumed=frozenset(match.arguments) - {"input"})


for _name in ("softmax", "log_softmax"):

    @rules.rule(_F + _name)
    def softmax(match: Match, name: str = _name) -> Outcome:
        """Write the function along a named dimension."""
        if "dim" not in match or match.constant("dim") is None:
            return Refusal("torch chooses the dimension here", "jax.nn.softmax(x, axis=-1)")
        value = "{input}.astype({dtype})" if match.given("dtype") else "{input}"
        left = frozenset({"_stacklevel", "dtype"} & match.arguments.keys())
        return Rewrite(f"jax.nn.{name}({value}, axis={{dim}})", consumed=left)


_CONV = "{input}, {weight}, {bias=None}, {stride=1}, {padding=0}, {dilation=1}, {groups=1}"
_BACK = "{input}, {weight}, {bias=None}, {stride=1}, {padding=0}, {output_padding=0}, {groups=1}"
for _dims in (1, 2, 3):
    rules.row(f"{_F}conv{_dims}d", f"torch_conv({_CONV})")
    rules.row(
        f"{_F}conv_transpose{_dims}d", f"torch_conv_transpose({_BACK}, dilation={{dilation}})"
    )
    _of_floats(
        f"max_pool{_dims}d",
        f"torch_max_pool({{input}}, {{kernel_size}}, {{stride=None}}, {{padding=0}}, dims={_dims})",
    )
    _of_floats(
        f"avg_pool{_dims}d",
        f"torch_avg_pool({{input}}, {{kernel_size}}, {{stride=None}}, {{padding=0}},"
        f" count_include_pad={{count_include_pad}}, dims={_dims})",
    )
    rules.row(
        f"{_F}adaptive_avg_pool{_dims}d",
        f"torch_adaptive_avg_pool({{input}}, {{output_size}}, dims={_dims})",
    )
rules.row(
    _F + "layer_norm",
    "torch_layer_norm({input}, {normalized_shape}, {weight}, {bias}, eps={eps})",
)
rules.row(_F + "group_norm", "torch_group_norm({input}, {num_groups}, {weight}, {bias}, eps={eps})")
rules.row(
    _F + "scaled_dot_product_attention",
    "torch_attention({query}, {key}, {value}, {attn_mask}, is_causal={is_causal}, scale={scale})",
    ignored={},
)
_of_floats("dropout", "torch_dropout({input}, {p=0.5}, {training=True}, rngs)")


@rules.rule(_F + "embedding")
def embedding(match: Match) -> Outcome:
    """Index the rows; a row that is never trained, or rows that are scaled, have no equivalent."""
    if match.given("padding_idx", "max_norm", "scale_grad_by_freq", "sparse"):
        return Refusal("only `input` and `weight` have an equivalent", "weight[ids]")
    left = frozenset(match.arguments) - {"input", "weight"}
    return Rewrite("{weight}[{input}]", consumed=left, differs=_IN_RANGE)


@rules.rule(_F + "pad")
def pad(match: Match) -> Outcome:
    """Pad with a value or by reflection; torch names the last dimension first."""
    mode = match.constant("mode", "constant")
    if mode not in ("constant", "reflect", "replicate", "circular"):
        return Refusal("the mode of padding is not known here")
    value = ", {value=0}" if mode == "constant" else ""
    left = {"mode", *(() if value else ("value",))} & match.arguments.keys()
    return Rewrite(f"torch_pad({{input}}, {{pad}}, {mode!r}{value})", consumed=frozenset(left))
