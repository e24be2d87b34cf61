"""Functions of values: of one tensor, of two, comparisons."""

from __future__ import annotations

from workbench.rules.match import Match
from workbench.rules.outcome import Outcome
from workbench.source.types import dtypes
from workbench.source.types.lattice import Plain, Tensor
from workbench.targets.jax.writing import Functions, dtype_kind, is_read, written

rules = Functions()

_SAME = (
    "exp sin cos tan sinh cosh tanh sqrt log log2 log10 log1p expm1 exp2 floor ceil trunc square"
    " isnan isinf isfinite isposinf isneginf signbit logical_not bitwise_not sinc deg2rad rad2deg"
    " angle conj positive i0 isreal"
)
for _name in _SAME.split():
    rules.both(_name, f"jnp.{_name}({{input}})")
for _name, _other in {
    "asin": "arcsin",
    "acos": "arccos",
    "atan": "arctan",
    "asinh": "arcsinh",
    "acosh": "arccosh",
    "atanh": "arctanh",
}.items():
    rules.both(_name, f"jnp.{_other}({{input}})")
    rules.both(_other, f"jnp.{_other}({{input}})")
for _name, _other in {
    "erf": "erf",
    "erfc": "erfc",
    "erfinv": "erfinv",
    "lgamma": "gammaln",
    "digamma": "digamma",
    "xlog1py": "xlog1py",
}.items():
    rules.both(_name, f"special.{_other}({{input}})")
for _name in ("real", "imag"):
    rules.row(f"torch.{_name}", f"{{input}}.{_name}")
    rules.keep(f"torch.Tensor.{_name}")
for _name in ("abs", "absolute"):

    @rules.deciding(_name)
    def absolute(match: Match) -> Outcome:
        """Write a helper, or JAX's function where no gradient is computed."""
        plain = dtype_kind(match) in {0, 1} or is_read(match)
        return written(match, "jnp.abs({input})" if plain else "torch_abs({input})")


rules.both("conj_physical", "jnp.conj({input})")
rules.both("sign", "torch_sign({input})")
for _name in ("neg", "negative"):
    rules.both(_name, "-{input}")
rules.both("reciprocal", "1 / {input}")
rules.both("rsqrt", "1 / jnp.sqrt({input})")


@rules.deciding("sigmoid")
def sigmoid(match: Match) -> Outcome:
    if dtype_kind(match) == 2:
        return written(match, "jax.nn.sigmoid({input})")
    return written(match, "torch_sigmoid({input})")


rules.both("relu", "jax.nn.relu({input})")
rules.both("frac", "{input} - jnp.trunc({input})")
rules.both("fix", "jnp.trunc({input})")
rules.both("logit", "torch_logit({input}, {eps})")
rules.both("nan_to_num", "jnp.nan_to_num({input}, nan={nan}, posinf={posinf}, neginf={neginf})")
rules.both("round", "jnp.round({input}, {decimals})")
for _name, _log in (("softmax", ""), ("log_softmax", "log_")):
    rules.both(
        _name,
        f"jax.nn.{_log}softmax({{input}}, axis={{dim}})",
        f"jax.nn.{_log}softmax({{input}}.astype({{dtype}}), axis={{dim}})",
    )
for _name in ("clamp", "clip"):
    rules.both(_name, "torch_clamp({input}, min={min}, max={max})")
rules.both("clamp_min", "torch_clamp({input}, {min})")
rules.both("clamp_max", "torch_clamp({input}, max={max})")

# Two tensors ----------------------------------------------------------------------------------

for _name, _symbol in (("add", "+"), ("sub", "-"), ("subtract", "-")):
    rules.both(
        _name,
        f"{{input}} {_symbol} {{other}}",
        f"{{input}} {_symbol} {{alpha}} * {{other}}",
    )
rules.row("torch.rsub", "{other} - {input}", "{other} - {alpha} * {input}")
for _name in ("mul", "multiply"):
    rules.both(_name, "{input} * {other}")
rules.both("true_divide", "{input} / {other}")
for _name in ("div", "divide"):
    rules.both(_name, "{input} / {other}", "torch_div({input}, {other}, {rounding_mode})")
rules.both("floor_divide", "{input} // {other}")
rules.both("remainder", "{input} % {other}")
rules.both("fmod", "jnp.fmod({input}, {other})")


@rules.deciding("pow")
def power(match: Match) -> Outcome:
    """Write a helper where both may be tensors of integers."""
    base = "{self}" if "self" in match and match.use.receiver is None else "{input}"
    exponent = match.value("exponent")
    if isinstance(exponent, Plain) or dtype_kind(match) == 2:
        return written(match, f"{base} ** {{exponent}}")
    if isinstance(exponent, Tensor) and dtypes.kind(exponent.dtype) == 2:
        return written(match, f"{base} ** {{exponent}}")
    return written(match, f"torch_pow({base}, {{exponent}})")


for _name in ("atan2", "arctan2"):
    rules.both(_name, "torch_atan2({input}, {other})")
for _name in ("maximum", "minimum", "logaddexp", "logaddexp2", "gcd", "lcm"):
    rules.both(_name, f"jnp.{_name}({{input}}, {{other}})")
for _name, _smallest in (("fmax", False), ("fmin", True)):
    rules.both(_name, f"torch_fmax({{input}}, {{other}}, {_smallest})")
rules.both("ldexp", "{input} * 2.0 ** {other}")
rules.both("xlogy", "torch_xlogy({input}, {other})")
rules.both("lerp", "torch_lerp({input}, {end}, {weight})")
for _name, _symbol in (("addcmul", "*"), ("addcdiv", "/")):

    @rules.deciding(_name)
    def combined(match: Match, name: str = _name, symbol: str = _symbol) -> Outcome:
        """Write a helper where integers may meet a float, which torch casts."""
        if dtype_kind(match) == 2 and not match.given("value"):
            text = f"{{input}} + {{tensor1}} {symbol} {{tensor2}}"
            return written(match, text, "value")
        if dtype_kind(match) == 2:
            return written(match, f"{{input}} + {{value}} * {{tensor1}} {symbol} {{tensor2}}")
        return written(match, f"torch_{name}({{input}}, {{tensor1}}, {{tensor2}}, {{value=1}})")


for _name, _symbol in {
    "bitwise_and": "&",
    "bitwise_or": "|",
    "bitwise_xor": "^",
    "bitwise_left_shift": "<<",
    "bitwise_right_shift": ">>",
    "eq": "==",
    "ne": "!=",
    "lt": "<",
    "le": "<=",
    "gt": ">",
    "ge": ">=",
    "not_equal": "!=",
    "less": "<",
    "less_equal": "<=",
    "greater": ">",
    "greater_equal": ">=",
}.items():
    rules.both(_name, f"{{input}} {_symbol} {{other}}")
for _name in ("logical_and", "logical_or", "logical_xor"):
    rules.both(_name, f"jnp.{_name}({{input}}, {{other}})")
_CLOSE = "{input}, {other}, {rtol=1e-5}, {atol=1e-8}, {equal_nan=False})"
rules.both("isclose", "torch_isclose(" + _CLOSE)
_OPTIONS = "{input}, {other}, rtol={rtol}, atol={atol}, equal_nan={equal_nan}))"
rules.both("allclose", "bool(jnp.allclose(" + _OPTIONS)
rules.both("equal", "torch_equal({input}, {other})")
rules.row("torch.isin", "jnp.isin({elements}, {test_elements}, invert={invert})")
