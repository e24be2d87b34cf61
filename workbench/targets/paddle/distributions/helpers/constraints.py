"""What values and parameters of a distribution may be, and the check that they are."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any, ClassVar

import paddle


class TorchConstraint:
    """`torch.distributions.constraints.Constraint`: says which values are allowed."""

    is_discrete: Any = False
    event_dim: Any = 0
    bounds: tuple[str, ...] = ()  # the attributes that it prints
    known: ClassVar[dict[Any, Any]] = {}

    def __new__(cls, *args: Any, **kwargs: Any) -> Any:
        """One object for each constraint by numbers: `d.support is constraints.real` holds."""
        if kwargs or not all(isinstance(one, int | float) for one in args):
            return super().__new__(cls)
        return TorchConstraint.known.setdefault((cls, args), super().__new__(cls))

    def check(self, value: Any) -> Any:
        raise NotImplementedError

    def __repr__(self) -> str:
        shown = ", ".join(f"{name}={getattr(self, name)}" for name in self.bounds)
        name = type(self).__name__  # of a program's own class torch drops the first letter
        return f"{name.removeprefix('Torch') if name.startswith('Torch') else name[1:]}({shown})"


class TorchReal(TorchConstraint):
    """Any number but NaN."""

    def check(self, value: Any) -> Any:
        return value == value


class TorchBoolean(TorchConstraint):
    """Zero or one."""

    is_discrete = True

    def check(self, value: Any) -> Any:
        return (value == 0) | (value == 1)


class TorchOneHot(TorchConstraint):
    """Vectors of zeros and one one."""

    is_discrete = True
    event_dim = 1

    def check(self, value: Any) -> Any:
        binary = (value == 0) | (value == 1)
        return binary.all(axis=-1) & (value.sum(axis=-1) == 1)


class TorchGreaterThan(TorchConstraint):
    """Numbers above a bound."""

    bounds = ("lower_bound",)

    def __init__(self, lower_bound: Any) -> None:
        self.lower_bound = lower_bound

    def check(self, value: Any) -> Any:
        return value > self.lower_bound


class TorchGreaterThanEq(TorchGreaterThan):
    """Numbers from a bound on."""

    def check(self, value: Any) -> Any:
        return value >= self.lower_bound


class TorchIntegerGreaterThan(TorchGreaterThan):
    """Whole numbers from a bound on."""

    is_discrete = True

    def check(self, value: Any) -> Any:
        return (value % 1 == 0) & (value >= self.lower_bound)


class TorchLessThan(TorchConstraint):
    """Numbers below a bound."""

    bounds = ("upper_bound",)

    def __init__(self, upper_bound: Any) -> None:
        self.upper_bound = upper_bound

    def check(self, value: Any) -> Any:
        return value < self.upper_bound


class TorchInterval(TorchConstraint):
    """Numbers between two bounds, which belong to them."""

    bounds = ("lower_bound", "upper_bound")

    def __init__(self, lower_bound: Any, upper_bound: Any) -> None:
        self.lower_bound, self.upper_bound = lower_bound, upper_bound

    def check(self, value: Any) -> Any:
        return (value >= self.lower_bound) & (value <= self.upper_bound)


class TorchHalfOpenInterval(TorchInterval):
    """Numbers between two bounds, of which the lower belongs to them."""

    def check(self, value: Any) -> Any:
        return (value >= self.lower_bound) & (value < self.upper_bound)


class TorchIntegerInterval(TorchInterval):
    """Whole numbers between two bounds, which belong to them."""

    is_discrete = True

    def check(self, value: Any) -> Any:
        return (value % 1 == 0) & (value >= self.lower_bound) & (value <= self.upper_bound)


class TorchSimplex(TorchConstraint):
    """Vectors of shares, which sum to one."""

    event_dim = 1

    def check(self, value: Any) -> Any:
        return (value >= 0).all(axis=-1) & ((value.sum(axis=-1) - 1).abs() < 1e-6)


class TorchMultinomialCounts(TorchConstraint):
    """Vectors of counts that sum to a bound at most."""

    is_discrete = True
    event_dim = 1

    def __init__(self, upper_bound: Any) -> None:
        self.upper_bound = upper_bound

    def check(self, value: Any) -> Any:
        return (value >= 0).all(axis=-1) & (value.sum(axis=-1) <= self.upper_bound)

    def __repr__(self) -> str:
        return "Multinomial()"


class TorchIndependentConstraint(TorchConstraint):
    """A constraint of each entry, whose last dimensions stand or fall together."""

    def __init__(self, base_constraint: Any, reinterpreted_batch_ndims: int) -> None:
        self.base_constraint = base_constraint
        self.reinterpreted_batch_ndims = reinterpreted_batch_ndims

    @property
    def is_discrete(self) -> Any:  # type: ignore[override]
        return self.base_constraint.is_discrete

    @property
    def event_dim(self) -> Any:  # type: ignore[override]
        return self.base_constraint.event_dim + self.reinterpreted_batch_ndims

    def check(self, value: Any) -> Any:
        result = self.base_constraint.check(value)
        count = self.reinterpreted_batch_ndims
        if result.ndim < count:
            raise ValueError(f"Expected value.dim() >= {self.event_dim} but got {value.ndim}")
        return result.all(axis=list(range(-count, 0))) if count else result

    def __repr__(self) -> str:
        return f"IndependentConstraint({self.base_constraint!r}, {self.reinterpreted_batch_ndims})"


class TorchLowerTriangular(TorchConstraint):
    """Matrices with nothing above their diagonal."""

    event_dim = 2

    def check(self, value: Any) -> Any:
        return (paddle.tril(value) == value).all(axis=[-2, -1])


class TorchLowerCholesky(TorchLowerTriangular):
    """Matrices with nothing above their diagonal, and positive numbers on it."""

    def check(self, value: Any) -> Any:
        positive = (paddle.diagonal(value, axis1=-2, axis2=-1) > 0).all(axis=-1)
        return super().check(value) & positive


class TorchCorrCholesky(TorchLowerCholesky):
    """Triangular matrices with positive diagonals whose rows have length one."""

    def check(self, value: Any) -> Any:
        near = float(paddle.finfo(value.dtype).eps) * value.shape[-1] * 10
        lengths = value.detach().square().sum(axis=-1).sqrt()
        return super().check(value) & ((lengths - 1).abs() <= near).all(axis=-1)


class TorchSquare(TorchConstraint):
    """Matrices as high as they are wide."""

    event_dim = 2

    def check(self, value: Any) -> Any:
        return paddle.full(value.shape[:-2], value.shape[-2] == value.shape[-1], dtype="bool")


class TorchSymmetric(TorchSquare):
    """Matrices that are their own transpose."""

    def check(self, value: Any) -> Any:
        square = super().check(value)
        if not bool(square.all()):
            return square
        return paddle.isclose(value, value.mT, atol=1e-6).all(axis=[-2, -1])


class TorchPositiveSemidefinite(TorchSymmetric):
    """Symmetric matrices without negative eigenvalues."""

    def check(self, value: Any) -> Any:
        symmetric = super().check(value)
        if not bool(symmetric.all()):
            return symmetric
        return (paddle.linalg.eigvalsh(value) >= 0).all(axis=-1)


class TorchPositiveDefinite(TorchSymmetric):
    """Symmetric matrices with positive eigenvalues alone."""

    def check(self, value: Any) -> Any:
        symmetric = super().check(value)
        if not bool(symmetric.all()):
            return symmetric
        return (paddle.linalg.eigvalsh(value) > 0).all(axis=-1)


class TorchCat(TorchConstraint):
    """Constraints of parts that stand one behind the other along a dimension."""

    def __init__(self, cseq: Sequence[Any], dim: int = 0, lengths: Any = None) -> None:
        self.cseq, self.dim = list(cseq), dim
        self.lengths = [1] * len(self.cseq) if lengths is None else list(lengths)

    @property
    def is_discrete(self) -> Any:  # type: ignore[override]
        return any(one.is_discrete for one in self.cseq)

    @property
    def event_dim(self) -> Any:  # type: ignore[override]
        return max(one.event_dim for one in self.cseq)

    def check(self, value: Any) -> Any:
        parts = paddle.split(value, self.lengths, axis=self.dim)
        checks = [one.check(part) for one, part in zip(self.cseq, parts, strict=True)]
        return paddle.concat(checks, axis=self.dim)


class TorchStack(TorchCat):
    """Constraints of parts that stand on each other along a dimension of their own."""

    @property
    def event_dim(self) -> Any:  # type: ignore[override]
        most = max(one.event_dim for one in self.cseq)
        return most + 1 if self.dim + most < 0 else most

    def check(self, value: Any) -> Any:
        parts = paddle.unbind(value, axis=self.dim)
        checks = [one.check(part) for one, part in zip(self.cseq, parts, strict=True)]
        return paddle.stack(checks, axis=self.dim)


def torch_constrained(support: Any, **arguments: Any) -> Callable[[Any], Any]:
    """A distribution with these constraints, which it holds parameters and values against.

    A function stands for a constraint that depends on the distribution, which it is given.
    """

    def checking(method: Any) -> Any:
        @functools.wraps(method)
        def checked(self: Any, value: Any, *args: Any, **kwargs: Any) -> Any:
            if isinstance(value, paddle.Tensor) and value.is_integer():
                value = value.astype(getattr(self, self.names[0]).dtype)  # as torch promotes it
            if not self._validate_args or "_checked" in self.__dict__:
                return method(self, value, *args, **kwargs)
            self._validate_sample(value)
            self._checked = True  # what the method itself asks for is not looked at
            try:
                return method(self, value, *args, **kwargs)
            finally:
                del self._checked

        return checked

    def creating(made: Any) -> Any:
        place = made.__code__.co_varnames.index("validate_args") - 1

        @functools.wraps(made)
        def create(self: Any, *args: Any, **kwargs: Any) -> None:
            validate = args[place] if len(args) > place else kwargs.get("validate_args")
            if validate is not None:
                self._validate_args = validate
            made(self, *args, **kwargs)

        return create

    def decorate(cls: Any) -> Any:
        if "__init__" in cls.__dict__:
            cls.__init__ = creating(cls.__init__)
        for name in ("log_prob", "cdf"):
            if name in cls.__dict__:
                setattr(cls, name, checking(cls.__dict__[name]))
        if any(callable(one) for one in arguments.values()):
            cls.arg_constraints = property(
                lambda self: {
                    name: one(self) if callable(one) else one for name, one in arguments.items()
                }
            )
        else:
            cls.arg_constraints = arguments
        cls.support = property(support) if callable(support) else support
        return cls

    return decorate


def torch_dependent_property(function: Any = None, **static: Any) -> Any:
    """`constraints.dependent_property`: a property, decorated with or without arguments."""
    return property if function is None else property(function)
