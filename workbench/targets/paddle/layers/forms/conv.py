"""Convolutions, layers and functions, as Paddle writes them."""

from __future__ import annotations

from workbench.rules.difference import Difference, Differs, unless
from workbench.rules.forms import FormSet
from workbench.rules.match import NOT_CONSTANT, Match
from workbench.rules.outcome import Outcome, Rewrite
from workbench.source.traits.program import Program
from workbench.targets.paddle.common.fresh import fresh_weights
from workbench.targets.paddle.common.writing import (
    UNBATCHED,
    bias_attribute,
    floats,
    is_sample,
    older,
    underived,
    written,
)

forms = FormSet()

MEMBERS = (  # that have a form
    "in_channels",
    "out_channels",
    "groups",
    "kernel_size",
    "stride",
    "dilation",
    "reset_parameters",
)
_MEMBERS = ("padding", "padding_mode", "output_padding", "transposed", "_conv_forward")
_PLAINLY: frozenset[str | int] = frozenset({*MEMBERS, "padding", "bias", *range(8)})


def is_native(program: Program, name: str) -> bool:
    """Return whether Paddle's own class replaces a convolution, by the last name of torch's.

    Calls of a class that is passed on may give `bias`, which Paddle's transposed ones lack.
    """
    if "Transpose" in name and program.is_passed_on(name):
        return False
    plainly = () if "same" in program.traits.strings else _PLAINLY  # it may have a dilation
    read = program.reads_of(name, *_MEMBERS, rewritable=MEMBERS, plainly=plainly)
    return underived(program, name) and not read


_DILATED = unless(
    "padding='same' ignores a dilation above 1 in {target}, so the result has another size"
)


def _dilated(match: Match) -> Differs:
    """Return the difference of an unknown padding next to a dilation, or () if there is none."""
    unknown = match.constant("padding", 0) is NOT_CONSTANT and match.constant("dilation", 1) != 1
    return _DILATED if unknown and not match.is_number("padding") else ()


_OF_NUMBERS = unless(
    "if the padding is a tuple or a text and the padding mode is not zeros: the layer raises an"
    " error in {target}"
)


def _padded_otherwise(match: Match) -> Differs:
    """Return the difference of an unknown padding next to a padding mode, or ()."""
    known = match.constant("padding", 0) is not NOT_CONSTANT or match.is_number("padding")
    other = match.given("padding_mode") and match.constant("padding_mode") != "zeros"
    return _OF_NUMBERS if other and not known else ()


def _is_padded_unevenly(match: Match) -> bool:
    """Return whether the padding is a tuple or a text, which Paddle accepts for zeros only."""
    padding = match.constant("padding", 0)
    several = isinstance(padding, tuple | list | str) or match.is_sequence("padding")
    return several and match.constant("padding_mode") != "zeros"


def _pads_beyond_stride(match: Match) -> bool:
    """Return whether an output is padded by a stride or more, which torch allows for a dilation."""
    if not match.given("output_padding"):
        return False
    more, stride = match.constant("output_padding"), match.constant("stride", 1)
    both = [one if isinstance(one, tuple | list) else [one] for one in (more, stride)]
    numbers = all(type(one) is int for part in both for one in part)
    return numbers and max(both[0]) >= min(both[1])


def _class(name: str, own: str) -> None:
    """Add the form of a convolution layer, `Conv2d`, with Paddle's name."""
    own_name = f"paddle.nn.{own}"

    def value(program: Program) -> str | None:
        return own_name if is_native(program, name) else None

    @forms.form(
        f"torch.nn.{name}",
        value=value,
        since="3.0",
        partial=True,
        value_differs=(Difference.FRESH_WEIGHTS, *UNBATCHED),
    )
    def layer(match: Match) -> Outcome | None:
        if value(match.program) is None or match.given("device", "dtype"):
            return None
        if match.given("padding_mode") and ("Transpose" in own or _is_padded_unevenly(match)):
            return None
        if _pads_beyond_stride(match):
            return None
        if match.constant("padding", 0) == "same" and match.given("dilation"):
            return None  # Paddle pads as if there were no dilation
        more, fresh = fresh_weights(match, name)
        dropped = ["device", "dtype"]
        if "Transpose" in own or older(match):
            more += bias_attribute(match)
            dropped.append("bias")
        places = ("bias", "padding_mode", "groups", "dilation")
        by_name = places if "Transpose" in own else places[:2]
        text = written(match, own_name, without=dropped, more=more, by_name=by_name)
        open_facts = (*_dilated(match), *_padded_otherwise(match))
        differs = (*open_facts, *fresh, *UNBATCHED)
        return Rewrite(text, consumed=frozenset(dropped), differs=differs)


for _dims in (1, 2, 3):
    _class(f"Conv{_dims}d", f"Conv{_dims}D")
    _class(f"ConvTranspose{_dims}d", f"Conv{_dims}DTranspose")
    for _name, _own in (
        (f"conv{_dims}d", f"conv{_dims}d"),
        (f"conv_transpose{_dims}d", f"conv{_dims}d_transpose"),
    ):

        @forms.form(
            f"torch.nn.functional.{_name}",
            value=f"paddle.nn.functional.{_own}",
            value_differs=UNBATCHED,
        )
        def function(match: Match, own: str = _own, dims: int = 2 + _dims) -> Outcome | None:
            if not floats(match, "input", "weight", "bias") or is_sample(match, dims):
                return None
            if match.constant("padding", 0) == "same" and match.given("dilation"):
                return None
            if _pads_beyond_stride(match):
                return None
            turned = ("groups", "dilation") if "transpose" in own else ()
            own_name = f"paddle.nn.functional.{own}"
            text = written(match, own_name, renamed={"input": "x"}, by_name=turned)
            return Rewrite(text, differs=(*_dilated(match), *UNBATCHED))
