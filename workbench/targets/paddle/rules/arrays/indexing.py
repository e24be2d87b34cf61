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
)
rules.both(
    "index_select",
    "torch_index_select({input}, {dim}, {index})",
    signature="(input, dim, index, *, out=None)",
)
rules.both(
    "scatter",
    "torch_scatter({input}, {dim}, {index}, {src}, reduce={reduce})",
    "torch_scatter({input}, {dim}, {index}, {value}, reduce={reduce})",
    signature="(input, dim, index, src=None, *, value=None, reduce=None, out=None)",
)
rules.both("scatter_add", "torch_scatter_add({input}, {dim}, {index}, {src})")
rules.both(
    "scatter_reduce",
    "torch_scatter_reduce({input}, {dim}, {index}, {src}, {reduce}, include_self={include_self})",
    signature="(input, dim, index, src, reduce, *, include_self=True)",
)
rules.both(
    "index_add",
    "torch_index_add({input}, {dim}, {index}, {source}, alpha={alpha})",
    signature="(input, dim, index, source, *, alpha=1, out=None)",
)
rules.both(
    "index_copy",
    "torch_index_copy({input}, {dim}, {index}, {source})",
    signature="(input, dim, index, source, *, out=None)",
)
rules.both(
    "index_fill",
    "torch_index_fill({input}, {dim}, {index}, {value})",
    signature="(input, dim, index, value)",
)
rules.both(
    "index_put",
    "torch_index_put({input}, {indices}, {values}, accumulate={accumulate})",
    signature="(input, indices, values, accumulate=False)",
)
rules.both(
    "masked_fill",
    "torch_masked_fill({input}, {mask}, {value})",
    signature="(input, mask, value)",
    simpler=_FILLED,
)
rules.both(
    "masked_select", "paddle.masked_select({input}, {mask})", signature="(input, mask, *, out=None)"
)
rules.both(
    "masked_scatter",
    "torch_masked_scatter({input}, {mask}, {source})",
    signature="(input, mask, source)",
)
rules.both("take", "torch_take({input}, {index})", signature="(input, index, *, out=None)")
rules.both(
    "put",
    "torch_put({input}, {index}, {source}, accumulate={accumulate})",
    signature="(input, index, source, accumulate=False)",
)
rules.both(
    "take_along_dim",
    "torch_take_along_dim({input}, {indices}, dim={dim})",
    signature="(input, indices, dim=None, *, out=None)",
)
rules.both(
    "select_scatter",
    "torch_select_scatter({input}, {src}, {dim}, {index})",
    signature="(input, src, dim, index)",
)
rules.both(
    "slice_scatter",
    "torch_slice_scatter({input}, {src}, dim={dim}, start={start}, end={end}, step={step})",
    signature="(input, src, dim=0, start=None, end=None, step=1)",
)
rules.both(
    "diagonal_scatter",
    "torch_diagonal_scatter({input}, {src}, offset={offset}, dim1={dim1}, dim2={dim2})",
    signature="(input, src, offset=0, dim1=0, dim2=1)",
)
rules.both(
    "nonzero",
    "torch_nonzero({input}, as_tuple={as_tuple})",
    signature="(input, *, as_tuple=False, out=None)",
)
rules.both("argwhere", "torch_nonzero({input})")
rules.row(
    "torch.where",
    "torch_where({condition}, {input}, {other})",
    "torch_where({condition}, {self}, {other})",
    signature="(condition, input=None, other=None, *, out=None)",
)
rules.rules[-1] = simplified(rules.rules[-1], _CHOSEN)
rules.row(
    "torch.Tensor.where",
    "torch_where({condition}, {self}, {other})",
    signature="(condition, other)",
)
for _name in ("tril", "triu"):
    rules.both(
        _name,
        f"paddle.{_name}({{input}}, {{diagonal}})",
        f"paddle.{_name}({{input}}, diagonal={{diagonal}})",
        signature="(input, diagonal=0, *, out=None)",
    )
    rules.row(
        f"torch.{_name}_indices",
        f"paddle.{_name}_indices({{row}}, {{col}}, {{offset}}, dtype={{dtype}})",
        f"paddle.{_name}_indices({{row}}, {{col}}, {{offset=0}}, "
        "dtype={dtype='int64'}).to({device})",
        signature="(row, col, offset=0, *, dtype=None, layout=None, device=None, "
        "pin_memory=False, requires_grad=False)",
        ignored=UNSEEN,
    )
_SEARCH = "(sorted_sequence, input, *, out_int32=False, right=False, side=None, sorter=None)"
rules.row(
    "torch.searchsorted",
    "torch_searchsorted({sorted_sequence}, {input}, {out_int32=False}, "
    "{right=False}, {side=None}, {sorter=None})",
    signature=_SEARCH,
)
rules.row(
    "torch.bucketize",
    "torch_searchsorted({boundaries}, {input}, out_int32={out_int32}, right={right})",
    signature="(input, boundaries, *, out_int32=False, right=False)",
)
rules.both(
    "repeat_interleave",
    "torch_repeat_interleave({input}, {repeats}, dim={dim})",
    signature="(input, repeats=None, dim=None, *, output_size=None)",
    ignored={"output_size": "it only saves a computation"},
)
rules.row(
    "torch.unravel_index", "torch_unravel_index({indices}, {shape})", signature="(indices, shape)"
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
