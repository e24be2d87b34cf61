"""What becomes of each use: the rule's answer, and whether it can be carried out safely."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass, replace
from itertools import takewhile

from workbench.proof.record import unsupported
from workbench.rules.match import Argument, Match, matches
from workbench.rules.outcome import Keep, Outcome, Refusal, Rewrite
from workbench.rules.rule import Rule
from workbench.rules.template import Template, compile_template
from workbench.rules.unpacked import through_lambda
from workbench.source.tree import inside
from workbench.source.uses import Use, UseKind
from workbench.source.values import Plain, Tensor, TorchObject, Value
from workbench.targets import Target
from workbench.upstream.facts import Entry, Signature

_UNPACKING = "arguments passed with * or ** cannot be told apart; write them out"
# Functions that make a tensor of nothing but their arguments.
_MAKERS = frozenset({"tensor", "zeros", "ones", "full", "arange", "linspace", "eye", "empty"})
_HALVES = frozenset({"torch.float16", "torch.bfloat16"})
_NO_LAYERS = ("torch.nn.functional.", "torch.nn.init.", "torch.nn.utils.", "torch.nn.attention.")
_OWN_METHOD = re.compile(r"\{self\}\.(\w+)\(([^()]*)\)")
_KEYWORDS = re.compile(r"(\w+)=\{(\w+)\}")
_TYPE_TESTS = frozenset({"isinstance", "issubclass"})
_DATA = frozenset({"property", "attribute", "dtype", "constant"})


@dataclass(slots=True)
class Plan:
    """A use, the signature that its arguments were bound to, and what becomes of it."""

    use: Use
    outcome: Outcome
    match: Match
    rule: Rule | None = None

    @property
    def converts(self) -> bool:
        return not isinstance(self.outcome, Refusal)


def left_out(plan: Plan) -> list[ast.expr]:
    """The arguments that the rewritten use does without, proven to have no effect on it."""
    outcome = plan.outcome
    if not isinstance(outcome, Rewrite) or outcome.callee_only:
        return []
    template = compile_template(outcome.template)
    if template.passes_on:
        return []
    held = {*template.placeholders, *outcome.texts}
    return [
        node
        for name, argument in plan.match.arguments.items()
        if name not in held
        for node in argument.nodes
    ]


def without_left_out(plans: list[Plan]) -> list[Plan]:
    """The plans without those of torch's names that go with an argument that is left out."""
    gone = {id(part) for one in plans for node in left_out(one) for part in inside(node)}
    if not gone:
        return plans
    return [one for one in plans if one.converts or id(one.use.node) not in gone]


def with_tests_kept(plans: list[Plan], needed: Collection[str]) -> list[Plan]:
    """The plans, where a test of whether torch is there stays one if torch itself does."""
    if not any(_tests(one, needed) for one in plans):
        return plans
    kept = Keep("it stays for what else needs it here, and so does the test of whether it is there")
    return [
        replace(one, outcome=kept) if one.use.kind is UseKind.PRESENCE else one for one in plans
    ]


def _tests(plan: Plan, needed: Collection[str]) -> bool:
    node = plan.use.node
    return plan.use.kind is UseKind.PRESENCE and isinstance(node, ast.Name) and node.id in needed


def plan(use: Use, target: Target) -> Plan:
    """Decide one use."""
    decided = _plan(use, target)
    rule = decided.rule
    limit = target.unproven.get(rule.name) if rule is not None else None
    if rule is None or limit is None or isinstance(decided.outcome, Refusal):
        return decided
    # A spelling made for the older version says itself in what it differs.
    own = rule is not target.rules.get(rule.name)
    if limit.some or own:
        caveat = decided.outcome.caveat or (
            f"{target.title} {target.version} does not take all of its forms; {limit.since} does"
        )
        decided.outcome = replace(decided.outcome, caveat=caveat)
    else:
        decided.outcome = Refusal(
            f"it needs {target.title} {limit.since} or newer, and the target is {target.version}"
        )
    return decided


def _plan(use: Use, target: Target) -> Plan:
    empty = Match(use, Signature((), ""), target=target.version)
    if use.kind is UseKind.PRESENCE:
        return Plan(use, Rewrite(target.module), empty)
    entry = target.facts.get(use.name)
    rule = target.rules.find(entry.alias_of or entry.name) if entry else None
    if rule is None or entry is None:
        return Plan(use, Refusal(_no_rule(use, entry, target)), empty)
    rule = target.rules.spelled(rule, target.version)
    if use.kind is UseKind.ANNOTATION and use.name.endswith("Tensor"):
        rule = target.rules.find("torch.Tensor") or rule  # no type checker knows tensors by dtype
    if not use.binds:
        handed = _through_class(use, _handed_on(use, rule, entry, empty), target)
        return Plan(use, handed, empty, rule)
    if entry.kind in _DATA and rule.refusal is None:
        # What the member holds is called: `layer.activation(x)`.
        held = rule.apply(empty)
        held = replace(held, callee_only=True) if isinstance(held, Rewrite) else held
        return Plan(use, held, empty, rule)
    candidates = list(matches(use, _signatures(rule, entry), target.version))
    if not candidates and rule.legacy:
        legacy = Entry(entry.name, entry.kind, rule.legacy)
        candidates = list(matches(use, legacy, target.version))
    if not candidates:
        if rule.keep and use.kind is UseKind.INDIRECT and entry.kind == "method":
            return Plan(use, Keep(rule.note, rule.caveat), empty, rule)  # `f = torch.Tensor.exp`
        unpacked = rule.refusal or _unpacked(use, rule, entry)
        if use.kind is UseKind.INDIRECT and isinstance(unpacked, Rewrite):
            unpacked = _unpacked_through_a_value(use, rule, entry, unpacked)
        return Plan(use, unpacked, empty, rule)
    decided = [Plan(use, _whole(match, rule), match, rule) for match in candidates]
    best = _choose(decided)
    if isinstance(best.outcome, Rewrite | Keep) and (lacking := _no_device(best.match, target)):
        best.outcome = lacking
    if use.kind in {UseKind.INDIRECT, UseKind.PARTIAL}:
        best.outcome = _through_a_value(use, rule, entry, best.outcome, empty)
    best.outcome = _with_kernels(use, rule, _through_class(use, best.outcome, target), target)
    if isinstance(best.outcome, Rewrite):
        problem = _unsafe(best.match, best.outcome)
        if problem is not None:
            best.outcome = _as_written(best.match, best.outcome) or problem
    return best


def _no_device(match: Match, target: Target) -> Refusal | None:
    """A refusal where a device is named that the target does not have."""
    device = match.constant("device", None)
    if not isinstance(device, str) or not target.devices:
        return None
    kind = device.partition(":")[0]
    return None if kind in target.devices else Refusal(f"{target.title} has no device {kind!r}")


def _as_written(match: Match, outcome: Rewrite) -> Rewrite | None:
    """The rewrite behind a lambda, whose arguments are evaluated once and as they are written."""
    call = match.use.call
    if call is None or match.use.kind is not UseKind.CALL or outcome.texts:
        return None
    if not {keyword.arg for keyword in call.keywords} <= match.arguments.keys():
        return None
    method = match.use.receiver is not None
    text = through_lambda((outcome.template,), match.signature, outcome.consumed, method=method)
    return replace(outcome, template=text) if text else None


def _whole(match: Match, rule: Rule) -> Outcome:
    """The rule's answer, unless it passes over an argument: then a refusal that names it."""
    outcome = rule.apply(match)
    if not isinstance(outcome, Rewrite) or outcome.callee_only:
        return outcome
    template = compile_template(outcome.template)
    if template.passes_on:
        return outcome
    held = {*template.placeholders, *outcome.texts, *outcome.consumed, *rule.ignored}
    for name in match.arguments:
        if name not in held and not match.is_default(name):
            return Refusal(f"its argument `{name}` has no equivalent")
    return outcome


def _with_kernels(use: Use, rule: Rule, outcome: Outcome, target: Target) -> Outcome:
    """A caveat where a tensor has a dtype for which the proofs met no kernel in the target."""
    values = (use.receiver_value, *use.values, *use.keywords.values())
    known = {value.dtype for value in values if isinstance(value, Tensor) and value.dtype}
    if not isinstance(outcome, Refusal) and _halves_layers(rule, values):
        caveat = f"on a CPU {target.title} has most layers for no numbers of half precision"
        return replace(outcome, caveat=f"{outcome.caveat}; {caveat}" if outcome.caveat else caveat)
    if isinstance(outcome, Refusal) or known <= {"float32"}:
        return outcome
    lacking = unsupported(rule.name, target.name)
    if rule.name.startswith("torch.Tensor."):
        lacking |= unsupported(f"torch.{rule.name.rpartition('.')[2]}", target.name)
    if "bfloat16" in lacking:
        lacking |= {"float16"}  # both are halves, of which a CPU seldom has but one
    missing = sorted(known & lacking)
    if not missing:
        return outcome
    caveat = f"on a CPU {target.title} has it for no tensors of {' and '.join(missing)}: it raises"
    return replace(outcome, caveat=f"{outcome.caveat}; {caveat}" if outcome.caveat else caveat)


def _halves_layers(rule: Rule, values: Iterable[Value | None]) -> bool:
    """Whether layers are made of, or turned into, numbers of half precision."""
    if rule.name in {"torch.nn.Module.half", "torch.nn.Module.bfloat16"}:
        return True
    of_layers = rule.name.startswith("torch.nn.") and not rule.name.startswith(_NO_LAYERS)
    names = {value.name for value in values if isinstance(value, TorchObject)}
    return of_layers and not names.isdisjoint(_HALVES)


def _through_class(use: Use, outcome: Outcome, target: Target) -> Outcome:
    """A method reached through its class: `torch.Tensor.exp`, `nn.Linear.forward(self, x)`."""
    entry, unbound = target.facts.get(use.name), use.kind is UseKind.UNBOUND
    reached = unbound or (use.receiver is None and use.kind in {UseKind.CALL, UseKind.READ})
    if not reached or isinstance(outcome, Refusal) or entry is None or entry.kind != "method":
        return outcome
    owner, _, member = use.name.rpartition(".")
    rule = target.rules.get(owner)
    cls = rule.value if rule is not None else None
    refused = Refusal("called through the class, it has no equivalent", "call it on the object")
    if isinstance(outcome, Keep):
        if cls is None or "(" in cls:
            return refused
        return Rewrite(
            f"{cls}.{member}", note=outcome.note, caveat=outcome.caveat, callee_only=True
        )
    own = _OWN_METHOD.fullmatch(outcome.template)
    if unbound and own is not None and owner != "torch.Tensor":
        # Of the class, as it is written: the object's own may be what calls it.
        rest = f", {own[2]}" if own[2] else ""
        text = f"{cls}.{own[1]}({{self}}{rest})"
        return refused if cls is None or "(" in cls else replace(outcome, template=text)
    calls_itself = owner != "torch.Tensor" and f"{{self}}.{member}(" in outcome.template
    held = compile_template(outcome.template).placeholders
    if (unbound and calls_itself) or (not unbound and "self" in held):
        return refused
    return outcome


def _signatures(rule: Rule, entry: Entry) -> Entry:
    if not rule.signatures:
        return entry
    return Entry(entry.name, entry.kind, rule.signatures)


def _no_rule(use: Use, entry: Entry | None, target: Target) -> str:
    if entry is None and target.facts.is_own(use.name.rpartition(".")[0]):
        return f"what stands for it in {target.title} has no such member"
    if entry is None:
        package = use.name.partition(".")[0]
        return f"it is not a public {package} name; {target.title} has no counterpart"
    return "there is no rule for it yet"


def _unpacked(use: Use, rule: Rule, entry: Entry) -> Outcome:
    """A call with `*args` or `**kwargs`: they stay, where the target takes what torch takes."""
    call = use.call
    if call is None:
        return Refusal("its operand fits no signature of torch")
    reason = _unbound(use)
    if reason != _UNPACKING or use.kind is UseKind.UNBOUND:
        return Refusal(reason)
    if rule.keep:
        return Keep(rule.note, rule.caveat)
    named = {keyword.arg for keyword in call.keywords if keyword.arg is not None}
    if rule.unpacked is not None and ("out" not in named or _takes_out(rule.unpacked)):
        return Rewrite(rule.unpacked, note=rule.note, caveat=rule.caveat)
    if rule.legacy and any(isinstance(v, Plain) and v.kind in {"int", "float"} for v in use.values):
        return Refusal("a number stands among the tensors, in an order of old code")
    if not rule.templates:
        return Refusal(reason)
    template = compile_template(rule.templates[0])
    if template.passes_on:
        return Rewrite(template.text, note=rule.note, caveat=rule.caveat)
    signatures = _signatures(rule, entry).signatures
    if len(named) == len(call.keywords) or _places_are_filled(call, template):
        for signature in signatures:
            names = [parameter.name for parameter in signature.parameters]
            takes = template.takes(names) and _by_name(call, template, signature)
            if takes and named <= template.keywords:
                return Rewrite(
                    template.callee, note=rule.note, caveat=rule.caveat, callee_only=True
                )
    between = None
    if len(signatures) == 1:
        method = use.receiver is not None
        between = through_lambda(
            rule.templates, signatures[0], rule.ignored, method=method, given=named
        )
    return Rewrite(between, note=rule.note, caveat=rule.caveat) if between else Refusal(reason)


def _takes_out(text: str) -> bool:
    """Whether what takes a call's own arguments may take `out`: the target's own function does.

    A helper or a lambda does where it says so, or passes on what it does not name.
    """
    front = text.partition("(")[0]
    return "." in front or "**" in text or re.search(r"\bout\b", text) is not None


def _by_name(call: ast.Call, template: Template, signature: Signature) -> bool:
    """Whether no `*` can hold what the target takes by name alone, or not at all."""
    if not any(isinstance(argument, ast.Starred) for argument in call.args):
        return True
    placed = {p.name for p in signature.parameters if p.kind != "keyword"}
    return placed <= set(template.positional)


def _places_are_filled(call: ast.Call, template: Template) -> bool:
    """Whether no `**` can hold what the target takes by place, under a name of its own."""
    plain = takewhile(lambda argument: not isinstance(argument, ast.Starred), call.args)
    return sum(1 for _ in plain) >= len(template.positional)


def _unbound(use: Use) -> str:
    call = use.call
    assert call is not None
    if any(isinstance(argument, ast.Starred) for argument in call.args) or any(
        keyword.arg is None for keyword in call.keywords
    ):
        return _UNPACKING
    return "its arguments fit no signature of torch"


def _choose(plans: list[Plan]) -> Plan:
    """One of several overloads, or a refusal where types do not tell which of two is meant."""
    first = plans[0]
    for other in plans:
        if other.match.certain and other.converts:
            return other
    converting = [other for other in plans if other.converts]
    if not converting:
        return first
    best = converting[0]
    if all(_alike(best, other) for other in plans if other.converts):
        return best
    given = [set(other.match.arguments) for other in converting]
    names = sorted(set().union(*given) - given[0].intersection(*given[1:]))
    return Plan(
        best.use,
        Refusal(
            "the type of its arguments is not known here, and it decides which form is meant"
            f" ({', '.join(names)}); write that argument by keyword"
        ),
        best.match,
        best.rule,
    )


def _alike(one: Plan, other: Plan) -> bool:
    """True where two overloads are rewritten to the same code."""
    if one.outcome != other.outcome:
        return False
    if isinstance(one.outcome, Keep):
        return True
    if isinstance(one.outcome, Rewrite) and compile_template(one.outcome.template).passes_on:
        return True
    return {name: a.indexes for name, a in one.match.arguments.items()} == {
        name: a.indexes for name, a in other.match.arguments.items()
    } and [a.variadic for a in one.match.arguments.values()] == [
        a.variadic for a in other.match.arguments.values()
    ]


def _handed_on(use: Use, rule: Rule, entry: Entry, match: Match) -> Outcome:
    """A use that is no call: a data member, a constant, or a name handed on as a value."""
    if isinstance(use.node, ast.Attribute | ast.Name) and isinstance(use.node.ctx, ast.Del):
        if rule.keep and entry.kind in _DATA:
            return Keep(rule.note, rule.caveat)
        return Refusal("deleting it has no equivalent")
    if use.kind is UseKind.STORE:
        if rule.store is None:
            return rule.refusal or Refusal("assigning to it has no equivalent")
        return _stored(use, rule)
    if rule.refusal is not None:
        return rule.refusal
    if entry.kind in _DATA:
        return rule.apply(match)
    if rule.keep:
        return Keep(rule.note, rule.caveat)
    if rule.value is not None:
        caveat = rule.caveat
        own = _takes_torchs_own(Rewrite(rule.value), rule)
        made_elsewhere = use.kind is UseKind.READ or _inherits_its_constructor(use)
        if made_elsewhere and entry.kind == "class" and not own:
            caveat = caveat or _renamed(use, rule)
        return Rewrite(rule.value, note=rule.note, caveat=caveat)
    if use.receiver is not None:
        return Refusal("handed on as a value instead of called, it has no equivalent")
    callee = compile_template(rule.templates[0]).callee if rule.templates else ""
    if not callee or "{" in callee:
        return _lambda_value(rule, entry) or Refusal(
            "handed on as a value instead of called, it has no equivalent"
        )
    if entry.kind == "class":
        return Rewrite(callee, note=rule.note, caveat=rule.caveat)
    return _function_value(rule, entry, callee)


def _renamed(use: Use, rule: Rule) -> str | None:
    """A caveat of a class handed on, whose keyword arguments have other names in the target."""
    pairs = _KEYWORDS.findall(rule.templates[0]) if rule.templates else []
    differs = any(mine != theirs for mine, theirs in pairs)
    helper = (rule.unpacked or "").partition("(")[0]
    if not (differs or helper not in {"", rule.value}) or _tests_a_type(use):
        return None
    return "handed on as a value: keyword arguments have other names there"


def _inherits_its_constructor(use: Use) -> bool:
    """Whether the use is the base of a class without a constructor of its own."""
    cls = use.statement
    return (
        use.kind is UseKind.BASE
        and isinstance(cls, ast.ClassDef)
        and not any(getattr(one, "name", "") == "__init__" for one in cls.body)
    )


def _tests_a_type(use: Use) -> bool:
    """Whether a class is there to be compared: `isinstance(x, nn.Softmax)`."""
    for node in ast.walk(use.statement):
        asks = isinstance(node, ast.Call) and getattr(node.func, "id", "") in _TYPE_TESTS
        asks = asks or isinstance(node, ast.Compare)
        if asks and any(one is use.node for one in inside(node)):
            return True
    return False


def _takes_torchs_own(handed_on: Outcome, rule: Rule) -> bool:
    """Whether what stands for a function takes the very arguments that torch's does."""
    if not isinstance(handed_on, Rewrite):
        return False
    text = handed_on.template
    return text.startswith("(lambda") or f"{text}(...)" in (rule.unpacked, *rule.templates)


def _lambda_value(rule: Rule, entry: Entry) -> Outcome | None:
    """A function handed on as what takes torch's own arguments, mostly a lambda."""
    text = rule.unpacked
    if text is None:
        made = {
            through_lambda(rule.templates, signature, rule.ignored, method=False)
            for signature in _signatures(rule, entry).signatures
        }
        text = made.pop() if len(made) == 1 else None
    if text is None or "{" in text:
        return None
    note = rule.note or ("a lambda stands in its place" if text.startswith("(lambda") else None)
    return Rewrite(text.removesuffix("(...)"), note=note, caveat=rule.caveat)


def _through_a_value(use: Use, rule: Rule, entry: Entry, outcome: Outcome, match: Match) -> Outcome:
    """A call of a name that was handed on: only its arguments are rewritten."""
    handed_on = _handed_on(use, rule, entry, match) if use.call is not None else outcome
    if (
        use.kind is UseKind.PARTIAL
        and isinstance(handed_on, Rewrite)
        and _takes_torchs_own(handed_on, rule)
    ):
        return replace(handed_on, template=f"{handed_on.template}(...)")
    if not isinstance(outcome, Rewrite):
        return outcome
    if isinstance(handed_on, Refusal):
        return handed_on
    if outcome.callee_only:
        return Keep(outcome.note, outcome.caveat)
    template = compile_template(outcome.template)
    if use.kind is UseKind.INDIRECT and _takes_torchs_own(handed_on, rule):
        return Keep(outcome.note, outcome.caveat)
    if not template.is_call or "{" in template.callee:
        return Refusal("called through another name, its arguments cannot be rewritten")
    if isinstance(handed_on, Rewrite) and template.callee != handed_on.template:
        return Refusal("called through another name, this form has no equivalent")
    caveat = outcome.caveat
    if use.kind is UseKind.PARTIAL:
        caveat = caveat or "later calls of it must use the target's names for keyword arguments"
    return replace(outcome, caveat=caveat)


def _unpacked_through_a_value(use: Use, rule: Rule, entry: Entry, outcome: Rewrite) -> Outcome:
    """A call with `*` or `**` of a name that was handed on: as it stands, where torch's fit."""
    handed_on = _handed_on(use, rule, entry, Match(use, Signature((), "")))
    if not isinstance(handed_on, Rewrite):
        return handed_on
    if _takes_torchs_own(handed_on, rule):
        return Keep(outcome.note, outcome.caveat)
    if compile_template(outcome.template).callee != handed_on.template:
        return Refusal("called through another name, this form has no equivalent")
    return outcome


def _function_value(rule: Rule, entry: Entry, callee: str) -> Outcome:
    """A function handed on: exact as far as it is called with its first arguments in order."""
    template = compile_template(rule.templates[0])
    if template.passes_on and template.text == f"{callee}(...)":
        return Rewrite(callee, note=rule.note, caveat=rule.caveat)
    order = [p.name for p in entry.signatures[0].parameters] if entry.signatures else []
    if template.passes_on or template.literals or not template.only_placeholders:
        return _lambda_value(rule, entry) or Refusal(
            "handed on as a value instead of called, it has no equivalent"
        )
    if list(template.placeholders[:1]) != order[:1]:
        return _lambda_value(rule, entry) or Refusal(
            "handed on as a value, its arguments would come in another order"
        )
    caveat = rule.caveat
    if len(order) > 1:
        caveat = caveat or "handed on as a value: keyword arguments have other names there"
    return Rewrite(callee, note=rule.note, caveat=caveat)


def _stored(use: Use, rule: Rule) -> Outcome:
    statement = use.statement
    if not isinstance(statement, ast.Assign) or statement.targets != [use.node]:
        return Refusal("only a plain assignment to it can be converted")
    assert rule.store is not None
    return Rewrite(rule.store[0], note=rule.note, caveat=rule.caveat)


def _unsafe(match: Match, outcome: Rewrite) -> Refusal | None:
    """A refusal where the rewrite would evaluate something twice, never, or in another order."""
    if outcome.callee_only or compile_template(outcome.template).passes_on:
        return None
    arguments = dict(match.arguments)
    template = compile_template(outcome.template)
    missing = template.displaced({*arguments, *outcome.texts, "self"})
    if missing is not None:
        return Refusal(f"it needs the argument `{missing}` with those that follow it")
    receiver = match.use.receiver
    if receiver is not None:
        arguments["self"] = Argument([receiver], [], [-1])
    costly = {name: one for name, one in arguments.items() if not _all(_pure_node, one)}
    if not costly:
        return None
    impure = {name: one for name, one in costly.items() if not _all(_unnoticed, one)}
    for name in costly:
        count = outcome.template.count("{" + name + "}") + outcome.template.count("{" + name + "=")
        if count > 1:
            return Refusal(f"its argument `{name}` would be evaluated twice; give it a name first")
        if count == 0 and name in outcome.consumed and name in impure:
            return Refusal(f"its argument `{name}` would not be evaluated; give it a name first")
    order = [impure[name].indexes[0] for name in template.placeholders if name in impure]
    positional = [impure[n].indexes[0] for n in template.positional if n in impure]
    keywords = sorted(index for index in order if index not in positional)
    written = positional + keywords if template.is_call else order
    if written != sorted(written):
        return Refusal("its arguments would be evaluated in another order; give them names first")
    return None


def _all(test: Callable[[ast.expr], bool], argument: Argument) -> bool:
    return all(test(node) for node in argument.nodes)


def _unnoticed(node: ast.expr) -> bool:
    """True for expressions that may be evaluated earlier or later, and nobody can tell."""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        maker = isinstance(node.func.value, ast.Name) and node.func.attr in _MAKERS
        given = [*node.args, *(keyword.value for keyword in node.keywords)]
        return maker and node.func.value.id == "torch" and all(map(_unnoticed, given))  # type: ignore[attr-defined]
    return _pure_node(node)


def _pure_node(node: ast.expr) -> bool:
    """True for expressions whose evaluation is not noticed: names, literals, members of them."""
    if isinstance(node, ast.Name | ast.Constant | ast.Lambda):
        return True
    if isinstance(node, ast.Attribute | ast.Starred):
        return _pure_node(node.value)
    if isinstance(node, ast.UnaryOp):
        return _pure_node(node.operand)
    if isinstance(node, ast.BinOp):
        return _pure_node(node.left) and _pure_node(node.right)
    if isinstance(node, ast.Tuple | ast.List):
        return all(_pure_node(item) for item in node.elts)
    if isinstance(node, ast.Subscript):
        return _pure_node(node.value) and _pure_node(node.slice)
    return isinstance(node, ast.Slice)
