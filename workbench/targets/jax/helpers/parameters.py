"""Parameters and buffers of models by torch's names, in torch's order and layouts."""

from typing import NamedTuple

import jax.numpy as jnp
import numpy as np
from flax import nnx


class TorchKernel(np.lib.mixins.NDArrayOperatorsMixin):
    """The kernel of a linear layer with the output dimension first, as torch has it."""

    def __init__(self, kernel):
        self.kernel = kernel

    shape = property(lambda self: self.kernel.shape[::-1])
    ndim = property(lambda self: 2)
    size = property(lambda self: self.kernel.size)
    dtype = property(lambda self: self.kernel.dtype)
    get_metadata = property(lambda self: self.kernel.get_metadata)
    set_metadata = property(lambda self: self.kernel.set_metadata)

    def __getattr__(self, name):  # a mark of the program
        marks = {} if name.startswith("__") or name == "kernel" else self.kernel.get_metadata()
        if name not in marks:
            raise AttributeError(name)
        return marks[name]

    def __getitem__(self, index):
        return self.kernel.T[index]

    def __setitem__(self, index, value):
        self.kernel[...] = self.kernel.T.at[index].set(value).T

    def __iter__(self):
        return iter(self.kernel.T)

    def __len__(self):
        return len(self.kernel.T)

    def __jax_array__(self):
        return self.kernel.T

    def __array__(self, dtype=None, copy=None):
        return np.asarray(self.kernel.T, dtype)

    def __reduce__(self):  # a copy, or what is saved, is an array
        return np.array, (np.asarray(self.kernel.T),)

    def __array_ufunc__(self, ufunc, method, *inputs):
        arrays = (one[...] if isinstance(one, TorchKernel) else one for one in inputs)
        return getattr(jnp, ufunc.__name__)(*arrays)


class TorchTied(nnx.Pytree):
    """The weight of an embedding as the kernel of a linear layer, which both train."""

    def __init__(self, weight):
        self.weight = weight

    T = property(lambda self: self.weight[...])
    shape = property(lambda self: self.weight.shape[::-1])
    ndim = property(lambda self: 2)
    size = property(lambda self: self.weight.size)
    dtype = property(lambda self: self.weight.dtype)

    def __getitem__(self, index):
        return self.weight[...].T[index]

    def __setitem__(self, index, value):
        self.weight[...] = self.weight[...].T.at[index].set(value).T


def torch_members(module, kind):
    """The attributes of a kind, in the order of their assignment, which `vars` may lose."""
    found = vars(module)
    return {name: found[name] for name in found["_pytree__nodes"] if isinstance(found[name], kind)}


def torch_items(container):
    """The entries of a dict of layers or parameters, in the order of their assignment."""
    found = vars(container)
    names = [name for name in found["_pytree__nodes"] if not name.startswith("_pytree__")]
    return {name: found[name] for name in names}


def torch_children(module):
    """The layers directly within a model, by torch's names."""
    if isinstance(module, nnx.Sequential):
        return torch_children(module.layers)
    return torch_members(module, nnx.Module)


def torch_modules(module, prefix="", seen=None):
    """A model and all layers within it, by torch's names; each only once."""
    seen = set() if seen is None else seen
    if id(module) in seen:
        return {}
    seen.add(id(module))
    found = {prefix: module}
    for name, child in torch_children(module).items():
        found |= torch_modules(child, f"{prefix}.{name}" if prefix else name, seen)
    return found


def torch_apply(module, function):
    """Call a function with each layer, the inner ones first, and return the model."""
    for child in torch_children(module).values():
        torch_apply(child, function)
    function(module)
    return module


def torch_own(module):
    """The parameters of a layer and then its buffers, by torch's names."""
    own = torch_members(module, nnx.Variable)
    own = {name: one for name, one in own.items() if not isinstance(one, nnx.RngState)}
    if isinstance(module, nnx.Linear):
        kernel = module.kernel
        tied = not isinstance(kernel, nnx.Variable)
        own = {"kernel": kernel.weight if tied else TorchKernel(kernel)} | (
            {name: one for name, one in own.items() if name != "kernel"}
        )
    if isinstance(module, (nnx.Embed, nnx.LayerNorm, nnx.Linear)):
        names = {"kernel": "weight", "scale": "weight", "embedding": "weight"}
        own = {names.get(name, name): one for name, one in own.items()}
    return dict(sorted(own.items(), key=lambda item: not torch_is_parameter(item[1])))


def torch_is_parameter(value):
    return isinstance(value, (nnx.Param, TorchKernel))


def torch_named(module, prefix=""):
    """Parameters and buffers with torch's names; shared ones occur more than once."""
    found = [(prefix + name, one) for name, one in torch_own(module).items()]
    for name, child in torch_children(module).items():
        found += torch_named(child, f"{prefix}{name}.")
    return found


def torch_distinct(module, parameters, recurse):
    """Parameters, or else buffers, by their first name."""
    found, seen = {}, set()
    for name, one in torch_named(module) if recurse else torch_own(module).items():
        variable = one.kernel if isinstance(one, TorchKernel) else one
        if torch_is_parameter(one) == parameters and id(variable) not in seen:
            seen.add(id(variable))
            found[name] = one
    return found


def torch_parameters(module, recurse=True):
    """Parameters by torch's names, in torch's order; `p[...] = value` sets one."""
    return torch_distinct(module, True, recurse)


def torch_buffers(module, recurse=True):
    """Buffers by torch's names, in torch's order; `b[...] = value` sets one."""
    return torch_distinct(module, False, recurse)


def torch_set(variable, value):
    """Set a parameter or buffer, and return it."""
    variable[...] = value
    return variable


def torch_state_dict(module):
    """Parameters and saved buffers by torch's names; a change of one changes the model."""
    return {name: one for name, one in torch_named(module) if not isinstance(one, nnx.Cache)}


class TorchLoaded(NamedTuple):
    missing_keys: list[str]
    unexpected_keys: list[str]

    def __repr__(self):
        if not any(self):
            return "<All keys matched successfully>"
        missing, unexpected = self
        return f"_IncompatibleKeys(missing_keys={missing}, unexpected_keys={unexpected})"


def torch_load_state_dict(module, state, strict=True):
    """Set parameters and buffers by torch's names."""
    own = torch_state_dict(module)
    missing, unexpected = [n for n in own if n not in state], [n for n in state if n not in own]
    for name, one in own.items():
        if name in state:
            if state[name].shape != one.shape:
                raise RuntimeError(f"size mismatch for {name}: {state[name].shape}, {one.shape}")
            one[...] = state[name][...]
    if strict and (missing or unexpected):
        raise RuntimeError(f"Missing key(s): {missing}. Unexpected key(s): {unexpected}")
    return TorchLoaded(missing, unexpected)


def torch_parameters_to_vector(parameters):
    """All values of parameters in one dimension."""
    return jnp.concatenate([one[...].reshape(-1) for one in parameters])


def torch_vector_to_parameters(vector, parameters):
    """Set parameters from one dimension."""
    start = 0
    for one in parameters:
        one[...] = vector[start : start + one.size].reshape(one.shape)
        start += one.size
