"""Checkpoints made to do harm: one message, nothing written, and no more memory than the file."""

from __future__ import annotations

import io
import json
import pickle
import resource
import struct
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any

import pytest
import torch

from tests.command import torchferry
from workbench.weights import WeightsError, carry
from workbench.weights.sources import open_source
from workbench.weights.whole_files import write

ROOT = Path(__file__).parents[3]


def safetensors(header: Any, data: bytes, path: Path) -> Path:
    text = header if isinstance(header, bytes) else json.dumps(header).encode()
    path.write_bytes(struct.pack("<Q", len(text)) + text + data)
    return path


def entry(shape: list[Any], start: int, end: int) -> dict[str, Any]:
    return {"dtype": "F32", "shape": shape, "data_offsets": [start, end]}


@pytest.mark.parametrize(
    "header",
    [
        {"a": entry([4], 0, 16), "b": entry([4], 0, 16)},
        {"a": entry([4], 0, 16), "b": entry([2], 8, 16)},
        {"a": entry([2], 0, 8)},
        {"a": entry([4], 0, 4000)},
        {"a": entry([3], 0, 16)},
        {"a": entry([-4], 0, 16)},
        {"a": entry([1 << 40, 1 << 40], 0, 16)},
        b'{"a":{"dtype":"F32","shape":[1e999],"data_offsets":[0,16]}}',
        b'{"a":{"dtype":"F32","shape":[Infinity],"data_offsets":[0,16]}}',
        b'{"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]},'
        b'"a":{"dtype":"F32","shape":[2],"data_offsets":[8,16]}}',
        {"a": None},
        b"null",
        b"[" * 100_000,
        b'{"a":' * 100_000,
    ],
    ids=str,
)
def test_safetensors_that_their_library_refuses(header: Any, tmp_path: Path) -> None:
    path = safetensors(header, bytes(16), tmp_path / "net.safetensors")
    with pytest.raises(
        WeightsError, match=r"net\.safetensors: not a complete safetensors file \(.*"
    ):
        carry(path)


@pytest.mark.parametrize(
    "text",
    [
        '{"weight_map": null}',
        '{"weight_map": {}}',
        '{"weight_map": []}',
        "null",
        "[]",
        '{"weight_map": {"a": null}}',
        '{"weight_map": {"a": 1e999}}',
        '{"weight_map":' * 100_000,
        "1" * 5000,
        "\udc80",
    ],
    ids=lambda text: text[:20],
)
def test_indexes_that_are_none(text: str, tmp_path: Path) -> None:
    path = tmp_path / "net.safetensors.index.json"
    path.write_bytes(text.encode("utf-8", "surrogateescape"))
    with pytest.raises(
        WeightsError, match=r"index\.json: (not an index of shards|names no weights)"
    ):
        carry(path)


def archive(pickled: bytes, path: Path, *, rest: Any = (), how: int = zipfile.ZIP_STORED) -> Path:
    with zipfile.ZipFile(path, "w", how) as made:
        for name, content in [("net/data.pkl", pickled), ("net/version", b"3\n"), *rest]:
            made.writestr(name, content)
    return path


class Call:
    """Pickled, a call of something with these arguments."""

    def __init__(self, function: Any, *args: Any) -> None:
        self.parts = (function, args)

    def __reduce__(self) -> Any:
        return self.parts


class Storage:
    def __init__(self, key: str, count: int) -> None:
        self.key, self.count = key, count


def pickled(value: Any) -> bytes:
    class Pickler(pickle._Pickler):
        def persistent_id(self, obj: Any) -> Any:
            if isinstance(obj, Storage):
                return ("storage", torch.FloatStorage, obj.key, "cpu", obj.count)
            return None

    made = io.BytesIO()
    Pickler(made, 2).dump(value)
    return made.getvalue()


def tensor(storage: Storage, size: tuple[int, ...], stride: tuple[int, ...], start: int = 0) -> Any:
    return Call(torch._utils._rebuild_tensor_v2, storage, start, size, stride, False, {})


HUGE = 10**10
ONE = Storage("0", 4)
DEEP = b"\x80\x02}" + b")" + b"\x85" * 1_000_000 + b"K\x01s."


@pytest.mark.parametrize("format", ["archive", "legacy"])
@pytest.mark.parametrize(
    "value",
    [
        {"w": tensor(Storage("0", HUGE), (HUGE,), (1,))},
        {"w": tensor(ONE, (HUGE,), (1,))},
        {"w": tensor(ONE, (4,), (HUGE,))},
        {"w": tensor(ONE, (4,), (1,), 1)},
        {"w": tensor(ONE, (4,), (-1,), 3)},
        {"w": tensor(ONE, (-4,), (1,))},
        {"w": tensor(ONE, (2, 2), (1,))},
        {"w": Call(bytearray, HUGE)},
        {"w": Call(torch.Tensor, HUGE)},
        {"w": Call(torch.UntypedStorage, HUGE)},
        DEEP,
        b"\x80\x02" + b"r\xff\xff\xff\x7f" + b".",
        b"\x80\x02X\xff\xff\xff\x7fab.",
    ],
    ids=[
        "storage",
        "size",
        "stride",
        "offset",
        "backward",
        "negative",
        "dimensions",
        "bytearray",
        "Tensor",
        "UntypedStorage",
        "deep key",
        "reference",
        "text",
    ],
)
def test_false_claims_of_a_pickle_are_refused(value: Any, format: str, tmp_path: Path) -> None:
    data = value if isinstance(value, bytes) else pickled(value)
    path = tmp_path / "net.pt"
    if format == "archive":
        archive(data, path, rest=[("net/data/0", bytes(16))])
    else:
        heads = [pickle.dumps(v, 2) for v in (0x1950A86A20F9469CFC6C, 1001, {})]
        path.write_bytes(b"".join([*heads, data, pickle.dumps(["0"], 2), struct.pack("<q", 4)]))
    with (
        limited_memory(),
        pytest.raises(WeightsError, match=r"net\.pt: (not a complete|contains more)"),
    ):
        carry(path)


def test_excessive_nesting_is_left_out(tmp_path: Path) -> None:
    state = pickled({"w": tensor(ONE, (4,), (1,))})
    deep = b"]" * 100_000 + b"a" * 99_999
    held = state[:-1] + b"X\x01\x00\x00\x00d" + deep + b"s."
    path = archive(held, tmp_path / "net.pt", rest=[("net/data/0", bytes(16))])
    written = write(path, tmp_path / "net.pdparams")
    assert written.carried == ("w",)
    assert set(written.left.values()) == {"is nested too deeply"}


class limited_memory:  # noqa: N801
    """Within, a few hundred MB may be taken, and no more."""

    def __enter__(self) -> None:
        used = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
        self.before = resource.getrlimit(resource.RLIMIT_AS)
        resource.setrlimit(resource.RLIMIT_AS, (used + (300 << 20), self.before[1]))

    def __exit__(self, *_: object) -> None:
        resource.setrlimit(resource.RLIMIT_AS, self.before)


def test_entries_without_a_header_of_their_own_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "net.pt"
    torch.save({"fc.weight": torch.ones(3)}, path)
    data = path.read_bytes()
    at = data.index(b"net/data/0") - 30
    path.write_bytes(data[:at] + b"PI" + data[at + 2 :])
    with pytest.raises(WeightsError, match=r"net/data/0 has no header of its own"):
        carry(path)


def test_compressed_archives_are_refused(tmp_path: Path) -> None:
    zeros = [("net/data/0", bytes(50_000_000))]
    state = pickled({"w": tensor(Storage("0", 12_500_000), (12_500_000,), (1,))})
    path = archive(state, tmp_path / "net.pt", rest=zeros, how=zipfile.ZIP_DEFLATED)
    assert path.stat().st_size < 100_000
    with pytest.raises(WeightsError, match=r"net\.pt: .*is compressed"):
        carry(path)


@pytest.mark.parametrize("change", ["doubled", "before", "after"])
def test_archives_that_two_programs_read_differently_are_refused(
    change: str, tmp_path: Path
) -> None:
    state, data = pickled({"w": tensor(ONE, (4,), (1,))}), ("net/data/0", bytes(16))
    path = archive(state, tmp_path / "net.pt", rest=[data])
    whole = path.read_bytes()
    assert carry(path).carried == ("w",)
    if change == "doubled":
        with pytest.warns(UserWarning, match="Duplicate"):
            archive(state, path, rest=[data, data])
    else:
        path.write_bytes(whole[:4] + whole if change == "before" else whole + bytes(4))
    with pytest.raises(WeightsError, match=r"net\.pt: not a complete checkpoint"):
        carry(path)


def test_few_numbers_repeated_to_many_are_refused(tmp_path: Path) -> None:
    torch.save({"w": torch.ones(1).expand(100_000, 1000)}, tmp_path / "net.pt")
    with pytest.raises(WeightsError, match="would need 400,000,000 bytes, and the file has"):
        carry(tmp_path / "net.pt")
    tied = torch.randn(1000, 1000)
    torch.save({"a": tied, "b": tied, "c": tied.t()}, tmp_path / "tied.pt")
    assert carry(tmp_path / "tied.pt").carried == ("a", "b", "c")


def test_two_tensors_of_one_name_are_refused(tmp_path: Path) -> None:
    torch.save({1: torch.ones(1), "1": torch.zeros(1)}, tmp_path / "net.pt")
    with pytest.raises(WeightsError, match="two tensors of one name"):
        carry(tmp_path / "net.pt")


def test_other_files_of_torch_are_read(tmp_path: Path) -> None:
    """The survey rejects none of it."""
    from collections import Counter, OrderedDict

    base = torch.arange(12.0)
    marked = torch.ones(2)
    marked.note = "kept"  # type: ignore[attr-defined]
    state = OrderedDict(
        view=base[2:5],
        strided=base.view(3, 4).t(),
        parameter=torch.nn.Parameter(torch.ones(2)),
        wide=torch.ones(3, dtype=torch.uint16),
        empty=torch.zeros(0, 5),
        marked=marked,
        conjugate=torch.ones(2, dtype=torch.complex64).conj(),
    )
    extra = {
        "set": {1},
        "counted": Counter("ab"),
        "size": torch.Size([2]),
        "bytes": b"ab",
        "more": bytearray(b"ab"),
        "kind": torch.half,
    }
    torch.save({"state_dict": state, **extra}, tmp_path / "net.pt")
    source = open_source(tmp_path / "net.pt")
    for name, value in state.items():
        torch.testing.assert_close(source.tensor(name), value.detach(), rtol=0, atol=0)
    assert set(source.left) == set(extra)


def test_a_disk_that_is_full_leaves_nothing_half_written(tmp_path: Path) -> None:
    torch.save({"w": torch.randn(100_000)}, tmp_path / "net.pt")
    (tmp_path / "out").mkdir()
    place = tmp_path / "out" / "net.pdparams"
    place.write_bytes(b"from before")
    code = (
        "import resource, signal; from workbench.cli import main;"
        "signal.signal(signal.SIGXFSZ, signal.SIG_IGN);"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (90_000, 90_000)); main()"
    )
    command = [sys.executable, "-c", code, "weights", tmp_path / "net.pt", "-o", place, "--force"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=ROOT)
    assert done.returncode == 2
    assert "net.pdparams: File too large; check" in done.stderr
    assert done.stderr.count("\n") == 1
    assert place.read_bytes() == b"from before"
    assert list(place.parent.iterdir()) == [place]


def test_a_name_that_steers_the_terminal_is_shown(tmp_path: Path) -> None:
    source = tmp_path / "net\x1b[31m\n.pt"
    source.write_bytes(b"no checkpoint")
    done = torchferry("weights", source, "-o", tmp_path / "net.pdparams")
    assert done.returncode == 2
    assert r"net\x1b[31m\n.pt: not a complete checkpoint" in done.stderr
    assert done.stderr.count("\n") == 1


def test_mutated_checkpoints(seed: int) -> None:
    command = [sys.executable, "-m", "tests.fuzz.checkpoints", "--count", "5", "--seed", str(seed)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=ROOT)
    assert done.returncode == 0, done.stdout + done.stderr


def test_a_text_is_reported_as_no_checkpoint_and_not_as_code(tmp_path: Path) -> None:
    file = tmp_path / "some.py"
    file.write_text("import torch\n\nprint(torch)\n")
    with pytest.raises(WeightsError, match="neither an archive of torch's nor a pickle"):
        open_source(file)
