"""Pruning: a layer's tensor is its original times a mask, computed before each call."""

from __future__ import annotations

from typing import Any

import paddle


class TorchPruningHook:
    """What masks one tensor of a layer before each call."""

    PRUNING_TYPE = "unstructured"
    _tensor_name = ""

    def __call__(self, module: Any, inputs: Any) -> None:
        # Paddle would make an attribute that is a tensor a buffer.
        module.__dict__[self._tensor_name] = self.apply_mask(module)

    def compute_mask(self, t: Any, default_mask: Any) -> Any:
        raise NotImplementedError

    def apply_mask(self, module: Any) -> Any:
        original = getattr(module, f"{self._tensor_name}_orig")
        return getattr(module, f"{self._tensor_name}_mask").astype(original.dtype) * original

    def prune(self, t: Any, default_mask: Any = None, importance_scores: Any = None) -> Any:
        """The tensor times its mask."""
        scores = t if importance_scores is None else importance_scores
        before = paddle.ones_like(t) if default_mask is None else default_mask
        return t * self.compute_mask(scores, before.detach())

    def remove(self, module: Any) -> None:
        """Make the masked tensor the parameter that its original was."""
        name = self._tensor_name
        original = module._parameters.pop(f"{name}_orig")
        with paddle.no_grad():
            original.set_value(module._buffers.pop(f"{name}_mask") * original)
        module.__dict__.pop(name, None)
        module.add_parameter(name, original)


class TorchPruningContainer(TorchPruningHook):
    """Several prunings of one tensor, one after the other."""

    def __init__(self, *args: Any) -> None:
        self._pruning_methods: tuple[Any, ...] = ()
        for method in args:
            self._tensor_name = method._tensor_name
            self.add_pruning_method(method)

    def add_pruning_method(self, method: Any) -> None:
        if not isinstance(method, TorchPruningHook):
            raise TypeError(f"{type(method)} is not a BasePruningMethod subclass")
        if self._tensor_name and self._tensor_name != method._tensor_name:
            raise ValueError(
                "Can only add pruning methods acting on the parameter named"
                f" '{self._tensor_name}', not '{method._tensor_name}'"
            )
        self._pruning_methods = (*self._pruning_methods, method)

    def __len__(self) -> int:
        return len(self._pruning_methods)

    def __iter__(self) -> Any:
        return iter(self._pruning_methods)

    def __getitem__(self, idx: int) -> Any:
        return self._pruning_methods[idx]

    def compute_mask(self, t: Any, default_mask: Any) -> Any:
        """The last method's mask of what those before it have left."""
        method, mask = self._pruning_methods[-1], default_mask.astype(t.dtype)
        if method.PRUNING_TYPE == "global":
            return method.compute_mask(t, mask)
        if method.PRUNING_TYPE == "unstructured":
            left = paddle.nonzero(mask.flatten() == 1).flatten()
            part = method.compute_mask(t.flatten()[left], mask.flatten()[left])
            return paddle.scatter(mask.flatten(), left, part).reshape(mask.shape)
        dim = method.dim % t.ndim
        others = [axis for axis in range(t.ndim) if axis != dim]
        left = paddle.nonzero(mask.sum(axis=others) != 0).flatten()
        rows, masks = (paddle.index_select(each, left, dim) for each in (t, mask))
        part = method.compute_mask(rows, masks).moveaxis(dim, 0)
        return paddle.scatter(mask.moveaxis(dim, 0), left, part).moveaxis(0, dim)


def torch_pruning_of(module: Any, name: str) -> tuple[Any, Any] | None:
    """The key and the hook that prune a tensor of a layer; None where it is not pruned."""
    for key, hook in module._forward_pre_hooks.items():
        if isinstance(hook, TorchPruningHook) and hook._tensor_name == name:
            return key, hook
    return None


class TorchBasePruningMethod(TorchPruningHook):
    """`torch.nn.utils.prune.BasePruningMethod`."""

    @classmethod
    def apply(
        cls, module: Any, name: str, *args: Any, importance_scores: Any = None, **kwargs: Any
    ) -> Any:
        """Mask a tensor of a layer; masks that it has already are combined with the new one."""
        method: Any = cls(*args, **kwargs)
        method._tensor_name = name
        earlier = torch_pruning_of(module, name)
        if earlier is not None:
            key, old = earlier
            del module._forward_pre_hooks[key]
            if not isinstance(old, TorchPruningContainer):
                old = TorchPruningContainer(old)
            old.add_pruning_method(method)
            method = old
        original = getattr(module, name)
        if importance_scores is not None and importance_scores.shape != original.shape:
            raise AssertionError("importance_scores should have the same shape as the parameter")
        if isinstance(method, TorchPruningContainer):
            before = getattr(module, f"{name}_mask").detach().clone()
        else:
            before = paddle.ones(original.shape, original.dtype)
            del module._parameters[name]
            module.add_parameter(f"{name}_orig", original)
        with paddle.no_grad():
            scores = original if importance_scores is None else importance_scores
            mask = method.compute_mask(scores.detach(), before.detach())
        module.register_buffer(f"{name}_mask", mask)
        method(module, None)
        module.register_forward_pre_hook(method)
        return method


class TorchIdentityPruning(TorchBasePruningMethod):
    """A mask that leaves all as it is."""

    def compute_mask(self, t: Any, default_mask: Any) -> Any:
        return default_mask


class TorchAmountPruning(TorchBasePruningMethod):
    """What methods share that prune a number or a share of entries."""

    def __init__(self, amount: Any) -> None:
        if not isinstance(amount, int | float):
            raise TypeError(f"Invalid type for amount: {amount}. Must be int or float.")
        if amount < 0 or (isinstance(amount, float) and amount > 1.0):
            raise ValueError(
                f"amount={amount} should either be a float in the range [0, 1] or a non-negative"
                " integer"
            )
        self.amount = amount

    def count(self, size: int) -> int:
        """How many of `size` are pruned."""
        if isinstance(self.amount, int) and self.amount > size:
            raise ValueError(
                f"amount={self.amount} should be smaller than the number of parameters to prune"
                f"={size}"
            )
        return self.amount if isinstance(self.amount, int) else round(self.amount * size)

    def least(self, scores: Any, mask: Any) -> Any:
        """The mask without the entries of the smallest scores."""
        count = self.count(scores.size)
        if not count:
            return mask.clone()
        chosen = paddle.topk(scores.flatten(), count, largest=False)[1]
        return paddle.put_along_axis(
            mask.flatten(), chosen, paddle.zeros([1], dtype=mask.dtype), 0
        ).reshape(mask.shape)


class TorchRandomUnstructured(TorchAmountPruning):
    """`torch.nn.utils.prune.RandomUnstructured`."""

    def compute_mask(self, t: Any, default_mask: Any) -> Any:
        return self.least(paddle.rand(t.shape), default_mask)


class TorchL1Unstructured(TorchAmountPruning):
    """`torch.nn.utils.prune.L1Unstructured`: the entries nearest to zero go."""

    def compute_mask(self, t: Any, default_mask: Any) -> Any:
        return self.least(t.abs(), default_mask)


class TorchRandomStructured(TorchAmountPruning):
    """`torch.nn.utils.prune.RandomStructured`: whole channels go."""

    PRUNING_TYPE = "structured"

    def __init__(self, amount: Any, dim: int = -1) -> None:
        super().__init__(amount)
        self.dim = dim

    def scores(self, t: Any) -> Any:
        """A score of each channel; those of the smallest go."""
        return paddle.rand([t.shape[self.dim]])

    def compute_mask(self, t: Any, default_mask: Any) -> Any:
        if t.ndim <= 1:
            raise ValueError("Structured pruning can only be applied to multidimensional tensors")
        if self.dim >= t.ndim:
            raise IndexError(f"Invalid index {self.dim} for tensor of size {t.shape}")
        kept = self.least(self.scores(t), paddle.ones([t.shape[self.dim]], dtype=t.dtype))
        shape = [1] * t.ndim
        shape[self.dim] = -1
        return kept.reshape(shape).astype(default_mask.dtype) * default_mask


class TorchLnStructured(TorchRandomStructured):
    """`torch.nn.utils.prune.LnStructured`: the channels of the smallest norms go."""

    def __init__(self, amount: Any, n: Any, dim: int = -1) -> None:
        super().__init__(amount, dim)
        self.n = n

    def scores(self, t: Any) -> Any:
        rows = t.moveaxis(self.dim, 0).flatten(start_axis=1)
        return paddle.linalg.norm(rows, p=self.n, axis=1)


class TorchCustomFromMask(TorchBasePruningMethod):
    """`torch.nn.utils.prune.CustomFromMask`: a mask of one's own."""

    PRUNING_TYPE = "global"

    def __init__(self, mask: Any) -> None:
        self.mask = mask

    def compute_mask(self, t: Any, default_mask: Any) -> Any:
        return default_mask * self.mask.astype(default_mask.dtype)


def torch_prune(
    method: Any, module: Any, name: str, *args: Any, importance_scores: Any = None, **kwargs: Any
) -> Any:
    """Prune a tensor of a layer, and give the layer."""
    method.apply(module, name, *args, importance_scores=importance_scores, **kwargs)
    return module


def torch_prune_globally(
    parameters: Any, pruning_method: Any, importance_scores: Any = None, **kwargs: Any
) -> None:
    """`global_unstructured`: the entries of several layers compete with each other."""
    pairs = [(module, name) for module, name in parameters]
    given = importance_scores or {}
    scores = [given.get(pair, getattr(*pair)).detach() for pair in pairs]
    masks = [
        getattr(module, f"{name}_mask", paddle.ones_like(getattr(module, name)))
        for module, name in pairs
    ]
    method = pruning_method(**kwargs)
    method._tensor_name = "temp"
    if method.PRUNING_TYPE != "unstructured":
        raise TypeError(
            'Only "unstructured" PRUNING_TYPE supported for the `pruning_method`. Found'
            f" {pruning_method} of type {method.PRUNING_TYPE}"
        )
    flat, before = (paddle.concat([one.flatten() for one in each]) for each in (scores, masks))
    final = TorchPruningContainer(method).compute_mask(flat, before)
    start = 0
    for module, name in pairs:
        shape = getattr(module, name).shape
        size = getattr(module, name).size
        TorchCustomFromMask.apply(module, name, final[start : start + size].reshape(shape))
        start += size


def torch_remove_pruning(module: Any, name: str) -> Any:
    """`prune.remove`: the pruned tensor becomes the parameter."""
    found = torch_pruning_of(module, name)
    if found is None:
        raise ValueError(
            f"Parameter '{name}' of module {module} has to be pruned before pruning can be removed"
        )
    key, hook = found
    hook.remove(module)
    del module._forward_pre_hooks[key]
    return module


def torch_is_pruned(module: Any) -> bool:
    """`prune.is_pruned`: whether a tensor of the layer, or of one within it, is masked."""
    return any(
        isinstance(hook, TorchPruningHook)
        for layer in module.sublayers(include_self=True)
        for hook in layer._forward_pre_hooks.values()
    )
