"""What torch offers: names, signatures and types, without importing torch."""

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
