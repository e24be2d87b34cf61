"""Transfer of the hooks of modules and tensors.

A hook may exist on both sides already, if converted code registered it. A twin gets only the
missing hooks; if it is unclear which these are, the module is not transferred.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any
from weakref import WeakKeyDictionary

import torch
from torch.utils.hooks import RemovableHandle

from workbench.targets.bridge import Bridge, CarryError

_LAZY: Any = torch.nn.modules.lazy.LazyModuleMixin._infer_parameters
# The attribute of a module that holds each kind, the method that registers it, and the attributes
# that hold its options.
_KINDS: dict[str, tuple[str, dict[str, str]]] = {
    "_forward_pre_hooks": (
        "register_forward_pre_hook",
        {"with_kwargs": "_forward_pre_hooks_with_kwargs"},
    ),
    "_forward_hooks": (
        "register_forward_hook",
        {
            "with_kwargs": "_forward_hooks_with_kwargs",
            "always_call": "_forward_hooks_always_called",
        },
    ),
    "_backward_pre_hooks": ("register_full_backward_pre_hook", {}),
    "_backward_hooks": ("register_full_backward_hook", {}),
}


@dataclass(frozen=True, slots=True)
class Hook:
    """One hook of a module: its kind, its number there, and the call that registers it."""

    kind: str
    number: int
    function: Any
    call: str

    @property
    def key(self) -> tuple[str, int]:
        """The key that identifies it among the module's hooks."""
        return self.kind, self.number


def hooks_of(module: torch.nn.Module) -> Iterator[Hook]:
    """Yield the hooks that run when a module is called, in their order, without torch's own."""
    for kind, (register, options) in _KINDS.items():
        for number, function in vars(module)[kind].items():
            if getattr(function, "__func__", None) is _LAZY:
                continue
            given = [name for name, place in options.items() if number in vars(module)[place]]
            words = "".join(f", {name}=True" for name in given)
            yield Hook(kind, number, function, f"{register}(hook{words})")


class HookCarrier:
    """Registers the hooks of torch's objects on their twins.

    `carry` returns the counterpart of a function. `register(annotation, call)` returns the
    converted form of a function that takes an owner and a hook, and makes the call on the owner.
    """

    def __init__(
        self,
        bridge: Bridge,
        carry: Callable[[Any], Any],
        register: Callable[[str, str], Callable[[Any, Any], Any]],
    ) -> None:
        self._bridge = bridge
        self._carry = carry
        self._register = register
        # Hooks that converted code has registered on twins itself, as far as known.
        self._own: WeakKeyDictionary[torch.nn.Module, set[tuple[str, int]]] = WeakKeyDictionary()
        self._handles: WeakKeyDictionary[torch.nn.Module, dict[tuple[str, int], Any]] = (
            WeakKeyDictionary()
        )

    def follow(self, module: torch.nn.Module, twin: Any) -> None:
        """Update the hooks of a twin to those of its module.

        Raises:
            CarryError: the missing hooks cannot be determined.
        """
        now = list(hooks_of(module))
        keys = {hook.key for hook in now}
        held = self._handles.setdefault(module, {})
        for key in held.keys() - keys:
            held.pop(key).remove()
        own = self._own.setdefault(module, set())
        missing = [hook for hook in now if hook.key not in held and hook.key not in own]
        gone = own - keys
        own &= keys
        there = self._bridge.hook_count(twin) - len(held)
        if there == len(own) + len(missing) and not (gone and missing):
            own |= {hook.key for hook in missing}  # converted code has registered them
            return
        if there != len(own) or now[len(now) - len(missing) :] != missing:
            raise CarryError("its hooks were changed, and those of its counterpart are not known")
        if module._backward_hooks and module._is_full_backward_hook is False:
            raise CarryError("it has a hook of register_backward_hook, which saw other gradients")
        for hook in missing:
            register = self._register("torch.nn.Module", hook.call)
            held[hook.key] = register(twin, self._carry(hook.function))

    def on_tensor(self, tensor: torch.Tensor, twin: Any) -> None:
        """Register a tensor's hooks on its new twin."""
        for function in (tensor._backward_hooks or {}).values():
            register = self._register("torch.Tensor", "register_hook(hook)")
            register(twin, self._carry(function))

    def handle(self, value: RemovableHandle, modules: list[torch.nn.Module]) -> Any:
        """Return the counterpart of the handle of a registered hook."""
        kept = value.hooks_dict_ref()
        for outermost in modules:
            for module in outermost.modules():
                for kind in _KINDS:
                    if vars(module)[kind] is kept and value.id in kept:
                        self._carry(outermost)
                        found = self._handles.get(module, {}).get((kind, value.id))
                        if found is not None:
                            return found
        raise CarryError("the hook that it removes was not transferred")
