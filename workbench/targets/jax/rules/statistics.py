"""Statistics, decompositions, windows, combinations."""

from __future__ import annotations

from workbench.rules.difference import at, unless
from workbench.rules.match import Match
from workbench.rules.outcome import Outcome, Refusal, Rewrite
from workbench.rules.rule import Rule
from workbench.source.types.lattice import Tensor
from workbench.targets.jax.writing import DEVICE, Functions, in_place, written

rules = Functions()
_WINDOWS = {
    "hann": "(0.5, 0.5)",
    "hamming": "({alpha=0.54}, {beta=0.46})",
    "blackman": "(0.42, 0.5, 0.08)",
}
rules.both("histc", "torch_histc({input}, {bins=100}, {min=0}, {max=0})")
rules.both("cov", "jnp.cov({input}, ddof={correction=1}, fweights={fweights}, aweights={aweights})")
rules.both("corrcoef", "jnp.corrcoef({input})")
rules.row("torch.cartesian_prod", "torch_cartesian_prod(*{tensors})")
rules.row("torch.combinations", "torch_combinations({input}, {r=2}, {with_replacement=False})")
rules.rules.append(
    in_place(
        Rule(
            "torch.Tensor.fill_diagonal_",
            ("jnp.fill_diagonal({self}, {fill_value}, inplace=False)",),
        )
    )
)
rules.row("torch.block_diag", "jax.scipy.linalg.block_diag(*{tensors})")


@rules.rule("torch.trapezoid", "torch.trapz")
def trapezoid(match: Match) -> Outcome:
    """Write the helper; torch adds small whole numbers in their own dtype."""
    value = match.value("y")
    if isinstance(value, Tensor) and value.dtype in {"int8", "uint8"}:
        return Refusal("torch adds small whole numbers in their own dtype", "convert y to floats")
    return Rewrite("torch_trapezoid({y}, {x=None}, dx={dx}, dim={dim})")


rules.both("logcumsumexp", "lax.cumlogsumexp({input}, {dim} % {input}.ndim)")


@rules.rule("torch.unique_consecutive", "torch.Tensor.unique_consecutive")
def unique_consecutive(match: Match) -> Outcome:
    """Write the helper; torch reads options without a keyword in its own way."""
    is_method = match.use.name.startswith("torch.Tensor")
    if not is_method and len(match.use.arguments) > 1:
        return Refusal("what torch returns here depends on the order", "return_counts=True")
    return written(
        match,
        "torch_unique_consecutive({input}, {return_inverse=False}, {return_counts=False},"
        " {dim=None})",
    )


rules.row(
    "torch.nn.utils.rnn.pad_sequence",
    "torch_pad_sequence({sequences}, {batch_first=False}, {padding_value=0.0},"
    " {padding_side='right'})",
)
rules.row(
    "torch.nn.Transformer.generate_square_subsequent_mask",
    "jnp.triu(jnp.full(({sz}, {sz}), float('-inf')), 1)",
    ignored=DEVICE,
)


def _window(name: str, terms: str) -> None:
    @rules.rule(f"torch.{name}_window")
    def decide(match: Match) -> Outcome:
        """Write the window as a sum of cosines."""
        if match.given("dtype", "out", "requires_grad"):
            return Refusal("only windows of 32 bits are written")
        used = {"window_length", "periodic", "alpha", "beta"}
        return Rewrite(
            f"torch_window({{window_length}}, {{periodic=True}}, {terms})",
            consumed=frozenset(match.arguments) - used,
        )


for _name, _terms in _WINDOWS.items():
    _window(_name, _terms)
# Decompositions -------------------------------------------------------------------------------

_SIGNS = at("the signs of vectors may be others in {target}, as they are open in torch")
_FULL = unless("if its gradient is needed: {target} has none for full matrices")
_ROWS = {
    "svdvals": "jnp.linalg.svd({A}, compute_uv=False)",
    "cond": "jnp.linalg.cond({input}, {p=None})",
    "multi_dot": "jnp.linalg.multi_dot({tensors})",
    "vecdot": "jnp.linalg.vecdot({x}, {y}, axis={dim})",
}
for _name, _text in _ROWS.items():
    rules.row(f"torch.linalg.{_name}", _text)


@rules.rule("torch.linalg.eigh", "torch.linalg.eigvalsh")
def eigh(match: Match) -> Outcome:
    """Write the decomposition of a symmetric matrix, of which torch reads the lower half."""
    if match.given("UPLO", "out"):
        return Refusal("its gradient differs for the upper half", "torch.linalg.eigh(x.mT)")
    name = match.use.name.rpartition(".")[2]
    return Rewrite(
        f"jnp.linalg.{name}({{input}}, symmetrize_input=False)",
        consumed=frozenset({"UPLO", "out"} & match.arguments.keys()),
        differs=_SIGNS if name == "eigh" else (),
    )


@rules.rule("torch.linalg.svd", "torch.svd")
def svd(match: Match) -> Outcome:
    """Write the decomposition; the older function, which returns another factor, is refused."""
    if match.use.name == "torch.svd" or match.given("driver", "out"):
        return Refusal("its result has other parts", "torch.linalg.svd(x)")
    full = match.constant("full_matrices", True) is not False
    return Rewrite(
        "jnp.linalg.svd({A}, full_matrices={full_matrices=True})",
        consumed=frozenset({"driver"} & match.arguments.keys()),
        differs=(*_SIGNS, *_FULL) if full else _SIGNS,
    )


rules.row(
    "torch.linalg.solve_triangular",
    "torch_triangular_solve({input}, {B}, {upper}, {left=True}, {unitriangular=False})",
)
rules.row("torch.cholesky_solve", "torch_cholesky_solve({input}, {input2}, {upper=False})")
