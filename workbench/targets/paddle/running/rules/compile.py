"""Compilers: in Paddle the functions stay unchanged, which is exact."""

from __future__ import annotations

from workbench.rules.match import Match
from workbench.rules.outcome import Outcome, Rewrite
from workbench.rules.rule import RuleSet
from workbench.words import words

rules = RuleSet()

_SAME = "it is the module itself: setting its mode or an attribute changes the module, too"
_EAGER = "the code is not compiled and runs eagerly; paddle.jit.to_static compiles it"


@rules.rule("torch.compile", value="torch_same")
def compile_(match: Match) -> Outcome:
    """Return the model itself, or a decorator that returns its argument."""
    rest = frozenset(match.arguments) - {"model"}
    whole = "model" in match and match.constant("model") is not None
    text = "{model}" if whole else "torch_same"
    rest = rest if whole else frozenset(match.arguments)
    return Rewrite(
        text, consumed=rest, note=f"{_EAGER}; names in the state_dict have no `_orig_mod.` prefix"
    )


def _unchanged(*names: str, parameter: str, ignored: tuple[str, ...]) -> None:
    for name in names:
        rules.row(
            name,
            f"{{{parameter}}}",
            value="torch_same",
            ignored=dict.fromkeys(ignored, "the converted code is not compiled"),
            note=_EAGER,
            caveat=_SAME if parameter in ("obj", "func", "mod") else None,
        )


_unchanged(
    "torch.jit.script",
    parameter="obj",
    ignored=("optimize", "_frames_up", "_rcb", "example_inputs"),
)
_unchanged(
    "torch.jit.trace",
    parameter="func",
    ignored=words(
        "example_inputs optimize check_trace check_inputs check_tolerance strict "
        "example_kwarg_inputs"
    ),
)
rules.row("torch.jit.Final", "typing.Final")
for _name in ("Any", "Dict", "List", "Optional", "Tuple", "Union"):
    rules.row(f"torch.jit.annotations.{_name}", f"typing.{_name}")
_unchanged("torch.jit.freeze", parameter="mod", ignored=("preserved_attrs", "optimize_numerics"))
_unchanged("torch.jit.optimize_for_inference", parameter="mod", ignored=("other_methods",))
_unchanged("torch.jit.interface", parameter="obj", ignored=())
_unchanged(
    "torch.jit.export",
    "torch.jit.unused",
    "torch.jit.script_if_tracing",
    "torch.compiler.allow_in_graph",
    "torch.compiler.assume_constant_result",
    parameter="fn",
    ignored=(),
)


@rules.rule("torch.compiler.disable", value="torch_same")
def _disable(match: Match) -> Outcome:
    given = frozenset(match.arguments)
    if "fn" in match and match.constant("fn") is not None:
        return Rewrite("{fn}", consumed=given - {"fn"})
    return Rewrite("torch_same", consumed=given)


@rules.rule("torch.jit.ignore", value="torch_same")
def _ignore(match: Match) -> Outcome:
    rest = frozenset(match.arguments)
    if "drop" in match and match.constant("drop") not in (True, False):
        return Rewrite("{drop}", consumed=rest - {"drop"})
    return Rewrite("torch_same", consumed=rest)


for _name in words(
    "torch.jit.is_scripting torch.jit.is_tracing torch.compiler.is_compiling "
    "torch.compiler.is_dynamo_compiling torch.compiler.is_exporting "
    "torch.onnx.is_in_onnx_export"
):
    rules.row(_name, "False")
rules.row("torch.jit.annotate", "{the_value}", ignored={"the_type": "it is only a hint"})
for _name in ("torch.compiler.reset", "torch.compiler.cudagraph_mark_step_begin"):
    rules.row(_name, "None", note="the converted code is not compiled")
_PICKLED = (
    "the file holds the layer, not a compiled program: code that loads it must have the"
    " same classes, converted to Paddle; paddle.jit.save saves programs"
)
rules.row(
    "torch.jit.save",
    "torch_jit_save({m}, {f}, _extra_files={_extra_files})",
    value="torch_jit_save",
    caveat=_PICKLED,
)
rules.row(
    "torch.jit.load",
    "torch_jit_load({f}, {map_location=None}, {_extra_files=None})",
    value="torch_jit_load",
    ignored={"_restore_shapes": "the converted code is not compiled"},
    caveat=_PICKLED,
)
rules.refuse(
    "torch.onnx.export",
    reason="Paddle exports through a separate package, with input specifications",
    instead="paddle.onnx.export(layer, path, input_spec=[...]), which needs paddle2onnx",
)
rules.refuse(
    "torch.jit.ScriptModule",
    "torch.ScriptModule",
    "torch.jit.trace_module",
    "torch.jit.isinstance",
    "torch.jit.script_method",
    "torch.jit.Attribute",
    "torch.jit.RecursiveScriptModule",
    "torch.jit.strict_fusion",
    "torch.jit.set_fusion_strategy",
    "torch.jit.enable_onednn_fusion",
    "torch.jit.export_opnames",
    reason="Paddle has no TorchScript",
    instead="paddle.jit.to_static",
)
rules.row("torch.fx.wrap", "{fn_or_name}", value="torch_same", note="no trace is recorded")
