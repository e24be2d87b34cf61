"""Compilers: in Paddle the functions stay unchanged, which is exact."""

from __future__ import annotations

from workbench.upstream.cases.alike import alike

_FUNCTION = "def f(t):\n    return t * 2\n"

CASES: dict[str, tuple[str, ...]] = {
    "torch.compile": (
        (_FUNCTION + "g = torch.compile(f)\nr = g(x)"),
        "@torch.compile\ndef f(t):\n    return t * 2\nr = 1",
        "@torch.compile(dynamic=True)\ndef f(t):\n    return t * 2\nr = 1",
        "@torch.compile(model=None, dynamic=True)\ndef f(t):\n    return t * 2\nr = 1",
        (
            "l = nn.ReLU()\n"
            "c = torch.compile(l, mode='max-autotune', fullgraph=True, backend='eager')\n"
            "r = c(x)"
        ),
    ),
    "torch.jit.script": (
        "l = torch.jit.script(nn.ReLU())\nr = l(x)",
        "l = torch.jit.script(obj=nn.Tanh())\nr = l(x)",
    ),
    "torch.jit.trace": (
        "l = nn.ReLU()\nt = torch.jit.trace(l, x)\nr = t(y)",
        (_FUNCTION + "g = torch.jit.trace(f, (x,))\nr = g(y)"),
    ),
    "torch.jit.Final": ("class M(nn.Module):\n    k: torch.jit.Final[int] = 3\nr = M().k",),
    **alike(
        "torch.jit.annotations",
        "Any Dict List Optional Tuple Union",
        "def f(t: torch.jit.annotations.{name}):\n    return t + 1\nr = f(x)",
    ),
    "torch.jit.freeze": ("l = torch.jit.freeze(torch.jit.script(nn.ReLU().eval()))\nr = l(x)",),
    "torch.jit.optimize_for_inference": (
        "l = torch.jit.optimize_for_inference(torch.jit.script(nn.ReLU().eval()))\nr = l(x)",
    ),
    # It reads the source of a class, which a case does not have.
    "torch.jit.interface": ("r = callable(torch.jit.interface)",),
    **alike(
        "torch.jit",
        "export unused script_if_tracing",
        (_FUNCTION + "g = torch.jit.{name}(f)\nr = g(x)"),
    ),
    **alike(
        "torch",
        "compiler.allow_in_graph compiler.assume_constant_result fx.wrap",
        (_FUNCTION + "g = torch.{owner}.{name}(f)\nr = g(x)"),
    ),
    "torch.compiler.disable": (
        (_FUNCTION + "g = torch.compiler.disable(f)\nr = g(x)"),
        "@torch.compiler.disable()\ndef f(t):\n    return t\nr = f(x)",
    ),
    "torch.jit.ignore": (
        (_FUNCTION + "g = torch.jit.ignore(f)\nr = g(x)"),
        "@torch.jit.ignore(drop=True)\ndef f(t):\n    return t\nr = f(x)",
    ),
    **alike(
        "torch",
        "jit.is_scripting jit.is_tracing onnx.is_in_onnx_export",
        "torch.{owner}.{name}()",
        "r = 1 if not torch.{owner}.{name}() else 2",
    ),
    **alike(
        "torch.compiler",
        "is_compiling is_dynamo_compiling is_exporting",
        "torch.compiler.{name}()",
        "r = 1 if not torch.compiler.{name}() else 2",
    ),
    "torch.jit.annotate": ("torch.jit.annotate(int, 3)",),
    "torch.compiler.reset": ("r = torch.compiler.reset()",),
    "torch.compiler.cudagraph_mark_step_begin": ("r = torch.compiler.cudagraph_mark_step_begin()",),
    "torch.jit.save": (
        (
            "import io\nf = io.BytesIO()\ntorch.jit.save(torch.jit.script(nn.Tanh()), f)\n"
            "f.seek(0)\nl = torch.jit.load(f)\nr = l(x)\ndel f, l"
        ),
    ),
    "torch.jit.load": (
        (
            "import os, tempfile\nwith tempfile.TemporaryDirectory() as d:\n"
            "    p, k = os.path.join(d, 'm.pt'), {'note': 'hi'}\n"
            "    l = torch.jit.trace(nn.Sequential(nn.Tanh(), nn.Sigmoid()).eval(), x)\n"
            "    torch.jit.save(m=l, f=p, _extra_files=k)\n    k = {'note': ''}\n"
            "    o = torch.jit.load(p, 'cpu', _extra_files=k)\nr = (o(x) - l(x)).abs().max()\n"
            "s, k = o.training, k['note']\nd = p = o = l = 0"
        ),
    ),
}
