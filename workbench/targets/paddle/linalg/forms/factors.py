"""Factors, inverses and determinants of matrices: Paddle has them for real matrices."""

from __future__ import annotations

import ast

from workbench.rules.difference import at
from workbench.rules.family import subject
from workbench.rules.forms import FormSet
from workbench.rules.match import Match
from workbench.rules.outcome import Outcome, Rewrite
from workbench.source.traits.program import Program
from workbench.source.tree import container
from workbench.source.types import dtypes
from workbench.source.types.lattice import Tensor
from workbench.source.uses import UseKind
from workbench.targets.paddle.common.either import is_unpacked
from workbench.targets.paddle.linalg.rules.linalg import FACTOR_SIGNS

forms = FormSet()

_L, _T = "torch.linalg.", "torch.Tensor."
_NO_FACTOR = at(
    "cholesky raises a ValueError for a matrix without a factor in {target}, a RuntimeError in"
    " torch, and an error for a complex matrix; NaN in a matrix gives NaN, an error in torch"
)
_NO_INVERSE = at(
    "inv raises a ValueError for a matrix without an inverse in {target}, a RuntimeError in torch;"
    " it raises for NaN in a matrix too, which gives NaN in torch"
)


def _handles_errors(program: Program) -> bool:
    """Return whether a program catches the errors that torch raises for such matrices."""
    caught = program.is_passed_on("RuntimeError") or program.is_passed_on("LinAlgError")
    return caught or program.reads("LinAlgError", "_LinAlgError")


def _is_complex(match: Match) -> bool:
    value = subject(match)
    return isinstance(value, Tensor) and dtypes.kind(value.dtype) == 3


def _matrix(match: Match) -> str:
    """Return the placeholder of the matrix."""
    if match.use.receiver is not None:
        return "{self}"
    return "{A}" if "A" in match else "{input}"


@forms.form(f"{_L}cholesky", "torch.cholesky", f"{_T}cholesky")
def cholesky(match: Match) -> Outcome | None:
    """Write the lower factor of a real matrix; for the upper one Paddle reads other numbers."""
    if match.use.kind is not UseKind.CALL or match.given("upper", "out") or _is_complex(match):
        return None
    if _handles_errors(match.program):
        return None
    consumed = frozenset({"upper", "out"})
    text = f"paddle.linalg.cholesky({_matrix(match)})"
    return Rewrite(text, consumed=consumed, differs=_NO_FACTOR)


@forms.form(f"{_L}inv")
def inverse(match: Match) -> Outcome | None:
    """Write the inverse of matrices."""
    if match.use.kind is not UseKind.CALL or match.given("out") or _handles_errors(match.program):
        return None
    text = f"paddle.linalg.inv({_matrix(match)})"
    return Rewrite(text, consumed=frozenset({"out"}), differs=_NO_INVERSE)


@forms.form("torch.logdet", f"{_T}logdet")
def log_of_determinant(match: Match) -> Outcome | None:
    """Write the logarithm of the determinant, which is NaN for a negative one in both."""
    if match.use.kind is not UseKind.CALL:
        return None
    return Rewrite(f"paddle.log(paddle.linalg.det({_matrix(match)}))")


@forms.form(f"{_L}eigh")
def eigenvectors(match: Match) -> Outcome | None:
    """Write the pair, which has no names for its members, where it is taken apart."""
    if match.given("out") or not _is_taken_apart(match):
        return None
    text = "paddle.linalg.eigh({input}, UPLO={UPLO})"
    return Rewrite(text, consumed=frozenset({"out"}), caveat=FACTOR_SIGNS)


@forms.form(f"{_L}slogdet", "torch.slogdet", f"{_T}slogdet")
def determinant(match: Match) -> Outcome | None:
    """Write sign and logarithm of a real matrix's determinant, where they are taken apart."""
    value = subject(match)
    known = isinstance(value, Tensor) and dtypes.kind(value.dtype) == 2
    if not known or match.given("out") or not _is_taken_apart(match):
        return None
    text = f"paddle.linalg.slogdet({_matrix(match)})"
    return Rewrite(text, consumed=frozenset({"out"}))


def _is_taken_apart(match: Match) -> bool:
    """Return whether a pair is assigned to two names, or one of it is taken by its place."""
    if match.use.kind is not UseKind.CALL:
        return False
    around = container(match.use.statement, match.use.node)
    if isinstance(around, ast.Subscript) and around.value is match.use.node:
        return isinstance(getattr(around.slice, "value", None), int)
    return is_unpacked(match)
