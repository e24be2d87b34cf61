"""`torchferry unwrap`: what it writes, what it prints, and its exit codes."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from workbench.commands.unwrap import unwrap
from workbench.errors import TorchferryError

LOOP = (
    "import torch\nfrom accelerate import Accelerator\naccelerator = Accelerator()\n"
    "model = accelerator.prepare(torch.nn.Linear(2, 1))\n"
    "accelerator.backward(model(torch.ones(1, 2)).sum())\n"
)


def run(*arguments: object) -> Result:
    return CliRunner().invoke(unwrap, [str(one) for one in arguments], catch_exceptions=False)


def test_a_file_is_written_with_its_notes(tmp_path: Path) -> None:
    source, output = tmp_path / "loop.py", tmp_path / "plain.py"
    source.write_text(LOOP)
    done = run(source, "-o", output)
    assert done.exit_code == 0
    assert f"{source}:3: note: the plain loop runs where the model" in done.stdout
    assert f"Next: torchferry convert {output}" in done.stdout
    assert output.read_text() == (
        "import torch\nmodel = torch.nn.Linear(2, 1)\nmodel(torch.ones(1, 2)).sum().backward()\n"
    )
    assert source.read_text() == LOOP


def test_a_folder_is_written_with_its_other_files(tmp_path: Path) -> None:
    folder = tmp_path / "work"
    folder.mkdir()
    for name, text in {"loop.py": LOOP, "old.py": "print 1\n", "data.txt": "1\n"}.items():
        (folder / name).write_text(text)
    done = run(folder, "-o", tmp_path / "plain")
    assert done.exit_code == 0 and "not valid Python, so it stays as it is" in done.output
    written = {one.name: one.read_text() for one in (tmp_path / "plain").iterdir()}
    assert "accelerate" not in written["loop.py"]
    assert written["old.py"] == "print 1\n" and written["data.txt"] == "1\n"


def test_nothing_is_written_if_a_part_is_refused(tmp_path: Path) -> None:
    source, output = tmp_path / "loop.py", tmp_path / "plain.py"
    source.write_text(f"{LOOP}accelerator.save_state()\n")
    done = run(source, "-o", output)
    assert done.exit_code == 1 and not output.exists()
    assert f"{source}:6: refused: Accelerator.save_state has no form in plain torch" in done.stdout
    assert "Nothing is written: rewrite this part by hand first." in done.stdout


def test_a_diff_writes_nothing(tmp_path: Path) -> None:
    source = tmp_path / "loop.py"
    source.write_text(LOOP)
    done = run(source, "--diff")
    assert done.exit_code == 0 and "-from accelerate import Accelerator" in done.stdout
    assert source.read_text() == LOOP


def test_bad_input_is_one_message(tmp_path: Path) -> None:
    source = tmp_path / "loop.py"
    source.write_text(LOOP)
    for arguments, message in [
        ((source,), "choose one of -o PATH"),
        ((tmp_path / "none.py", "--diff"), "check the path"),
        ((source, "-o", source), "exists already"),
        ((tmp_path, "-o", tmp_path / "in"), "is inside"),
        ((source, "--in-place"), "git"),
    ]:
        with pytest.raises(TorchferryError, match=message):
            run(*arguments)
