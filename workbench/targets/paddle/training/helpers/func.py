"""Transformations of functions: gradients, Jacobians and loops over a batch dimension."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import paddle

from workbench.targets.paddle.modules.helpers.statistics import (
    torch_named_buffers,
    torch_named_parameters,
)
from workbench.targets.paddle.training.helpers.autograd_functional import (
    torch_as_tuple,
    torch_grads,
    torch_jacobian,
    torch_jvp,
)


def torch_map_tensors(function: Callable[[Any], Any], tree: Any) -> Any:
    """A function of every tensor in dicts, lists and tuples."""
    if isinstance(tree, paddle.Tensor):
        return function(tree)
    if isinstance(tree, Mapping):
        return {key: torch_map_tensors(function, value) for key, value in tree.items()}
    if isinstance(tree, list | tuple):
        items = [torch_map_tensors(function, value) for value in tree]
        return type(tree)(*items) if hasattr(tree, "_fields") else type(tree)(items)
    return tree


def torch_tensors(tree: Any) -> list[Any]:
    """Every tensor in dicts, lists and tuples, in order."""
    found: list[Any] = []
    torch_map_tensors(found.append, tree)
    return found


def torch_fresh(tensor: Any) -> Any:
    """A tensor to differentiate by, which stays on the graph of an outer transformation."""
    fresh = tensor.detach() if tensor.stop_gradient else tensor * 1
    fresh.stop_gradient = False
    return fresh


def torch_func_grad(
    func: Callable[..., Any], argnums: Any = 0, has_aux: bool = False
) -> Callable[..., Any]:
    """`torch.func.grad`: by dicts and lists of tensors as well."""
    both = torch_func_grad_and_value(func, argnums, has_aux)

    def gradient(*args: Any, **kwargs: Any) -> Any:
        grads, value = both(*args, **kwargs)
        return (grads, value[1]) if has_aux else grads

    return gradient


def torch_func_grad_and_value(
    func: Callable[..., Any], argnums: Any = 0, has_aux: bool = False
) -> Callable[..., Any]:
    """`torch.func.grad_and_value`."""
    several = isinstance(argnums, tuple)
    numbers = argnums if several else (argnums,)

    def both(*args: Any, **kwargs: Any) -> Any:
        with paddle.enable_grad():
            outer = any(not tensor.stop_gradient for tensor in torch_tensors(args))
            places = list(args)
            for number in numbers:
                places[number] = torch_map_tensors(torch_fresh, args[number])
            result = func(*places, **kwargs)
            value = result[0] if has_aux else result
            tensors = torch_tensors([places[number] for number in numbers])
            grads = iter(torch_grads([value], tensors, None, outer))
            found = [torch_map_tensors(lambda _: next(grads), places[n]) for n in numbers]
        if not outer:
            result = torch_map_tensors(lambda tensor: tensor.detach(), result)
            found = torch_map_tensors(lambda tensor: tensor.detach(), found)
        return (tuple(found) if several else found[0]), result

    return both


def torch_func_jacobian(func: Callable[..., Any], argnums: Any = 0) -> Callable[..., Any]:
    """`torch.func.jacrev` and `jacfwd`: of each tensor in the result, by each in arguments."""
    several = isinstance(argnums, tuple)
    numbers = argnums if several else (argnums,)

    def jacobian(*args: Any) -> Any:
        results: list[Any] = []

        def filled(tensors: Any) -> list[Any]:
            left = iter(tensors)
            return [torch_map_tensors(lambda _: next(left), args[number]) for number in numbers]

        def inner(*tensors: Any) -> Any:
            places = list(args)
            for number, tree in zip(numbers, filled(tensors), strict=True):
                places[number] = tree
            results.append(func(*places))
            return tuple(torch_tensors(results[0]))

        tensors = tuple(torch_tensors([args[number] for number in numbers]))
        outer = any(not tensor.stop_gradient for tensor in tensors)
        blocks = iter(torch_jacobian(inner, tensors, create_graph=outer))

        def block(_: Any) -> Any:
            trees = filled(next(blocks))
            return tuple(trees) if several else trees[0]

        return torch_map_tensors(block, results[0])

    return jacobian


def torch_func_hessian(func: Callable[..., Any], argnums: Any = 0) -> Callable[..., Any]:
    """`torch.func.hessian`."""
    return torch_func_jacobian(torch_func_jacobian(func, argnums), argnums)


def torch_func_vjp(
    func: Callable[..., Any], *primals: Any, has_aux: bool = False
) -> tuple[Any, ...]:
    """`torch.func.vjp`: the value, and the function from its weights to gradients."""
    with paddle.enable_grad():
        places = [torch_map_tensors(torch_fresh, primal) for primal in primals]
        result = func(*places)
    value = result[0] if has_aux else result

    def pull(weights: Any) -> Any:
        tensors = torch_tensors(places)
        grads = iter(torch_grads(torch_tensors(value), tensors, torch_tensors(weights)))
        return tuple(torch_map_tensors(lambda _: next(grads), place) for place in places)

    plain = torch_map_tensors(lambda tensor: tensor.detach(), value)
    return (plain, pull, result[1]) if has_aux else (plain, pull)


def torch_func_jvp(func: Callable[..., Any], primals: Any, tangents: Any) -> tuple[Any, Any]:
    """`torch.func.jvp`."""
    value, product = torch_jvp(func, tuple(primals), tuple(tangents))
    return value, product


def torch_vmap(
    func: Callable[..., Any],
    in_dims: Any = 0,
    out_dims: Any = 0,
) -> Callable[..., Any]:
    """`torch.vmap` as a loop: the same values, without the speed of one batched call."""

    def slices(tree: Any, dims: Any) -> list[Any] | None:
        """The tree once for each position of the batch dimension; None where it has none."""
        if dims is None:
            return None
        if isinstance(tree, paddle.Tensor):
            return list(paddle.unbind(tree, axis=dims))
        if isinstance(tree, Mapping):
            kinds = dims if isinstance(dims, Mapping) else dict.fromkeys(tree, dims)
            keys, values = list(tree), [tree[key] for key in tree]
            rows = slices(values, [kinds[key] for key in keys])
            return None if rows is None else [dict(zip(keys, row, strict=True)) for row in rows]
        each = dims if isinstance(dims, list | tuple) else [dims] * len(tree)
        columns = [slices(item, kind) for item, kind in zip(tree, each, strict=True)]
        count = max((len(column) for column in columns if column is not None), default=None)
        if count is None:
            return None
        filled = [
            [item] * count if column is None else column
            for item, column in zip(tree, columns, strict=True)
        ]
        return [type(tree)(row) for row in zip(*filled, strict=True)]

    def joined(results: list[Any], dims: Any) -> Any:
        first = results[0]
        if isinstance(first, paddle.Tensor):
            return paddle.stack(results, axis=dims)
        if isinstance(first, Mapping):
            return {key: joined([result[key] for result in results], dims) for key in first}
        kinds = dims if isinstance(dims, list | tuple) else [dims] * len(first)
        columns = zip(*results, strict=True)
        parts = [joined(list(c), kind) for c, kind in zip(columns, kinds, strict=True)]
        return type(first)(parts)

    def mapped(*args: Any, **kwargs: Any) -> Any:
        rows = slices(tuple(torch_as_tuple(args)), in_dims)
        columns = slices(kwargs, 0) if kwargs else None
        results = [
            func(*row, **(columns[index] if columns else {}))
            for index, row in enumerate(rows or [])
        ]
        return joined(results, out_dims)

    return mapped


def torch_functional_call(
    module: Any, parameters: Any, args: Any = None, kwargs: dict[str, Any] | None = None
) -> Any:
    """`torch.func.functional_call`: the module's result with other parameters and buffers."""
    given: dict[str, Any] = {}
    for group in parameters if isinstance(parameters, list | tuple) else [parameters]:
        given.update(group)
    owners = dict(module.named_sublayers(include_self=True))
    kept = []
    for name, value in given.items():
        path, _, own = name.rpartition(".")
        layer = owners[path]
        if isinstance(layer, paddle.nn.layer.norm._BatchNormBase):
            own = {"running_mean": "_mean", "running_var": "_variance"}.get(own, own)
        for table in (layer._parameters, layer._buffers):
            if own in table:
                kept.append((table, own, table[own]))
                table[own] = value
    try:
        values = () if args is None else args if isinstance(args, tuple) else (args,)
        return module(*values, **(kwargs or {}))
    finally:
        for table, own, value in kept:
            table[own] = value


def torch_custom_autocast(function: Any = None) -> Any:
    """`torch.amp.custom_fwd` and `custom_bwd`, as decorators with and without arguments."""
    return function if function is not None else torch_custom_autocast


def torch_linearize(func: Callable[..., Any], *primals: Any) -> tuple[Any, Any]:
    """`torch.func.linearize`: the outputs, and the function of directions that is tangent there."""
    return func(*primals), lambda *tangents: torch_jvp(func, primals, tangents)[1]


def torch_stack_module_state(models: Any) -> tuple[dict[str, Any], dict[str, Any]]:
    """`torch.func.stack_module_state`: parameters and buffers of modules alike, stacked by name."""

    def stacked(tables: list[dict[str, Any]], learned: bool) -> dict[str, Any]:
        found = {}
        for name in tables[0]:
            tensor = paddle.stack([table[name] for table in tables]).detach()
            tensor.stop_gradient = not (learned and not tables[0][name].stop_gradient)
            found[name] = tensor
        return found

    models = list(models)
    return (
        stacked([dict(torch_named_parameters(model)) for model in models], True),
        stacked([dict(torch_named_buffers(model)) for model in models], False),
    )
