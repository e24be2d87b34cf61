"""Picking, placing and masking values."""

from __future__ import annotations

from workbench.rules.family import Family, Simpler, simplified
from workbench.rules.match import Match
from workbench.source.types import dtypes
from workbench.source.types.lattice import Tensor
from workbench.targets.paddle.creating import UNSEEN

rules = Family()

_FILLED = Simpler(
    "paddle.masked_fill({input}, {mask}, {value})", lambda match: match.is_number("value")
)

# Dtypes among whose values Paddle cannot choose on a CPU.
_NARROW = frozenset({"float16", "bfloat16", "uint8", "int8", "int16"})


def _chooses_alike(match: Match) -> bool:
    """True where the condition and both alternatives have the dtypes that Paddle asks for."""
    truth, first, second = (match.value(name) for name in ("condition", "input", "other"))
    return (
        isinstance(truth, Tensor)
        and truth.dtype == "bool"
        and isinstance(first, Tensor)
        and isinstance(second, Tensor)
        and dtypes.alike(first.dtype, second.dtype)
        and first.dtype not in _NARROW
        and first.scalar == second.scalar
    )


_CHOSEN = Simpler("paddle.where({condition}, {input}, {other})", _chooses_alike)

rules.both(
    "gather",
    "torch_gather({input}, {dim}, {index})",
    signature="(input, dim, index, *, sparse_grad=False, out=None)",
    ignored={"sparse_grad": "the gradient has the same values"},
    cases=[
        "torch.gather(x, 1, i)",
        "x.gather(-1, i[:, :2])",
        "x.gather(dim=0, index=n[None, :])",
        "w.gather(1, i).sum().backward()\ng = w.grad",
        "torch.complex(x, y).gather(1, i), x.char().gather(1, i)",
    ],
)
rules.both(
    "index_select",
    "torch_index_select({input}, {dim}, {index})",
    signature="(input, dim, index, *, out=None)",
    cases=[
        "torch.index_select(x, 0, n)",
        "x.index_select(-1, n)",
        "a.index_select(dim=1, index=n)",
        "x.index_select(0, torch.tensor([7]))",
        "x.half().index_select(0, torch.tensor([1]))",
    ],
)
rules.both(
    "scatter",
    "torch_scatter({input}, {dim}, {index}, {src}, reduce={reduce})",
    "torch_scatter({input}, {dim}, {index}, {value}, reduce={reduce})",
    signature="(input, dim, index, src=None, *, value=None, reduce=None, out=None)",
    cases=[
        "torch.scatter(x, 1, i[:, :2], 5.0)",
        "k = {'dim': 1, 'index': i[:, :2], 'value': 5.0}\ntorch.scatter(x, **k), x.scatter(**k)",
        "x.scatter(0, n[None, :], y)",
        "t = x.clone()\nr = t.scatter_(1, i[:, :1], 1.0)",
        "t = torch.zeros(3, 4)\nt.scatter_(1, i[:, :2], y)",
        "t = x.clone()\nt.scatter_(dim=1, index=i[:, :1], value=9)",
        "t = x.clone()\nt.scatter_(1, i[:, :2], y, reduce='add')",
        "t = x.clone()\nt.scatter_(1, i[:, :2], 2.0, reduce='multiply')",
        "k, v = (1,), {'index': i[:, :1], 'value': 2.5}\nt = x.clone()\nt.scatter_(*k, **v)",
        "torch.zeros(3, 5).scatter_(1, n.unsqueeze(1), 1)",
        "torch.zeros(5).scatter_(0, torch.tensor(3), value=1)",
        "t = torch.complex(x, y)\ntorch.scatter(t, 1, i[:, :2], 1j), t.scatter(1, i, t)",
        "torch.zeros(5, dtype=torch.int8).scatter(0, n, 7)",
        "(x.scatter(0, torch.tensor([[0, 1, 2, 0]]), w[:1]) * y).sum().backward()\ng = w.grad",
    ],
)
rules.both(
    "scatter_add",
    "torch_scatter_add({input}, {dim}, {index}, {src})",
    cases=[
        "torch.scatter_add(x, 1, i, y)",
        "t = torch.zeros(3, 4)\nt.scatter_add_(0, i % 3, y)",
        "t = torch.zeros(3, 4).scatter_add_(0, i % 3, w)\n(t * x).sum().backward()\ng = w.grad",
        "x.scatter_add(1, i[:, :2], y)",
        "t = torch.complex(x, y)\nt.scatter_add(1, i, t), i.char().scatter_add(1, i, i.char())",
    ],
)
rules.both(
    "scatter_reduce",
    "torch_scatter_reduce({input}, {dim}, {index}, {src}, {reduce}, include_self={include_self})",
    signature="(input, dim, index, src, reduce, *, include_self=True)",
    cases=[
        "torch.scatter_reduce(x, 1, i, y, reduce='sum')",
        "x.scatter_reduce(1, i, y, 'amax')",
        "x.scatter_reduce(0, i % 3, y, 'prod', include_self=False)",
        "r = torch.zeros(3, 4).scatter_reduce(0, i % 3, w, 'amax', include_self=False)\n"
        "r.sum().backward()\ng = w.grad",
        "t = x.clone()\nt.scatter_reduce_(1, i, y, reduce='amin')",
        "torch.scatter_reduce(torch.tensor(2.0), 0, torch.tensor(0), torch.tensor(3.0), 'prod')",
        "s = torch.tensor([[1.0, 0.0, 2.0, 2.0], [0.0, 3.0, 1.0, 0.0], [1.0, 1.0, 2.0, 1.0]])\n"
        "s.requires_grad_()\nk = i % 2\n"
        "for how in ('sum', 'prod', 'mean', 'amax', 'amin'):\n"
        "    for own in (True, False):\n"
        "        (w.round().scatter_reduce(1, k, s, how, include_self=own) * y).sum().backward()\n"
        "        (s.scatter_reduce(1, k, s, how, include_self=own) * y).sum().backward()\n"
        "g, h = w.grad, s.grad",
    ],
)
rules.both(
    "index_add",
    "torch_index_add({input}, {dim}, {index}, {source}, alpha={alpha})",
    signature="(input, dim, index, source, *, alpha=1, out=None)",
    cases=[
        "torch.index_add(x, 0, n, y)",
        "t = x.clone()\nt.index_add_(0, torch.tensor([0, 0, 1]), y)",
        "x.index_add(1, n, y[:, :3], alpha=2)",
        "t = torch.complex(x, y)\nt.index_add(0, n, t, alpha=2)",
        "t = i.to(torch.uint8)\nt.index_add(0, n, t), i.short().index_add(0, n, i.short())",
    ],
)
rules.both(
    "index_copy",
    "torch_index_copy({input}, {dim}, {index}, {source})",
    signature="(input, dim, index, source, *, out=None)",
    cases=[
        "torch.index_copy(x, 0, n, y)",
        "x.index_copy(0, n, y)",
        "t = w.double()\n(t.index_copy(1, n, t[:, 1:] * 2) * d).sum().backward()\ng = w.grad",
        "t = x.clone()\nt.index_copy_(1, n, y[:, :3])",
    ],
)
rules.both(
    "index_fill",
    "torch_index_fill({input}, {dim}, {index}, {value})",
    signature="(input, dim, index, value)",
    cases=[
        "torch.index_fill(x, 0, torch.tensor([0, 2]), 7)",
        "x.index_fill(1, n, -1.0)",
        "t = x.clone()\nt.index_fill_(-1, n, 0)",
        "i.byte().index_fill(0, n, 7), i.short().masked_fill(m, 1), x.half().masked_fill(m, 0.5)",
    ],
)
rules.both(
    "index_put",
    "torch_index_put({input}, {indices}, {values}, accumulate={accumulate})",
    signature="(input, indices, values, accumulate=False)",
    cases=[
        "torch.index_put(x, (n, n), torch.tensor([1.0, 2.0, 3.0]))",
        "t = x.clone()\nt.index_put_((torch.tensor([0, 0]),), torch.tensor(1.0), accumulate=True)",
        "x.index_put((x > 0,), torch.tensor(0.0))",
    ],
)
rules.both(
    "masked_fill",
    "torch_masked_fill({input}, {mask}, {value})",
    signature="(input, mask, value)",
    cases=[
        "torch.masked_fill(x, m, 0)",
        "x.masked_fill(x > 0, float('-inf'))",
        "t = x.clone()\nr = t.masked_fill_(m, -1e9)",
        "t = w / p\nt.masked_fill_(m, 0.0)\nt.clamp_(0, 1)\nt.sum().backward()\ng = w.grad",
        "x.masked_fill(mask=m, value=torch.tensor(2.0))",
        "x.masked_fill(m[:1] == 0, 1)",
        "i.masked_fill(i == 1, -100)",
        "f = torch.masked_fill\nr = f(x, m, 1.5), f(i, m, 2)",
        "w.masked_fill(m, 0.0).sum().backward()\ng = w.grad",
        "d.masked_fill(d > 0, 0.1), i.masked_fill(i > 1, 2**53 + 1), m.masked_fill(m, False)",
        "x[0, 0].masked_fill(m, 1.5), x.masked_fill(m[:, :1], torch.finfo(x.dtype).min)",
    ],
    simpler=_FILLED,
)
rules.both(
    "masked_select",
    "paddle.masked_select({input}, {mask})",
    signature="(input, mask, *, out=None)",
    cases=["torch.masked_select(x, m)", "x.masked_select(x > 0)", "x.masked_select(m[:1])"],
)
rules.both(
    "masked_scatter",
    "torch_masked_scatter({input}, {mask}, {source})",
    signature="(input, mask, source)",
    cases=[
        "torch.masked_scatter(x, m, y)",
        "t = x.clone()\nt.masked_scatter_(m, y)",
        "x.masked_scatter(m[:1], y)",
    ],
)
rules.both(
    "take",
    "torch_take({input}, {index})",
    signature="(input, index, *, out=None)",
    cases=["torch.take(x, n)", "x.take(torch.tensor([[0, -1]]))"],
)
rules.both(
    "put",
    "torch_put({input}, {index}, {source}, accumulate={accumulate})",
    signature="(input, index, source, accumulate=False)",
    cases=[
        "torch.put(x, n, torch.tensor([1.0, 2.0, 3.0]))",
        "x.put(n, torch.tensor([1.0, 2.0, 3.0]))",
        "t = x.clone()\nt.put_(torch.tensor([0, 0]), torch.tensor([1.0, 2.0]), accumulate=True)",
        "t = x.clone()\nt.put_(n[:0], w[0, :0])\nt.sum().backward()\ng = w.grad",
    ],
)
rules.both(
    "take_along_dim",
    "torch_take_along_dim({input}, {indices}, dim={dim})",
    signature="(input, indices, dim=None, *, out=None)",
    cases=[
        "torch.take_along_dim(x, i, 1)",
        "x.take_along_dim(i[:, :1], dim=1)",
        "x.take_along_dim(n)",
    ],
)
rules.both(
    "select_scatter",
    "torch_select_scatter({input}, {src}, {dim}, {index})",
    signature="(input, src, dim, index)",
    cases=[
        "torch.select_scatter(x, y[0], 0, 1)",
        "x.select_scatter(torch.zeros(3), dim=-1, index=-1)",
    ],
)
rules.both(
    "slice_scatter",
    "torch_slice_scatter({input}, {src}, dim={dim}, start={start}, end={end}, step={step})",
    signature="(input, src, dim=0, start=None, end=None, step=1)",
    cases=["torch.slice_scatter(x, y[:2], start=1)", "x.slice_scatter(y[:, :2], 1, 0, 4, 2)"],
)
rules.both(
    "diagonal_scatter",
    "torch_diagonal_scatter({input}, {src}, offset={offset}, dim1={dim1}, dim2={dim2})",
    signature="(input, src, offset=0, dim1=0, dim2=1)",
    cases=["torch.diagonal_scatter(sq, torch.zeros(4))", "sq.diagonal_scatter(torch.ones(3), 1)"],
)
rules.both(
    "nonzero",
    "torch_nonzero({input}, as_tuple={as_tuple})",
    signature="(input, *, as_tuple=False, out=None)",
    cases=[
        "torch.nonzero(i)",
        "m.nonzero()",
        "r, c = torch.nonzero(m, as_tuple=True)",
        "(x > 0).nonzero(as_tuple=True)[0]",
        "torch.nonzero(torch.tensor(1))",
        "torch.nonzero(i.half()).numel()",
        "torch.nonzero(i.byte()), i.byte().argwhere()",
    ],
)
rules.both("argwhere", "torch_nonzero({input})", cases=["torch.argwhere(i)", "m.argwhere()"])
rules.row(
    "torch.where",
    "torch_where({condition}, {input}, {other})",
    "torch_where({condition}, {self}, {other})",
    signature="(condition, input=None, other=None, *, out=None)",
    cases=[
        "torch.where(m, x, y)",
        "torch.where(x > 0, x, 0.0)",
        "torch.where(m, 1, 0)",
        "torch.where(m)",
        "torch.where(m.byte()), torch.where(condition=x), torch.where(i.to(torch.int16))",
        "torch.where(m, 1.0, x)",
        "torch.where(m, i, 2.5)",
        "torch.where(m, x, d)",
        "torch.where(condition=m, input=x, other=y)",
        "torch.where(w > 0, w, 0).sum().backward()\ng = w.grad",
        "torch.where(m, x, torch.tensor(-1e9))",
        "t = x.half()\ntorch.where(m, t, 0.1), torch.where(x > 0, t, t * 2), t.clamp(0, 1)",
        "torch.where(m, x.to(torch.uint8), 1), torch.where(m, d, 0.1)",
        "t = x.float()\ntorch.where(t > 0, t, t * 2), torch.where(t > 1, t[:1], torch.zeros(4))",
        "t = x.float()\ntorch.where(t > 0, t, torch.tensor(2.5))",
        "t = x.float()\ntorch.where(t > 0, t, t.double())",
    ],
)
rules.rules[-1] = simplified(rules.rules[-1], _CHOSEN)
rules.row(
    "torch.Tensor.where",
    "torch_where({condition}, {self}, {other})",
    signature="(condition, other)",
    cases=["x.where(m, y)", "x.where(x > 0, 0.0)"],
)
for _name in ("tril", "triu"):
    rules.both(
        _name,
        f"paddle.{_name}({{input}}, {{diagonal}})",
        f"paddle.{_name}({{input}}, diagonal={{diagonal}})",
        signature="(input, diagonal=0, *, out=None)",
        cases=[
            f"torch.{_name}(sq)",
            f"a.{_name}(-1)",
            f"torch.{_name}(torch.ones(3, 3), diagonal=1).bool()",
            f"t = sq.clone()\nt.{_name}_()",
            f"torch.{_name}(torch.ones(3, 3, dtype=torch.bool), 1)",
        ],
    )
    rules.row(
        f"torch.{_name}_indices",
        f"paddle.{_name}_indices({{row}}, {{col}}, {{offset}}, dtype={{dtype}})",
        f"paddle.{_name}_indices({{row}}, {{col}}, {{offset=0}}, "
        "dtype={dtype='int64'}).to({device})",
        signature="(row, col, offset=0, *, dtype=None, layout=None, device=None, "
        "pin_memory=False, requires_grad=False)",
        ignored=UNSEEN,
        cases=[
            f"torch.{_name}_indices(3, 4)",
            f"torch.{_name}_indices(3, 3, offset=1)",
            f"f = torch.{_name}_indices\nr = f(3, 3), f(2, 3, 1, device='cpu')",
            f"k = {{'row': 3, 'col': 3}}\nr = torch.{_name}_indices(**k)",
            f"torch.{_name}_indices(3, 4, device='cpu', layout=torch.strided)",
            f"torch.{_name}_indices(3, 4, 1, dtype=torch.int32, device=x.device)",
        ],
    )
_SEARCH = "(sorted_sequence, input, *, out_int32=False, right=False, side=None, sorter=None)"
rules.row(
    "torch.searchsorted",
    "torch_searchsorted({sorted_sequence}, {input}, {out_int32=False}, "
    "{right=False}, {side=None}, {sorter=None})",
    signature=_SEARCH,
    cases=[
        "torch.searchsorted(torch.tensor([1.0, 2.0, 3.0]), x)",
        "torch.searchsorted(torch.tensor([1, 2, 3]), 2, right=True)",
        "torch.searchsorted(torch.tensor([1, 2, 3]), i, side='right', out_int32=True)",
    ],
)
rules.row(
    "torch.bucketize",
    "torch_searchsorted({boundaries}, {input}, out_int32={out_int32}, right={right})",
    signature="(input, boundaries, *, out_int32=False, right=False)",
    cases=[
        "torch.bucketize(x, torch.tensor([-1.0, 0.0, 1.0]))",
        "torch.bucketize(i, torch.tensor([1, 2]), right=True)",
    ],
)
rules.both(
    "repeat_interleave",
    "torch_repeat_interleave({input}, {repeats}, dim={dim})",
    signature="(input, repeats=None, dim=None, *, output_size=None)",
    ignored={"output_size": "it only saves a computation"},
    cases=[
        "torch.repeat_interleave(x, 2)",
        "torch.repeat_interleave(x, 0), x.repeat_interleave(0, dim=1)",
        "x.repeat_interleave(2, dim=0)",
        "x.repeat_interleave(torch.tensor([1, 0, 2]), 0)",
        "torch.repeat_interleave(n, 3)",
        "torch.repeat_interleave(n)",
        "torch.repeat_interleave(x, torch.tensor([2]), 0)",
        "torch.complex(x, y).repeat_interleave(2, 1), n.to(torch.uint8).repeat_interleave(2)",
    ],
)
rules.row(
    "torch.unravel_index",
    "torch_unravel_index({indices}, {shape})",
    signature="(indices, shape)",
    cases=["torch.unravel_index(n, (2, 2))", "torch.unravel_index(torch.tensor(5), (2, 3))"],
)
rules.handed_on(
    {
        "torch.masked_fill": "(lambda input, mask, value: torch_masked_fill(input, mask, value))",
    }
)
rules.handed_on(
    {
        f"torch.{_name}_indices": "(lambda row, col, offset=0, *, dtype='int64', layout=None, "
        "device=None, pin_memory=False, requires_grad=False: "
        f"paddle.{_name}_indices(row, col, offset, dtype=dtype).to(device or 'cpu'))"
        for _name in ("tril", "triu")
    }
)
rules.handed_on(
    {
        "torch.scatter": "(lambda input, dim, index, src=None, *, value=None, reduce=None: "
        "torch_scatter(input, dim, index, value if src is None else src, reduce))",
    }
)
rules.unpacking(
    {
        "torch.Tensor.scatter": "(lambda self, dim, index, src=None, *, value=None, reduce=None: "
        "torch_scatter(self, dim, index, value if src is None else src, reduce))({self}, ...)",
        "torch.Tensor.scatter_": "(lambda self, dim, index, src=None, *, value=None, reduce=None: "
        "torch_inplace(torch_scatter, self, dim, index, value if src is None else src, "
        "reduce=reduce))({self}, ...)",
    }
)
