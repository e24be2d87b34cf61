"""Mutated checkpoints, through `torchferry weights`, each in a process of its own.

Whatever a file holds, the command ends in one of three ways: with 0, and what it wrote is what
torch or safetensors read in the same file; with 1, and the same for what it does not name as left
out; or with 2, one line on standard error and nothing written. Memory stays within the file's size.

    python -m tests.fuzz.checkpoints --count 1000 --seed 1
"""

from __future__ import annotations

import argparse
import io
import json
import os
import random
import resource
import signal
import sys
import tempfile
import time
import warnings
import zipfile
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch
from safetensors.torch import load_file, save

Change = Callable[[random.Random, bytes], bytes]

SECONDS = 30
# Memory that a command may use besides copies of the file: buffers of its libraries.
_ROOM = 64 << 20
_COPIES = 16
_NUMBERS = (b"0", b"-1", b"1.5", b"1e999", b"null", b"[]", b"%d" % (2**63 - 1), b"%d" % 2**64)


def main(count: int, seed: int, first: int = 0) -> int:
    """Run the command on mutated checkpoints; print the failures, and return their number.

    Each depends only on the seed and its number, so that one can be run again.
    """
    warnings.filterwarnings("ignore")
    # Imported once: each case is a fork of this process, which computes nothing before.
    import paddle

    from workbench.cli import main as command
    from workbench.weights import carry

    assert carry and paddle
    ends, wrong, most = Counter[str](), 0, 0
    with tempfile.TemporaryDirectory() as place:
        files = _valid(Path(place))
        basis = _run(lambda: None, None)[1]
        for number in range(first, first + count):
            folder = Path(place, str(number))
            folder.mkdir()
            path = _mutated(random.Random(f"{seed} {number}"), folder, files)
            size = _size(folder)
            code, peak = _run(lambda: _weights(command, path, folder), folder)  # noqa: B023
            problem = _judged(code, path, folder)
            extra = max(0, peak - basis)
            most = max(most, extra)
            if extra > _ROOM + _COPIES * size:
                problem = problem or f"it took {extra:,} bytes for files of {size:,}"
            ends[f"exit {code}"] += 1
            if problem:
                wrong += 1
                print(f"case {number} of seed {seed} ({path.name}): {problem}", flush=True)
            else:
                _clear(folder)
    endings = ", ".join(f"{end}: {times:,}" for end, times in sorted(ends.items()))
    print(
        f"{count:,} checkpoints, {endings}; {wrong} wrong; at most {most / 1e6:.0f} MB more memory"
    )
    return wrong


def _valid(place: Path) -> dict[str, bytes]:
    """Return one file of each format, by the name that it is given."""
    torch.manual_seed(0)
    state = {
        "fc.weight": torch.randn(8, 4),
        "fc.bias": torch.randn(8, dtype=torch.float64),
        "half": torch.randn(5).bfloat16(),
        "mask": torch.tensor([True, False]),
        "empty": torch.zeros(0, 2),
        "steps": torch.tensor(7),
    }
    whole = {"epoch": 3, "state_dict": {**state, "tied": state["fc.weight"].t()}, "lr": [0.1]}
    found = {"net.safetensors": save(state, {"format": "pt"})}
    formats = (("net.pt", state, True), ("whole.pth", whole, True), ("old.bin", whole, False))
    for name, held, new in formats:
        torch.save(held, place / name, _use_new_zipfile_serialization=new)
        found[name] = (place / name).read_bytes()
    shards = dict.fromkeys(state, "net.safetensors")
    found["net.safetensors.index.json"] = json.dumps({"weight_map": shards}).encode()
    shards = dict.fromkeys(state, "net.pt")
    found["net.bin.index.json"] = json.dumps({"weight_map": shards}).encode()
    return found


def _mutated(choose: random.Random, folder: Path, files: dict[str, bytes]) -> Path:
    """Return a file with some changes, among those that it may name."""
    for name in ("net.safetensors", "net.pt"):
        (folder / name).write_bytes(files[name])
    name = choose.choice(list(files))
    data = files[name]
    changes = [*_ANYWHERE, *_PARTS.get(Path(name).suffix, [])]
    for _ in range(choose.choice((0, 1, 1, 1, 2, 4))):
        data = choose.choice(changes)(choose, data)
    path = folder / name
    path.write_bytes(data)
    return path


def _flipped(choose: random.Random, data: bytes) -> bytes:
    changed = bytearray(data)
    for _ in range(choose.choice((1, 1, 4, 32))):
        if changed:
            changed[choose.randrange(len(changed))] ^= 1 << choose.randrange(8)
    return bytes(changed)


def _cut(choose: random.Random, data: bytes) -> bytes:
    start = choose.randrange(len(data) + 1)
    return data[:start] + data[start + choose.choice((1, 8, 100, len(data))) :]


def _filled(choose: random.Random, data: bytes) -> bytes:
    start = choose.randrange(len(data) + 1)
    fill = choose.choice((b"\0", b"\xff", b"\x7f", b"(", b"\x85", b"[", b"\x80\x02"))
    size = choose.choice((1, 4, 8, 1000))
    return data[:start] + fill * size + data[start + choose.choice((0, size)) :]


def _repeated(choose: random.Random, data: bytes) -> bytes:
    start = choose.randrange(len(data) + 1)
    part = data[start : start + choose.choice((1, 16, 300, len(data)))]
    return data[:start] + part * choose.choice((2, 3)) + data[start:]


def _another_number(choose: random.Random, data: bytes) -> bytes:
    """Replace a number or a word of JSON in a text by another."""
    spots = [i for i, byte in enumerate(data[:4000]) if 48 <= byte <= 57]
    if not spots:
        return data
    spot = choose.choice(spots)
    return data[:spot] + choose.choice(_NUMBERS) + data[spot + 1 :]


def _another_header(choose: random.Random, data: bytes) -> bytes:
    """Return a safetensors file whose header has a fitting length, and says something else."""
    length = int.from_bytes(data[:8], "little")
    header = choose.choice(_ANYWHERE)(choose, data[8 : 8 + length])
    return len(header).to_bytes(8, "little") + header + data[8 + length :]


def _another_entry(choose: random.Random, data: bytes) -> bytes:
    """Return a sound zip archive with one entry changed, compressed, doubled or left out."""
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            entries = [(entry.filename, archive.read(entry)) for entry in archive.infolist()]
    except Exception:
        return data
    made = io.BytesIO()
    chosen = choose.choice((0, choose.randrange(len(entries))))  # the first is the pickle
    with zipfile.ZipFile(made, "w") as archive, warnings.catch_warnings(action="ignore"):
        for number, (name, content) in enumerate(entries):
            if number != chosen:
                archive.writestr(name, content)
                continue
            how = choose.randrange(6)
            if how == 0:
                archive.writestr(name, content + bytes(5_000_000), zipfile.ZIP_DEFLATED)
            elif how == 1:
                archive.writestr(name, content)
                archive.writestr(name, content[:-1])
            elif how > 2:
                archive.writestr(name, choose.choice(_ANYWHERE)(choose, content))
    return made.getvalue()


_ANYWHERE: list[Change] = [_flipped, _cut, _filled, _repeated, _another_number]
_PARTS: dict[str, list[Change]] = {
    ".safetensors": [_another_header] * 5,
    ".pt": [_another_entry] * 5,
    ".pth": [_another_entry] * 5,
}


def _weights(command: Callable[[], None], path: Path, folder: Path) -> None:
    sys.argv = ["torchferry", "weights", str(path), "-o", str(folder / "out.pdparams")]
    sys.argv += ["--output-format", "json"]
    command()


def _run(work: Callable[[], None], folder: Path | None) -> tuple[int, int]:
    """Do some work in a fork: its exit code, or minus its signal, and its peak of memory."""
    sys.stdout.flush()
    child = os.fork()
    if not child:
        code = 70
        try:
            signal.alarm(SECONDS)
            resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
            for number, name in ((1, "stdout"), (2, "stderr")):
                place = os.devnull if folder is None else folder / name
                os.dup2(os.open(place, os.O_WRONLY | os.O_CREAT), number)
            work()
            code = 0
        except SystemExit as end:
            code = int(end.code or 0)
        except BaseException:
            sys.excepthook(*sys.exc_info())
        finally:
            sys.stdout.flush()
            sys.stderr.flush()
            os._exit(code)
    _, status, usage = os.wait4(child, 0)
    return os.waitstatus_to_exitcode(status), usage.ru_maxrss << 10


def _judged(code: int, path: Path, folder: Path) -> str:
    """Return the fault in how the command ended, or an empty text if there is none."""
    errors = (folder / "stderr").read_text(errors="replace")
    known = {path.name, "net.safetensors", "net.pt", "stdout", "stderr"}
    written = sorted(file.name for file in folder.iterdir() if file.name not in known)
    if code == 2:
        if not errors.startswith("torchferry: ") or errors.count("\n") != 1:
            return f"exit 2 with {errors[-600:]!r}"
        return f"exit 2 left {written}" if written else ""
    if code not in (0, 1):
        return f"exit {code}: {errors[-900:]}"
    if written != ["out.pdparams"]:
        return f"exit {code} wrote {written}"
    left = json.loads((folder / "stdout").read_text())["left_out"]
    if bool(left) != (code == 1):
        return f"exit {code} with {len(left)} left out"
    end, _ = _run(lambda: _compare(path, folder, set(left)), folder)
    why = (folder / "stderr").read_text(errors="replace")[-600:]
    return "" if end == 0 else f"exit {code}, and what it wrote is not what the file holds: {why}"


def _compare(path: Path, folder: Path, left: set[str]) -> None:
    """Raise where what was written is not what the format's own library reads."""
    import paddle

    ours = _first_tensors(paddle.load(str(folder / "out.pdparams")), paddle.Tensor)
    theirs = {k: v for k, v in _reference(path).items() if k not in left}
    assert set(ours) == set(theirs), (set(ours), set(theirs))
    for name, value in theirs.items():
        mine = torch.from_dlpack(ours[name].detach())
        assert mine.dtype == value.dtype and mine.shape == value.shape, name
        torch.testing.assert_close(mine, value.detach(), rtol=0, atol=0, equal_nan=True)


def _reference(path: Path) -> dict[str, torch.Tensor]:
    if path.suffix == ".json":
        places = json.loads(path.read_text())["weight_map"]
        held = {shard: _reference(path.parent / shard) for shard in set(places.values())}
        if all(shard.endswith(".safetensors") for shard in held):
            return {name: value for tensors in held.values() for name, value in tensors.items()}
        return {name: held[shard][name] for name, shard in places.items()}
    if path.suffix == ".safetensors":
        return load_file(path)
    held = torch.load(path, map_location="cpu", weights_only=True)
    if isinstance(held, torch.Tensor):  # which uses the file's name
        return {path.stem: held}
    return _first_tensors(held, torch.Tensor)


def _first_tensors(held: Any, kind: type) -> dict[str, Any]:
    """Return the tensors of the first mapping that has any."""
    found = {str(k): v for k, v in held.items() if isinstance(v, kind)}
    return found or next(_first_tensors(v, kind) for v in held.values() if isinstance(v, dict))


def _size(folder: Path) -> int:
    return sum(file.stat().st_size for file in folder.iterdir())


def _clear(folder: Path) -> None:
    for file in folder.iterdir():
        file.unlink()
    folder.rmdir()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--first", type=int, default=0, help="The number of the first one.")
    given = parser.parse_args()
    start = time.perf_counter()
    failures = main(given.count, given.seed, given.first)
    print(f"{time.perf_counter() - start:.0f} s")
    sys.exit(1 if failures else 0)
