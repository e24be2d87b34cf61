"""Facts about torch, which are available without torch."""

from __future__ import annotations

import importlib
import importlib.metadata
import json
import subprocess
import sys

import pytest

from workbench.upstream import Facts, Parameter, Signature, load
from workbench.upstream.facts import parse_signature

_INSTALLED = importlib.metadata.version("torch").partition("+")[0]


@pytest.fixture(scope="module")
def facts() -> Facts:
    return load()


def signatures(facts: Facts, name: str) -> tuple[Signature, ...]:
    entry = facts.get(name)
    assert entry is not None, name
    return entry.signatures


def parameters(signature: Signature) -> dict[str, Parameter]:
    return {parameter.name: parameter for parameter in signature.parameters}


def test_facts_never_import_torch() -> None:
    program = (
        "import sys; from workbench.upstream import load; load().get('torch.nn.Conv2d');"
        "sys.exit('torch' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0


_same_torch = pytest.mark.skipif(
    load().version != _INSTALLED, reason="made with another version of torch"
)
_MODULES = ("", ".nn", ".nn.functional", ".optim", ".linalg")
_NAMED_IN_THESE = (".nn.utils.rnn", ".utils.hooks", ".torch_version")


@pytest.mark.one_in(4)
@_same_torch
@pytest.mark.filterwarnings("ignore")  # deprecated names warn when they are read
def test_the_committed_file_says_of_some_modules_what_torch_does(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """All that is in them; torch's other modules take a dozen seconds to import."""
    pytest.importorskip("torch")
    from workbench.upstream import generate
    from workbench.upstream.generation import names

    paths = [f"torch{path}" for path in (*_MODULES, *_NAMED_IN_THESE)]
    modules = {path: importlib.import_module(path) for path in paths}
    monkeypatch.setattr(names, "public_modules", lambda: modules)
    made = generate.facts()
    committed = json.loads(generate.TARGET.read_bytes())["entries"]
    # Its docstring changes when TorchScript has run in this process.
    del made["entries"]["torch.ScriptFunction.__call__"]
    assert len(made["entries"]) > 4_000
    other = [(n, e) for n, e in made["entries"].items() if committed.get(n) != e]
    assert not other[:5], len(other)


@_same_torch
@pytest.mark.thorough
def test_committed_file_is_what_torch_says() -> None:
    command = [sys.executable, "-m", "workbench.upstream.generate", "--check"]
    done = subprocess.run(command, check=False, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


def test_parse_signature_returns_all_kinds_of_parameters() -> None:
    signature = parse_signature(
        "(a, /, b: int, *c: str, d: list[int]=[1, 2], **e) -> Tensor | None"
    )
    assert signature == Signature(
        (
            Parameter("a", "positional", None, ""),
            Parameter("b", "any", None, "int"),
            Parameter("c", "var_positional", None, "str"),
            Parameter("d", "keyword", "[1, 2]", "list[int]"),
            Parameter("e", "var_keyword", None, ""),
        ),
        "Tensor | None",
    )


def test_every_entry_can_be_built(facts: Facts) -> None:
    for name in facts.names:
        entry = facts.get(name)
        assert entry is not None
        assert entry.name == name
        assert entry.alias_of is None
        assert all(base in facts.names for base in entry.bases), name


def test_nearly_all_callables_have_signatures(facts: Facts) -> None:
    entries = [entry for name in facts.names if (entry := facts.get(name)) is not None]
    for kind, share in (("function", 0.99), ("method", 0.98), ("class", 0.92)):
        of_kind = [entry for entry in entries if entry.kind == kind]
        assert sum(bool(entry.signatures) for entry in of_kind) >= share * len(of_kind), kind


def test_overloads_of_max(facts: Facts) -> None:
    returns = [signature.returns for signature in signatures(facts, "torch.max")]
    assert returns == ["Tensor", "Tensor", "torch.return_types.max"]
    assert facts.member("torch.return_types.max", "values") == "torch.return_types.max.values"


def test_overloads_of_view(facts: Facts) -> None:
    found = signatures(facts, "torch.Tensor.view")
    assert {signature.parameters[0].name for signature in found} == {"dtype", "size"}
    assert all(signature.returns == "Tensor" for signature in found)
    assert found[-1].parameters == (Parameter("size", "var_positional", None, "int"),)


def test_pooling_returns_indices_when_asked(facts: Facts) -> None:
    plain, with_indices = signatures(facts, "torch.nn.functional.max_pool2d")
    assert plain.returns == "Tensor"
    assert with_indices.returns == "tuple[Tensor, Tensor]"
    assert parameters(plain)["return_indices"].type == "Literal[False]"
    assert parameters(with_indices)["return_indices"].type == "Literal[True]"
    assert list(parameters(plain)) == list(parameters(with_indices))


def test_linalg_comes_from_operator_schemas(facts: Facts) -> None:
    found = signatures(facts, "torch.linalg.norm")
    assert {parameters(signature)["ord"].type for signature in found} == {
        "int | float | bool | None",
        "str",
    }
    assert parameters(found[0])["dtype"].kind == "keyword"
    assert parameters(found[0])["keepdim"].default == "False"
    assert signatures(facts, "torch.linalg.svd")[0].returns == "torch.return_types.linalg_svd"


@pytest.mark.parametrize(
    ("name", "parameter", "default", "kind"),
    [
        ("torch.nn.Conv2d", "kernel_size", None, "any"),
        ("torch.nn.Conv2d", "padding_mode", "'zeros'", "any"),
        ("torch.optim.Adam", "betas", "(0.9, 0.999)", "any"),
        ("torch.optim.Adam", "foreach", "None", "keyword"),
        ("torch.utils.data.DataLoader", "batch_size", "1", "any"),
        ("torch.utils.data.DataLoader", "prefetch_factor", "None", "keyword"),
        ("torch.nn.functional.gelu", "approximate", "'none'", "keyword"),
        ("torch.utils.tensorboard.SummaryWriter", "log_dir", "None", "any"),
    ],
)
def test_parameters(
    facts: Facts, name: str, parameter: str, default: str | None, kind: str
) -> None:
    (signature,) = signatures(facts, name)
    found = parameters(signature)[parameter]
    assert (found.default, found.kind) == (default, kind)
    assert "self" not in parameters(signature)


@pytest.mark.parametrize(
    ("name", "returns"),
    [
        ("torch.Tensor.add_", "Self"),
        ("torch.Tensor.shape", "torch.Size"),
        ("torch.Tensor.dtype", "torch.dtype"),
        ("torch.Tensor.__add__", "Tensor"),
        ("torch.Tensor.split", "tuple[Tensor, ...]"),
        ("torch.Tensor.numpy", "numpy.ndarray"),
        ("torch.nn.Module.to", "Self"),
        ("torch.nn.Module.training", "bool"),
        ("torch.nn.Linear.in_features", "int"),
        ("torch.nn.Conv2d.forward", "Tensor"),
        ("torch.cuda.is_available", "bool"),
        ("torch.pi", "float"),
        ("torch.set_printoptions", "None"),
        ("torch.distributions.Normal.log_prob", "Tensor"),
    ],
)
def test_types(facts: Facts, name: str, returns: str) -> None:
    assert {signature.returns for signature in signatures(facts, name)} == {returns}


@pytest.mark.parametrize(
    ("name", "canonical"),
    [
        ("torch.long", "torch.int64"),
        ("torch.float", "torch.float32"),
        ("torch.nn.modules.conv.Conv2d", "torch.nn.Conv2d"),
        ("torch.nn.modules.conv.Conv2d.forward", "torch.nn.Conv2d.forward"),
        ("torch.nn.Conv2d.parameters", "torch.nn.Module.parameters"),
        ("torch.optim.adam.Adam", "torch.optim.Adam"),
        ("torch.autograd.no_grad", "torch.no_grad"),
        ("torch.conv2d", "torch.nn.functional.conv2d"),
        ("torch._C._nn.gelu", "torch.nn.functional.gelu"),
        ("torch.profiler.ProfilerActivity", "torch.profiler.ProfilerActivity"),
        ("torch.absolute", "torch.absolute"),
        ("torch.nn.functional.relu", "torch.nn.functional.relu"),
        ("torch.FloatTensor", "torch.FloatTensor"),
        ("torch.no_such_thing", "torch.no_such_thing"),
        ("numpy.array", "numpy.array"),
    ],
)
def test_canonical(facts: Facts, name: str, canonical: str) -> None:
    assert facts.canonical(name) == canonical
    entry = facts.get(name)
    if entry is not None:
        assert entry.name == name
        assert entry.alias_of == (canonical if canonical != name else None)


@pytest.mark.parametrize(
    ("class_name", "attribute", "member"),
    [
        ("torch.nn.Conv2d", "parameters", "torch.nn.Module.parameters"),
        ("torch.nn.Conv2d", "forward", "torch.nn.Conv2d.forward"),
        ("torch.nn.Parameter", "view", "torch.Tensor.view"),
        ("torch.FloatTensor", "view", "torch.Tensor.view"),
        ("torch.optim.AdamW", "zero_grad", "torch.optim.Optimizer.zero_grad"),
        ("torch.optim.lr_scheduler.StepLR", "step", "torch.optim.lr_scheduler.LRScheduler.step"),
        ("torch.ao.nn.intrinsic.qat.ConvBn2d", "forward", "torch.nn.Conv2d.forward"),
        ("torch.cuda.FloatStorage", "size", "torch.TypedStorage.size"),
        ("torch.nn.Module", "__call__", "torch.nn.Module.__call__"),
        ("torch.nn.Conv2d", "no_such_thing", None),
        ("torch.relu", "__call__", None),
        ("numpy.ndarray", "view", None),
    ],
)
def test_member(facts: Facts, class_name: str, attribute: str, member: str | None) -> None:
    assert facts.member(class_name, attribute) == member


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("torch.nn.functional", "module"),
        ("torch.multiprocessing.spawn", "function"),
        ("torch.float32", "dtype"),
        ("torch.inf", "constant"),
        ("torch.Tensor.T", "property"),
        ("torch.cuda.OutOfMemoryError", "exception"),
        ("torch.backends.cudnn.benchmark", "constant"),
        ("torch.backends.cuda.matmul.allow_tf32", "attribute"),
    ],
)
def test_kinds(facts: Facts, name: str, kind: str) -> None:
    entry = facts.get(name)
    assert entry is not None
    assert entry.kind == kind
    assert facts.is_module(name) == (kind == "module")


def test_imports_of_other_packages_are_not_torch(facts: Facts) -> None:
    for name in (
        "torch.os",
        "torch.Any",
        "torch.nn.functional.math",
        "torch.nn.functional.Optional",
    ):
        assert facts.get(name) is None


def test_tensor_only_names_are_evidence(facts: Facts) -> None:
    assert {
        "requires_grad",
        "unsqueeze",
        "permute",
        "add_",
        "cuda",
        "backward",
    } <= facts.tensor_only
    shared = {"view", "reshape", "sum", "mean", "shape", "split", "copy_", "size", "index", "name"}
    assert facts.tensor_only.isdisjoint(shared - {"copy_"})
    assert facts.tensor_only < facts.tensor_members
    assert {"__add__", "shape", "add_", "to"} <= facts.tensor_members


def test_deprecation(facts: Facts) -> None:
    deprecated = facts.get("torch.cuda.amp.autocast")
    plain = facts.get("torch.nn.parallel.DistributedDataParallel")
    assert deprecated is not None
    assert "deprecated" in deprecated.deprecated
    assert plain is not None
    assert not plain.deprecated


def test_a_star_offers_what_the_module_lists(facts: Facts) -> None:
    offered = dict(facts.offered("torch"))
    assert (offered["randn"], offered["float"]) == ("torch.randn", "torch.float32")
    assert not offered.keys() & {"nn", "random", "Storage", "_foreach_abs"}
    assert dict(facts.offered("torch.nn"))["functional"] == "torch.nn.functional"
