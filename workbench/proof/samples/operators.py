"""Snippets from torch's own database of operators and their sample inputs."""

from __future__ import annotations

import itertools
import operator
import warnings
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from typing import Any

import torch
from torch.testing._internal.common_methods_invocations import op_db

from workbench.proof.samples.call_forms import Call, spellings
from workbench.proof.samples.sample_spelling import Setup, UnwritableError
from workbench.proof.snippet import Snippet
from workbench.upstream.facts import load

# Importing the database forbids what code does: torch.backends.cudnn.enabled = False.
torch.backends.flags_frozen.__globals__["__allow_nonbracketed_mutation_flag"] = True

_READ = 160  # samples to read per operator; some have thousands
_LARGE = 40_000  # elements; larger samples are slow and show nothing more
_DTYPES = (
    torch.float32,
    torch.float64,
    torch.int64,
    torch.int32,
    torch.uint8,
    torch.bool,
    torch.bfloat16,
    torch.complex64,
)
# Their results are uninitialized memory.
_UNDEFINED = frozenset(
    {"empty", "empty_like", "empty_permuted", "empty_strided", "new_empty", "new_empty_strided"}
    | {"resize_", "resize_as_"}
)


def names() -> list[str]:
    """Return the database's entries: an operator's name, with its variant if it has several."""
    return [info.full_name for info in op_db]


def rules_of(name: str) -> set[str]:
    """Return the canonical torch names that an entry's snippets exercise."""
    return {load().canonical(called) for called, _ in _ways(_entry(name))}


@cache
def _by_name() -> dict[str, Any]:
    return {info.full_name: info for info in op_db}


def _entry(name: str) -> Any:
    return _by_name()[name]


def _ways(info: Any) -> Iterator[tuple[str, str]]:
    """Yield the torch names of one entry, each with how it is called."""
    for name in dict.fromkeys([info.name, *(alias.name for alias in info.aliases)]):
        full = f"torch.{name.removeprefix('torch.')}"
        if _function(full) is not None:
            yield full, "function"
    members = [info.method_variant, info.inplace_variant]
    members += [info.operator_variant, info.inplace_operator_variant]
    for member, way in zip(members, ("method", "in-place", "method", "in-place"), strict=True):
        name = getattr(member, "__name__", "")
        if member in (info.operator_variant, info.inplace_operator_variant) and member:
            name = f"__{name.strip('_')}__"
        if name and hasattr(torch.Tensor, name):
            yield f"torch.Tensor.{name}", way
    if "." not in info.name and hasattr(torch.Tensor, info.name) and not info.method_variant:
        yield f"torch.Tensor.{info.name}", "in-place" if info.name[-1:] == "_" else "method"
    if info.variant_test_name == "in_place" and hasattr(torch.Tensor, f"{info.name}_"):
        yield f"torch.Tensor.{info.name}_", "in-place"


def _function(name: str) -> Any:
    try:
        found = operator.attrgetter(name.removeprefix("torch."))(torch)
    except AttributeError:
        return None
    return found if callable(found) and load().get(name) is not None else None


def snippets(name: str, share: float = 1.0) -> Iterator[Snippet]:
    """Yield the snippets of one entry, for a `share` of the full number of samples."""
    info = _entry(name)
    samples = list(_samples(info, max(2, round(6 * share)), max(1, round(2 * share))))
    for called, way in dict.fromkeys(_ways(info)):
        yield from _written(info, called, way, samples)


def _samples(info: Any, main: int, other: int) -> Iterator[tuple[torch.dtype, str, Any]]:
    """Yield samples by dtype: plain, non-contiguous, with NaN and infinity, and references."""
    dtypes = [dtype for dtype in _DTYPES if dtype in info.supported_dtypes("cpu")]
    for index, dtype in enumerate(dtypes):
        grad = info.supports_autograd and dtype in info.supported_backward_dtypes("cpu")
        count = other if index else main
        plain = _chosen(_read(info.sample_inputs, dtype, grad), count)
        for sample in plain:
            yield dtype, "", sample
        if index:
            continue
        for sample in plain[:: max(1, len(plain) // 2)][:2]:
            if sample.summary and isinstance(sample.input, torch.Tensor) and _is_dense(sample):
                yield dtype, "not contiguous, ", sample.noncontiguous()
        for sample in _chosen(_read(info.sample_inputs, dtype, False), 2)[-1:]:
            if _extreme(sample):
                yield dtype, "NaN and infinity, ", sample
        if info.reference_inputs_func is not None:
            for sample in _chosen(_read(info.reference_inputs, dtype, False), main):
                yield dtype, "reference, ", sample


def _read(make: Any, dtype: torch.dtype, grad: bool) -> list[Any]:
    torch.manual_seed(0)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            samples = make("cpu", dtype, requires_grad=grad)
            found = list(itertools.islice(samples, _READ))
    except Exception:  # some database entries need another device
        return []
    return [sample for sample in found if _size(sample) <= _LARGE]


def _tensors(sample: Any) -> list[torch.Tensor]:
    values = [sample.input, *sample.args, *sample.kwargs.values()]
    return [item for item in values if isinstance(item, torch.Tensor)]


def _size(sample: Any) -> int:
    return sum(item.numel() for item in _tensors(sample))


def _is_dense(sample: Any) -> bool:
    return all(item.layout is torch.strided for item in _tensors(sample))


def _chosen(samples: list[Any], count: int) -> list[Any]:
    """Return `count` samples that cover all kinds of arguments first."""
    if len(samples) <= count:
        return samples
    kinds: dict[Any, list[Any]] = {}
    for sample in samples:
        key = (len(sample.args), tuple(sorted(sample.kwargs)))
        kinds.setdefault(key, []).append(sample)
    picked: list[Any] = []
    for place in range(max(map(len, kinds.values()))):
        for group in kinds.values():
            # Walk each group from both ends: databases put the odd ones last.
            if place < len(group):
                step = place // 2 if place % 2 == 0 else -1 - place // 2
                picked.append(group[step])
    return picked[:count]


def _extreme(sample: Any) -> bool:
    """Put NaN and infinities into a sample's first tensor; return False if it cannot hold them."""
    value = sample.input
    if not isinstance(value, torch.Tensor) or not value.is_floating_point() or value.numel() < 3:
        return False
    if value.layout is not torch.strided or not value.is_contiguous():
        return False
    flat = value.view(-1)
    flat[0], flat[1], flat[2] = float("nan"), float("inf"), -float("inf")
    return True


def _written(
    info: Any, called: str, way: str, samples: list[tuple[torch.dtype, str, Any]]
) -> Iterator[Snippet]:
    """Yield snippets of the samples in turn, in the forms in turn, so that each occurs at least
    once.
    """
    rule = load().canonical(called)
    bare = called.rpartition(".")[2]
    undefined = bare in _UNDEFINED
    random = _is_random(info.full_name)
    for number, (dtype, remark, sample) in enumerate(samples):
        setup = Setup()
        try:
            call = _call(setup, called, way, sample)
        except UnwritableError:
            continue
        defined = _defined(bare, dtype, sample)
        forms = [(form, body + defined) for form, body in _forms(call, way)]
        leaves = tuple(setup.leaves)
        # The plain form, and one other, the next of the list.
        wanted = {0, 1 + number % max(1, len(forms) - 1)} if number < 12 else {number % len(forms)}
        for index in sorted(wanted & set(range(len(forms)))):
            form, body = forms[index]
            yield Snippet(
                rule=rule,
                form=remark + form,
                dtype=str(dtype).removeprefix("torch."),
                setup="\n".join(setup.lines),
                body=body,
                leaves=leaves,
                arrays=setup.arrays,
                random=random,
                undefined=undefined,
            )
        into = _into(info, call, sample) if way == "function" and number % 3 == 0 else None
        if into is not None:
            yield Snippet(
                rule=rule,
                form=remark + "out",
                dtype=str(dtype).removeprefix("torch."),
                setup="\n".join(setup.lines).replace(", requires_grad=True", ""),
                body=into + defined,
                arrays=setup.arrays,
                random=random,
                undefined=undefined,
            )


def _defined(bare: str, dtype: torch.dtype, sample: Any) -> str:
    """Return lines that reduce a result to what torch defines of it.

    On a CPU, torch sorts equal bytes and booleans in any order unless asked to be stable. Then the
    values at the sorted indices are compared instead.
    """
    unstable = bare in {"sort", "argsort"} and dtype in (torch.uint8, torch.bool)
    if not unstable or sample.kwargs.get("stable") or not sample.input.ndim:
        return ""
    given = sample.kwargs.get("dim", sample.args[0] if sample.args else -1)
    dim = -1 if isinstance(given, bool) else given
    places = "result[1]" if bare == "sort" else "result"
    return f"\nresult = torch.take_along_dim(t0.int(), {places}, {dim})\nout1 = 0"


def _call(setup: Setup, called: str, way: str, sample: Any) -> Call:
    value = sample.input
    given = [value, *sample.args]
    keywords = {key: setup.spell(item) for key, item in sample.kwargs.items()}
    if way == "function":
        return Call(called, tuple(setup.spell(item) for item in given), keywords)
    if not isinstance(value, torch.Tensor):
        raise UnwritableError("its first argument is no tensor")
    receiver, *positional = [setup.spell(item) for item in given]
    if way == "in-place" and value.requires_grad:
        # A leaf that requires a gradient cannot be written in place.
        setup.lines.append(f"{receiver} = {receiver}.clone()")
        setup.leaves.remove(receiver)
    return Call(called, tuple(positional), keywords, receiver)


def _forms(call: Call, way: str) -> Iterator[tuple[str, str]]:
    if way == "in-place" and call.name.endswith("__"):
        yield "positional", f"result = {call.text()}"
        return
    yield from spellings(call)


def _into(info: Any, call: Call, sample: Any) -> str | None:
    """Return the call with `out=` tensors that exist already, or None if torch has no such form."""
    if "out" in call.keywords or not _takes_out(call.name):
        return None
    try:
        with torch.no_grad():
            result = info.op(sample.input, *sample.args, **sample.kwargs)
    except Exception:
        return None
    tensors = [result] if isinstance(result, torch.Tensor) else result
    if not isinstance(tensors, list | tuple):
        return None
    if not all(isinstance(item, torch.Tensor) for item in tensors):
        return None
    lines = [
        f"out{index} = torch.zeros({tuple(item.shape)}, dtype={item.dtype})"
        for index, item in enumerate(tensors)
    ]
    names = ", ".join(f"out{index}" for index in range(len(tensors)))
    given = names if isinstance(result, torch.Tensor) else f"({names})"
    into = replace(call, keywords={**call.keywords, "out": given})
    return "\n".join([*lines, f"result = {into.text()}"])


def _takes_out(name: str) -> bool:
    entry = load().get(name)
    signatures = entry.signatures if entry is not None else ()
    return any(p.name == "out" for one in signatures for p in one.parameters)


@cache
def _is_random(name: str) -> bool:
    """Return whether runs of an operator differ."""
    info = _entry(name)
    if "wrapper_set_seed" in getattr(getattr(info.op, "__code__", None), "co_names", ()):
        return True  # the database calls it with a seed, so that its own tests can compare
    for sample in _chosen(_read(info.sample_inputs, torch.float32, False), 8):
        results = []
        for seed in range(3):
            torch.manual_seed(seed)
            value = sample.input.clone() if isinstance(sample.input, torch.Tensor) else sample.input
            try:
                results.append(info.op(value, *sample.args, **sample.kwargs))
            except Exception:  # the sample's snippet will raise as well
                break
        if any(not _same(results[0], other) for other in results[1:]):
            return True
    return False


def _plain(value: torch.Tensor) -> torch.Tensor:
    """Return a tensor that torch can compare: without NaN, dense, and of a supported dtype."""
    dense = value.to_dense() if value.layout is not torch.strided else value
    return torch.nan_to_num(dense.to(torch.complex64) if dense.dtype is torch.chalf else dense)


def _same(left: Any, right: Any) -> bool:
    if isinstance(left, torch.Tensor) and isinstance(right, torch.Tensor):
        return torch.equal(_plain(left), _plain(right))
    if isinstance(left, list | tuple):
        return all(_same(*pair) for pair in zip(left, right, strict=True))
    return True
