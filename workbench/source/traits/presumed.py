"""Names of torch that a string probably holds, as its wording shows: `getattr(nn, cell_type)`."""

from __future__ import annotations

import ast
import re

_RECURRENT = re.compile(r"(?i)(\w+_)?(rnn|cell|recurrent)(_?(type|kind|class|cls|name|mode))?")
_LAYERS = ("RNN", "LSTM", "GRU")
_OPTIMIZERS = ("SGD", "Adam", "AdamW", "RMSprop", "Adagrad")
_NUMBERED = frozenset({"torch.nn", "torch.nn.functional"})
_DIMENSIONS = ("1", "2", "3")


def strings_presumed(module: str, selector: ast.expr) -> tuple[str, ...]:
    """Return the names of a module's members that a string probably holds, or an empty tuple.

    A program may pass others; each use has to report that.
    """
    if module == "torch.optim":
        return _OPTIMIZERS
    if module == "torch.nn" and _RECURRENT.fullmatch(_last_word(selector)):
        return _LAYERS
    pieces = _pieces(selector) if module in _NUMBERED else ()
    if len(pieces) == 2 and pieces[0] and pieces[1] == "d":
        return tuple(number.join(pieces) for number in _DIMENSIONS)
    return ()


def called_by_text(node: ast.Call) -> tuple[str, ...]:
    """Return the names that `getattr(nn, kind)(...)` probably calls, or an empty tuple."""
    match node.func:
        case ast.Call(func=ast.Name(id="getattr"), args=[_, selector]):
            return strings_presumed("torch.nn", selector)
    return ()


def _last_word(node: ast.expr) -> str:
    """Return the last name of an expression for a string: `cell` for `args["cell"].upper()`."""
    match node:
        case ast.Call(func=ast.Attribute(value=text, attr="upper"), args=[]):
            return _last_word(text)
        case ast.Subscript(slice=ast.Constant(value=str() as key)):
            return key
        case ast.Attribute(attr=name) | ast.Name(id=name):
            return name
    return ""


def _pieces(node: ast.expr) -> tuple[str, ...]:
    """Return what stands before and after the one value in a string: `f"Conv{dims}d"`."""
    match node:
        case ast.JoinedStr(
            values=[
                ast.Constant(value=str() as first),
                ast.FormattedValue(),
                ast.Constant(value=str() as last),
            ]
        ):
            return first, last
        case ast.BinOp(left=ast.Constant(value=str() as text), op=ast.Mod()):
            return tuple(re.split("%[ds]", text))
        case ast.Call(func=ast.Attribute(value=ast.Constant(value=str() as text), attr="format")):
            return tuple(re.split(r"\{0?\}", text))
    return ()
