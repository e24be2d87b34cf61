"""Containers of layers and of parameters."""

from __future__ import annotations

from workbench.rules.match import Match
from workbench.rules.outcome import Keep, Outcome, Refusal, Rewrite
from workbench.rules.rule import RuleSet
from workbench.source.uses import UseKind
from workbench.words import words

rules = RuleSet()


@rules.rule("torch.nn.Sequential", value="paddle.nn.Sequential")
def sequential(match: Match) -> Outcome:
    """Pass on layers or an ordered dictionary of layers; Paddle accepts both in the same way."""
    if "arg" in match:
        return Refusal("its argument is not known to be an OrderedDict")
    return Rewrite("paddle.nn.Sequential(*{args})")


rules.row("torch.nn.Sequential.__add__", "paddle.nn.Sequential(*{self}, *{other})")
rules.row("torch.nn.Sequential.__mul__", "paddle.nn.Sequential(*(list({self}) * {other}))")
rules.row("torch.nn.Sequential.__iadd__", "{self}.extend({other})")


@rules.rule(
    "torch.nn.Sequential.__getitem__",
    "torch.nn.Sequential.__setitem__",
    "torch.nn.Sequential.__delitem__",
)
def by_place(match: Match) -> Outcome:
    """Return a call of a helper, since Paddle renumbers slices and treats an index as a name."""
    name = match.use.name.rpartition(".")[2]
    if match.use.kind is UseKind.OPERATOR:
        return Rewrite("TorchLayersOf({self})", callee_only=True)
    return Rewrite(f"TorchLayersOf({{self}}).{name}({{idx}}, {{module}})")


rules.keep("torch.nn.ModuleList.__add__")
rules.row("torch.nn.ModuleList", "paddle.nn.LayerList({modules})", value="paddle.nn.LayerList")
rules.row("torch.nn.ModuleDict", "paddle.nn.LayerDict({modules})", value="paddle.nn.LayerDict")
for _name in words(
    "Sequential.append Sequential.extend Sequential.__len__ "
    "Sequential.__iter__ Sequential.forward ModuleList.append ModuleList.extend "
    "ModuleList.__len__ ModuleList.__iter__ ModuleList.__getitem__ "
    "ModuleDict.keys ModuleDict.values ModuleDict.items ModuleDict.pop ModuleDict.update "
    "ModuleDict.clear ModuleDict.__len__ ModuleDict.__contains__ ModuleDict.__getitem__"
):
    rules.keep(f"torch.nn.{_name}")


@rules.rule("torch.nn.ModuleList.insert", "torch.nn.Sequential.insert")
def insert(match: Match) -> Outcome:
    """Keep the method for a number; torch takes the text of a tensor for the name of the module."""
    if match.is_tensor("index"):
        return Refusal(
            "for a tensor, torch appends the module under the name `tensor(1)` and repeats the last"
            " one",
            instead="an integer: `int(index)`",
        )
    return Keep()


rules.row("torch.nn.ModuleList.pop", "torch_pop_layer({self}, {key})")
rules.row("torch.nn.Sequential.pop", "torch_pop_layer({self}, {key})")
rules.row("torch.nn.ParameterList", "TorchParameterList({values})", value="TorchParameterList")
rules.row("torch.nn.ParameterDict", "TorchParameterDict({parameters})", value="TorchParameterDict")
for _name in words(
    "ParameterList.append ParameterList.extend ParameterList.__len__ ParameterDict.keys "
    "ParameterDict.values ParameterDict.items ParameterDict.get ParameterDict.pop "
    "ParameterDict.update ParameterDict.setdefault ParameterDict.popitem ParameterDict.copy "
    "ParameterDict.__or__ ParameterDict.fromkeys ParameterDict.clear ParameterDict.__len__ "
    "ParameterDict.__contains__"
):
    rules.keep(f"torch.nn.{_name}")
rules.refuse(
    "torch.nn.Container",
    reason="it is deprecated in torch: use `torch.nn.Module`",
    instead="`torch.nn.Module`",
)

# Namespaces as values --------------------------------------------------------------------------

for _name, _target in (
    ("torch.nn", "paddle.nn"),
    ("torch.nn.functional", "paddle.nn.functional"),
    ("torch.nn.init", "paddle.nn.initializer"),
    ("torch.nn.utils", "paddle.nn.utils"),
    ("torch.special", "paddle"),
    ("torch.linalg", "paddle.linalg"),
    ("torch.fft", "paddle.fft"),
    ("torch.optim", "paddle.optimizer"),
    ("torch.optim.lr_scheduler", "paddle.optimizer.lr"),
    ("torch.distributions", "paddle.distribution"),
    ("torch.utils.data", "paddle.io"),
    ("torch.autograd", "paddle.autograd"),
):
    rules.row(
        _name,
        _target,
        value=_target,
        caveat="code that looks up names in this module at run time may not find them: some have"
        " other names in Paddle",
    )
rules.refuse(
    "torch",
    reason="the package itself is passed as a value: many of its functions have other names or"
    " results in Paddle",
    instead="the functions that are needed, such as torch.sin",
)
