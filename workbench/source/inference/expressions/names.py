"""Names and members: the values they are bound to, and the uses of torch in reading them."""

from __future__ import annotations

import ast
import builtins

from workbench.findings import Certainty
from workbench.source.inference.context import Context
from workbench.source.inference.evidence.parameters import (
    MODULE_MEMBERS,
    called_as_tensor,
    takes_no_arguments,
)
from workbench.source.inference.evidence.saved_values import saved
from workbench.source.inference.functions import call_function, is_no_tensor
from workbench.source.inference.modules import OwnModule
from workbench.source.inference.target_names import name_of_target, spelled_as_target
from workbench.source.types.lattice import (
    ASSUMED_TENSOR,
    UNKNOWN,
    Foreign,
    ForeignInstance,
    ImportedFunction,
    Instance,
    Items,
    Plain,
    Tensor,
    TorchObject,
    UserFunction,
    UserObject,
    Value,
)
from workbench.source.types.member_tables import PARAM_GROUPS, SEQUENCES
from workbench.source.uses import UnknownMember, Use, UseKind
from workbench.words import words

_BUILTINS = frozenset(dir(builtins))
# torch's Python enumerations that targets have with the same names and values.
_ENUMERATIONS = frozenset(
    {
        "torch.nn.attention.SDPBackend",
        "torch.profiler.ProfilerAction",
        "torchvision.transforms.InterpolationMode",
        "torchvision.io.ImageReadMode",
    }
)
_OF_ENUMERATED = frozenset({"name", "value"})
# Python numbers, whose members do not belong to torch.
_NUMBERS = frozenset({"torch.e", "torch.inf", "torch.nan", "torch.pi"})
# Other members of torchvision's weights, such as `ResNet18_Weights.DEFAULT.url`.
_OF_WEIGHTS = frozenset({"url", "transforms"}) | _OF_ENUMERATED
# Attributes of every class and function, of which the first two are its name.
_NAMES = frozenset({"__name__", "__qualname__"})
# Modules whose functions have no prefix in their `__name__`, unlike `linalg_inv`.
_WITH_PLAIN_NAMES = frozenset({"torch", "torch.nn.functional"})
_OF_DEFINITIONS = _NAMES | {"__module__", "__doc__", "__class__", "__dict__"}
# Members of `functools.partial`, which a variable may hold in place of a torch class.
_OF_PARTIAL = frozenset({"func", "args", "keywords"})
# Methods that only modules have, in any library.
_OF_MODULES = frozenset(
    words(
        "parameters named_parameters buffers named_buffers named_modules named_children "
        "register_forward_hook register_forward_pre_hook register_full_backward_hook "
        "register_full_backward_pre_hook register_backward_hook "
        "_register_load_state_dict_pre_hook _register_state_dict_hook to_empty"
    )
)
_MODULE = "torch.nn.Module"
# Attributes that only modules have.
_TABLES_OF_MODULES = frozenset(
    words(
        "_forward_hooks _forward_hooks_with_kwargs _forward_hooks_always_called "
        "_forward_pre_hooks _forward_pre_hooks_with_kwargs _backward_pre_hooks "
        "_is_full_backward_hook _state_dict_pre_hooks _load_state_dict_pre_hooks "
        "_load_state_dict_post_hooks"
    )
)
_ANY_OF_MODULES = MODULE_MEMBERS | _OF_MODULES


def name(context: Context, node: ast.Name) -> Value:
    value = resolve(context, node)
    if isinstance(value, TorchObject) and not value.indirect:
        context.note(value.name, UseKind.READ, node, value.certainty)
    return _as_number(value)


def _as_number(value: Value) -> Value:
    """Return a Python float for torch's infinity and similar constants."""
    is_number = isinstance(value, TorchObject) and value.name in _NUMBERS
    return Plain("float") if is_number else value


def resolve(context: Context, node: ast.Name) -> Value:
    """Return the value that a name is bound to, without recording a use."""
    value = context.scope.lookup(node.id)
    if value is not None:
        if isinstance(value, TorchObject) and value.ported:
            context.of_target[id(node)] = value.name
        return value
    return Foreign(f"builtins.{node.id}") if node.id in _BUILTINS else UNKNOWN


def attribute(context: Context, node: ast.Attribute) -> Value:
    value, use = read_member(context, node)
    if use is not None:
        context.keep(use)
    return _as_number(value)


def read_member(
    context: Context, node: ast.Attribute, call: ast.Call | None = None
) -> tuple[Value, Use | None]:
    """Return the value of an attribute, and the use of torch in reading it or None.

    `call` is the call of the attribute, whose arguments may show the receiver's type.
    """
    base = _base(context, node, call)
    # An earlier walk may have known less, or only some of the receivers.
    context.found.unknown_members.pop(id(node), None)
    context.found.uses.pop(id(call or node), None)
    is_known = base is not UNKNOWN or node.attr in _ANY_OF_MODULES
    if (
        call is not None
        and not is_known
        and (is_no_tensor(context, node.value) or takes_no_arguments(context.facts, call))
    ):
        return UNKNOWN, None
    if isinstance(base, OwnModule):
        return _of_own(context, base, node)
    if (spelled := spelled_as_target(context, base)) is not None:
        meant = name_of_target(context, f"{spelled}.{node.attr}")
        context.of_target[id(node)] = meant.name if isinstance(meant, TorchObject) else ""
        return meant, None
    if isinstance(base, TorchObject):
        base = context.members.instance_of(base)
    if isinstance(base, TorchObject):
        return _of_torch(context, base, node)
    read = _of_owner(context, base, node, call is not None)
    if read is not None:
        return read
    _note_unknown(context, base, node)
    if base is UNKNOWN:
        if node.attr == "param_groups":  # only optimizers have such a member
            return PARAM_GROUPS, None
        return saved(context, node.value, node.attr), None
    return _of_program(context, base, node.attr), None


def _base(context: Context, node: ast.Attribute, call: ast.Call | None) -> Value:
    """Return the receiver's value; a tensor if only the call of the member shows it."""
    only = context.facts.torch_method(node.attr) in context.facts.tensor_only
    if call is not None and isinstance(node.value, ast.Call) and only:
        context.giving.add(id(node.value))
    base = evaluate_receiver(context, node.value)
    if base is not UNKNOWN or call is None or node.attr not in context.facts.tensor_members:
        return base
    tensor = id(call) in context.giving or called_as_tensor(
        call, context.statement, context.program
    )
    return ASSUMED_TENSOR if tensor else UNKNOWN


def _of_torch(context: Context, base: TorchObject, node: ast.Attribute) -> tuple[Value, Use | None]:
    """Return the value and use of a member of a torch module or class."""
    facts = context.facts
    if base.name in _NUMBERS:
        return UNKNOWN, None
    name = facts.canonical(f"{base.name}.{node.attr}")
    known = facts.get(name) is not None
    if node.attr in _OF_DEFINITIONS and not known and not facts.is_module(base.name):
        return _of_definition(context, base, node), None
    if not known and facts.is_own(base.name) and facts.is_module(base.name):
        # Members of a package without rules do not matter.
        return Foreign(name), None
    if not known and not facts.is_module(base.name):
        if node.attr in _of_enumerated(base.name.rpartition(".")[0]):
            return Plain("str") if node.attr in ("name", "url") else UNKNOWN, None
        # A member of a class or another object that torch defines.
        name = facts.member(base.name, node.attr) or name
    if base.indirect and node.attr in _OF_PARTIAL and facts.get(name) is None:
        return UNKNOWN, None
    use = context.use(name, UseKind.READ, node, base.certainty)
    use.owner = None if context.members.is_method(name) else base.name
    return context.members.constant(name, base.certainty), use


def _of_definition(context: Context, base: TorchObject, node: ast.Attribute) -> Value:
    """Return the value of `nn.Linear.__name__`, or of another attribute of a definition."""
    entry = context.facts.get(base.name)
    kind = entry.kind if entry is not None else ""
    names_function = kind == "function" and not base.indirect and node.attr == "__name__"
    plainly_named = names_function and base.name.rpartition(".")[0] in _WITH_PLAIN_NAMES
    if plainly_named or (kind == "class" and node.attr in _NAMES):
        use = context.use(base.name, UseKind.NAMED, node, base.certainty)
        use.indirect = base.indirect
        context.keep(use)
    elif not base.indirect:
        context.note(base.name, UseKind.READ, node.value, base.certainty)
    return UNKNOWN if node.attr in {"__class__", "__dict__"} else Plain("str")


def _of_owner(
    context: Context, base: Value, node: ast.Attribute, called: bool
) -> tuple[Value, Use | None] | None:
    """Return a member that an object inherits from a torch class, or None."""
    if (
        isinstance(base, Items)
        and context.facts.torch_method(node.attr) in context.facts.tensor_only
    ):
        base = UNKNOWN  # a loader of tensors, of which a batch is no list
    owner, certainty = context.members.owner(base, node.attr)
    of_modules = node.attr in _TABLES_OF_MODULES or (called and node.attr in _OF_MODULES)
    if of_modules and _may_be_module(context, base, node.attr):
        owner, certainty = _MODULE, Certainty.ASSUMED
    if owner is None or node.attr == "__init__":
        return None
    member = context.facts.member(owner, node.attr)
    if base is UNKNOWN and not called and context.members.is_method(member):
        member = None  # `settings.stride`: tensor methods are usually called
    if member is not None:
        use = context.use(member, UseKind.READ, node, certainty, node.value, base)
        use.owner = owner
        if context.facts.torch_method(node.attr) != node.attr:
            context.of_target[id(node)] = member
        return context.members.read(member, base), use
    if isinstance(base, Instance) and context.facts.lacks(owner, node.attr):
        name = f"{owner}.{node.attr}"
        return UNKNOWN, context.use(name, UseKind.READ, node, certainty, node.value, base)
    return None


def _may_be_module(context: Context, base: Value, attribute: str) -> bool:
    """Return whether an object of a partly known type may be a module.

    `build().to(device)` counts as a tensor if nothing shows what `build` returns. An object of the
    program that does not define the attribute gets it from a class that is combined with its own.
    """
    if isinstance(base, UserObject):
        torch_base = context.members.owner(base, attribute)[0]
        return torch_base is None and context.members.of_program(base, attribute) is UNKNOWN
    return base is UNKNOWN or isinstance(base, Foreign | ForeignInstance | Tensor)


def _note_unknown(context: Context, base: Value, node: ast.Attribute) -> None:
    """Record a member that may be torch's, of a receiver of unknown type."""
    unknown = context.found.unknown_members
    own = isinstance(base, Foreign) and base.name.startswith(".")
    possible = context.facts.tensor_only if own else context.facts.tensor_members
    if (own or base is UNKNOWN) and node.attr in possible:
        unknown[id(node)] = UnknownMember(node, context.statement)
    elif node.attr in MODULE_MEMBERS and (base is UNKNOWN or isinstance(base, Foreign)):
        unknown[id(node)] = UnknownMember(node, context.statement, _MODULE)


def _of_program(context: Context, base: Value, attribute: str) -> Value:
    """Return a member that the program defines; for a property, its result."""
    if isinstance(base, Instance) and base.cls in SEQUENCES - {_MODULE}:
        return context.members.item(base, Plain("str"))  # `net.conv1`, added by its name
    value = context.members.of_program(base, attribute)
    if isinstance(value, UserFunction) and value.is_property:
        return call_function(context, value, [], {})
    if isinstance(value, ImportedFunction) and value.is_property:
        return value.result
    return value


def _of_own(context: Context, base: OwnModule, node: ast.Attribute) -> tuple[Value, Use | None]:
    """Return a name of another module of the program, which may come from torch."""
    value = base.get(node.attr)
    if not isinstance(value, TorchObject) or value.indirect:
        return value, None
    return value, context.use(value.name, UseKind.READ, node, value.certainty)


def evaluate_receiver(context: Context, node: ast.expr) -> Value:
    """Evaluate a receiver, without recording each part of a chain of torch modules as a use."""
    if isinstance(node, ast.Name):
        value = resolve(context, node)
        if isinstance(value, TorchObject) and not (
            value.indirect or _is_module_or_class(context, value)
        ):
            context.note(value.name, UseKind.READ, node, value.certainty)
        return value
    if isinstance(node, ast.Attribute):
        value, use = read_member(context, node)
        if use is not None and not _is_module_or_class(context, value):
            context.keep(use)
        return value
    return context.eval(node)


def tested(context: Context, node: ast.expr) -> None:
    """Mark a module as tested for presence, as after an import that may have failed."""
    use = context.found.uses.get(id(node))
    if use is not None and use.kind is UseKind.READ and isinstance(node, ast.Name):
        use.kind = UseKind.PRESENCE if context.facts.is_module(use.name) else use.kind


def _is_module_or_class(context: Context, value: Value) -> bool:
    """Return whether it is a torch module or class: the use is the member read from it."""
    if not isinstance(value, TorchObject):
        return False
    entry = context.facts.get(value.name)
    return entry is None or entry.kind in {"module", "class"}


def _of_enumerated(name: str) -> frozenset[str]:
    """Return the readable members of a class's members, if it is an enumeration of the targets."""
    if name.startswith("torchvision.models.") and name.endswith("_Weights"):
        return _OF_WEIGHTS
    return _OF_ENUMERATED if name in _ENUMERATIONS else frozenset()
