"""A project's own rules for a target: read from its module, checked, and added.

Reading runs the module. A caller must have the user's permission: on the command line it is given,
in an editor only in a trusted workspace.
"""

from __future__ import annotations

import ast
import builtins
import contextlib
import hashlib
import importlib.util
import sys
import traceback
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from types import ModuleType

from workbench.errors import RuleError, TorchferryError
from workbench.importing import without_bytecode
from workbench.rules.match import Match
from workbench.rules.outcome import Outcome, Refusal, Rewrite
from workbench.rules.own import OwnRules, Place
from workbench.rules.rule import Rule
from workbench.rules.template import compile_template, roots
from workbench.targets import Target, load
from workbench.targets.helpers import HelperLibrary
from workbench.upstream.facts import Entry, Facts, covers, parse_signature

_OPERATORS = "torch.ops."
_NEXT = "fix it there, then run this again"


@dataclass(frozen=True)
class Own:
    """A target with a project's own rules.

    Attributes:
        target: the target, unchanged if no rules could be read.
        rules: the usable rules.
        problems: the problems of the others, each with a file, usually a line, and the remedy.
        prelude: code that the rules' cases need in addition to torch.
        digest: a hash of the module and its helpers.
        files: the module and the files of its helpers.
    """

    target: Target
    rules: tuple[Rule, ...] = ()
    problems: tuple[str, ...] = ()
    prelude: str = ""
    digest: str = ""
    files: tuple[Path, ...] = ()


_known: dict[tuple[str, Path], tuple[list[object], Own]] = {}


def aim(spec: str, file: Path | None, style: str | None = None, init: str | None = None) -> Target:
    """Return the target for the code, with a project's own rules if there are any.

    Raises:
        UnknownTargetError: no such target, style or initialisation.
    """
    return load(spec if file is None else read(spec, file).target, style, init)


def read(spec: str, file: Path) -> Own:
    """Return a target with the rules of a module, which runs again when it or its helpers change.

    Problems of the module are part of the result; none is raised.
    """
    base = load(spec)
    known = _known.get((spec, file))
    if known is None or known[0] != _stamps(known[1].files):
        own = _read(base, file)
        known = _known[spec, file] = _stamps(own.files), own
    return known[1]


def _stamps(files: Iterable[Path]) -> list[object]:
    found: list[object] = []
    for file in files:
        with contextlib.suppress(OSError):
            state = file.stat()
            found += [str(file), state.st_mtime_ns, state.st_size]
    return found


def _read(base: Target, file: Path) -> Own:
    files: tuple[Path, ...] = (file,)
    try:
        rules = _rules_of(file)
        files += tuple(file.parent / name for name in rules.helpers)
        helpers = _with_helpers(base.helpers, files[1:])
    except TorchferryError as error:
        return Own(base, problems=(str(error),), digest=_digest(files), files=files)
    good, problems = _usable(base, rules, helpers)
    facts = _extended(base, good, helpers)
    target = replace(
        base,
        rules=base.rules.extended(good, facts),
        helpers=helpers,
        facts=facts,
        dropped=frozenset(rules.dropped),
    )
    return Own(target, tuple(good), tuple(problems), rules.prelude, _digest(files), files)


def _digest(files: Iterable[Path]) -> str:
    found = hashlib.blake2b(digest_size=16)
    for file in files:
        with contextlib.suppress(OSError):
            found.update(file.read_bytes() + b"\0")
    return found.hexdigest()


# The module


def _rules_of(file: Path) -> OwnRules:
    """Run the module; return its variable `rules`."""
    module = _run(file)
    rules = getattr(module, "rules", None)
    if not isinstance(rules, OwnRules):
        raise RuleError(
            f"{file}: it defines no rules; add: from workbench.rules.own import OwnRules, and:"
            " rules = OwnRules()"
        )
    return rules


def _run(file: Path) -> ModuleType:
    name = f"_torchferry_own_{hashlib.blake2b(str(file).encode(), digest_size=6).hexdigest()}"
    spec = importlib.util.spec_from_file_location(name, file)
    if spec is None or spec.loader is None:
        raise RuleError(f"{file}: not a Python file; name one in `rules`")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module  # dataclasses look up their module
    # The module can import its neighbours; its output must not mix with ours.
    sys.path.insert(0, str(file.parent))
    try:
        code = compile(file.read_bytes(), str(file), "exec", dont_inherit=True)
        with contextlib.redirect_stdout(sys.stderr), without_bytecode():
            exec(code, module.__dict__)
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        raise RuleError(f"{_origin(error, file)}: {_words(error)}; {_NEXT}") from error
    finally:
        sys.path.remove(str(file.parent))
        sys.modules.pop(name, None)
    return module


def _origin(error: BaseException, file: Path) -> Place | Path:
    """Return the line of the module, or of a neighbour that it imports, that raised an error."""
    if isinstance(error, SyntaxError) and error.lineno:
        return Place(error.filename or str(file), error.lineno)
    frames = traceback.extract_tb(error.__traceback__)
    own = [one for one in frames if Path(one.filename).is_relative_to(file.parent)]
    return Place(own[-1].filename, own[-1].lineno or 1) if own else file


def _words(error: BaseException) -> str:
    if isinstance(error, RuleError):
        return str(error)
    text = error.msg if isinstance(error, SyntaxError) else str(error)
    return f"{type(error).__name__}: {text}" if text else type(error).__name__


# Helpers


def _with_helpers(library: HelperLibrary, files: Iterable[Path]) -> HelperLibrary:
    for file in files:
        try:
            library = library.extended(file)
        except OSError as error:
            raise RuleError(
                f"{file}: {error.strerror}; give helper files relative to the folder of the module"
            ) from error
        except SyntaxError as error:
            raise RuleError(f"{file}:{error.lineno}: {error.msg}; {_NEXT}") from error
        except RuleError as error:
            raise RuleError(f"{file}: {error}; {_NEXT}") from error
    return library


# Each rule


def _usable(base: Target, rules: OwnRules, helpers: HelperLibrary) -> tuple[list[Rule], list[str]]:
    """Return the usable rules, guarded, and the problems of the others."""
    good: dict[str, Rule] = {}
    problems: list[str] = []
    wrong = {id(rule): list(_problems(base, rule)) for rule in rules.rules}
    facts = _extended(base, [rule for rule in rules.rules if not wrong[id(rule)]], helpers)
    for rule, place in rules.placed():
        found = wrong[id(rule)]
        if rule.name in good:
            found.append(f"two rules for {rule.name}")
        if not found:
            try:
                found = base.rules.problems(rule, facts)
                found += _unknown_names(base, rule, helpers)
            except RuleError as error:
                found = [str(error)]
        if found:
            problems += [f"{place}: {text}; {_NEXT}" for text in found]
        else:
            good[rule.name] = _guarded(rule, place, base, helpers)
    return list(good.values()), problems


def _extended(base: Target, rules: Iterable[Rule], helpers: HelperLibrary) -> Facts:
    """Return the target's facts with the names of new rules."""
    new = [rule for rule in rules if _is_new(base, rule)]
    return base.facts.extended({rule.name: _entry(rule, helpers) for rule in new})


def _is_new(base: Target, rule: Rule) -> bool:
    """Return whether a rule is for a name that is not one of torch's public ones."""
    return base.facts.get(rule.name) is None


def _problems(base: Target, rule: Rule) -> Iterator[str]:
    name = rule.name
    if not all(part.isidentifier() for part in name.split(".")):
        yield f"{name!r} is not a name"
    elif not _is_new(base, rule):
        there = base.rules.get(base.facts.canonical(name))
        if there is not None and there.refusal is None:
            yield f"Torchferry already has a rule for {name}"
    elif covers(name) and not (name.startswith(_OPERATORS) and name.count(".") >= 3):
        yield f"torch has no {name}"
    elif "." not in name:
        yield f"{name}: add the module that it is imported from, as in mylib.{name}"
    elif not rule.signatures and rule.refusal is None and not rule.keep:
        yield f"{name}: its parameters are not known; write signature='(x, dim=0) -> Tensor'"


def _unknown_names(base: Target, rule: Rule, helpers: HelperLibrary) -> Iterator[str]:
    """Yield the problems of names in templates that converted code would not define."""
    last = rule.name.rpartition(".")[2]
    for text in (*rule.templates, *((rule.value,) if rule.value else ())):
        for name in _undefined(text, base, helpers):
            yield (
                f"{rule.name}: {name} in {text!r} is neither {base.module}, nor a helper in the"
                " files that OwnRules(helpers=...) names"
            )
        if last in helpers and last in roots(text):
            yield (
                f"{rule.name}: converted files already import a {last}; give the helper another"
                " name,"
                f" such as torch_{last}"
            )


def _undefined(text: str, base: Target, helpers: HelperLibrary) -> list[str]:
    known = {base.module, *base.modules_named, *_bound(text)}
    names = sorted(roots(text) - known)
    return [name for name in names if name not in helpers and not hasattr(builtins, name)]


def _bound(text: str) -> set[str]:
    """Return the names that a template binds itself, in lambdas and comprehensions."""
    found: set[str] = set()
    for node in ast.walk(compile_template(text).expression):
        if isinstance(node, ast.arg):
            found.add(node.arg)
        elif isinstance(node, ast.comprehension) and isinstance(node.target, ast.Name):
            found.add(node.target.id)
    return found


def _entry(rule: Rule, helpers: HelperLibrary) -> Entry:
    signatures = rule.signatures or (parse_signature("(*args, **kwargs)"),)
    if rule.base is None:
        return Entry(rule.name, "function", signatures)
    callee = compile_template(rule.templates[0]).callee if rule.templates else ""
    members = _members(helpers[callee].source) if callee in helpers else None
    return Entry(rule.name, "class", signatures, bases=(rule.base,), members=members)


def _members(source: str) -> frozenset[str] | None:
    """Return the methods and attributes that a class defines, or None if they are unknown."""
    [node] = ast.parse(source).body
    if not isinstance(node, ast.ClassDef):
        return None
    found = {one.name for one in node.body if isinstance(one, ast.FunctionDef)}
    for part in ast.walk(node):
        if isinstance(part, ast.Attribute) and isinstance(part.ctx, ast.Store):
            found.add(part.attr)
        elif isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store):
            found.add(part.id)
        elif isinstance(part, ast.Constant) and isinstance(part.value, str):
            found.add(part.value)  # an argument of `register_buffer` or `setattr`
    return frozenset(found)


def _guarded(rule: Rule, place: Place, base: Target, helpers: HelperLibrary) -> Rule:
    """Return the rule with a function that refuses if the user's raises or is invalid."""
    if rule.function is None:
        return rule
    function = rule.function

    def decide(match: Match) -> Outcome:
        try:
            outcome = function(match)
        except Exception as error:
            where = _origin(error, Path(place.file))
            return Refusal(f"its own rule fails at {where}: {_words(error)}", "fix the rule")
        problem = _unusable(outcome, match, base, helpers)
        if problem:
            return Refusal(f"its own rule at {place} {problem}", "fix the rule")
        return outcome

    return replace(rule, function=decide)


def _unusable(outcome: object, match: Match, base: Target, helpers: HelperLibrary) -> str | None:
    if not isinstance(outcome, Outcome):
        return f"returned {type(outcome).__name__}; return Rewrite, Keep or Refusal"
    if not isinstance(outcome, Rewrite):
        return None
    try:
        template = compile_template(outcome.template)
        undefined = _undefined(outcome.template, base, helpers)
    except RuleError as error:
        return f"is malformed: {error}"
    if undefined:
        return f"writes {undefined[0]}, which is neither {base.module} nor a helper"
    known = {*outcome.texts, "self", *(one.name for one in match.signature.parameters)}
    unknown = [name for name in template.placeholders if name not in known]
    return f"has no parameter {unknown[0]!r}" if unknown else None
