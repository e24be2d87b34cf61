"""The record of proofs, as it is written and as an editor reads it."""

from __future__ import annotations

import inspect
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from types import ModuleType

import pytest

from workbench.proof.recording import record
from workbench.proof.recording.digest import changed_rules, digest, plain_digest
from workbench.proof.recording.record import Entry, Record
from workbench.proof.snippet import NOT_INSTALLED, PLAIN_CASE, Outcome, Result
from workbench.rules.forms import Forms, FormSet
from workbench.rules.rule import Rule
from workbench.targets import EXACT, PLAIN, evidence, load


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    path = tmp_path / "proof.json"
    monkeypatch.setattr(evidence, "path_of", lambda _: path)
    evidence.forget()
    return path


def test_a_dtype_lacks_a_kernel_where_every_sample_of_it_met_none(place: Path) -> None:
    lacking = Entry(dtypes=["float32", "int64"], lacks=["float16", "int64"])
    record.write("target", Record({"torch": "2"}, {"torch.sum": lacking}))
    assert evidence.unsupported("torch.sum", "target") == {"float16"}
    assert evidence.unsupported("torch.summ", "target") == frozenset()


def test_results_are_counted_and_come_back_as_they_were(place: Path) -> None:
    known = Record({"torch": "2", "other": "3"})
    known.add(Result("torch.sum", "case", "", "equal"))
    known.add(Result("torch.sum", "reference, keywords", "float32", "equal", largest=1.234e-7))
    known.add(Result("torch.sum", "keywords", "int64", "equal"))
    known.add(Result("torch.sum", "unpacked", "int64", "refused", "why\nnot"))
    known.add(Result("torch.sum", "class", "uint8", "lacks", "no kernel"))
    known.add(Result("torch.sum", "out", "uint8", "skipped"))
    known.add(Result("torch.cat", "keywords", "uint8", "wrong", "1 instead of 2"))
    record.write("target", known)
    again = record.read("target")
    assert again == known
    entry = again.rules["torch.sum"]
    assert (entry.cases, entry.samples, entry.largest) == (1, 2, 1.2e-7)
    assert entry.dtypes == ["float32", "int64"]
    assert entry.lacks == ["uint8"]
    assert entry.problems["refused"] == "why not"
    assert entry.holds
    assert not again.rules["torch.cat"].holds
    assert len(place.read_text(encoding="utf-8").splitlines()) == 5


def test_a_case_that_does_not_hold_is_not_passed_over() -> None:
    entry = Entry()
    entry.add(Result("torch.sum", "case", "", "refused", "no rule"))
    assert not entry.holds


def test_an_editor_reads_one_rule_as_a_sentence(place: Path) -> None:
    known = Record({"torch": "2", "other": "3"})
    known.add(Result("torch.sum", "case", "", "equal"))
    known.add(Result("torch.sum", "keywords", "float32", "equal", largest=1.2e-7))
    known.add(Result("torch.sum", "keywords", "float32", "equal"))
    record.write("target", known)
    assert record.sentence("torch.sum", "target") == (
        "Proved: 1 case, 2 samples gave the same result on both sides (float32); largest difference"
        " 1e-07. torch 2, other 3."
    )
    assert record.sentence("torch.summ", "target") is None


def test_there_may_be_no_record(place: Path) -> None:
    assert record.read("target") == Record()
    assert record.sentence("torch.sum", "target") is None


def test_reading_it_imports_neither_framework() -> None:
    code = (
        "import sys; from workbench.proof.recording import record;"
        " record.sentence('torch.sum', 'paddle');"
        " print(sorted({'torch', 'paddle', 'numpy'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_the_committed_record_is_of_rules_that_exist() -> None:
    target = load("paddle")
    known = record.read(target.name)
    assert {"torch", "paddlepaddle"} == set(known.versions)
    assert [name for name in known.rules if target.rules.get(name) is None] == []


def test_a_digest_follows_the_row_and_its_helpers() -> None:
    target = load("paddle")
    row = Rule("torch.sum", ("torch_sort({input})",))
    assert digest(row, target) == digest(Rule("torch.sum", ("torch_sort({input})",)), target)
    assert digest(row, target) != digest(Rule("torch.sum", ("torch_topk({input})",)), target)
    assert digest(row, target) != digest(Rule("torch.sum", row.templates, own_cases=("1",)), target)


def test_a_digest_follows_the_code_of_a_function_and_not_its_words(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    texts = (
        'import ast\ndef write(match):\n    """Write it."""\n    return 1  # one',
        "def write(match):\n    return 1",
        "def write(match):\n    return 2",
    )
    digests = [_digest_of(text, monkeypatch) for text in texts]
    assert digests[0] == digests[1] != digests[2]


def test_a_table_of_words_counts_word_by_word(monkeypatch: pytest.MonkeyPatch) -> None:
    function = "\ndef write(match):\n    return NAMES"
    given = "from workbench.words import words\nNAMES = "
    digests = [
        _digest_of(f"{given}{table}{function}", monkeypatch)
        for table in ("words('abs add mul')", "('abs', 'add', 'mul')", "words('abs add div')")
    ]
    assert digests[0] == digests[1] != digests[2]


def _digest_of(text: str, monkeypatch: pytest.MonkeyPatch) -> str:
    """Return the digest of a rule whose function is in a module of this text."""
    module = ModuleType("rules")
    exec(text, module.__dict__)
    module.write.__module__ = module.__name__
    monkeypatch.setitem(sys.modules, module.__name__, module)
    monkeypatch.setattr(inspect, "getsource", lambda _: text)
    return digest(Rule("torch.sum", function=module.write), load("paddle"))


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("labels of -100 count in the mean here", "the mean counts labels of {ignored}", True),
        ("{x} if {y} is None else {z}", "{y} if {x} is None else {z}", False),
        ("paddle.add({x}, axis={dim})", "paddle.add({x}, dim={dim})", False),
        ("not {value}", "{value}", False),
    ],
)
def test_a_reworded_sentence_needs_no_new_proof(
    one: str, other: str, same: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    texts = [f"def write(match):\n    return {words!r}" for words in (one, other)]
    first, second = (_digest_of(text, monkeypatch) for text in texts)
    assert (first == second) is same


def test_rules_that_differ_from_the_record_are_found() -> None:
    target = load("paddle")
    one, two, three, *_ = (rule for rule in target.rules if rule.refusal is None)
    known = Record(
        rules={one.name: Entry(digest="another"), two.name: Entry(digest=digest(two, target))}
    )
    changed = changed_rules(target, known)
    assert {one.name, three.name} <= changed and two.name not in changed


def test_plain_forms_are_counted_separately_and_listed_first(place: Path) -> None:
    known = Record({"torch": "2", "other": "3"})
    for outcome in ("equal", "reported", "raises", "skipped"):
        row = Result("torch.relu", PLAIN_CASE, "", outcome, written=("paddle.relu",))
        known.add(replace(row, differs=("TF114",)) if outcome == "reported" else row)
    known.add(Result("torch.relu", "case", "", "equal"))
    entry = known.rules["torch.relu"]
    assert entry.holds and entry.left_out == 0
    record.write("target", known)
    assert record.read("target") == known
    assert record.sentence("torch.relu", "target", "Paddle") == (
        "In the plain style, written as `paddle.relu`, 1 of 3 cases gives the same result (1"
        " differs as reported, in 1 the target raises an error). TF114: the result or the gradient"
        " differs for some inputs, which the message names."
        " In the exact style 1 case gave the same result on both sides. torch 2, other 3."
    )
    entry.add(Result("torch.relu", PLAIN_CASE, "", "wrong"))
    assert not entry.holds


def test_a_style_that_was_not_run_keeps_what_is_known_of_it() -> None:
    def found(**outcomes: str) -> Record:
        made = Record()
        for form, outcome in outcomes.items():
            made.add(Result("torch.sum", PLAIN_CASE if form == "plain" else form, "", outcome))
        return made

    known = found(case="equal", plain="reported")
    known.merge(found(plain="equal"), {PLAIN: {"torch.sum"}})
    entry = known.rules["torch.sum"]
    assert (entry.cases, dict(entry.plain.counts)) == (1, {"equal": 1})
    known.merge(found(case="equal", keywords="equal"), {EXACT: {"torch.sum"}})
    entry = known.rules["torch.sum"]
    assert (entry.samples, dict(entry.plain.counts)) == (1, {"equal": 1})


def test_a_changed_form_is_proved_again_only_in_the_plain_style() -> None:
    target = load("paddle")
    rule = target.rules.get("torch.stack")
    assert rule is not None
    known = Record(rules={rule.name: Entry(digest=digest(rule, target))})
    known.rules[rule.name].plain.digest = plain_digest(rule, target)
    forms = FormSet()
    forms.row("torch.stack", to="paddle.another")
    other = replace(target, forms=Forms([forms]))
    assert rule.name not in changed_rules(target, known, PLAIN)
    assert rule.name in changed_rules(other, known, PLAIN)
    assert rule.name not in changed_rules(other, known, EXACT)


def test_a_result_says_that_a_package_is_missing() -> None:
    missing = Result(
        "torchvision.ops.nms", "case", "", Outcome.SKIPPED, f"torchvision{NOT_INSTALLED}"
    )
    assert missing.lacks_package
    assert not Result("torch.sum", "case", "", Outcome.SKIPPED, "torch: TypeError").lacks_package
