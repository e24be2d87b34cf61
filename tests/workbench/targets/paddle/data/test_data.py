"""Loaders, saving, devices and images in plain code."""

from __future__ import annotations

from typing import Any

import pytest

import workbench
from tests.workbench.targets.paddle.both_sides import assert_prints_the_same

HEAD = (
    "import torch\nfrom torch.utils.data import DataLoader\nfrom torchvision import transforms\n"
    "from pathlib import Path\n\n\ndef pad(batch):\n    return torch.stack(batch)\n\n\n"
    "def raw(batch):\n    return batch\n\n\ndef f(ds, args, model):\n"
)


def written(*lines: str, head: str = HEAD) -> list[str]:
    code = workbench.convert(head + "".join(f"    {line}\n" for line in lines)).code
    body = code.partition("def f(ds, args, model):\n")[2].rstrip("\n").split("\n")
    return [line.removeprefix("    ") for line in body]


@pytest.mark.parametrize(
    ("torch", "paddle"),
    [
        (
            "DataLoader(ds, 32, True, pin_memory=True)",
            "DataLoader(ds, batch_size=32, shuffle=True)",
        ),
        (
            "DataLoader(ds, batch_size=2, num_workers=4)",
            "DataLoader(ds, batch_size=2, num_workers=4, use_shared_memory=False)",
        ),
        (
            "DataLoader(ds, 2, sampler=torch.utils.data.RandomSampler(ds), shuffle=False)",
            "DataLoader(ds, batch_sampler=paddle.io.BatchSampler("
            "sampler=paddle.io.RandomSampler(ds), batch_size=2))",
        ),
        (
            "DataLoader(ds, 2, s is None, s)",
            "DataLoader(ds, batch_sampler=paddle.io.BatchSampler("
            "ds if s is None else None, s, shuffle=s is None, batch_size=2))",
        ),
        (
            "DataLoader(ds, 2, sampler=args.sampler)",
            "DataLoader(ds, batch_sampler=paddle.io.BatchSampler("
            "ds if args.sampler is None else None, args.sampler, batch_size=2))",
        ),
        (
            "DataLoader(ds, 2, sampler=lib.Balanced(ds))",
            "DataLoader(ds, batch_sampler=paddle.io.BatchSampler("
            "sampler=lib.Balanced(ds), batch_size=2))",
        ),
        ("DataLoader(new(), sampler=s)", "torch_loader(new(), sampler=s)"),
        ("DataLoader(ds, **args.options)", "torch_loader(ds, **args.options)"),
        ("DataLoader(ds, collate_fn=pad)", "DataLoader(ds, collate_fn=pad)"),
        ("DataLoader(ds, collate_fn=raw)", "TorchDataLoader(ds, collate_fn=raw)"),
        ("DataLoader(ds, batch_size=None)", "TorchDataLoader(ds, batch_size=None)"),
        (
            "DataLoader(ds, generator=args.generator)",
            "TorchDataLoader(ds, generator=args.generator)",
        ),
    ],
)
def test_loaders(torch: str, paddle: str) -> None:
    assert written(f"a = {torch}") == [f"a = {paddle}"]


@pytest.mark.parametrize(
    ("torch", "paddle"),
    [
        ("torch.save(model.state_dict(), 'm.pt')", "paddle.save(model.state_dict(), 'm.pt')"),
        (
            "torch.save({'a': 1}, Path('x') / 'm.pt')",
            "paddle.save({'a': 1}, str(Path('x') / 'm.pt'))",
        ),
        ("torch.save(ds, open('m.pt', 'wb'))", "torch_save(ds, open('m.pt', 'wb'))"),
        ("s = torch.load('m.pt', map_location='cpu')", "s = paddle.load('m.pt')"),
        ("model = torch.load('m.pt', weights_only=False)", "model = torch_load('m.pt')"),
    ],
)
def test_files(torch: str, paddle: str) -> None:
    assert written(torch) == [paddle]


def test_arrays_that_are_read_back_stay_arrays() -> None:
    assert written("data = torch.load('d.pt')", "x = torch.from_numpy(data[1:])")[0] == (
        "data = torch_load('d.pt')"
    )


def test_images_of_a_data_set() -> None:
    assert written(
        "t = transforms.Compose([transforms.Resize(8), transforms.ToTensor(), "
        "transforms.Normalize((0.5,), (0.5,))])",
        "u = transforms.Resize(8)",
    ) == [
        "t = transforms.Compose([transforms.Resize(8), transforms.ToTensor(), "
        "transforms.Normalize((0.5,), (0.5,))])",
        "u = TorchResizeImage(8)",
    ]


def test_switches_and_devices() -> None:
    assert written(
        "torch.backends.cudnn.benchmark = True",
        "device = 'cuda' if torch.cuda.is_available() else 'cpu'",
        "scaler = torch.cuda.amp.GradScaler(enabled=args.amp)",
    ) == [
        "# torch.backends.cudnn.benchmark = True: Paddle chooses its kernels itself",
        "device = 'cuda' if paddle.cuda.is_available() else 'cpu'",
        "scaler = paddle.amp.GradScaler(enable=args.amp)",
    ]


def test_a_decorator_without_brackets() -> None:
    code = workbench.convert("import torch\n\n\n@torch.no_grad\ndef f(x):\n    return x\n").code
    assert "@paddle.no_grad()\n" in code


@pytest.mark.parametrize("given", [False, True])
def test_a_sampler_that_may_be_none(given: bool) -> None:
    code = workbench.convert(
        "from torch.utils.data import DataLoader\n\n\ndef load(ds, s):\n"
        "    return DataLoader(ds, batch_size=2, shuffle=s is None, sampler=s)\n"
    ).code
    space: dict[str, Any] = {}
    exec(code, space)
    batches = space["load"](list("abcd"), [3, 1, 2, 0] if given else None)
    found = "".join(one for batch in batches.batch_sampler for one in map(str, batch))
    assert found == "3120" if given else sorted(found) == list("0123")


def test_the_sampler_of_a_loader() -> None:
    code = workbench.convert(
        "from torch.utils.data import DataLoader\n\n\ndef train(loader):\n"
        "    loader.sampler.set_epoch(1)\n\n\n"
        "loader = DataLoader(ds, sampler=lib.Own(ds))\ntrain(loader)\n"
    ).code
    assert "loader.batch_sampler.sampler.set_epoch(1)" in code and "torch" not in code


def test_loaders_that_others_make_are_paddles() -> None:
    source = "from torch.utils.data import DataLoader\n\n\ndef f(loader: DataLoader):\n"
    conversion = workbench.convert(f"{source}    return loader.sampler, loader.prefetch_factor\n")
    assert not conversion.helpers
    assert "return loader.batch_sampler.sampler, loader.prefetch_factor" in conversion.code


def test_options_that_name_pinned_memory_leave_paddles_loader() -> None:
    text = (
        "import torch\nfrom torch.utils.data import DataLoader\n\n"
        "options = {'num_workers': 1, 'pin_memory': True} if cuda else {}\n"
        "loader = DataLoader(ds, batch_size=2, **options)\nprint(len(loader.dataset))\n"
    )
    conversion = workbench.convert(text)
    assert "loader = torch_loader(ds, batch_size=2, **options)" in conversion.code
    assert list(conversion.helpers) == ["torch_loader"]


@pytest.mark.parametrize("read", ["list(Stream())", "sorted(Stream())", "[*tuple(Stream())]"])
def test_a_stream_is_listed_without_asking_for_its_length(read: str) -> None:
    assert_prints_the_same(f"""from torch.utils.data import DataLoader, IterableDataset


class Stream(IterableDataset):
    def __iter__(self):
        yield from range(5)


print({read}, [batch.tolist() for batch in DataLoader(Stream(), batch_size=2)])
""")
