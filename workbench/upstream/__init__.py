"""The names, signatures and types of torch, without an import of torch."""

from workbench.upstream.facts import (
    Entry,
    EntryKind,
    Facts,
    Parameter,
    ParameterKind,
    Signature,
    load,
)

__all__ = ["Entry", "EntryKind", "Facts", "Parameter", "ParameterKind", "Signature", "load"]
