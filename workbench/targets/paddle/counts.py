"""Functions of Paddle that take a tensor for an integer as torch does.

Both sides were run with tensors without dimensions, and of the shape `[1]` where torch takes them.
"""

from __future__ import annotations

from workbench.words import words

# By the parameter, the names behind `torch.`, and behind `torch.Tensor.`.
_FUNCTIONS = {
    "dim": words(
        "all aminmax any argmax argmin cat concat concatenate cummax cummin cumprod cumsum"
        " index_add index_fill index_select log_softmax narrow nn.functional.glu"
        " nn.functional.log_softmax nn.functional.softmax repeat_interleave scatter scatter_add"
        " select softmax sort split squeeze stack take_along_dim topk unflatten unsqueeze"
    ),
    "k": words("kthvalue topk"),
    "m": words("eye"),
    "minlength": words("bincount"),
    "n": words("eye"),
    "num_classes": words("nn.functional.one_hot"),
    "num_samples": words("multinomial"),
    "shape": words("reshape"),
    "size": words("empty full normal ones rand randint randn zeros"),
    "sizes": words("unflatten"),
    "steps": words("linspace"),
}
_METHODS = {
    "dim": words(
        "all aminmax any argmax argmin argsort chunk cummax cummin cumprod cumsum index_add"
        " index_add_ index_fill index_fill_ index_select log_softmax median narrow prod"
        " repeat_interleave scatter scatter_add scatter_add_ select size softmax sort"
        " split take_along_dim topk unflatten unsqueeze unsqueeze_"
    ),
    "k": words("topk"),
    "minlength": words("bincount"),
    "num_samples": words("multinomial"),
    "size": words("new_full new_ones"),
    "sizes": words("unflatten"),
}
_TAKEN = frozenset(
    f"{prefix}{name}.{parameter}"
    for prefix, table in (("torch.", _FUNCTIONS), ("torch.Tensor.", _METHODS))
    for parameter, names in table.items()
    for name in names
)


def takes_tensor(name: str, parameter: str) -> bool:
    """Return whether an integer parameter may be a tensor in Paddle."""
    return f"{name}.{parameter}" in _TAKEN
