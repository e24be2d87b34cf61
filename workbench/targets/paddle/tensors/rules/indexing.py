"""Selecting, writing and masking values."""

from __future__ import annotations

from workbench.rules.family import Family, Simpler, simplified
from workbench.rules.match import Match
from workbench.source.types import dtypes
from workbench.source.types.lattice import Tensor
from workbench.targets.paddle.common.creating import UNSEEN

rules = Family()

_FILLED = Simpler(
    "paddle.masked_fill({input}, {mask}, {value})", lambda match: match.is_number("value")
)

# Dtypes for which Paddle's `where` has no kernel on a CPU.
_NARROW = frozenset({"float16", "bfloat16", "uint8", "int8", "int16"})


def _chooses_alike(match: Match) -> bool:
    """Return whether the condition and both alternatives have the dtypes that Paddle requires."""
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
    ignored={"sparse_grad": "the gradient has the same values"},
)
rules.both("index_select", "torch_index_select({input}, {dim}, {index})")
rules.both(
    "scatter",
    "torch_scatter({input}, {dim}, {index}, {src}, reduce={reduce})",
    "torch_scatter({input}, {dim}, {index}, {value}, reduce={reduce})",
)
rules.both("scatter_add", "torch_scatter_add({input}, {dim}, {index}, {src})")
rules.both(
    "scatter_reduce",
    "torch_scatter_reduce({input}, {dim}, {index}, {src}, {reduce}, include_self={include_self})",
)
rules.both("index_add", "torch_index_add({input}, {dim}, {index}, {source}, alpha={alpha})")
rules.both("index_copy", "torch_index_copy({input}, {dim}, {index}, {source})")
rules.both("index_fill", "torch_index_fill({input}, {dim}, {index}, {value})")
rules.both("index_put", "torch_index_put({input}, {indices}, {values}, accumulate={accumulate})")
rules.both("masked_fill", "torch_masked_fill({input}, {mask}, {value})", simpler=_FILLED)
rules.both("masked_select", "paddle.masked_select({input}, {mask})")
rules.both("masked_scatter", "torch_masked_scatter({input}, {mask}, {source})")
rules.both("take", "torch_take({input}, {index})")
rules.both("put", "torch_put({input}, {index}, {source}, accumulate={accumulate})")
rules.both("take_along_dim", "torch_take_along_dim({input}, {indices}, dim={dim})")
rules.both("select_scatter", "torch_select_scatter({input}, {src}, {dim}, {index})")
rules.both(
    "slice_scatter",
    "torch_slice_scatter({input}, {src}, dim={dim}, start={start}, end={end}, step={step})",
)
rules.both(
    "diagonal_scatter",
    "torch_diagonal_scatter({input}, {src}, offset={offset}, dim1={dim1}, dim2={dim2})",
)
rules.both("nonzero", "torch_nonzero({input}, as_tuple={as_tuple})")
rules.both("argwhere", "torch_nonzero({input})")
rules.row(
    "torch.where",
    "torch_where({condition}, {input}, {other})",
    "torch_where({condition}, {self}, {other})",
)
rules.rules[-1] = simplified(rules.rules[-1], _CHOSEN)
rules.row("torch.Tensor.where", "torch_where({condition}, {self}, {other})")
for _name in ("tril", "triu"):
    rules.both(
        _name,
        f"paddle.{_name}({{input}}, {{diagonal}})",
        f"paddle.{_name}({{input}}, diagonal={{diagonal}})",
    )
    rules.row(
        f"torch.{_name}_indices",
        f"paddle.{_name}_indices({{row}}, {{col}}, {{offset}}, dtype={{dtype}})",
        f"paddle.{_name}_indices({{row}}, {{col}}, {{offset=0}}, "
        "dtype={dtype='int64'}).to({device})",
        ignored=UNSEEN,
    )
rules.row(
    "torch.searchsorted",
    "torch_searchsorted({sorted_sequence}, {input}, {out_int32=False}, "
    "{right=False}, {side=None}, {sorter=None})",
)
rules.row(
    "torch.bucketize",
    "torch_searchsorted({boundaries}, {input}, out_int32={out_int32}, right={right})",
)
rules.both(
    "repeat_interleave",
    "torch_repeat_interleave({input}, {repeats}, dim={dim})",
    ignored={"output_size": "it affects only speed"},
)
rules.row("torch.unravel_index", "torch_unravel_index({indices}, {shape})")
rules.as_values(
    {
        "torch.masked_fill": "(lambda input, mask, value: torch_masked_fill(input, mask, value))",
        "torch.repeat_interleave": "(lambda input, repeats=None, dim=None, *, output_size=None: "
        "torch_repeat_interleave(input, repeats, dim))",
    }
)
rules.as_values(
    {
        f"torch.{_name}_indices": "(lambda row, col, offset=0, *, dtype='int64', layout=None, "
        "device=None, pin_memory=False, requires_grad=False: "
        f"paddle.{_name}_indices(row, col, offset, dtype=dtype).to(device or 'cpu'))"
        for _name in ("tril", "triu")
    }
)
rules.as_values(
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
