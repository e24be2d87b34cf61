"""Products and operators of sparse tensors, which Paddle's own operators do not accept."""

from __future__ import annotations

import ast

from workbench.rules.forms import FormSet
from workbench.rules.match import Match
from workbench.rules.outcome import Outcome, Refusal, Rewrite
from workbench.source.inference.evidence.tensor_states import SPARSE
from workbench.source.types.lattice import Plain, Tensor, Value
from workbench.targets.paddle.common.either import first, tensor_of

forms = FormSet(since="3.3")

_MAKERS = frozenset(
    {"sparse_coo_tensor", "sparse_csr_tensor", "to_sparse", "to_sparse_coo", "to_sparse_csr"}
)
_FUNCTIONS = {"+": "add", "-": "subtract", "*": "multiply"}
_SECOND = {"mm": "mat2", "mv": "vec"}
_DENSE = "the sparse tensor is converted to a dense one first"


@forms.form(
    *(f"{owner}{name}" for owner in ("torch.", "torch.Tensor.") for name in ("matmul", "mm", "mv")),
    "torch.Tensor.__matmul__",
    tried=True,
)
def product(match: Match) -> Outcome | None:
    """Multiply a sparse tensor as a dense one, since a CPU has no kernel for both."""
    name = _SECOND.get(match.use.name.rpartition(".")[2], "other")
    if match.given("out") or name not in match:
        return None
    node = match.use.receiver or match.arguments["input"].node
    second = match.value(name)
    if _is_made_sparse(match, node) and not is_sparse(second):
        text = f"paddle.matmul({first(match)}.to_dense(), {{{name}}})"
    elif is_sparse(tensor_of(match)) or is_sparse(second):
        # A parameter that is sparse in one call may be dense in another one.
        text = f"torch_sparse_mm({first(match)}, {{{name}}})"
    else:
        return None
    return Rewrite(text, consumed=frozenset({"out"}), note=_DENSE)


def operator(sign: str, values: list[Value], written: list[str]) -> Outcome | None:
    """Return an arithmetic operator with a sparse operand as a function of `paddle.sparse`."""
    sparse = [is_sparse(value) for value in values]
    if not any(sparse):
        return None
    scaled = Plain in map(type, values) and (sign == "*" or (sign == "/" and sparse[0]))
    if scaled:
        function = "multiply" if sign == "*" else "divide"
        written = written if sparse[0] else written[::-1]
    elif all(sparse) and sign in _FUNCTIONS:
        function = _FUNCTIONS[sign]
    else:
        return Refusal(
            "Paddle's operators do not accept sparse tensors",
            instead="a function of paddle.sparse, or x.to_dense()",
        )
    return Rewrite(f"paddle.sparse.{function}({', '.join(written)})")


def is_sparse(value: Value) -> bool:
    """Return whether a value is known to be a sparse tensor."""
    return isinstance(value, Tensor) and SPARSE in value.states


def _is_made_sparse(match: Match, node: ast.expr) -> bool:
    """Return whether the text shows that a tensor is made as a sparse one."""
    if isinstance(node, ast.Call):
        return ast.unparse(node.func).rpartition(".")[2] in _MAKERS
    makers = match.program.makers(node.id) if isinstance(node, ast.Name) else frozenset()
    return bool(makers) and makers <= _MAKERS
