"""Loading and saving the state of modules as `torch.nn.Module` does, hooks included."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import paddle

from workbench.targets.paddle.modules.helpers.backward_hooks import TorchHookHandle


class TorchIncompatibleKeys(NamedTuple):
    """What `load_state_dict` returns."""

    missing_keys: list[str]
    unexpected_keys: list[str]

    def __repr__(self) -> str:
        if not self.missing_keys and not self.unexpected_keys:
            return "<All keys matched successfully>"
        return (
            f"_IncompatibleKeys(missing_keys={self.missing_keys}, "
            f"unexpected_keys={self.unexpected_keys})"
        )


def torch_load_state_dict(
    module: paddle.nn.Layer, state_dict: Mapping[str, Any], strict: bool = True
) -> Any:
    """`Module.load_state_dict`: casts to each parameter's dtype and raises where shapes differ.

    Paddle skips what does not fit with a warning, and refuses other dtypes.
    """
    missing: list[str] = []
    unexpected: list[str] = []
    problems: list[str] = []
    torch_load_layer(module, dict(state_dict), "", missing, unexpected, problems)
    for word, keys in (("Unexpected", unexpected), ("Missing", missing)):
        if strict and keys:
            named = ", ".join(f'"{key}"' for key in keys)
            problems.insert(0, f"{word} key(s) in state_dict: {named}. ")
    if problems:
        head = f"Error(s) in loading state_dict for {type(module).__name__}:"
        raise RuntimeError("\n\t".join([head, *problems]))
    return TorchIncompatibleKeys(missing, unexpected)


def torch_load_layer(
    layer: paddle.nn.Layer,
    given: dict[str, Any],
    prefix: str,
    missing: list[str],
    unexpected: list[str],
    problems: list[str],
) -> None:
    """Load a layer and all that is in it; what its keys begin with is `prefix`."""
    for hook in list(layer.__dict__.get("_torch_load_pre_hooks", ())):
        hook(layer, given, prefix, {}, True, missing, unexpected, problems)
    passing = layer._non_persistable_buffer_names_set
    kept = {name: value for name, value in layer._buffers.items() if name not in passing}
    every = {**layer._parameters, **kept}
    own = {name: value for name, value in every.items() if value is not None}
    for name, value in own.items():
        tensor = given.get(prefix + name)
        if tensor is None:
            if name != "num_batches_tracked":
                missing.append(prefix + name)
        elif list(tensor.shape) != list(value.shape):
            problems.append(
                f"size mismatch for {prefix}{name}: {list(tensor.shape)} in the checkpoint, "
                f"{list(value.shape)} in the model."
            )
        else:
            value.set_value(paddle.to_tensor(tensor).astype(value.dtype))
    for key in given:
        first, dot, _ = key[len(prefix) :].partition(".")
        if key.startswith(prefix) and first not in (layer._sub_layers if dot else own):
            unexpected.append(key)
    for name, child in layer._sub_layers.items():
        start = f"{prefix}{name}."
        part = {key: value for key, value in given.items() if key.startswith(start)}
        if child is not None:
            torch_load_layer(child, part, start, missing, unexpected, problems)
    for hook in list(layer.__dict__.get("_torch_load_post_hooks", ())):
        hook(layer, TorchIncompatibleKeys(missing, unexpected))


class TorchStateDictHooks:
    """Stands for a layer's own part in `state_dict`, and calls hooks before it and after it."""

    def __init__(self, layer: paddle.nn.Layer) -> None:
        self.layer = layer
        self.before: list[Any] = []
        self.after: list[Any] = []

    def __call__(
        self,
        destination: Any = None,
        include_sublayers: bool = True,
        structured_name_prefix: str = "",
        include_non_persistable_buffer: bool = False,
        use_hook: bool = True,
        keep_vars: bool = True,
    ) -> Any:
        prefix = structured_name_prefix
        for hook in list(self.before):
            hook(self.layer, prefix, keep_vars)
        state = type(self.layer)._state_dict_impl(
            self.layer,
            destination,
            include_sublayers,
            prefix,
            include_non_persistable_buffer,
            use_hook,
            keep_vars,
        )
        for hook in list(self.after):
            changed = hook(self.layer, state, prefix, {})
            state = state if changed is None else changed
        return state


def torch_state_dict_hooks(module: paddle.nn.Layer) -> Any:
    """The hooks of a module for `state_dict`, made when there are none yet."""
    found = module.__dict__.get("_state_dict_impl")
    if found is None:
        found = TorchStateDictHooks(module)
        object.__setattr__(module, "_state_dict_impl", found)
    return found


def torch_register_state_dict_pre_hook(
    module: paddle.nn.Layer, hook: Callable[..., Any]
) -> TorchHookHandle:
    """`Module.register_state_dict_pre_hook`."""
    hooks = torch_state_dict_hooks(module).before
    hooks.append(hook)
    return TorchHookHandle(hooks, hook)


def torch_register_state_dict_post_hook(
    module: paddle.nn.Layer, hook: Callable[..., Any]
) -> TorchHookHandle:
    """`Module.register_state_dict_post_hook`."""
    hooks = torch_state_dict_hooks(module).after
    hooks.append(hook)
    return TorchHookHandle(hooks, hook)


def torch_register_load_hook(
    module: paddle.nn.Layer, hook: Callable[..., Any], when: str, with_module: bool = True
) -> TorchHookHandle:
    """A hook that `torch_load_state_dict` calls `pre` or `post` loading the module itself."""
    hooks = module.__dict__.setdefault(f"_torch_load_{when}_hooks", [])
    called = hook if with_module else lambda _, *given: hook(*given)
    hooks.append(called)
    return TorchHookHandle(hooks, called)


def torch_buffer_data(data: paddle.Tensor) -> paddle.Tensor:
    """A tensor with the values of another, apart from what that one was computed from."""
    tensor = data.detach()
    tensor.stop_gradient = data.stop_gradient
    return tensor


def torch_buffer(
    module: paddle.nn.Layer, name: str, data: paddle.Tensor, persistent: bool = True
) -> paddle.Tensor:
    """`torch.nn.Buffer`, under the name that it is going to have in its module."""
    tensor = torch_buffer_data(data)
    module.register_buffer(name, tensor, persistable=persistent)
    return tensor
