"""torch's side of the shared random stream: patches that record every draw of a statement.

Functions are patched, not dispatched, so that arithmetic runs at full speed and times stay correct.
The generator's state is checked around every recorded draw. This detects draws that were not
recorded (fused kernels, names imported before the patch), and reports them.
"""

from __future__ import annotations

import functools
import sys
import types
import weakref
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

import torch
import torch.utils.data
from torch.nn import Parameter
from torch.nn.utils.parametrize import ParametrizationList
from torch.nn.utils.weight_norm import WeightNorm
from torch.utils.weak import WeakIdKeyDictionary

from workbench.streams.attention import written_out
from workbench.streams.draws import Draw, Kind, moments
from workbench.streams.factors import Factors
from workbench.streams.recurrent import KINDS, drops, layer_by_layer
from workbench.words import words

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from types import FrameType

    from workbench.streams.draws import Stream

# Replacements that running code may have stored, with their originals.
_originals: WeakKeyDictionary[Any, Any] = WeakKeyDictionary()
_UNNOTICED = "torch drew random numbers in a way that cannot be recorded"


@contextmanager
def patched(owner: Any, name: str, make: Callable[[Any], Any]) -> Iterator[None]:
    """Replace `owner.name` by `make(original)` while open; an inherited attribute is shadowed."""
    own = name in vars(owner)
    held = vars(owner).get(name)  # a static method is a function as an attribute
    original = getattr(owner, name)
    replacement = make(original)
    _originals[replacement] = original
    setattr(owner, name, replacement)
    try:
        yield
    finally:
        if own:
            setattr(owner, name, held)
        else:
            delattr(owner, name)


def unpatched(value: Any) -> Any:
    """Return the original of one of these replacements; any other value unchanged."""
    return _originals.get(value, value) if type(value) is types.FunctionType else value


def outermost(around: Callable[..., Any]) -> Callable[[Any], Any]:
    """Return a `make` for `patched` that runs a method as `around(run, self, *args, **kwargs)`.

    Nested calls, such as that of the parent's method, run unchanged.
    """
    under_way = False

    def make(original: Any) -> Any:
        @functools.wraps(original)
        def call(self: Any, *args: Any, **kwargs: Any) -> Any:
            nonlocal under_way
            run = functools.partial(original, self, *args, **kwargs)
            if under_way:
                return run()
            under_way = True
            try:
                return around(run, self, *args, **kwargs)
            finally:
                under_way = False

        return call

    return make


def with_own(kind: Any, name: str) -> Iterator[Any]:
    """Yield a class and its subclasses that define a method themselves."""
    if name in vars(kind):
        yield kind
    for one in kind.__subclasses__():
        yield from with_own(one, name)


class _Data(property):
    """A property that allows weak references."""


def _address(tensor: torch.Tensor) -> int:
    """Return the address of a tensor's memory, or 0 for one that has none."""
    try:
        return tensor.data_ptr()
    except (RuntimeError, ValueError):  # lazy, sparse and fake tensors
        return 0


class FreshWeights:
    """Parameters, and tensors computed from their first values, that were drawn at random and have
    not been copied to the target yet.
    """

    def __init__(self) -> None:
        self._by_id: dict[int, torch.Tensor] = {}
        self._by_memory: dict[int, weakref.ref[torch.Tensor]] = {}  # all that were ever drawn

    def __bool__(self) -> bool:
        return bool(self._by_id)

    def __contains__(self, tensor: object) -> bool:
        return id(tensor) in self._by_id

    def add(self, tensor: torch.Tensor) -> None:
        """Add a parameter that was drawn."""
        self._by_id[id(tensor)] = tensor
        if address := _address(tensor):
            self._by_memory[address] = weakref.ref(tensor)

    def owner(self, tensor: torch.Tensor) -> torch.Tensor:
        """Return the drawn parameter whose memory a tensor shows, or the tensor itself.

        `spectral_norm` leaves such a tensor as `weight`, for initializers.
        """
        address = _address(tensor)
        known = self._by_memory.get(address)
        found = known() if known is not None else None
        if found is None or _address(found) != address or found.shape != tensor.shape:
            return tensor
        return found

    def discard(self, tensor: torch.Tensor) -> None:
        """Remove a parameter that was copied."""
        self._by_id.pop(id(tensor), None)

    def replace(self, tensor: torch.Tensor, others: Iterable[torch.Tensor]) -> None:
        """Add the tensors whose values come from those of a parameter, instead of it."""
        self.discard(tensor)
        for other in others:
            self.add(other)

    def clear(self) -> None:
        """Remove all parameters."""
        self._by_id.clear()
        kept = self._by_memory.items()
        self._by_memory = {address: known for address, known in kept if known() is not None}


class Recorder:
    """Recorder of a statement's draws; parameters that were drawn go into `fresh`."""

    def __init__(self, stream: Stream, fresh: FreshWeights) -> None:
        self._stream = stream
        self._fresh = fresh
        self._inside = 0
        self._packed = False
        self._seed: int | None = None
        self._state = torch.get_rng_state()
        self._owners: Any = WeakIdKeyDictionary()  # parameters by what their `data` returned

    @contextmanager
    def recording(self) -> Iterator[None]:
        """Record every draw while open."""
        self._state = torch.get_rng_state()
        with ExitStack() as stack:
            for owner, name, make in self._patches():
                stack.enter_context(patched(owner, name, make))
            yield
        self._check()
        self._inside += 1  # replacements that code has stored no longer record

    def _patches(self) -> Iterator[tuple[Any, str, Callable[[Any], Any]]]:
        for name, kind in _FUNCTIONS.items():
            yield torch, name, functools.partial(self._function, kind)
        for name, kind in _IN_PLACE.items():
            yield torch.Tensor, name, functools.partial(self._in_place, kind)
        yield torch, "normal", self._normal
        yield (
            torch.utils.data.dataset,
            "randperm",
            functools.partial(self._function, Kind.PERMUTATION),
        )
        for name in ("bernoulli", "multinomial"):
            yield torch.Tensor, name, functools.partial(self._function, _FUNCTIONS[name])
        for owner in (torch, torch._VF):
            for name in ("dropout", "feature_dropout"):
                yield owner, name, functools.partial(self._dropout, False)
                yield owner, f"{name}_", functools.partial(self._dropout, True)
        yield torch.nn.functional, "scaled_dot_product_attention", self._attention
        for name in KINDS:
            yield torch._VF, name, self._recurrent
        for name in _INITIALISERS:
            yield torch.nn.init, name, self._initialiser
        if self._stream.factors is not None:
            yield torch.linalg, "eigh", self._factored
            yield torch.linalg, "svd", self._factored
            yield torch, "svd", self._factored
            yield torch.Tensor, "svd", self._factored
        yield WeightNorm, "apply", self._split
        yield ParametrizationList, "__init__", self._parametrized
        yield Parameter, "__deepcopy__", self._copy
        yield Parameter, "data", self._data
        yield torch.utils.data.RandomSampler, "__iter__", self._sampler
        for owner in (torch, torch.random):
            for name in ("manual_seed", "set_rng_state", "seed"):
                yield owner, name, self._reseeding

    def _check(self) -> None:
        state = torch.get_rng_state()
        if not torch.equal(state, self._state):
            self._stream.part(_UNNOTICED)
            self._state = state

    @contextmanager
    def _noted(self) -> Iterator[bool]:
        """Surround one draw; yield whether it is the outermost, since only that is recorded."""
        outermost = not self._inside
        if outermost:
            self._check()
        self._inside += 1
        try:
            yield outermost and not _compiles()
        finally:
            self._inside -= 1
            if outermost:
                self._state = torch.get_rng_state()

    def _function(self, kind: Kind, original: Any) -> Any:
        @functools.wraps(original)
        def draw(*args: Any, **kwargs: Any) -> Any:
            with self._noted() as outermost:
                result = original(*args, **kwargs)
            if outermost and isinstance(result, torch.Tensor):
                rates = args[0].detach().clone() if kind is Kind.BERNOULLI else None
                self._stream.record(Draw(kind, result.detach().clone(), rates=rates))
            return result

        return draw

    def _in_place(self, kind: Kind, original: Any) -> Any:
        @functools.wraps(original)
        def draw(tensor: torch.Tensor, *args: Any, **kwargs: Any) -> Any:
            with self._noted() as outermost:
                result = original(tensor, *args, **kwargs)
            if _is_seed(kind, tensor, args, kwargs):
                self._seed = int(tensor)
                return result
            if not outermost:
                return result
            if isinstance(tensor, Parameter):
                self._fresh.add(tensor)
            else:
                value = tensor.detach().clone()
                if kind is Kind.BERNOULLI:
                    rate = torch.as_tensor(args[0] if args else kwargs.get("p", 0.5))
                    draw = Draw(kind, value, rates=rate.detach().expand_as(value).clone())
                else:
                    draw = Draw(kind, value, *_parameters(kind, args, kwargs))
                self._stream.record(draw)
            return result

        return draw

    def _normal(self, original: Any) -> Any:
        """Record normal numbers; standard ones if their mean or deviation is a tensor."""

        @functools.wraps(original)
        def draw(mean: Any, std: Any = 1.0, *args: Any, **kwargs: Any) -> torch.Tensor:
            with self._noted() as outermost:
                result: torch.Tensor = original(mean, std, *args, **kwargs)
            if not outermost:
                return result
            if isinstance(mean, torch.Tensor) or isinstance(std, torch.Tensor) or std == 0:
                standard = torch.nan_to_num((result - mean) / std, 0.0).detach()
                self._stream.record(Draw(Kind.NORMAL, standard))
            else:
                value = result.detach().clone()
                self._stream.record(Draw(Kind.NORMAL, value, float(mean), float(std)))
            return result

        return draw

    def _dropout(self, in_place: bool, original: Any) -> Any:
        """Run dropout as a product with noise: the results are the same, and the mask is
        accessible.
        """
        noise_of = torch.feature_dropout if "feature" in original.__name__ else torch.dropout

        @functools.wraps(original)
        def dropout(tensor: torch.Tensor, p: float, train: bool) -> torch.Tensor:
            if not train or p == 0 or self._inside:
                unchanged: torch.Tensor = original(tensor, p, train)
                return unchanged
            with self._noted():
                noise = noise_of(torch.ones_like(tensor.detach()), p, True)
            mask = noise != 0
            if "feature" in original.__name__:
                mask = mask[(slice(None), slice(None), *[slice(0, 1)] * (mask.dim() - 2))]
            sizes = [size for size in mask.shape if size > 1]
            alike = len(set(sizes)) < len(sizes) or self._packed
            onto = tensor.detach().clone() if alike else None
            known = moments(tensor)
            self._stream.record(Draw(Kind.MASK, mask, 0.0, float(p), onto=onto, moments=known))
            return tensor.mul_(noise) if in_place else tensor * noise

        return dropout

    def _attention(self, original: Any) -> Any:
        """Run attention with dropout as single operations, so that its mask can be recorded."""

        @functools.wraps(original)
        def attention(
            query: torch.Tensor,
            key: torch.Tensor,
            value: torch.Tensor,
            attn_mask: torch.Tensor | None = None,
            dropout_p: float = 0.0,
            is_causal: bool = False,
            scale: float | None = None,
            enable_gqa: bool = False,
        ) -> torch.Tensor:
            if dropout_p == 0:
                plain: torch.Tensor = original(
                    query,
                    key,
                    value,
                    attn_mask,
                    dropout_p,
                    is_causal,
                    scale=scale,
                    enable_gqa=enable_gqa,
                )
                return plain
            if enable_gqa:
                groups = query.size(-3) // key.size(-3)
                key, value = (t.repeat_interleave(groups, -3) for t in (key, value))
            return written_out(query, key, value, attn_mask, dropout_p, is_causal, scale)

        return attention

    def _recurrent(self, original: Any) -> Any:
        """Run recurrent layers one by one, so that the masks between them can be recorded."""

        @functools.wraps(original)
        def run(x: Any, *args: Any) -> Any:
            packed = not isinstance(args[2], bool)  # the batch sizes precede the state
            sizes, args = (args[:1], args[1:]) if packed else ((), args)
            if not drops(*args[3:6]):
                return original(x, *sizes, *args)
            self._packed = packed
            try:
                return layer_by_layer(original, x, sizes, *args)
            finally:
                self._packed = False

        return run

    def _initialiser(self, original: Any) -> Any:
        @functools.wraps(original)
        def initialise(tensor: torch.Tensor, *args: Any, **kwargs: Any) -> Any:
            before = self._state
            with self._noted() as outermost:
                result = original(tensor, *args, **kwargs)
            if outermost and not torch.equal(before, self._state):
                parameter = self._owners.get(tensor)
                parameter = self._fresh.owner(tensor) if parameter is None else parameter
                if isinstance(parameter, Parameter):
                    self._fresh.add(parameter)
                else:
                    self._stream.record(Draw(Kind.OTHER, tensor.detach().clone()))
            return result

        return initialise

    def _sampler(self, original: Any) -> Any:
        """Record a sampler's indices as one draw, however torch computes them."""

        def iterate(sampler: Any) -> Iterator[int]:
            # A user's own generator has a counterpart in the target, which draws for itself. What
            # it draws depends on how far the user's code iterates.
            if sampler.generator is not None:
                yield from self._unrecorded(original(sampler))
                return
            with self._noted() as outermost:
                indices = list(original(sampler))
            if outermost:
                kind = Kind.INTEGERS if sampler.replacement else Kind.PERMUTATION
                self._stream.record(Draw(kind, torch.tensor(indices), seed=self._seed))
            yield from indices

        return iterate

    def _unrecorded(self, indices: Iterator[int]) -> Iterator[int]:
        """Yield indices one by one, without a record of the draws in between."""
        while True:
            self._inside += 1
            try:
                index = next(indices, None)
            finally:
                self._inside -= 1
            if index is None:
                return
            yield index

    def _factored(self, original: Any) -> Any:
        """Note the vectors of an eigenvalue or singular value decomposition."""

        @functools.wraps(original)
        def factor(*args: Any, **kwargs: Any) -> Any:
            result = original(*args, **kwargs)
            chosen = self._stream.factors
            if chosen is None or self._inside or _compiles():
                return result
            parts = [part.detach() for part in result]
            if len(parts) == 2:
                chosen.note(Factors(parts[0], parts[1].clone()))
            else:
                right = parts[2] if hasattr(result, "V") else parts[2].mH
                chosen.note(Factors(parts[1], parts[0].clone(), right.clone()))
            return result

        return factor

    def _split(self, original: Any) -> Any:
        """Note the magnitude and the direction that `weight_norm` makes of a drawn weight."""

        def apply(module: torch.nn.Module, name: str, dim: int) -> Any:
            weight = getattr(module, name, None)
            result = original(module, name, dim)
            if isinstance(weight, torch.Tensor) and weight in self._fresh:
                self._fresh.replace(weight, [getattr(module, f"{name}_{part}") for part in "gv"])
            return result

        return apply

    def _parametrized(self, original: Any) -> Any:
        """Note the parameters that replace a drawn one, and what torch computes from its values."""

        def initialise(
            made: Any, modules: Any, weight: torch.Tensor, *args: Any, **kw: Any
        ) -> None:
            original(made, modules, weight, *args, **kw)
            if weight in self._fresh:
                own = [module for module in made if type(module).__module__.startswith("torch.")]
                buffers = [buffer for module in own for buffer in module.buffers()]
                self._fresh.replace(weight, [*made.parameters(recurse=False), *buffers])

        return initialise

    def _copy(self, original: Any) -> Any:
        @functools.wraps(original)
        def deepcopy(tensor: Parameter, memo: dict[int, Any]) -> Any:
            result = original(tensor, memo)
            if tensor in self._fresh:
                self._fresh.add(result)
            return result

        return deepcopy

    def _data(self, original: Any) -> Any:
        """Return `Parameter.data`, whose results initialise the parameter that they belong to."""

        def read(parameter: Parameter) -> torch.Tensor:
            data: torch.Tensor = original.__get__(parameter)
            self._owners[data] = parameter
            return data

        return _Data(read, original.__set__)

    def _reseeding(self, original: Any) -> Any:
        @functools.wraps(original)
        def reseed(*args: Any, **kwargs: Any) -> Any:
            if not self._inside:
                self._check()
            result = original(*args, **kwargs)
            self._state = torch.get_rng_state()
            return result

        return reseed


_FUNCTIONS = {
    "rand": Kind.UNIFORM,
    "rand_like": Kind.UNIFORM,
    "randn": Kind.NORMAL,
    "randn_like": Kind.NORMAL,
    "randint": Kind.INTEGERS,
    "randint_like": Kind.INTEGERS,
    "randperm": Kind.PERMUTATION,
    "bernoulli": Kind.BERNOULLI,
    "multinomial": Kind.CHOICE,
    "poisson": Kind.POISSON,
}
_IN_PLACE = {
    "uniform_": Kind.UNIFORM,
    "normal_": Kind.NORMAL,
    "random_": Kind.INTEGERS,
    "bernoulli_": Kind.BERNOULLI,
    "exponential_": Kind.EXPONENTIAL,
    "cauchy_": Kind.OTHER,
    "geometric_": Kind.OTHER,
    "log_normal_": Kind.OTHER,
}
_INITIALISERS = words(
    "uniform_ normal_ trunc_normal_ xavier_uniform_ xavier_normal_ kaiming_uniform_ "
    "kaiming_normal_ orthogonal_ sparse_"
)


def _compiles() -> bool:
    """Return whether torch's compiler is running, which draws numbers for its benchmarks."""
    if "torch._inductor" not in sys.modules:
        return False
    frame: FrameType | None = sys._getframe()
    while frame is not None:
        if frame.f_globals.get("__name__", "").startswith("torch._inductor"):
            return True
        frame = frame.f_back
    return False


def _is_seed(kind: Kind, tensor: torch.Tensor, args: Any, kwargs: Any) -> bool:
    """Return whether a draw is a data loader's or sampler's seed for its own generator."""
    bounded = bool(args) or bool(set(kwargs) - {"generator"})
    return kind is Kind.INTEGERS and tensor.dim() == 0 and not bounded


def _parameters(kind: Kind, args: Any, kwargs: Any) -> tuple[float, float]:
    if kind is Kind.EXPONENTIAL:
        return 0.0, 1.0 / float(args[0] if args else kwargs.get("lambd", 1.0))
    names = {Kind.UNIFORM: ("from", "to"), Kind.NORMAL: ("mean", "std")}.get(kind)
    if names is None:
        return 0.0, 1.0
    first = args[0] if args else kwargs.get(names[0], 0.0)
    second = args[1] if len(args) > 1 else kwargs.get(names[1], 1.0)
    return float(first), float(second)
