"""Source of the call that would create a live torch object, with its parts as names.

A built-in module or optimizer is then transferred like other code: the rules convert its call, and
the converted call creates the target's object.
"""

from __future__ import annotations

import inspect
import logging
import re
import types
from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

import torch
from torch import nn
from torch.nn.utils.parametrize import type_before_parametrizations
from torch.nn.utils.rnn import PackedSequence
from torch.nn.utils.spectral_norm import SpectralNorm
from torch.nn.utils.weight_norm import WeightNorm
from torch.utils import data

from workbench.compare.carry.inside import is_a, mapping, series
from workbench.compare.carry.origin import is_torch, public_name
from workbench.compare.carry.schedules import unkept
from workbench.targets.bridge import CarryError

log = logging.getLogger(__name__)
# Deprecated, or without effect on an existing object.
_SKIPPED = {"device", "dtype", "size_average", "reduce", "_weight", "_freeze", "foreach", "fused"}
_LITERALS = (type(None), bool, int, float, str)


class Call:
    """A call under construction: its text, and the values that it refers to by name."""

    def __init__(self) -> None:
        self.parts: dict[str, Any] = {}
        self.text = ""

    def part(self, value: Any) -> str:
        """Return a literal as it is written, or a name for any other value."""
        if isinstance(value, _LITERALS):
            return f"float('{value}')" if value != value or value in _INFINITE else repr(value)
        if type(value) in (tuple, list) and all(isinstance(item, _LITERALS) for item in value):
            return repr(value)
        for name, part in self.parts.items():
            if part is value:
                return name
        name = f"_part{len(self.parts)}"
        self.parts[name] = value
        return name

    def write(self, kind: Any, *arguments: Any, **keywords: Any) -> Call:
        """Set the text to `kind(arguments, keywords)`."""
        written = [self.part(value) for value in arguments]
        written += [f"{name}={self.part(value)}" for name, value in keywords.items()]
        self.text = f"{public_name(kind)}({', '.join(written)})"
        return self

    def surround(self, function: str, options: Mapping[str, Any]) -> None:
        """Set the text to `function(text, options)`."""
        given = [f"{name}={self.part(value)}" for name, value in options.items()]
        self.text = f"{function}({', '.join([self.text, *given])})"


_PARAMETRIZATIONS = {
    "_SpectralNorm": "parametrizations.spectral_norm",
    "_WeightNorm": "parametrizations.weight_norm",
}
_OF_NORMS = {"n_power_iterations", "eps", "dim"}
_INFINITE = (float("inf"), float("-inf"))


def call_for(value: Any) -> Call:
    """Return the call that creates a torch object like `value`, apart from its state."""
    call = Call()
    own = type_before_parametrizations(value) if isinstance(value, nn.Module) else type(value)
    for kind, special in _SPECIAL.items():
        if own is kind:
            return with_norms(special(call, value), value)
    if isinstance(value, torch.optim.Optimizer):
        return _optimizer(call, value)
    if isinstance(value, torch.optim.lr_scheduler.LRScheduler):
        return _scheduler(call, value)
    if isinstance(value, torch.distributions.Distribution):
        return call.write(own, **_of_distribution(value))
    return with_norms(call.write(own, **_arguments(value, own)), value)


def with_norms(call: Call, value: Any) -> Call:
    """Put the calls of `spectral_norm` and `weight_norm` around the call of a layer under them."""
    if not isinstance(value, nn.Module):
        return call
    utils = "torch.nn.utils"
    for hook in value._forward_pre_hooks.values():
        if isinstance(hook, SpectralNorm):
            call.surround(f"{utils}.spectral_norm", vars(hook))
        elif isinstance(hook, WeightNorm):
            call.surround(f"{utils}.weight_norm", vars(hook))
    for name, made in getattr(value, "parametrizations", {}).items():
        for each in made:
            kind = type(each).__name__
            options = {key: vars(each)[key] for key in _OF_NORMS & vars(each).keys()}
            if kind not in _PARAMETRIZATIONS:
                raise CarryError(f"its parametrization {kind} is not transferred")
            call.surround(f"{utils}.{_PARAMETRIZATIONS[kind]}", {"name": name, **options})
    return call


def calls_of(values: Iterable[Any]) -> Iterator[str]:
    """Yield a call for each class of torch's modules, optimizers and loaders among live values, and
    for each of its modules that a live class creates.
    """
    seen: set[type] = set()
    waiting = list(values)
    created: dict[type, str] = {}
    while waiting:
        value = waiting.pop()
        if is_a(value, type) and issubclass(value, nn.Module):
            created.update(_created(value))
        if is_a(value, torch.amp.GradScaler):
            created[torch.amp.GradScaler] = "torch.amp.GradScaler()"
        if is_a(value, (list, tuple, dict)):
            waiting += [one for one in _items(value) if is_a(one, _BUILT)]
        if not is_a(value, _BUILT):
            continue
        parts = value.modules() if is_a(value, nn.Module) else [value]
        for part in parts:
            if type(part) in seen or not is_torch(type(part)):
                continue
            seen.add(type(part))
            try:
                text = call_for(part).text
            except Exception as error:  # parts may have been replaced by the user's
                log.debug("no call for a %s", type(part).__name__, exc_info=error)
                continue
            yield text
    yield from (call for kind, call in created.items() if kind not in seen)


def _created(kind: type) -> Iterator[tuple[type, str]]:
    """Yield the classes of `torch.nn` that a class of the user's creates, each with a call."""
    if is_torch(kind):
        return
    init: Any = vars(kind).get("__init__")
    for name in init.__code__.co_names if is_a(init, types.FunctionType) else ():
        layer: Any = getattr(nn, name, None)
        if is_a(layer, type) and issubclass(layer, nn.Module):
            yield layer, f"torch.nn.{name}({_least(layer)})"


def calls_of_distributions(text: str) -> Iterator[str]:
    """Yield a call for each class of `torch.distributions` that a text names."""
    for name in sorted(set(re.findall(r"\w+", text)) & set(torch.distributions.__all__)):
        kind: Any = getattr(torch.distributions, name)
        if is_a(kind, type):
            yield f"torch.distributions.{name}({_least(kind)})"


def _least(kind: type) -> str:
    """Return as many arguments as a class needs."""
    taken = list(inspect.signature(kind).parameters.values())
    needed = [p for p in taken if p.default is p.empty and p.kind is p.POSITIONAL_OR_KEYWORD]
    return ", ".join("1" for _ in needed)


def _items(value: Any) -> list[Any]:
    if is_a(value, dict):
        return [item for _, item in mapping(value)]
    return series(value) or []


_BUILT = (nn.Module, torch.optim.Optimizer, torch.optim.lr_scheduler.LRScheduler, data.DataLoader)


def _arguments(
    value: Any, made_by: Any = None, known: Mapping[str, Any] | None = None
) -> dict[str, Any]:
    """Return constructor arguments from attributes of the same name, without defaults.

    `made_by` is the class whose constructor names them, if it is not the value's own. `known` has
    the arguments that the value keeps otherwise.
    """
    found: dict[str, Any] = {}
    held = known or {}
    for name, parameter in inspect.signature((made_by or type(value)).__init__).parameters.items():
        if name in ("self", *_SKIPPED) or parameter.kind in (
            parameter.VAR_POSITIONAL,
            parameter.VAR_KEYWORD,
        ):
            continue
        if name not in held and not hasattr(value, name):
            if parameter.default is parameter.empty:
                raise CarryError(f"{type(value).__name__} does not keep its argument {name}")
            continue
        given = held[name] if name in held else getattr(value, name)
        if name == "bias":
            # The argument is a switch, or a vector to add: modules store the tensor.
            given = given is not None and given is not False
        if not _equal(given, parameter.default):
            found[name] = given
    return found


_INSTEAD = ({"probs", "logits"}, {"covariance_matrix", "precision_matrix", "scale_tril"})


def _of_distribution(value: torch.distributions.Distribution) -> dict[str, Any]:
    """Return the arguments that a distribution was given; it computes the others on access.

    Where several arguments exclude each other, the first one found was given.
    """
    found: dict[str, Any] = {}
    taken = inspect.signature(type(value)).parameters
    for name, held in vars(value).items():
        rivals: set[str] = next((each for each in _INSTEAD if name in each), set())
        if name in taken and not rivals & found.keys():
            found[name] = held
    return found


def _equal(held: Any, default: Any) -> bool:
    plain = (*_LITERALS, tuple, list)
    return isinstance(held, plain) and isinstance(default, plain) and held == default


def _optimizer(call: Call, value: torch.optim.Optimizer) -> Call:
    known = inspect.signature(type(value).__init__).parameters
    defaults = {
        name: held
        for name, held in value.defaults.items()
        if name in known
        and name not in _SKIPPED
        and (name == "lr" or not _equal(held, known[name].default))
    }
    groups = value.param_groups
    if len(groups) == 1:
        rates = {name: groups[0][name] for name in defaults}
        return call.write(type(value), list(groups[0]["params"]), **rates)
    plain = [{k: v for k, v in group.items() if k == "params" or k in defaults} for group in groups]
    return call.write(type(value), plain, **defaults)


def _scheduler(call: Call, value: torch.optim.lr_scheduler.LRScheduler) -> Call:
    """Write a schedule at its start; its progress is transferred as its state."""
    options = _arguments(value, known=unkept(value))
    options.pop("last_epoch", None)
    return call.write(type(value), **options)


def _schedules(call: Call, value: Any) -> Call:
    """Write a sequence or a chain of schedules, with the calls that make its parts."""
    parts = ", ".join(
        _SPECIAL.get(type(part), _scheduler)(call, part).text for part in value._schedulers
    )
    given = f"schedulers=[{parts}]"
    if isinstance(value, torch.optim.lr_scheduler.SequentialLR):
        given = f"{call.part(value.optimizer)}, {given}, milestones={value._milestones}"
    call.text = f"{public_name(type(value))}({given})"
    return call


def _sequential(call: Call, value: nn.Sequential) -> Call:
    names = list(value._modules)
    if names == [str(number) for number in range(len(names))]:
        return call.write(nn.Sequential, *value)
    return call.write(nn.Sequential, OrderedDict(value._modules))


def _attention(call: Call, value: nn.MultiheadAttention) -> Call:
    options = {
        "dropout": value.dropout,
        "bias": value.in_proj_bias is not None,
        "add_bias_kv": value.bias_k is not None,
        "add_zero_attn": value.add_zero_attn,
        "kdim": value.kdim if value.kdim != value.embed_dim else None,
        "vdim": value.vdim if value.vdim != value.embed_dim else None,
        "batch_first": value.batch_first,
    }
    return _with_options(call, nn.MultiheadAttention, (value.embed_dim, value.num_heads), options)


def _transformer_layer(call: Call, value: Any) -> Call:
    sizes = (value.linear1.in_features, value.self_attn.num_heads)
    return _with_options(call, type(value), sizes, _options_of_layer(value))


def _options_of_layer(value: Any) -> dict[str, Any]:
    """Return the keyword arguments of a layer of a transformer's encoder or decoder."""
    return {
        "dim_feedforward": value.linear1.out_features,
        "dropout": value.dropout.p,
        "activation": value.activation,
        "layer_norm_eps": value.norm1.eps,
        "batch_first": value.self_attn.batch_first,
        "norm_first": value.norm_first,
        "bias": value.linear1.bias is not None,
    }


def _transformer(call: Call, value: nn.Transformer) -> Call:
    parts = (value.encoder, value.decoder)
    if [type(part) for part in parts] != [nn.TransformerEncoder, nn.TransformerDecoder]:
        raise CarryError("its encoder or decoder is the user's own")
    first: Any = value.encoder.layers[0]
    options = {
        "num_encoder_layers": len(value.encoder.layers),
        "num_decoder_layers": len(value.decoder.layers),
        **_options_of_layer(first),
    }
    return _with_options(call, nn.Transformer, (value.d_model, value.nhead), options)


def _with_options(call: Call, kind: Any, arguments: Any, options: dict[str, Any]) -> Call:
    defaults = inspect.signature(kind.__init__).parameters
    given = {k: v for k, v in options.items() if not _equal(v, defaults[k].default)}
    if given.get("activation") is torch.nn.functional.relu:
        del given["activation"]
    elif given.get("activation") is torch.nn.functional.gelu:
        given["activation"] = "gelu"
    return call.write(kind, *arguments, **given)


def _recurrent(call: Call, value: nn.RNNBase) -> Call:
    options = _arguments(value, nn.RNNBase)
    del options["mode"]
    if getattr(value, "nonlinearity", "tanh") != "tanh":
        options["nonlinearity"] = value.nonlinearity
    return call.write(type(value), **options)


def _layers(call: Call, value: nn.TransformerEncoder | nn.TransformerDecoder) -> Call:
    norm = {} if value.norm is None else {"norm": value.norm}
    return call.write(type(value), value.layers[0], value.num_layers, **norm)


def _generator(call: Call, value: torch.Generator) -> Call:
    """Write a generator with the same seed; its draws during a cell are replayed."""
    call.text = f"torch.Generator().manual_seed({value.initial_seed()})"
    return call


def _loader(call: Call, value: data.DataLoader[Any]) -> Call:
    options: dict[str, Any] = {"batch_size": value.batch_size}
    if value.batch_size is None and value.batch_sampler is not None:
        options = {"batch_sampler": value.batch_sampler}
    elif isinstance(value.sampler, data.RandomSampler):
        options["shuffle"] = True
    elif not isinstance(value.sampler, data.SequentialSampler):
        raise CarryError(f"its sampler is a {type(value.sampler).__name__}")
    if value.drop_last:
        options["drop_last"] = True
    if value.generator is not None:
        if not _is_fresh(value.generator):
            raise CarryError(
                "its generator has drawn already: its next order cannot be transferred"
            )
        options["generator"] = value.generator
    if value.num_workers:
        options["num_workers"] = value.num_workers
    if value.collate_fn is not torch.utils.data.default_collate:
        options["collate_fn"] = value.collate_fn
    return call.write(data.DataLoader, value.dataset, **options)


def _is_fresh(generator: torch.Generator) -> bool:
    """Return whether nothing has been drawn from a generator since it was seeded."""
    seeded = torch.Generator().manual_seed(generator.initial_seed())
    return torch.equal(generator.get_state(), seeded.get_state())


def _norm(call: Call, value: nn.LayerNorm) -> Call:
    options = _arguments(value)
    options["normalized_shape"] = list(value.normalized_shape)
    if value.elementwise_affine and value.bias is not None:
        options.pop("bias", None)
    return call.write(type(value), **options)


def _scaler(call: Call, value: torch.amp.GradScaler) -> Call:
    if not value.is_enabled():
        return call.write(torch.amp.GradScaler, value._device, enabled=False)
    state = value.state_dict()
    options = {name: state[name] for name in ("growth_factor", "backoff_factor", "growth_interval")}
    return call.write(torch.amp.GradScaler, value._device, init_scale=state["scale"], **options)


_SPECIAL: dict[Any, Callable[[Call, Any], Call]] = {
    torch.Generator: _generator,
    torch.optim.lr_scheduler.SequentialLR: _schedules,
    torch.optim.lr_scheduler.ChainedScheduler: _schedules,
    nn.Sequential: _sequential,
    nn.ModuleList: lambda call, value: call.write(nn.ModuleList, list(value)),
    nn.ModuleDict: lambda call, value: call.write(nn.ModuleDict, dict(value.items())),
    nn.MultiheadAttention: _attention,
    nn.TransformerEncoderLayer: _transformer_layer,
    nn.TransformerDecoderLayer: _transformer_layer,
    nn.TransformerEncoder: _layers,
    nn.TransformerDecoder: _layers,
    nn.Transformer: _transformer,
    nn.LayerNorm: _norm,
    nn.RNN: _recurrent,
    nn.LSTM: _recurrent,
    nn.GRU: _recurrent,
    data.DataLoader: _loader,
    torch.amp.GradScaler: _scaler,
    torch.cuda.amp.GradScaler: _scaler,
    PackedSequence: lambda call, value: call.write(PackedSequence, *value),
    data.TensorDataset: lambda call, value: call.write(data.TensorDataset, *value.tensors),
    data.Subset: lambda call, value: call.write(data.Subset, value.dataset, list(value.indices)),
    data.ConcatDataset: lambda call, value: call.write(data.ConcatDataset, list(value.datasets)),
}
