"""Compilers: in Paddle the functions stay themselves, which is exact."""

from __future__ import annotations

from workbench.rules.match import Match
from workbench.rules.outcome import Outcome, Rewrite
from workbench.rules.rule import RuleSet

rules = RuleSet()

_SAME = "it is the module itself: a mode or member that is set on it is set on the module too"
_EAGER = "the function stays as it is and runs eagerly; paddle.jit.to_static compiles"


@rules.rule(
    "torch.compile",
    value="torch_same",
    cases=[
        "def f(t):\n    return t * 2\ng = torch.compile(f)\nr = g(x)",
        "@torch.compile\ndef f(t):\n    return t * 2\nr = 1",
        "@torch.compile(dynamic=True)\ndef f(t):\n    return t * 2\nr = 1",
        "@torch.compile(model=None, dynamic=True)\ndef f(t):\n    return t * 2\nr = 1",
        "l = nn.ReLU()\nc = torch.compile(l, mode='max-autotune', fullgraph=True, "
        "backend='eager')\nr = c(x)",
    ],
)
def compile_(match: Match) -> Outcome:
    """The model itself; without one, a decorator that gives back what it gets."""
    rest = frozenset(match.arguments) - {"model"}
    whole = "model" in match and match.constant("model") is not None
    text = "{model}" if whole else "torch_same"
    rest = rest if whole else frozenset(match.arguments)
    return Rewrite(text, consumed=rest, note=f"{_EAGER}; names in its state stay plain")


def _unchanged(*names: str, parameter: str, ignored: tuple[str, ...], cases: list[str]) -> None:
    for name in names:
        rules.row(
            name,
            f"{{{parameter}}}",
            value="torch_same",
            ignored=dict.fromkeys(ignored, "nothing is compiled"),
            note=_EAGER,
            caveat=_SAME if parameter in ("obj", "func", "mod") else None,
            cases=[case.replace("NAME", name) for case in cases],
        )


_FUNCTION = "def f(t):\n    return t * 2\n"
_unchanged(
    "torch.jit.script",
    parameter="obj",
    ignored=("optimize", "_frames_up", "_rcb", "example_inputs"),
    cases=["l = NAME(nn.ReLU())\nr = l(x)", "l = NAME(obj=nn.Tanh())\nr = l(x)"],
)
_unchanged(
    "torch.jit.trace",
    parameter="func",
    ignored=(
        "example_inputs",
        "optimize",
        "check_trace",
        "check_inputs",
        "check_tolerance",
        "strict",
        "example_kwarg_inputs",
    ),
    cases=["l = nn.ReLU()\nt = NAME(l, x)\nr = t(y)", f"{_FUNCTION}g = NAME(f, (x,))\nr = g(y)"],
)
rules.row(
    "torch.jit.Final",
    "typing.Final",
    cases=["class M(nn.Module):\n    k: torch.jit.Final[int] = 3\nr = M().k"],
)
for _name in ("Any", "Dict", "List", "Optional", "Tuple", "Union"):
    rules.row(
        f"torch.jit.annotations.{_name}",
        f"typing.{_name}",
        cases=[f"def f(t: torch.jit.annotations.{_name}):\n    return t + 1\nr = f(x)"],
    )
_unchanged(
    "torch.jit.freeze",
    parameter="mod",
    ignored=("preserved_attrs", "optimize_numerics"),
    cases=["l = NAME(torch.jit.script(nn.ReLU().eval()))\nr = l(x)"],
)
_unchanged(
    "torch.jit.optimize_for_inference",
    parameter="mod",
    ignored=("other_methods",),
    cases=["l = NAME(torch.jit.script(nn.ReLU().eval()))\nr = l(x)"],
)
_unchanged(
    "torch.jit.export",
    "torch.jit.unused",
    "torch.jit.script_if_tracing",
    "torch.compiler.allow_in_graph",
    "torch.compiler.assume_constant_result",
    parameter="fn",
    ignored=(),
    cases=[f"{_FUNCTION}g = NAME(f)\nr = g(x)"],
)


@rules.rule(
    "torch.compiler.disable",
    value="torch_same",
    cases=[
        f"{_FUNCTION}g = torch.compiler.disable(f)\nr = g(x)",
        "@torch.compiler.disable()\ndef f(t):\n    return t\nr = f(x)",
    ],
)
def _disable(match: Match) -> Outcome:
    given = frozenset(match.arguments)
    if "fn" in match and match.constant("fn") is not None:
        return Rewrite("{fn}", consumed=given - {"fn"})
    return Rewrite("torch_same", consumed=given)


@rules.rule(
    "torch.jit.ignore",
    value="torch_same",
    cases=[
        f"{_FUNCTION}g = torch.jit.ignore(f)\nr = g(x)",
        "@torch.jit.ignore(drop=True)\ndef f(t):\n    return t\nr = f(x)",
    ],
)
def _ignore(match: Match) -> Outcome:
    rest = frozenset(match.arguments)
    if "drop" in match and match.constant("drop") not in (True, False):
        return Rewrite("{drop}", consumed=rest - {"drop"})
    return Rewrite("torch_same", consumed=rest)


for _name in (
    "torch.jit.is_scripting",
    "torch.jit.is_tracing",
    "torch.compiler.is_compiling",
    "torch.compiler.is_dynamo_compiling",
    "torch.compiler.is_exporting",
    "torch.onnx.is_in_onnx_export",
):
    rules.row(_name, "False", cases=[f"{_name}()", f"r = 1 if not {_name}() else 2"])
rules.row(
    "torch.jit.annotate",
    "{the_value}",
    ignored={"the_type": "it is a hint alone"},
    cases=["torch.jit.annotate(int, 3)"],
)
for _name in ("torch.compiler.reset", "torch.compiler.cudagraph_mark_step_begin"):
    rules.row(_name, "None", note="nothing is compiled", cases=[f"r = {_name}()"])
_PICKLED = (
    "the file holds the layer itself, not a compiled program: what reads it has its classes, and"
    " is converted as well; paddle.jit.save writes programs"
)
rules.row(
    "torch.jit.save",
    "torch_jit_save({m}, {f}, _extra_files={_extra_files})",
    value="torch_jit_save",
    caveat=_PICKLED,
    cases=[
        "import io\nf = io.BytesIO()\ntorch.jit.save(torch.jit.script(nn.Tanh()), f)\n"
        "f.seek(0)\nl = torch.jit.load(f)\nr = l(x)\ndel f, l"
    ],
)
rules.row(
    "torch.jit.load",
    "torch_jit_load({f}, {map_location=None}, {_extra_files=None})",
    value="torch_jit_load",
    ignored={"_restore_shapes": "nothing is compiled"},
    caveat=_PICKLED,
    cases=[
        "import os, tempfile\nwith tempfile.TemporaryDirectory() as d:\n"
        "    p, k = os.path.join(d, 'm.pt'), {'note': 'hi'}\n"
        "    l = torch.jit.trace(nn.Sequential(nn.Tanh(), nn.Sigmoid()).eval(), x)\n"
        "    torch.jit.save(m=l, f=p, _extra_files=k)\n    k = {'note': ''}\n"
        "    o = torch.jit.load(p, 'cpu', _extra_files=k)\nr = (o(x) - l(x)).abs().max()\n"
        "s, k = o.training, k['note']\nd = p = o = l = 0"
    ],
)
rules.refuse(
    "torch.onnx.export",
    reason="Paddle's exporter is a package of its own and takes input specifications",
    instead="paddle.onnx.export(layer, path, input_spec=[...]), which needs paddle2onnx",
)
rules.refuse(
    "torch.jit.ScriptModule",
    "torch.ScriptModule",
    "torch.jit.trace_module",
    "torch.jit.fork",
    "torch.jit.wait",
    "torch.jit.isinstance",
    "torch.jit.script_method",
    "torch.jit.interface",
    "torch.jit.Attribute",
    "torch.jit.RecursiveScriptModule",
    "torch.jit.strict_fusion",
    "torch.jit.set_fusion_strategy",
    "torch.jit.enable_onednn_fusion",
    "torch.jit.export_opnames",
    reason="Paddle has no TorchScript",
    instead="paddle.jit.to_static",
)
rules.row(
    "torch.fx.wrap",
    "{fn_or_name}",
    value="torch_same",
    note="nothing is traced",
    cases=[f"{_FUNCTION}g = torch.fx.wrap(f)\nr = g(x)"],
)
