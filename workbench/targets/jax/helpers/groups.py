"""Optimizers of some parameters of a model, and of groups with their own settings."""

import optax
from flax import nnx

from workbench.targets.jax.helpers.parameters import TorchKernel, torch_parameters
from workbench.targets.jax.helpers.training import torch_rate


def torch_trained(path, value):
    """Whether a variable is a parameter that requires gradients."""
    return isinstance(value, nnx.Param) and value.get_metadata("requires_grad", True)


def torch_requires_grad(module, requires_grad=True):
    """Set whether the parameters of a model require gradients, and return the model."""
    for one in torch_parameters(module).values():
        one.set_metadata(requires_grad=requires_grad)
    return module


def torch_variable(parameter):
    return parameter.kernel if isinstance(parameter, TorchKernel) else parameter


def torch_gradient(model, grads, parameter):
    """The gradient of a parameter, as torch has it, or None for one that is not trained."""
    variable = torch_variable(parameter)
    path = next(path for path, one in nnx.iter_graph(model) if one is variable)
    found = dict(nnx.to_flat_state(grads)).get(path)
    if found is None:
        return None
    return found[...].T if isinstance(parameter, TorchKernel) else found[...]


class TorchGroups(list):  # type: ignore[type-arg]
    """The settings of an optimizer's groups, and the group of each parameter by its path."""

    __hash__ = object.__hash__  # type: ignore[assignment]

    def find(self, model):
        listed = [(id(torch_variable(p)), i) for i, one in enumerate(self) for p in one["params"]]
        index = dict(listed)
        self.paths = {
            path: index[id(value)] for path, value in nnx.iter_graph(model) if id(value) in index
        }
        if len(self.paths) < len(listed):
            raise ValueError("a parameter is listed twice, or is none of the model's")
        return self

    def labels(self, params):
        return nnx.map_state(lambda path, _: self.paths[path], params)

    def __call__(self, path, value):
        return path in self.paths and torch_trained(path, value)


def torch_grouped(model, groups, make, **defaults):
    """An optimizer of listed parameters, or of groups of them, made by the settings of each."""
    groups = list(groups)
    groups = groups if isinstance(groups[0], dict) else [{"params": groups}]
    found = TorchGroups(defaults | one for one in groups)
    for one in found:
        params = one["params"]
        one["params"] = [params] if isinstance(params, nnx.Variable) else list(params)
        own = {"lr", "betas", "eps", "momentum", "nesterov", "weight_decay"} & one.keys()
        if other := own - defaults.keys():
            raise ValueError(f"settings that the groups share: {other}")
    found.find(model)
    made = {i: make(**{name: one[name] for name in defaults}) for i, one in enumerate(found)}
    optimizer = nnx.Optimizer(model, optax.partition(made, found.labels), wrt=found)
    optimizer.groups = nnx.static(found)
    return optimizer


class TorchGroup(dict):  # type: ignore[type-arg]
    """The settings of one group; its rate is in the state of the optimizer."""

    def __init__(self, optimizer, index, settings):
        super().__init__(settings)
        self.opt_state = optimizer.opt_state.inner_states[index].inner_state

    def __getitem__(self, name):
        return torch_rate(self) if name == "lr" else super().__getitem__(name)

    def __setitem__(self, name, value):
        if name != "lr":
            raise NotImplementedError(f"{name} cannot change")
        self.opt_state.hyperparams["learning_rate"][...] = value


def torch_param_groups(optimizer):
    """The groups of an optimizer's parameters."""
    return [TorchGroup(optimizer, i, one) for i, one in enumerate(optimizer.groups)]


class TorchEachGroup:
    """One schedule for each group of an optimizer's parameters."""

    def __init__(self, optimizer, make):
        self.schedules = [make(one) for one in torch_param_groups(optimizer)]

    def step(self, *values):
        for one in self.schedules:
            one.step(*values)

    def get_last_lr(self):
        return [rate for one in self.schedules for rate in one.get_last_lr()]
