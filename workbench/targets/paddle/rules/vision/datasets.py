"""Datasets of torchvision."""

from __future__ import annotations

from workbench.rules.rule import RuleSet
from workbench.upstream.cases.images import IMAGES, KEPT
from workbench.upstream.facts import load

rules = RuleSet()

_D = "torchvision.datasets"
_FILES = (
    f"{IMAGES}{KEPT}import os, tempfile\nimport torchvision.datasets as sets\n"
    "top = tempfile.mkdtemp()\n"
    "for name in ('cat/b.png', 'cat/a.PNG', 'ant/x/c.bmp', 'ant/z.txt'):\n"
    "    os.makedirs(os.path.dirname(f'{top}/{name}'), exist_ok=True)\n"
    "    gray.save(f'{top}/{name}', format='png')\n"
)
_BYTES = (
    f"{IMAGES}{KEPT}import os, tempfile, struct\nimport torchvision.datasets as sets\n"
    "top = tempfile.mkdtemp()\n"
    "for name in ('MNIST', 'FashionMNIST'):\n    raw = f'{top}/{name}/raw'\n    os.makedirs(raw)\n"
    "    for part, count in (('train', 3), ('t10k', 2)):\n"
    "        pixels = np.arange(count * 12, dtype='uint8')\n"
    "        with open(f'{raw}/{part}-images-idx3-ubyte', 'wb') as file:\n"
    "            file.write(struct.pack('>iiii', 2051, count, 3, 4) + pixels.tobytes())\n"
    "        with open(f'{raw}/{part}-labels-idx1-ubyte', 'wb') as file:\n"
    "            file.write(struct.pack('>ii', 2049, count) + bytes(range(count)))\n"
    "del raw, file\n"
)
_GONE = "\ndel top"
_MEMBERS = frozenset(
    {
        "classes",
        "class_to_idx",
        "samples",
        "targets",
        "imgs",
        "loader",
        "extensions",
        "data",
        "root",
        "train",
        "transform",
        "transforms",
        "target_transform",
        "__getitem__",
        "__len__",
        "raw_folder",
        "size",
        "num_classes",
        "image_size",
        "random_offset",
        "base_folder",
        "filename",
        "tgz_md5",
        "url",
        "download",
    }
)


def _dataset(name: str, made: str, head: str, *cases: str, caveat: str | None = None) -> None:
    """A dataset with its attributes; `made` makes one."""
    rules.row(
        f"{_D}.{name}",
        f"Torch{name}(...)",
        value=f"Torch{name}",
        caveat=caveat,
        cases=[head + case + _GONE for case in cases],
    )
    for one in sorted(load().inside(f"{_D}.{name}")):
        member = one.rpartition(".")[2]
        if member not in _MEMBERS:
            continue
        read = f".{member}"
        if member.startswith("__"):
            read = ".__len__()" if member == "__len__" else ".__getitem__(1)[1]"
        show = f"s{read}"
        if member in {"root", "raw_folder"}:
            show = f"os.path.relpath(s{read}, top)"
        if member in {"samples", "imgs"}:
            show = f"[(os.path.relpath(p, top), k) for p, k in s{read}]"
        case = f"s = {made}\nr = {show}{_GONE}"
        rules.keep(one, cases=[head + case])


_dataset(
    "ImageFolder",
    "sets.ImageFolder(top)",
    _FILES,
    "s = sets.ImageFolder(top, transform=T.ToTensor())\nr = s[0], s[-1], len(s), s.classes",
    "u = T.Compose([T.Resize(3), T.ToTensor()])\ns = sets.ImageFolder(top, u)\n"
    "r = str(s).replace(top, ''), str(sets.ImageFolder(top)).replace(top, '')\ndel u",
    "s = sets.ImageFolder(root=top, target_transform=str)\nr = [(seen(one), k) for one, k in s]\n"
    "f = [os.path.relpath(path, top) for path, _ in s.imgs], s.targets, s.class_to_idx",
    "s = sets.ImageFolder(top, is_valid_file=lambda p: 'a' in os.path.basename(p), "
    "allow_empty=True)\nr = len(s), s.targets",
    "s = sets.ImageFolder(top, is_valid_file=lambda p: False)",
    "s = sets.ImageFolder(top + '/ant/x')",
)
_dataset(
    "DatasetFolder",
    "sets.DatasetFolder(top, os.path.basename, ('.txt', '.png'))",
    _FILES,
    "s = sets.DatasetFolder(top, os.path.basename, ('.txt', '.png'), transform=str.upper)\n"
    "r = list(s), s.extensions, s.classes",
    "s = sets.DatasetFolder(top, loader=os.path.basename, is_valid_file=os.path.isfile)\n"
    "r = list(s)",
    "sets.DatasetFolder(top, os.path.basename)",
)
_MIRROR = "what it downloads comes from Paddle's mirror instead of torchvision's"
for _name in ("MNIST", "FashionMNIST"):
    _dataset(
        _name,
        f"sets.{_name}(top)",
        _BYTES,
        f"s = sets.{_name}(top, train=True, transform=T.ToTensor(), download=True)\n"
        "r = s[0], s[2], len(s), s.classes, s.data, s.targets, s.class_to_idx\n"
        "k = str(s).replace(top, '')",
        f"s = sets.{_name}(root=top, train=False, target_transform=float)\n"
        "r = [(seen(s[k][0]), s[k][1]) for k in range(2)], s.train",
        f"l = torch.utils.data.DataLoader(sets.{_name}(top, transform=T.Compose([T.ToTensor(), "
        "T.Normalize((0.1307,), (0.3081,))])), batch_size=2)\nr = list(l)\ndel l",
        f"sets.{_name}(top + '/none')",
        caveat=_MIRROR,
    )
# A dataset of a few images: torchvision takes only files that have the checksums of a class.
_SMALL = """\
import hashlib, os, pickle, tempfile
import torchvision.datasets as sets
import torchvision.transforms as T
top = tempfile.mkdtemp()
sums = {{}}
def put(name, **what):
    with open(f"{{top}}/cifar/{{name}}", "wb") as file:
        pickle.dump(what, file, protocol=2)
    with open(f"{{top}}/cifar/{{name}}", "rb") as file:
        sums[name] = hashlib.md5(file.read()).hexdigest()
os.mkdir(f"{{top}}/cifar")
rows = np.arange(4 * 3072).reshape(4, 3072).astype("uint8")
put("one", data=rows[:2], {0}labels=[1, 0])
put("two", data=rows[2:3], {0}labels=[2])
put("last", data=rows[3:], {0}labels=[1])
put("names", {0}label_names=["cat", "dog", "ant"])
class Small(sets.CIFAR{1}):
    base_folder = "cifar"
    train_list = [["one", sums["one"]], ["two", sums["two"]]]
    test_list = [["last", sums["last"]]]
    meta = {{"filename": "names", "key": "{0}label_names", "md5": sums["names"]}}
"""
for _name, _fine in (("10", ""), ("100", "fine_")):
    _dataset(
        f"CIFAR{_name}",
        "Small(top)",
        _SMALL.format(_fine, _name),
        "s = Small(top, transform=T.ToTensor())\n"
        "r = s[0], s[2], len(s), s.classes, s.data, s.targets, s.class_to_idx\ndel s, rows, sums",
        "s = Small(root=top, train=False, target_transform=float, download=True)\n"
        "r = np.asarray(s[0][0]).tolist(), s[0][1], s.train\ndel s, rows, sums",
        "l = torch.utils.data.DataLoader(Small(top, transform=T.ToTensor()), batch_size=2)\n"
        "r = list(l)\ndel l, rows, sums",
        f"del rows, sums\nsets.CIFAR{_name}(top)",
        caveat=_MIRROR,
    )
_dataset(
    "FakeData",
    "sets.FakeData(8, (3, 4, 5), num_classes=1)",
    _FILES,
    "s = sets.FakeData(8, (3, 4, 5), num_classes=1, transform=T.ToTensor())\n"
    "r = len(s), s[3][0].shape, s[0][0].dtype, s[2][1]\n"
    "q = bool((s[5][0] == s[5][0]).all()), bool((s[5][0] == s[6][0]).all())",
    "s = sets.FakeData(2, (1, 4, 5), 1, target_transform=str)\ns[2]",
    caveat="its random images are other ones than torchvision's",
)
