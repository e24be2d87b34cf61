"""Tensor members for storage, sparse tensors, hooks and other rarely used things."""

from __future__ import annotations

from collections.abc import Callable

from workbench.rules.family import Family, subject
from workbench.rules.match import Match
from workbench.rules.outcome import Outcome, Rewrite
from workbench.source.inference.tensor_states import CONJUGATE, INFERENCE, RETAINING
from workbench.source.types import dtypes
from workbench.source.types.lattice import Tensor

rules = Family()

_T = "torch.Tensor."

_ASKED_FOR = "the program has asked for it before"
rules.row(
    _T + "apply_",
    "torch_apply_({self}, {callable})",
    signature="(callable)",
    cases=["t = x.clone()\nt.apply_(lambda v: v * 2)"],
)
rules.row(
    _T + "map_",
    "torch_map_({self}, {tensor}, {callable})",
    signature="(tensor, callable)",
    cases=["t = x.clone()\nt.map_(y, lambda u, v: u + v)"],
)
rules.row(
    _T + "hardshrink",
    "torch_hardshrink({self}, {lambd=0.5})",
    signature="(lambd=0.5)",
    cases=["x.hardshrink()", "x.hardshrink(1.0)", "torch.tensor([0.5, -0.5]).hardshrink()"],
)
rules.row(
    _T + "prelu",
    "paddle.nn.functional.prelu({self}, {weight})",
    signature="(weight)",
    cases=["x.prelu(torch.tensor([0.25]))"],
)


@rules.rule(
    _T + "retains_grad",
    cases=[
        "x.retains_grad",
        "t = w * 2\nt.retain_grad()\nr = t.retains_grad, w.retains_grad",
        "w.retain_grad()\nr = w.retains_grad",
    ],
)
def retains_grad(match: Match) -> Outcome:
    """Yes where the program has asked for it, and else where a gradient has arrived."""
    value = match.use.receiver_value
    if isinstance(value, Tensor) and RETAINING in value.states:
        return Rewrite("True", note=_ASKED_FOR)
    return Rewrite("torch_retains_grad({self})", note="true once a gradient has arrived")


rules.row(
    _T + "grad_fn",
    "torch_grad_fn({self})",
    cases=["x.grad_fn", "w.grad_fn", "t = w * 2\nr = t.grad_fn is not None"],
)
rules.row(
    _T + "_version",
    "{self}.inplace_version",
    note="it counts the writes of Paddle, of which one call may need several",
    cases=["t = torch.zeros(2)\nt.add_(1)\nt[0] = 3\nr = t._version"],
)
rules.refuse(
    _T + "_base",
    _T + "_is_view",
    reason="Paddle's views do not tell what they are views of",
)
for _name in ("_grad", "_grad_fn", "_backward_hooks"):
    rules.refuse(
        _T + _name,
        reason="it belongs to torch's own machinery",
        instead=f"{_name[1:]}" if "hooks" not in _name else "register_hook()",
    )
rules.refuse(
    _T + "_make_subclass",
    reason="Paddle's tensors have no such constructor",
    instead="a class of its own that holds a tensor",
)
rules.row(_T + "name", "None", cases=["x.name"])
rules.row(_T + "output_nr", "0", cases=["x.output_nr"])
rules.row(_T + "data_ptr", "{self}.data_ptr()", cases=["x.data_ptr() == x.data_ptr()"])
rules.row(_T + "const_data_ptr", "{self}.data_ptr()", cases=["x.const_data_ptr() == x.data_ptr()"])
rules.row(
    _T + "pin_memory",
    "torch_pinned({self})",
    signature="(device=None)",
    cases=["(x.pin_memory() if torch.cuda.is_available() else x).shape"],
)
rules.row(
    _T + "is_pinned",
    "{self}.place.is_cuda_pinned_place()",
    signature="(device=None)",
    cases=["x.is_pinned()"],
)
rules.row(
    _T + "share_memory_",
    "torch_share_memory_({self})",
    note="Paddle hands tensors to other processes without a call",
    cases=["x.share_memory_()", "t = x.clone()\nr = t.share_memory_() is t\nt.is_shared()"],
)
rules.row(
    _T + "is_shared",
    "torch_is_shared({self})",
    cases=["x.is_shared()", "t = x.clone()\nt.share_memory_()\nt.is_shared(), x.is_shared()"],
)
rules.row(
    _T + "to_mkldnn",
    "{self}.clone()",
    ignored={"dtype": "the values are of torch's default"},
    caveat="Paddle's tensors have one layout; oneDNN is chosen by `FLAGS_use_mkldnn`",
    cases=["x.to_mkldnn().to_dense()"],
)
_AT_ONCE = "Paddle conjugates and negates at once, where torch may only note that it is to be done"
_INFERRED = "Paddle keeps no such state: this is what the program before it tells"
_ASKED = {
    "is_conj": (
        CONJUGATE,
        "z = torch.tensor([[1 + 2j]])\nk = z.conj()\nr = {0}\nk = k.conj()\ns = {0}",
        "k = torch.adjoint(torch.tensor([[1 + 2j]])).view(-1)\nr = {0}\nk = torch.conj(x)\ns = {0}",
    ),
    "is_inference": (
        INFERENCE,
        "with torch.inference_mode():\n    k = x * 2\n    l = k.view(-1)\n    r = {0}\ns = {0}",
        "@torch.inference_mode()\ndef f(t):\n    return t + 1\nk = f(x)\nr = {0}",
        "with torch.inference_mode(False):\n    k = torch.ones(2)\nr = {0}",
    ),
}


def _answers(state: str) -> Callable[[Match], Outcome]:
    def answer(match: Match) -> Outcome:
        """Yes where the program tells so, and no otherwise."""
        value = subject(match)
        told = isinstance(value, Tensor) and state in value.states
        real = isinstance(value, Tensor) and dtypes.kind(value.dtype) in {0, 1, 2}
        lazy = state == CONJUGATE and not told and not real
        return Rewrite(
            str(told),
            consumed=frozenset({"input"}) & match.arguments.keys(),
            note=_INFERRED,
            caveat=_AT_ONCE if lazy else None,
        )

    return answer


for _name, (_state, *_told) in _ASKED.items():
    for _full, _signature, _call in (
        (f"torch.{_name}", "(input)", f"torch.{_name}(k)"),
        (f"{_T}{_name}", None, f"k.{_name}()"),
    ):
        rules.rule(
            _full,
            signature=_signature,
            cases=[f"k = x\n{_call}", *(case.format(_call) for case in _told)],
        )(_answers(_state))
for _name, _caveat in (("is_neg", _AT_ONCE), ("is_distributed", None)):
    _none = None if _caveat else "Paddle has no such tensors"
    rules.row(
        f"torch.{_name}",
        "False",
        signature="(input)",
        ignored={"input": _none or _AT_ONCE},
        note=_none,
        caveat=_caveat,
        cases=[f"torch.{_name}(x)"],
    )
    rules.row(f"{_T}{_name}", "False", note=_none, caveat=_caveat, cases=[f"x.{_name}()"])
rules.row(
    _T + "resize_",
    "torch_resize_({self}, {size})",
    signature="(*size, memory_format=None)",
    cases=[
        "t = x.clone()\nt.resize_(2, 6)",
        "t = x.clone()\nt.resize_((2, 3))",
        "torch.zeros(2).resize_(4, 4).shape",
    ],
)
rules.row(
    _T + "resize_as_",
    "torch_resize_({self}, [{the_template}.shape])",
    signature="(the_template, *, memory_format=None)",
    cases=["t = x.clone()\nt.resize_as_(torch.zeros(2, 2))"],
)
rules.row(
    "torch.resize_as_",
    "torch_resize_({input}, [{the_template}.shape])",
    signature="(input, the_template, *, memory_format=None)",
    cases=["t = x.clone()\ntorch.resize_as_(t, torch.zeros(2, 2))"],
)
rules.row(
    _T + "set_",
    "torch_set_({self}, {source})",
    signature="(source)",
    cases=["t = torch.zeros(2)\nt.set_(x)"],
)
rules.row(
    _T + "is_set_to",
    "torch_is_set_to({self}, {tensor})",
    signature="(tensor)",
    cases=["x.is_set_to(x)", "x.is_set_to(y)"],
)
rules.both(
    "as_strided_scatter",
    "torch_as_strided_scatter({input}, {src}, {size}, {stride}, offset={storage_offset})",
    signature="(input, src, size, stride, storage_offset=0)",
    cases=[
        "torch.as_strided_scatter(x, torch.zeros(2, 2), (2, 2), (4, 1))",
        "x.as_strided_scatter(torch.ones(2), (2,), (5,), 1)",
        "(torch.as_strided_scatter(w, w[0, :2], (2,), (5,), 1) * y).sum().backward()\ng = w.grad",
    ],
)
rules.both(
    "index_reduce",
    "torch_index_reduce({input}, {dim}, {index}, {source}, {reduce}, include_self={include_self})",
    signature="(input, dim, index, source, reduce, *, include_self=True, out=None)",
    cases=[
        "torch.index_reduce(x, 0, n, y, 'prod')",
        "x.index_reduce(1, torch.tensor([0, 0, 1, 3]), y, 'amax')",
        "t = x.clone()\nt.index_reduce_(0, n, y, 'mean', include_self=False)",
        "s = torch.tensor([[1.0, 0.0, 2.0, 2.0], [0.0, 3.0, 1.0, 0.0], [1.0, 1.0, 2.0, 1.0]])\n"
        "s.requires_grad_()\nk = torch.tensor([0, 0, 1])\n"
        "for how in ('prod', 'mean', 'amax', 'amin'):\n"
        "    (s.index_reduce(0, k, s, how) * y).sum().backward()\n"
        "    (s.index_reduce(0, k, s, how, include_self=False) * y).sum().backward()\n"
        "g = s.grad",
    ],
)
rules.both(
    "nonzero_static",
    "torch_nonzero_static({input}, {size}, fill_value={fill_value})",
    signature="(input, *, size, fill_value=-1)",
    cases=["torch.nonzero_static(i, size=3)", "m.nonzero_static(size=20)"],
)
rules.both(
    "orgqr",
    "torch_householder_product({input}, {input2})",
    signature="(input, input2, *, out=None)",
    cases=["torch.orgqr(x.t(), x[0, :3])", "x.t().orgqr(x[0, :3])"],
)
rules.row(
    "torch.nuclear_norm",
    "torch_nuclear_norm({input}, {dim=None}, {keepdim=False})",
    signature="(input, dim=None, keepdim=False)",
    cases=[
        "torch.nuclear_norm(x)",
        "torch.nuclear_norm(x, True)",
        "torch.nuclear_norm(a, keepdim=True), torch.nuclear_norm(a)",
    ],
)
rules.row(
    "torch.frobenius_norm",
    "torch_norm({input}, 2, dim={dim}, keepdim={keepdim})",
    signature="(input, dim=None, keepdim=False)",
    cases=["torch.frobenius_norm(x, dim=[0, 1])"],
)
rules.row(
    "torch.norm_except_dim",
    "torch_norm_except_dim({v}, pow={pow}, dim={dim})",
    signature="(v, pow=2, dim=0)",
    cases=["torch.norm_except_dim(x)", "torch.norm_except_dim(a, 2, 1)"],
)
_IN_ROWS = "in Paddle its values lie row by row, and its strides say so"
rules.row(
    "torch.empty_strided",
    "paddle.empty({size}, dtype={dtype}, device={device}, requires_grad={requires_grad})",
    signature="(size, stride, *, dtype=None, layout=None, device=None, requires_grad=False, "
    "pin_memory=False)",
    ignored={
        "stride": "how values lie in memory changes speed alone",
        "pin_memory": "it changes the speed of copies alone",
    },
    caveat=_IN_ROWS,
    cases=["torch.empty_strided((2, 3), (3, 1)).shape"],
)
rules.row(
    "torch.empty_permuted",
    "paddle.empty({size}, dtype={dtype}, device={device}, requires_grad={requires_grad})",
    signature="(size, physical_layout, *, dtype=None, layout=None, device=None, "
    "requires_grad=False, pin_memory=False)",
    ignored={
        "physical_layout": "how values lie in memory changes speed alone",
        "pin_memory": "it changes the speed of copies alone",
    },
    caveat=_IN_ROWS,
    cases=["torch.empty_permuted((2, 3), (1, 0)).shape"],
)
rules.row(
    _T + "new_empty_strided",
    "{self}.new_empty({size}, dtype={dtype}, device={device}, requires_grad={requires_grad})",
    signature="(size, stride, dtype=None, layout=None, device=None, requires_grad=False, "
    "pin_memory=False)",
    ignored={
        "stride": "how values lie in memory changes speed alone",
        "pin_memory": "it changes the speed of copies alone",
    },
    caveat=_IN_ROWS,
    cases=["d.new_empty_strided((2, 3), (3, 1)).dtype"],
)
for _name, _template, _signature, _call in (
    ("t_copy", "{input}.t().clone()", "(input)", "x"),
    ("alias_copy", "{input}.clone()", "(input)", "x"),
    ("detach_copy", "{input}.clone()", "(input)", "x"),
    ("permute_copy", "paddle.transpose({input}, {dims}).clone()", "(input, dims)", "a, (2, 0, 1)"),
    (
        "transpose_copy",
        "{input}.transpose({dim0}, {dim1}).clone()",
        "(input, dim0, dim1)",
        "a, 0, 1",
    ),
    ("expand_copy", "paddle.expand({input}, {size})", "(input, size)", "x, (2, 3, 4)"),
    ("view_copy", "torch_view_copy({input}, {size})", "(input, size)", "x, (2, 6)"),
    ("squeeze_copy", "{input}.squeeze({dim}).clone()", "(input, dim=None)", "x[:1]"),
    ("unsqueeze_copy", "{input}.unsqueeze({dim}).clone()", "(input, dim)", "x, 0"),
    (
        "select_copy",
        "torch_select({input}, {dim}, {index}).clone()",
        "(input, dim, index)",
        "x, 1, 2",
    ),
    (
        "diagonal_copy",
        "paddle.diagonal({input}, {offset=0}, {dim1=0}, {dim2=1}).clone()",
        "(input, offset=0, dim1=0, dim2=1)",
        "x",
    ),
    (
        "unfold_copy",
        "torch_windows({input}, {dimension}, {size}, {step})",
        "(input, dimension, size, step)",
        "x, 1, 2, 1",
    ),
    (
        "as_strided_copy",
        "torch_as_strided({input}, {size}, {stride}, offset={storage_offset}).clone()",
        "(input, size, stride, storage_offset=None)",
        "x, (2, 2), (4, 1)",
    ),
    ("view_as_real_copy", "paddle.as_real({input}).clone()", "(input)", "torch.complex(x, y)"),
    (
        "view_as_complex_copy",
        "paddle.as_complex({input}).clone()",
        "(input)",
        "torch.stack([x, y], -1)",
    ),
    (
        "slice_copy",
        "torch_slice({input}, dim={dim}, start={start}, end={end}, step={step}).clone()",
        "(input, dim=0, start=None, end=None, step=1)",
        "x, 1, 1, 3",
    ),
    (
        "unbind_copy",
        "tuple(t.clone() for t in paddle.unbind({input}, {dim=0}))",
        "(input, dim=0)",
        "x",
    ),
    (
        "split_copy",
        "tuple(t.clone() for t in torch_split({input}, {split_size}, dim={dim}))",
        "(input, split_size, dim=0)",
        "x, 2",
    ),
    (
        "split_with_sizes_copy",
        "tuple(t.clone() for t in torch_split({input}, {split_sizes}, dim={dim}))",
        "(input, split_sizes, dim=0)",
        "x, [1, 2]",
    ),
):
    _cases = [f"torch.{_name}({_call})"]
    if _template.startswith("tuple("):  # torch returns nothing then, and records nothing
        _signature = _signature[:-1] + ", *, out=None)"
        _into = f"torch_into_each({_template}, {{out}})"
        _cases.append(
            f"k = [t * 0 for t in torch.{_name}({_call})]\nr = torch.{_name}({_call}, out=k)"
        )
        rules.row(f"torch.{_name}", _template, _into, signature=_signature, cases=_cases)
        continue
    rules.row(f"torch.{_name}", _template, signature=_signature, cases=_cases)
_WINDOW = (
    "(window_length, periodic=True, *, dtype=None, layout=None, device=None, pin_memory=False, "
    "requires_grad=False)"
)
_STRIDED = {
    "layout": "strided is the only layout of windows",
    "pin_memory": "page-locked memory changes the speed of copies alone",
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
        signature=_WINDOW,
        ignored=_STRIDED,
        cases=[
            f"torch.{_name}_window(8)",
            f"torch.{_name}_window(7, periodic=False, dtype=torch.float64)",
            f"torch.{_name}_window(8, True, device='cpu', requires_grad=True, pin_memory=False)",
        ],
    )
rules.row(
    "torch.hamming_window",
    "paddle.hamming_window({window_length}, {periodic=True}, {alpha=0.54}, "
    "{beta=0.46}, dtype={dtype='float32'})",
    "torch_signal_window(torch_general_cosine_shape([{alpha=0.54}, {beta=0.46}])" + _WINDOW_MADE,
    signature=_WINDOW.replace("*", "alpha=0.54, beta=0.46, *"),
    ignored=_STRIDED,
    cases=[
        "torch.hamming_window(8)",
        "torch.hamming_window(7, False, 0.5, 0.5)",
        "torch.hamming_window(7, True, 0.5, layout=torch.strided, requires_grad=True)",
    ],
)
rules.row(
    "torch.kaiser_window",
    "paddle.kaiser_window({window_length}, {periodic=True}, {beta=12.0}, dtype={dtype='float32'})",
    f"torch_signal_window(torch_kaiser_shape({{beta=12.0}}){_WINDOW_MADE}",
    signature=_WINDOW.replace("*", "beta=12.0, *"),
    ignored=_STRIDED,
    cases=[
        "torch.kaiser_window(8)",
        "torch.kaiser_window(7, periodic=False, beta=8.0)",
        "torch.kaiser_window(7, False, 8.0, device='cpu', requires_grad=True)",
    ],
)
rules.both(
    "stft",
    "torch_stft({input}, {n_fft}, {hop_length=None}, {win_length=None}, "
    "{window=None}, {center=True}, {pad_mode='reflect'}, {normalized=False}, "
    "{onesided=None}, {return_complex=None})",
    signature="(input, n_fft, hop_length=None, win_length=None, window=None, center=True, "
    "pad_mode='reflect', normalized=False, onesided=None, return_complex=None)",
    cases=[
        "torch.stft(a.flatten(), 8, return_complex=True)",
        "a.flatten().stft(8, 4, window=torch.hann_window(8), return_complex=True)",
        "torch.stft(a.reshape(2, 12), 6, hop_length=3, win_length=4, center=False, "
        "return_complex=True)",
    ],
)
rules.both(
    "istft",
    "torch_istft({input}, {n_fft}, {hop_length=None}, {win_length=None}, "
    "{window=None}, {center=True}, {normalized=False}, {onesided=None}, "
    "{length=None}, {return_complex=False})",
    signature="(input, n_fft, hop_length=None, win_length=None, window=None, center=True, "
    "normalized=False, onesided=None, length=None, return_complex=False)",
    cases=[
        "k = torch.hann_window(8)\ntorch.istft(torch.stft(a.flatten(), 8, window=k, "
        "return_complex=True), 8, window=k)",
        "torch.istft(torch.stft(a.flatten(), 8, return_complex=True), 8, length=24)",
        "torch.stft(a.flatten(), 8, return_complex=True).istft(8, length=24)",
    ],
)
rules.row(
    "torch.layer_norm",
    "torch_layer_norm({input}, {normalized_shape}, {weight=None}, {bias=None}, {eps=1e-05})",
    signature="(input, normalized_shape, weight=None, bias=None, eps=1e-05, cudnn_enable=True)",
    ignored={"cudnn_enable": "which kernel computes"},
    cases=[
        "torch.layer_norm(x, (4,))",
        "torch.layer_norm(x, [4], x[0], y[0])",
        "torch.layer_norm(x, (3, 4), x, y, 0.1)",
    ],
)
rules.row(
    "torch.embedding",
    "torch_embedding({indices}, {weight}, padding_idx={padding_idx}, "
    "scale_grad_by_freq={scale_grad_by_freq})",
    signature="(weight, indices, padding_idx=None, scale_grad_by_freq=False, sparse=False)",
    ignored={"sparse": "how the gradient is kept changes speed alone"},
    cases=[
        "torch.embedding(x, n)",
        "torch.embedding(w, n, 1).sum().backward()\ng = w.grad",
        "k = torch.tensor([1, 1, 0])\ntorch.embedding(w, k, -1, True).sum().backward()\ng = w.grad",
        "torch.embedding(i, n), torch.embedding(i > 1, n[None])",
        "k, f = (x, n), torch.embedding\ntorch.embedding(*k), f(x, n)",
    ],
)
rules.handed_on(
    {
        "torch.embedding": "(lambda weight, indices, padding_idx=None, scale_grad_by_freq=False, "
        "sparse=False: torch_embedding(indices, weight, padding_idx=padding_idx, "
        "scale_grad_by_freq=scale_grad_by_freq))",
    }
)
rules.row(
    "torch.celu",
    "torch_celu({input}, {alpha=1.0})",
    signature="(input, alpha=1.0)",
    cases=[
        "torch.celu(x)",
        "torch.celu(x, 0.5)",
        "torch.celu(w * 90).sum().backward()\ng = w.grad",
    ],
)
rules.row("torch.selu", "torch_selu({input})", signature="(input)", cases=["torch.selu(x)"])
rules.row(
    "torch.threshold",
    "torch_threshold({input}, {threshold}, {value})",
    signature="(input, threshold, value)",
    cases=["torch.threshold(x, 0.1, 2.0)", "torch.threshold(i, 1, 3)"],
)
rules.row(
    "torch.detach_", "{input}.detach_()", signature="(input)", cases=["t = w * 2\ntorch.detach_(t)"]
)
rules.row(
    _T + "triangular_solve",
    "torch_triangular_solve({self}, {A}, upper={upper}, transpose={transpose}, "
    "unitriangular={unitriangular})",
    signature="(A, upper=True, transpose=False, unitriangular=False)",
    cases=["x.t().triangular_solve(torch.eye(4) + torch.ones(4, 4).triu())[0]"],
)
rules.row(
    _T + "dim_order",
    "torch_dim_order({self})",
    signature="()",
    cases=["x.dim_order(), x.t().dim_order(), a.permute(2, 0, 1).dim_order()"],
)
rules.row(
    _T + "layout",
    "torch_layout({self})",
    cases=["x.layout == torch.strided, str(x.layout)"],
)
rules.both(
    "geqrf",
    "torch_geqrf({input})",
    signature="(input, *, out=None)",
    cases=[
        "torch.geqrf(x)",
        "x.t().geqrf()",
        "k, t = sq.geqrf()",
        "torch.geqrf(torch.arange(12.0).reshape(4, 3))",
        "torch.geqrf(x[:, :0])",
        "torch.geqrf(torch.complex(x, y))",
    ],
)
rules.row(
    _T + "register_post_accumulate_grad_hook",
    "torch_after_grad({self}, {hook})",
    signature="(hook)",
    cases=[
        "t, s = torch.ones(2, requires_grad=True), []\n"
        "k = t.register_post_accumulate_grad_hook(lambda p: s.append(p.grad.tolist()))\n"
        "(t * 3).sum().backward()\nk.remove()\n(t * 3).sum().backward()\ng, k = t.grad, 0",
        "t = torch.ones(2, requires_grad=True)\n"
        "t.register_post_accumulate_grad_hook(lambda p: p.sub_(p.grad, alpha=0.1))\n"
        "(t * 3).sum().backward()\ns = t.is_leaf, t.detach()",
    ],
)
rules.row(
    "torch.constant_pad_nd",
    "torch_constant_pad({input}, {pad}, value={value})",
    signature="(input, pad, value=0)",
    cases=["torch.constant_pad_nd(x, (1, 2))", "torch.constant_pad_nd(x, [0, 1, 2, 0], 3.0)"],
)
