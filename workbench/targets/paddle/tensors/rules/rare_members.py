"""Tensor members for storage, sparse tensors, hooks and other rarely used things."""

from __future__ import annotations

from collections.abc import Callable

from workbench.rules.family import Family, subject
from workbench.rules.match import Match
from workbench.rules.outcome import Outcome, Rewrite
from workbench.source.inference.evidence.tensor_states import CONJUGATE, INFERENCE, RETAINING
from workbench.source.types import dtypes
from workbench.source.types.lattice import Tensor

rules = Family()

_T = "torch.Tensor."

_ASKED_FOR = "the program has called retain_grad() before"
rules.row(_T + "apply_", "torch_apply_({self}, {callable})")
rules.row(_T + "map_", "torch_map_({self}, {tensor}, {callable})")
rules.row(_T + "hardshrink", "torch_hardshrink({self}, {lambd=0.5})")
rules.row(_T + "prelu", "paddle.nn.functional.prelu({self}, {weight})")


@rules.rule(_T + "retains_grad")
def retains_grad(match: Match) -> Outcome:
    """Write True if the program asked for it, else whether a gradient has arrived."""
    value = match.use.receiver_value
    if isinstance(value, Tensor) and RETAINING in value.states:
        return Rewrite("True", note=_ASKED_FOR)
    return Rewrite(
        "torch_retains_grad({self})",
        note="it is True only after a backward pass has set the gradient",
    )


rules.row(_T + "grad_fn", "torch_grad_fn({self})")
rules.row(
    _T + "_version",
    "{self}.inplace_version",
    note="it counts Paddle's in-place writes, of which one call may make several",
)
rules.refuse(
    _T + "_base",
    _T + "_is_view",
    reason="Paddle's views have no reference to their base",
)
for _name in ("_grad", "_grad_fn", "_backward_hooks"):
    rules.refuse(
        _T + _name,
        reason="it is internal to torch",
        instead=f"{_name[1:]}" if "hooks" not in _name else "register_hook()",
    )
rules.refuse(
    _T + "_make_subclass",
    reason="Paddle's tensors have no such constructor",
    instead="a class that has a tensor as an attribute",
)
rules.row(_T + "name", "None")
rules.row(_T + "output_nr", "0")
rules.row(_T + "data_ptr", "{self}.data_ptr()")
rules.row(_T + "const_data_ptr", "{self}.data_ptr()")
rules.row(_T + "pin_memory", "torch_pinned({self})")
rules.row(_T + "is_pinned", "{self}.place.is_cuda_pinned_place()")
rules.row(
    _T + "share_memory_",
    "torch_share_memory_({self})",
    note="Paddle shares a tensor when it is passed to another process",
)
rules.row(_T + "is_shared", "torch_is_shared({self})")
rules.row(
    _T + "to_mkldnn",
    "{self}.clone()",
    ignored={"dtype": "the result has the default dtype"},
    caveat="Paddle's tensors have only one layout; `FLAGS_use_mkldnn` enables oneDNN",
)
_AT_ONCE = "Paddle computes conjugates and negatives immediately; torch may only set a flag"
_INFERRED = "Paddle has no such state: the value is inferred from the program's text"
_ASKED = {
    "is_conj": CONJUGATE,
    "is_inference": INFERENCE,
}


def _answers(state: str) -> Callable[[Match], Outcome]:
    def answer(match: Match) -> Outcome:
        """Return True if the program shows the tensor in this state, else False."""
        value = subject(match)
        known = isinstance(value, Tensor) and state in value.states
        real = isinstance(value, Tensor) and dtypes.kind(value.dtype) in {0, 1, 2}
        lazy = state == CONJUGATE and not known and not real
        return Rewrite(
            str(known),
            consumed=frozenset({"input"}) & match.arguments.keys(),
            note=_INFERRED,
            caveat=_AT_ONCE if lazy else None,
        )

    return answer


for _name, _state in _ASKED.items():
    for _full in (
        f"torch.{_name}",
        f"{_T}{_name}",
    ):
        rules.rule(_full)(_answers(_state))
for _name, _caveat in (("is_neg", _AT_ONCE), ("is_distributed", None)):
    _none = None if _caveat else "Paddle has no such tensors"
    rules.row(
        f"torch.{_name}", "False", ignored={"input": _none or _AT_ONCE}, note=_none, caveat=_caveat
    )
    rules.row(f"{_T}{_name}", "False", note=_none, caveat=_caveat)
rules.row(_T + "resize_", "torch_resize_({self}, {size})")
rules.row(_T + "resize_as_", "torch_resize_({self}, [{the_template}.shape])")
rules.row("torch.resize_as_", "torch_resize_({input}, [{the_template}.shape])")
rules.row(_T + "set_", "torch_set_({self}, {source})")
rules.row(_T + "is_set_to", "torch_is_set_to({self}, {tensor})")
rules.both(
    "as_strided_scatter",
    "torch_as_strided_scatter({input}, {src}, {size}, {stride}, offset={storage_offset})",
)
rules.both(
    "index_reduce",
    "torch_index_reduce({input}, {dim}, {index}, {source}, {reduce}, include_self={include_self})",
)
rules.both("nonzero_static", "torch_nonzero_static({input}, {size}, fill_value={fill_value})")
rules.both("orgqr", "torch_householder_product({input}, {input2})")
rules.row("torch.nuclear_norm", "torch_nuclear_norm({input}, {dim=None}, {keepdim=False})")
rules.row("torch.frobenius_norm", "torch_norm({input}, 2, dim={dim}, keepdim={keepdim})")
rules.row("torch.norm_except_dim", "torch_norm_except_dim({v}, pow={pow}, dim={dim})")
_IN_ROWS = "in Paddle its memory is row-major, whatever strides are given"
rules.row(
    "torch.empty_strided",
    "paddle.empty({size}, dtype={dtype}, device={device}, requires_grad={requires_grad})",
    ignored={
        "stride": "the memory layout affects only speed",
        "pin_memory": "it affects only the speed of copies",
    },
    caveat=_IN_ROWS,
)
rules.row(
    "torch.empty_permuted",
    "paddle.empty({size}, dtype={dtype}, device={device}, requires_grad={requires_grad})",
    ignored={
        "physical_layout": "the memory layout affects only speed",
        "pin_memory": "it affects only the speed of copies",
    },
    caveat=_IN_ROWS,
)
rules.row(
    _T + "new_empty_strided",
    "{self}.new_empty({size}, dtype={dtype}, device={device}, requires_grad={requires_grad})",
    ignored={
        "stride": "the memory layout affects only speed",
        "pin_memory": "it affects only the speed of copies",
    },
    caveat=_IN_ROWS,
)
for _name, _template in (
    ("t_copy", "{input}.t().clone()"),
    ("alias_copy", "{input}.clone()"),
    ("detach_copy", "{input}.clone()"),
    ("permute_copy", "paddle.transpose({input}, {dims}).clone()"),
    ("transpose_copy", "{input}.transpose({dim0}, {dim1}).clone()"),
    ("expand_copy", "paddle.expand({input}, {size})"),
    ("view_copy", "torch_view_copy({input}, {size})"),
    ("squeeze_copy", "{input}.squeeze({dim}).clone()"),
    ("unsqueeze_copy", "{input}.unsqueeze({dim}).clone()"),
    ("select_copy", "torch_select({input}, {dim}, {index}).clone()"),
    ("diagonal_copy", "paddle.diagonal({input}, {offset=0}, {dim1=0}, {dim2=1}).clone()"),
    ("unfold_copy", "torch_windows({input}, {dimension}, {size}, {step})"),
    (
        "as_strided_copy",
        "torch_as_strided({input}, {size}, {stride}, offset={storage_offset}).clone()",
    ),
    ("view_as_real_copy", "paddle.as_real({input}).clone()"),
    ("view_as_complex_copy", "paddle.as_complex({input}).clone()"),
    (
        "slice_copy",
        "torch_slice({input}, dim={dim}, start={start}, end={end}, step={step}).clone()",
    ),
    ("unbind_copy", "tuple(t.clone() for t in paddle.unbind({input}, {dim=0}))"),
    ("split_copy", "tuple(t.clone() for t in torch_split({input}, {split_size}, dim={dim}))"),
    (
        "split_with_sizes_copy",
        "tuple(t.clone() for t in torch_split({input}, {split_sizes}, dim={dim}))",
    ),
):
    if _template.startswith("tuple("):  # torch then returns None and records nothing
        _into = f"torch_into_each({_template}, {{out}})"
        rules.row(f"torch.{_name}", _template, _into)
        continue
    rules.row(f"torch.{_name}", _template)
_STRIDED = {
    "layout": "windows have only the strided layout",
    "pin_memory": "page-locked memory affects only the speed of copies",
}
_WINDOW_MADE = (
    ", {window_length}, sym=not {periodic=True}, dtype={dtype}, device={device}, "
    "requires_grad={requires_grad})"
)
for _name, _shape in {
    "hann": "torch_general_cosine_shape([0.5, 0.5])",
    "blackman": "torch_general_cosine_shape([0.42, 0.5, 0.08])",
    "bartlett": "torch_bartlett_shape()",
}.items():
    rules.row(
        f"torch.{_name}_window",
        f"paddle.{_name}_window({{window_length}}, {{periodic=True}}, dtype={{dtype='float32'}})",
        f"torch_signal_window({_shape}{_WINDOW_MADE}",
        ignored=_STRIDED,
    )
rules.row(
    "torch.hamming_window",
    "paddle.hamming_window({window_length}, {periodic=True}, {alpha=0.54}, "
    "{beta=0.46}, dtype={dtype='float32'})",
    "torch_signal_window(torch_general_cosine_shape([{alpha=0.54}, {beta=0.46}])" + _WINDOW_MADE,
    ignored=_STRIDED,
)
rules.row(
    "torch.kaiser_window",
    "paddle.kaiser_window({window_length}, {periodic=True}, {beta=12.0}, dtype={dtype='float32'})",
    f"torch_signal_window(torch_kaiser_shape({{beta=12.0}}){_WINDOW_MADE}",
    ignored=_STRIDED,
)
rules.both(
    "stft",
    "torch_stft({input}, {n_fft}, {hop_length=None}, {win_length=None}, "
    "{window=None}, {center=True}, {pad_mode='reflect'}, {normalized=False}, "
    "{onesided=None}, {return_complex=None})",
)
rules.both(
    "istft",
    "torch_istft({input}, {n_fft}, {hop_length=None}, {win_length=None}, "
    "{window=None}, {center=True}, {normalized=False}, {onesided=None}, "
    "{length=None}, {return_complex=False})",
)
rules.row(
    "torch.layer_norm",
    "torch_layer_norm({input}, {normalized_shape}, {weight=None}, {bias=None}, {eps=1e-05})",
    ignored={"cudnn_enable": "which kernel computes"},
)
rules.row(
    "torch.embedding",
    "torch_embedding({indices}, {weight}, padding_idx={padding_idx}, "
    "scale_grad_by_freq={scale_grad_by_freq})",
    ignored={"sparse": "it affects only speed"},
)
rules.as_values(
    {
        "torch.embedding": "(lambda weight, indices, padding_idx=None, scale_grad_by_freq=False, "
        "sparse=False: torch_embedding(indices, weight, padding_idx=padding_idx, "
        "scale_grad_by_freq=scale_grad_by_freq))",
    }
)
rules.row("torch.celu", "torch_celu({input}, {alpha=1.0})")
rules.row("torch.selu", "torch_selu({input})")
rules.row("torch.threshold", "torch_threshold({input}, {threshold}, {value})")
rules.row("torch.detach_", "{input}.detach_()")
rules.row(
    _T + "triangular_solve",
    "torch_triangular_solve({self}, {A}, upper={upper}, transpose={transpose}, "
    "unitriangular={unitriangular})",
)
rules.row(_T + "dim_order", "torch_dim_order({self})")
rules.row(_T + "layout", "torch_layout({self})")
rules.both("geqrf", "torch_geqrf({input})")
rules.row(_T + "register_post_accumulate_grad_hook", "torch_after_grad({self}, {hook})")
rules.row("torch.constant_pad_nd", "torch_constant_pad({input}, {pad}, value={value})")
