"""Functions of einx, of axes that are named by a description."""

from __future__ import annotations

_ROWS = "import einx\nt, v = w.clone(), w[0].clone()\n"
_PLACES = "import einx\nbook, at = w.clone(), torch.tensor([[0, 2], [1, 1]])\n"

CASES: dict[str, tuple[str, ...]] = {
    "einx.multiply": (
        _ROWS + "r = einx.multiply('a, a b -> a b', t[:, 0], t)\nr.sum().backward()\ng = w.grad",
        _ROWS + "r = einx.multiply('a b, b', t, v)",
        _ROWS + "r = einx.multiply('a b, c -> (a c) b', t, t[:, 0])",
        _ROWS + "r = einx.multiply('a ..., ...', t, v)",
        "import einx\nr = einx.multiply('a b c, a -> a b c', a, torch.tensor([1, 2]))",
        "from einx import multiply\nr = multiply('(a b) c, b -> a b c', sq, sq[0, :2], b=2)",
    ),
    "einx.add": (_ROWS + "r = einx.add('... j, ... k -> ... (j k)', t, t)",),
    "einx.subtract": (_ROWS + "r = einx.subtract('i, j -> i j', v, v)",),
    "einx.divide": ("import einx\nr = einx.divide('a b, b -> a b', i, i[0])",),
    "einx.true_divide": ("import einx\nr = einx.true_divide('a b, -> a b', x, 2)",),
    "einx.where": (
        _ROWS
        + "r = einx.where('a, a b, -> a b', v[:3] > 0, t, 0.0)\nr.sum().backward()\ng = w.grad",
        "import einx\nr = einx.where('a b, a b, a b', m, i, x)",
    ),
    "einx.less": ("import einx\nr = einx.less('i, j -> i j', torch.arange(3), torch.arange(4))",),
    "einx.less_equal": ("import einx\nr = einx.less_equal('a b, b -> a b', x, y[0])",),
    "einx.greater": ("import einx\nr = einx.greater('a b, -> a b', x, 0)",),
    "einx.greater_equal": ("import einx\nr = einx.greater_equal('a b, b a -> a b', i, i.T)",),
    "einx.equal": ("import einx\nr = einx.equal('a, b -> a b', n, n)",),
    "einx.not_equal": ("import einx\nr = einx.not_equal('a, b -> a b', n, n)",),
    "einx.logical_and": ("import einx\nr = einx.logical_and('a b, b -> a b', m, m[0])",),
    "einx.logical_or": ("import einx\nr = einx.logical_or('a b, b -> a b', m, m[0])",),
    "einx.maximum": ("import einx\nr = einx.maximum('a b, a b', x, y)",),
    "einx.minimum": ("import einx\nr = einx.minimum('a b, b -> a b', x, y[0])",),
    "einx.get_at": (
        _PLACES
        + "r = einx.get_at('[c] d, b n -> b n d', book, at)\nr.sum().backward()\ng = w.grad",
        "import einx\nr = einx.get_at('h [c] d, h n -> n h d', a, torch.tensor([[0, 2], [1, 1]]))",
        _PLACES + "r = einx.get_at('b [n], b m -> b m', sq[:2], at)",
        _PLACES + "r = einx.get_at('... [c], ... -> ...', sq[:2], at[0])",
    ),
    "einx.sum": ("import einx\nr = einx.sum('a [b]', x)",),
}
