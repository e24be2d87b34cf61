"""Names of torch that a program reads by strings: `getattr`, `hasattr`, `import_module`."""

from __future__ import annotations

import ast

from workbench.findings import Certainty
from workbench.source.inference.context import Context
from workbench.source.inference.expressions.arguments import evaluate_arguments
from workbench.source.inference.expressions.names import evaluate_receiver, read_member, resolve
from workbench.source.traits.presumed import strings_presumed
from workbench.source.types.lattice import UNKNOWN, Foreign, Plain, Tensor, TorchObject, Value
from workbench.source.uses import Use, UseKind
from workbench.upstream.facts import covers

_GETATTR = Foreign("builtins.getattr")


def read_by_name(context: Context, node: ast.Call) -> Value | None:
    """Return the member that `getattr(torch, "relu")` with a constant name reads, or None."""
    if len(node.args) < 2:
        return None
    name = node.args[1].value if isinstance(node.args[1], ast.Constant) else None
    holder = node.args[0]
    base = resolve(context, holder) if isinstance(holder, ast.Name) else UNKNOWN
    if isinstance(holder, ast.Attribute):
        base, _ = read_member(context, holder)
    if isinstance(base, Tensor) and isinstance(name, str) and len(node.args) == 2:
        return _read_of_tensor_by_name(context, node, name, base)
    if isinstance(base, TorchObject) and not isinstance(node.args[1], ast.Constant):
        return _read_by_computed_name(context, node, base)
    if not isinstance(name, str) or not isinstance(base, TorchObject):
        return None
    full = context.facts.canonical(f"{base.name}.{name}")
    context.note(full, UseKind.READ, node, base.certainty)
    return TorchObject(full, base.certainty, indirect=True)


def _read_by_computed_name(context: Context, node: ast.Call, base: TorchObject) -> Value:
    """Record `getattr(nn, kind)`, which reads an unknown name of torch."""
    evaluate_arguments(context, node.args[1:], node.keywords)
    if not base.ported:
        context.note(base.name, UseKind.COMPUTED, node, base.certainty)
    return UNKNOWN


def _read_of_tensor_by_name(
    context: Context, node: ast.Call, name: str, base: Tensor
) -> Value | None:
    """Return the tensor member that `getattr(x, "relu")` reads, or None."""
    member = context.facts.member("torch.Tensor", name)
    if member is None or context.facts.get(member) is None:
        return None
    holder = node.args[0]
    context.eval(holder)
    use = context.use(member, UseKind.READ, node, base.certainty, holder, base)
    use.owner = "torch.Tensor"
    context.keep(use)
    return context.members.read(member, base)


def chosen_by_text(context: Context, node: ast.Call) -> Use | None:
    """Return the use of `getattr(nn, kind)(...)`, or None if `kind` may be anything."""
    read = node.func
    if not (isinstance(read, ast.Call) and len(read.args) == 2 and not read.keywords):
        return None
    if context.quiet(read.func) != _GETATTR:
        return None
    selector = ast.unparse(read.args[1])
    base, names = context.quiet(read.args[0]), context.choices.get(selector, ())
    if not isinstance(base, TorchObject) or base.ported:
        return None
    presumed = () if names else strings_presumed(base.name, read.args[1])
    names = names or presumed
    if not names:
        return None
    full = tuple(context.facts.canonical(f"{base.name}.{name}") for name in names)
    if any(context.facts.get(name) is None for name in full):
        return None
    use = context.use(full[0], UseKind.CALL, node, base.certainty)
    use.among, use.selector, use.presumed = full, read.args[1], bool(presumed)
    return use


def asks_torch(context: Context, node: ast.Call) -> Value | None:
    """Record `hasattr(torch, "compile")`, whose result is known; return None for other calls."""
    if len(node.args) != 2 or not isinstance(node.args[1], ast.Constant):
        return None
    name, holder = node.args[1].value, node.args[0]
    if not isinstance(name, str) or name.startswith("_"):
        return None
    named = isinstance(holder, ast.Name | ast.Attribute)
    base = evaluate_receiver(context, holder) if named else UNKNOWN
    if not isinstance(base, TorchObject) or base.indirect or context.facts.is_own(base.name):
        return None
    if not context.facts.is_module(base.name) and base.name != "torch.Tensor":
        return None  # the members of other classes' instances are not known
    context.note(
        context.facts.canonical(f"{base.name}.{name}"), UseKind.ASKED, node, base.certainty
    )
    return Plain("bool")


def imported_module(context: Context, node: ast.Call) -> Value | None:
    """Return the module of `importlib.import_module("torch.nn")`, or None without arguments."""
    if not node.args:
        return None
    evaluate_arguments(context, node.args, node.keywords)
    first = node.args[0]
    name = first.value if isinstance(first, ast.Constant) else None
    if not isinstance(name, str):
        return UNKNOWN
    if not covers(name):
        return Foreign(name)
    context.note(context.facts.canonical(name), UseKind.READ, node, Certainty.PROVED)
    return TorchObject(context.facts.canonical(name), indirect=True)
