"""Transfer of live values from torch to the mirror namespace, by their type."""

from __future__ import annotations

import contextlib
import copy
import enum
import functools
import inspect
import io
import types
from collections import OrderedDict, defaultdict, deque, namedtuple
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from torch.nn.parameter import is_lazy
from torch.nn.utils.rnn import PackedSequence
from torch.utils.hooks import RemovableHandle

from workbench.compare.carry.hooks import HookCarrier
from workbench.compare.carry.inside import attributes, is_a, state
from workbench.compare.carry.iterators import has_place, put_together, taken_apart
from workbench.compare.carry.origin import (
    definition,
    is_library,
    is_torch,
    made_by_call,
    public_name,
)
from workbench.compare.carry.pairing import is_state_of
from workbench.compare.carry.rebuild import call_for
from workbench.compare.carry.saved_states import OPTIMIZER, with_state
from workbench.compare.carry.sources import NUMBERS
from workbench.compare.carry.versions import version
from workbench.targets.bridge import Bridge, CarryError, Mismatch

if TYPE_CHECKING:
    from workbench.compare.carry.pairing import Twins

_SHARED = (
    type(None),
    bool,
    int,
    float,
    complex,
    str,
    bytes,
    range,
    slice,
    type(...),
    np.generic,
    np.dtype,
)
# Packages of objects for display: a copy would draw and report a second time.
_SHOWN = frozenset(
    {
        *("IPython", "bokeh", "ipywidgets", "matplotlib", "plotly", "seaborn", "tensorboardX"),
        *("tqdm", "wandb"),
    }
)
BUFFERS = (io.BytesIO, io.StringIO)
_BAR = ("tqdm.std", "tqdm")
_CONTAINERS = (list, tuple, dict, set, frozenset, deque)


class CarriedLog:
    """The tensors whose twins hold a copy of them, and their state at that time."""

    def __init__(self) -> None:
        self._versions: dict[int, tuple[torch.Tensor, object]] = {}

    def add(self, tensor: torch.Tensor) -> None:
        """Record a copy of a tensor and of its gradient."""
        self._versions[id(tensor)] = (tensor, version(tensor))
        if tensor.is_leaf and tensor.grad is not None:
            self._versions[id(tensor.grad)] = (tensor.grad, version(tensor.grad))

    def holds(self, tensor: torch.Tensor | None) -> bool:
        """Return whether the twin's value is still that copy, so nothing has computed it since."""
        entry = self._versions.get(id(tensor))
        return entry is not None and version(entry[0]) == entry[1]

    def clear(self) -> None:
        """Forget all copies before the next cell."""
        self._versions.clear()


class Carrier:
    """Transfer of values one by one, which keeps shared parts shared.

    `define(source, around, name)` converts a definition and runs it in the mirror. `build(text,
    parts)` converts an expression whose named parts are target values, and evaluates it there.
    `modules` returns the modules in the namespace, as parameters belong to them, and `optimizers`
    its optimizers. `own` returns the twin of an object that a Python module of the user's defines,
    or None. `named` returns the twin of a container or a source of random numbers that a variable
    holds, or None: such objects allow no weak reference. `made` returns what the user's statement
    makes that made an object of torch; without it, objects are built from their settings.
    """

    def __init__(
        self,
        bridge: Bridge,
        twins: Twins,
        define: Callable[[str, str, str], Any],
        build: Callable[[str, dict[str, Any]], Any],
        modules: Callable[[], Iterable[torch.nn.Module]] = tuple,
        optimizers: Callable[[], Iterable[torch.optim.Optimizer]] = tuple,
        own: Callable[[Any], Any] = lambda value: None,
        named: Callable[[Any], Any] = lambda value: None,
        made: Callable[[Any], Any] | None = None,
    ) -> None:
        self._bridge = bridge
        self._twins = twins
        self._define = define
        self._build = build
        self._modules = modules
        self._optimizers = optimizers
        self._own = own
        self._named = named
        self._made = made
        self.log = CarriedLog()
        self._hooks = HookCarrier(bridge, self._carry, self._registering)
        self._building: set[int] = set()
        # The first matching type applies: a `torch.Size` is a tuple, a method is a routine.
        self._ways: tuple[tuple[type | tuple[type, ...], Callable[[Any], Any]], ...] = (
            (torch.Tensor, self._tensor),
            (torch.dtype, bridge.dtype),
            (torch.device, lambda device: bridge.device(str(device))),
            (torch.Size, list),
            (np.ndarray, lambda array: array.copy()),
            (_CONTAINERS, self._container),
            (BUFFERS, _buffer),
            # Converted code names torch's modules only where it still uses torch.
            (types.ModuleType, lambda module: self._own(module) or module),
            (enum.Enum, lambda member: self._class(type(member))[member.name]),
            (type, self._class),
            (types.MethodType, self._method),
            (functools.partial, self._partial),
        )
        # Lists and tuples allow no weak reference: sharing between them lasts for one round.
        self._round: dict[int, tuple[Any, Any]] = {}
        self._rounds = 0

    @contextlib.contextmanager
    def round(self) -> Iterator[None]:
        """Transfer values that share parts: none of them changes until the end."""
        if not self._rounds:
            self._round = {}
        self._rounds += 1
        try:
            yield
        finally:
            self._rounds -= 1

    def carry(self, value: Any) -> Any:
        """Return the target's counterpart of a live value.

        Raises:
            CarryError: it cannot be transferred, with the reason.
        """
        with self.round():
            whole = dict(self._round)
            try:
                return self._carry(value)
            except Exception:
                self._round = whole  # a container that was left half filled is no twin
                raise

    def renewed(self, value: Any, old: Any) -> Any:
        """Return the counterpart of a value; parts that cannot be transferred stay the old ones."""
        try:
            return self.carry(value)
        except CarryError:
            if type(value) is dict and type(old) is dict and value.keys() == old.keys():
                return {key: self.renewed(part, old[key]) for key, part in value.items()}
            return old

    def _carry(self, value: Any) -> Any:
        if isinstance(value, _SHARED):
            return value
        known = self._round.get(id(value))
        if known is not None:
            return known[1]
        twin = self._twins.get(value)
        if twin is not None and self._refresh(value, twin):
            return twin
        if is_a(value, (*_CONTAINERS, *NUMBERS)) and (twin := self._named(value)) is not None:
            self._round[id(value)] = (value, twin)
            return twin
        twin = self._make(value)
        self._note(value, twin)
        return twin

    def _note(self, value: Any, twin: Any) -> None:
        self._round[id(value)] = (value, twin)
        if not isinstance(value, _CONTAINERS):
            self._twins.add(value, twin)

    def _make(self, value: Any) -> Any:
        if isinstance(value, torch.nn.Parameter) and (place := self._in_module(value)) is not None:
            return place
        for kinds, way in self._ways:
            if isinstance(value, kinds):
                return way(value)
        if inspect.isroutine(value):
            return self._function(value)
        if has_place(value):
            function, arguments, place = taken_apart(value)
            return put_together(function, [self._carry(part) for part in arguments], place)
        if hasattr(value, "__next__"):
            raise CarryError("an iterator's position cannot be copied")
        if isinstance(value, torch.nn.Module):
            return self._module(value)
        return self._torch_object(value) if is_torch(type(value)) else self._object(value)

    def _in_module(self, parameter: torch.nn.Parameter) -> Any:
        """Return a parameter's twin inside the twin of its module, which is transferred first."""
        for module in self._modules():
            if id(module) not in self._building and any(
                own is parameter for own in module.parameters()
            ):
                self._carry(module)
                return self._twins.get(parameter)
        return None

    def _refresh(self, value: Any, twin: Any) -> bool:
        """Update an existing twin in place; return False if a new one must be made."""
        if isinstance(value, torch.nn.Module):
            if not self._is_paired(value, twin):
                return False  # a part was replaced by another
            self._write_module(value, twin)
            return True
        if isinstance(value, torch.Tensor):
            slot = self._twins.slot(value)
            try:
                if slot is not None:
                    slot.write(self._bridge, value)
                    slot.follow_requires_grad(self._bridge)
                    slot.write_gradient(self._bridge, value.grad if value.is_leaf else None)
                else:
                    self._bridge.write(twin, value)
                    if value.is_leaf and self._bridge.is_leaf(twin):
                        self._bridge.set_requires_grad(twin, value.requires_grad)
                    self._bridge.write_gradient(twin, value.grad if value.is_leaf else None)
            except CarryError:
                return False
            self.log.add(value)
            return True
        if isinstance(value, torch.optim.Optimizer):
            self._write_optimizer(value, twin)
            return True
        if isinstance(value, torch.optim.lr_scheduler.LRScheduler):
            self._write_schedule(value, twin)
            return True
        if isinstance(value, types.ModuleType):
            return False  # it may have been reloaded
        if inspect.isroutine(value) or isinstance(value, type):
            return True
        if type(twin).__name__ == type(value).__name__ and not is_library(type(value)):
            self._write_state(value, twin)
            return True
        return False

    def _tensor(self, value: torch.Tensor) -> Any:
        self.log.add(value)
        twin = self._bridge.tensor(value)
        self._hooks.on_tensor(value, twin)
        return twin

    def _method(self, value: types.MethodType) -> Any:
        return getattr(self._carry(value.__self__), value.__name__)

    def _partial(self, value: functools.partial[Any]) -> Any:
        arguments, keywords = self._carry(value.args), self._carry(value.keywords)
        return functools.partial(self._carry(value.func), *arguments, **keywords)

    def _container(self, value: Any) -> Any:
        kind = type(value)
        if kind in (dict, OrderedDict) and (state := self._state(value)) is not None:
            return state
        if kind is dict and value.keys() == OPTIMIZER:
            return self._optimizer_state(value)
        if isinstance(value, defaultdict):
            made: Any = defaultdict(self._carry(value.default_factory))
        elif kind in (list, dict, set, OrderedDict):
            made = kind()
        elif kind is deque:
            made = deque(maxlen=value.maxlen)
        elif kind is PackedSequence:
            return self._torch_object(value)
        elif hasattr(value, "_fields"):
            made = kind if is_torch(kind) else self._carry(kind)
            return made(*(self._carry(item) for item in value))
        elif kind.__module__ == "torch.return_types":
            return _named_like(kind)(*(self._carry(item) for item in value))
        elif kind in (tuple, frozenset):
            return kind(self._carry(item) for item in value)
        else:
            return self._object(value)
        self._round[id(value)] = (value, made)  # before its items: it may contain itself
        if isinstance(value, dict):
            made.update((self._carry(k), self._carry(v)) for k, v in value.items())
        elif isinstance(value, set):
            made.update(self._carry(item) for item in value)
        else:
            made.extend(self._carry(item) for item in value)
        return made

    def _state(self, value: dict[Any, Any]) -> dict[str, Any] | None:
        """Return a module's state dict in the form of its twin's, or None for other dicts."""
        if not value or not all(isinstance(part, torch.Tensor) for part in value.values()):
            return None
        for module in self._modules():
            if id(module) not in self._building and is_state_of(module, value):
                return self._bridge.state_of(module, self._carry(module), value)
        return None

    def _optimizer_state(self, value: dict[str, Any]) -> Any:
        """Return an optimizer's state dict as converted code asks the twin for it."""
        found = with_state(self._optimizers(), value)
        if found is None:
            raise CarryError("it is an optimizer's state, and fits no optimizer here")
        optimizer, saved = found
        made = self._bridge.without_state(self._carry(optimizer))
        self._write_optimizer(saved, made)
        source = "def _state(made: torch.optim.Optimizer):\n    return made.state_dict()\n"
        return self._define(source, "import torch\n", "_state")(made)

    def _class(self, kind: type) -> Any:
        if is_torch(kind):
            return self._build(public_name(kind), {})
        if is_library(kind):
            return kind
        if (twin := self._own(kind)) is not None:
            return twin
        if made_by_call(kind):
            return kind
        origin = definition(kind)
        return self._define(origin.source, origin.around, origin.name)

    def _function(self, value: Any) -> Any:
        if is_torch(value):
            return self._build(public_name(value), {})
        if is_library(value) or inspect.isbuiltin(value):
            return value
        if (twin := self._own(value)) is not None:
            return twin
        origin = definition(value)
        return self._define(origin.source, origin.around, origin.name)

    def _module(self, value: torch.nn.Module) -> Any:
        self._building.add(id(value))
        try:
            return self._built(value)
        finally:
            self._building.discard(id(value))

    def _built(self, value: torch.nn.Module) -> Any:
        if self._made is not None:
            twin = self._made(value)
        elif is_torch(type(value)):
            twin = self._torch_object(value)
        elif is_library(type(value)):
            raise CarryError(
                f"its class {type(value).__name__} comes from the package "
                f"{type(value).__module__.partition('.')[0]}, which was not converted"
            )
        else:
            twin = self._user_module(value)
        self._note(value, twin)
        self._write_module(value, twin)
        return twin

    def _user_module(self, value: torch.nn.Module) -> Any:
        twin = self._bridge.bare_module(self._carry(type(value)))
        self._note(value, twin)
        for name, part in value._parameters.items():
            made = None if part is None else self._carry(part)
            self._bridge.add_part(twin, name, made, persistent=None)
        for name, buffer in value._buffers.items():
            keep = name not in value._non_persistent_buffers_set
            made = None if buffer is None else self._carry(buffer)
            self._bridge.add_part(twin, name, made, persistent=keep)
        for name, child in value._modules.items():
            made = None if child is None else self._carry(child)
            self._bridge.add_part(twin, name, made, persistent=None)
        self._write_attributes(value, twin)
        return twin

    def _write_module(self, value: torch.nn.Module, twin: Any) -> None:
        for slot in self._bridge.module_slots(value, twin):
            if isinstance(slot, Mismatch):
                raise CarryError(f"{slot.name}: {slot.reason}")
            self._twins.add_slot(slot)
            if slot.source._backward_hooks and id(value) in self._building:
                raise CarryError(f"its parameter {slot.name} has hooks, which are not transferred")
            if is_lazy(slot.source):
                continue  # both have no size before their first call
            slot.write(self._bridge, slot.source)
            slot.follow_requires_grad(self._bridge)
            self.log.add(slot.source)
            if slot.source.is_leaf:
                slot.write_gradient(self._bridge, slot.source.grad)
        self._pair_children(value, twin)

    def _pair_children(self, value: torch.nn.Module, twin: Any) -> None:
        self._note(value, twin)
        self._bridge.set_training(twin, value.training)
        self._hooks.follow(value, twin)
        if not is_torch(type(value)):
            self._write_attributes(value, twin)
        for _, child, partner in self._bridge.children(value, twin):
            self._pair_children(child, partner)

    def _is_paired(self, value: torch.nn.Module, twin: Any) -> bool:
        """Return whether a twin's parts are still the twins of the module's."""
        return all(
            self._twins.get(child) is partner and self._is_paired(child, partner)
            for _, child, partner in self._bridge.children(value, twin)
        )

    def _registering(self, annotation: str, call: str) -> Callable[[Any, Any], Any]:
        source = f"def _register(owner: {annotation}, hook):\n    return owner.{call}\n"
        made: Callable[[Any, Any], Any] = self._define(source, "import torch\n", "_register")
        return made

    def _write_attributes(self, value: torch.nn.Module, twin: Any) -> None:
        own = set(vars(torch.nn.Module()))
        for name, held in state(value).items():
            # A module that a statement made has its parts; numbers may have changed since.
            if name not in own and (self._made is None or isinstance(held, _SHARED)):
                object.__setattr__(twin, name, self._carry(held))

    def _torch_object(self, value: Any) -> Any:
        if isinstance(value, RemovableHandle):
            return self._hooks.handle(value, list(self._modules()))
        if self._made is not None:
            twin = self._made(value)
        else:
            call = call_for(value)
            parts = {name: self._carry(part) for name, part in call.parts.items()}
            twin = self._build(call.text, parts)
        if isinstance(value, torch.optim.Optimizer):
            self._write_optimizer(value, twin)
        elif isinstance(value, torch.optim.lr_scheduler.LRScheduler):
            self._write_schedule(value, twin)
        return twin

    def _write_schedule(self, value: Any, twin: Any) -> None:
        self._bridge.prepare_scheduler(value, twin, self._carry(value.optimizer))
        parts = getattr(value, "_schedulers", ())
        for part, partner in zip(parts, self._bridge.schedule_parts(twin), strict=True):
            self._note(part, partner)

    def _write_optimizer(self, value: torch.optim.Optimizer, twin: Any) -> None:
        self._bridge.prepare_optimizer(value, twin, self._twins.place)
        slots = list(self._bridge.optimizer_slots(value, twin, self._twins.place))
        for slot in slots:
            if isinstance(slot, Mismatch):
                raise CarryError(f"its state {slot.name} cannot be transferred: {slot.reason}")
            slot.write(self._bridge, slot.source)
            self.log.add(slot.source)

    def _object(self, value: Any) -> Any:
        if (bar := _bar_class(type(value))) is not None:
            # A bar over the same items, which reports nowhere.
            items = self._carry(value.iterable)
            return bar(items, total=value.total, initial=value.n, file=io.StringIO())
        kind = self._class(type(value))
        if kind is type(value):
            return _copied(value)
        twin = kind.__new__(kind)
        self._note(value, twin)
        self._write_state(value, twin)
        return twin

    def _write_state(self, value: Any, twin: Any) -> None:
        for name, held in attributes(value):
            object.__setattr__(twin, name, self._carry(held))


def _named_like(kind: Any) -> Any:
    """Return a named tuple with the fields of one that torch's functions return."""
    make: Any = namedtuple
    return make(kind.__name__, kind.__match_args__)


def _buffer(value: io.BytesIO | io.StringIO) -> Any:
    """Return an empty buffer for an empty one."""
    if value.getvalue():
        raise CarryError("it holds what torch has written")
    return type(value)()


def _bar_class(kind: type) -> Any:
    """Return tqdm's own class of progress bars if a class is based on it."""
    names = ((each.__module__, each.__name__, each) for each in kind.__mro__)
    return next((each for module, name, each in names if (module, name) == _BAR), None)


def _copied(value: Any) -> Any:
    """Return a copy of an object of a library that does not use torch."""
    package = type(value).__module__.partition(".")[0]
    if package in _SHOWN and not isinstance(value, _CONTAINERS):
        raise CarryError(f"a {type(value).__name__} of {package} is not copied")
    held = state(value).values()
    if any(isinstance(part, torch.Tensor | torch.nn.Module) for part in held):
        raise CarryError(f"a {type(value).__name__} of a library holds torch values")
    try:
        return copy.deepcopy(value)
    except Exception as error:
        raise CarryError(f"a {type(value).__name__} cannot be copied") from error
