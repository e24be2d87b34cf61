"""Recurrent layers as one call of a helper `_recurrent`, which each target defines."""

from __future__ import annotations

from collections.abc import Callable

from workbench.lower.writing.call import Call
from workbench.lower.writing.emission import operator_name
from workbench.streams.recurrent import KINDS, drops, projects

RECURRENT = tuple(f"{kind}.input" for kind in KINDS)


def recurrent(call: Call, kind_of: Callable[[str], str]) -> str:
    """Return the call; its first argument is `kind_of("lstm")`, `kind_of("gru")` or similar.

    torch's operators take `(input, hx, params, has_biases, num_layers, dropout, train,
    bidirectional, batch_first)`. Those with dropout between their layers, or with projections, are
    refused, so that torch decomposes them.
    """
    layers, both = call["num_layers"], call["bidirectional"]
    if drops(layers, call["dropout"], call["train"]):
        call.refuse("has dropout between its layers")
    if projects(call["params"], call["has_biases"], layers, both):
        call.refuse("projects its hidden states")
    kind = operator_name(call.node.target).removesuffix(".input")
    states = call.tensors("hx") if kind == "lstm" else [call.tensor("hx")]
    given = [kind_of(kind), call.tensor("input")]
    given += [f"[{', '.join(found)}]" for found in (states, call.tensors("params"))]
    given += [f"layers={layers}"] if layers > 1 else []
    given += ["both_ways=True"] if both else []
    given += ["batch_first=True"] if call["batch_first"] else []
    return f"{call.helper('_recurrent')}({', '.join(given)})"
