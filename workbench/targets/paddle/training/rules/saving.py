"""Saving and loading, in Paddle's own format."""

from __future__ import annotations

from dataclasses import replace

from workbench.rules.rule import RuleSet

rules = RuleSet()
_OTHER = "Paddle has its own file format"
rules.row(
    "torch.save",
    "torch_save({obj}, {f})",
    ignored={"pickle_protocol": _OTHER, "_use_new_zipfile_serialization": _OTHER},
    note="the file is in Paddle's format, which torch does not read",
)
rules.rules[-1] = replace(
    rules.rules[-1],
    unpacked="(lambda obj, f, *, pickle_protocol=2, _use_new_zipfile_serialization=True: "
    "torch_save(obj, f))(...)",
)
rules.row(
    "torch.load",
    "torch_load({f}, {map_location})",
    ignored={
        "weights_only": "Paddle's format holds tensors and plain Python objects",
        "mmap": "it affects only how the file is read",
        "pickle_load_args": _OTHER,
    },
    note="it reads Paddle's files, not torch's; loaded tensors require no gradients",
)
rules.rules[-1] = replace(
    rules.rules[-1],
    unpacked="(lambda f, map_location=None, *, weights_only=None, mmap=None: "
    "torch_load(f, map_location))(...)",
)
rules.refuse(
    "torch.hub.load",
    "torch.hub.list",
    "torch.hub.help",
    "torch.hub.load_state_dict_from_url",
    reason="it loads code or weights for torch",
    instead="paddle.hub.load, or convert the weights with `torchferry weights`",
)
