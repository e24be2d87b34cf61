"""Recurrent layers as Paddle writes them."""

from __future__ import annotations

from workbench.rules.difference import Difference, Differs, unless
from workbench.rules.forms import FormSet
from workbench.rules.match import Match
from workbench.rules.outcome import Outcome, Rewrite
from workbench.source.traits.program import Program
from workbench.source.traits.traits import Layout
from workbench.targets.paddle.common.writing import UNBATCHED, fetches_weights, flag, underived
from workbench.words import words

forms = FormSet()

_FROZEN = unless(
    "if its weights are frozen and its input needs gradients, the backward pass raises an error in"
    " {target}: leave the weights out of the optimizer instead"
)
_EVALUATED = unless("a backward pass in evaluation mode raises an error in {target}")
_PACKED = ("pack_padded_sequence", "pack_sequence")
_MEMBERS = words(
    "batch_first bidirectional all_weights _all_weights proj_size reset_parameters nonlinearity"
)
_MOVING = ("to", "cuda", "cpu", "double", "half", "buffers", "named_buffers")
_WALKING = ("apply", "modules", "named_modules", "children", "named_children")
_KNOWN = frozenset(
    words("input_size hidden_size num_layers nonlinearity bias batch_first dropout bidirectional")
)


def _layer(name: str, own: str) -> None:
    """Add the form of a layer; its first axis is time in torch and the batch in Paddle."""
    native = f"paddle.nn.{own}"

    def value(program: Program) -> str | None:
        seen = program.reads(*_MEMBERS) or program.calls(*_PACKED) or fetches_weights(program)
        if seen or program.is_passed_on(name):
            return None  # if it is called like torch's, Paddle's has other axes
        return native if underived(program, name, "RNNBase") else None

    @forms.form(f"torch.nn.{name}", value=value)
    def layer(match: Match) -> Outcome | None:
        if value(match.program) is None or flag(match, "bias") is not True:
            return None
        if match.given(*(one for one in match.arguments if one not in _KNOWN)):
            return None
        if match.program.freezes and "requires_grad" in match.program.traits.keywords:
            return None  # Paddle's backward pass for inputs needs weights that require gradients
        parts = [f"{{{one}}}" for one in ("input_size", "hidden_size") if one in match]
        if "num_layers" in match:
            placed = match.arguments["num_layers"].indexes[0] < len(match.use.arguments)
            parts.append("{num_layers}" if placed else "num_layers={num_layers}")
        parts += _direction(match) + _time(match)
        if "dropout" in match:
            parts.append("dropout={dropout}")
        if "nonlinearity" in match:
            parts.append("activation={nonlinearity}")
        text = f"{native}({', '.join(parts)})"
        if flag(match, "batch_first", False) is not True and not match.program.calls("type"):
            text = f"TorchUnbatched{name}({', '.join(parts)})"
        elif _may_be_moved(match.program) and not _shows_cells(match.program):
            text = f"torch_movable({text})"
        consumed = frozenset(match.arguments)
        differs = () if "TorchUnbatched" in text else UNBATCHED
        differs += _backward_differs(match.program)
        if _shows_cells(match.program):
            return Rewrite(f"torch_without_cells({text})", consumed=consumed, differs=differs)
        if match.program.calls("state_dict"):
            differs = (Difference.SAVED_STATE, *differs)
        return Rewrite(text, consumed=consumed, differs=differs)


def _may_be_moved(program: Program) -> bool:
    """Return whether the text, or a user of its classes, may move or cast a layer.

    Paddle's layer holds a buffer without memory, at which `to` raises.
    """
    layers = {"LSTM", "GRU", "RNN"}
    made = (one for one in program.traits.made if one.maker in layers and not one.is_variable)
    holders = {one.holder.partition(".")[0] for one in made}
    classes = {one for one in holders if one.isidentifier()}
    return program.calls(*_MOVING) or not classes <= program.traits.called


def _backward_differs(program: Program) -> Differs:
    """Return where a backward pass raises an error."""
    frozen = _FROZEN if program.freezes else ()
    return frozen + (_EVALUATED if _may_derive_in_evaluation(program) else ())


def _may_derive_in_evaluation(program: Program) -> bool:
    """Return whether gradients may be computed in evaluation mode, as of inputs.

    Paddle's layers keep what their backward pass needs in training mode only.
    """
    if not program.calls("eval") or not program.calls("backward", "grad"):
        return False
    of_inputs = program.calls("requires_grad_") or "requires_grad" in program.traits.keywords
    return of_inputs or not program.calls("train")


def _shows_cells(program: Program) -> bool:
    """Return whether a loop over entries or layers exposes the cells of Paddle's layers."""
    if program.calls("state_dict") and program.traits.laid_out - {
        Layout.PARAMETERS,
        Layout.RESULTS,
    }:
        return True
    return program.calls(*_WALKING) and program.calls("named_parameters")


def _direction(match: Match) -> list[str]:
    both = flag(match, "bidirectional", False)
    if both is None:
        return ["direction='bidirect' if {bidirectional} else 'forward'"]
    return ["direction='bidirect'"] if both else []


def _time(match: Match) -> list[str]:
    batch_first = flag(match, "batch_first", False)
    if batch_first is None:
        return ["time_major=not {batch_first}"]
    return [] if batch_first else ["time_major=True"]


_layer("LSTM", "LSTM")
_layer("GRU", "GRU")
_layer("RNN", "SimpleRNN")

# Paddle's layers have no such member.
forms.row("torch.nn.RNNBase.bias", to='hasattr({self}, "bias_ih_l0")')
