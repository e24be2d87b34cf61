"""The datasets of torchvision, and folders of images."""

from __future__ import annotations

from workbench.upstream.cases.preludes import CIFAR10, CIFAR100, FOLDERS, MNIST

CASES: dict[str, tuple[str, ...]] = {
    "torchvision.datasets.ImageFolder": (
        (
            FOLDERS + "s = sets.ImageFolder(top, transform=T.ToTensor())\n"
            "r = s[0], s[-1], len(s), s.classes\ndel top"
        ),
        (
            FOLDERS + "u = T.Compose([T.Resize(3), T.ToTensor()])\ns = sets.ImageFolder(top, u)\n"
            "r = str(s).replace(top, ''), str(sets.ImageFolder(top)).replace(top, '')\ndel u\n"
            "del top"
        ),
        (
            FOLDERS + "s = sets.ImageFolder(root=top, target_transform=str)\n"
            "r = [(seen(one), k) for one, k in s]\n"
            "f = [os.path.relpath(path, top) for path, _ in s.imgs], s.targets, "
            "s.class_to_idx\ndel top"
        ),
        (
            FOLDERS + "s = sets.ImageFolder(top, is_valid_file=lambda p: 'a' in "
            "os.path.basename(p), allow_empty=True)\nr = len(s), s.targets\ndel top"
        ),
        (FOLDERS + "s = sets.ImageFolder(top, is_valid_file=lambda p: False)\ndel top"),
        (FOLDERS + "s = sets.ImageFolder(top + '/ant/x')\ndel top"),
    ),
    "torchvision.datasets.DatasetFolder": (
        (
            FOLDERS + "s = sets.DatasetFolder(top, os.path.basename, ('.txt', '.png'), "
            "transform=str.upper)\nr = list(s), s.extensions, s.classes\ndel top"
        ),
        (
            FOLDERS + "s = sets.DatasetFolder(top, loader=os.path.basename, "
            "is_valid_file=os.path.isfile)\nr = list(s)\ndel top"
        ),
        (FOLDERS + "sets.DatasetFolder(top, os.path.basename)\ndel top"),
    ),
    "torchvision.datasets.MNIST": (
        (
            MNIST + "s = sets.MNIST(top, train=True, transform=T.ToTensor(), download=True)\n"
            "r = s[0], s[2], len(s), s.classes, s.data, s.targets, s.class_to_idx\n"
            "k = str(s).replace(top, '')\ndel top"
        ),
        (
            MNIST + "s = sets.MNIST(root=top, train=False, target_transform=float)\n"
            "r = [(seen(s[k][0]), s[k][1]) for k in range(2)], s.train\ndel top"
        ),
        (
            MNIST + "l = torch.utils.data.DataLoader(sets.MNIST(top, "
            "transform=T.Compose([T.ToTensor(), T.Normalize((0.1307,), (0.3081,))])), "
            "batch_size=2)\nr = list(l)\ndel l\ndel top"
        ),
        (MNIST + "sets.MNIST(top + '/none')\ndel top"),
    ),
    "torchvision.datasets.FashionMNIST": (
        (
            MNIST
            + "s = sets.FashionMNIST(top, train=True, transform=T.ToTensor(), download=True)\n"
            "r = s[0], s[2], len(s), s.classes, s.data, s.targets, s.class_to_idx\n"
            "k = str(s).replace(top, '')\ndel top"
        ),
        (
            MNIST + "s = sets.FashionMNIST(root=top, train=False, target_transform=float)\n"
            "r = [(seen(s[k][0]), s[k][1]) for k in range(2)], s.train\ndel top"
        ),
        (
            MNIST + "l = torch.utils.data.DataLoader(sets.FashionMNIST(top, "
            "transform=T.Compose([T.ToTensor(), T.Normalize((0.1307,), (0.3081,))])), "
            "batch_size=2)\nr = list(l)\ndel l\ndel top"
        ),
        (MNIST + "sets.FashionMNIST(top + '/none')\ndel top"),
    ),
    "torchvision.datasets.CIFAR10": (
        (
            CIFAR10 + "s = Small(top, transform=T.ToTensor())\n"
            "r = s[0], s[2], len(s), s.classes, s.data, s.targets, s.class_to_idx\n"
            "del s, rows, sums\ndel top"
        ),
        (
            CIFAR10 + "s = Small(root=top, train=False, target_transform=float, download=True)\n"
            "r = np.asarray(s[0][0]).tolist(), s[0][1], s.train\ndel s, rows, sums\ndel top"
        ),
        (
            CIFAR10
            + "l = torch.utils.data.DataLoader(Small(top, transform=T.ToTensor()), batch_size=2)\n"
            "r = list(l)\ndel l, rows, sums\ndel top"
        ),
        (CIFAR10 + "del rows, sums\nsets.CIFAR10(top)\ndel top"),
    ),
    "torchvision.datasets.CIFAR100": (
        (
            CIFAR100 + "s = Small(top, transform=T.ToTensor())\n"
            "r = s[0], s[2], len(s), s.classes, s.data, s.targets, s.class_to_idx\n"
            "del s, rows, sums\ndel top"
        ),
        (
            CIFAR100 + "s = Small(root=top, train=False, target_transform=float, download=True)\n"
            "r = np.asarray(s[0][0]).tolist(), s[0][1], s.train\ndel s, rows, sums\ndel top"
        ),
        (
            CIFAR100
            + "l = torch.utils.data.DataLoader(Small(top, transform=T.ToTensor()), batch_size=2)\n"
            "r = list(l)\ndel l, rows, sums\ndel top"
        ),
        (CIFAR100 + "del rows, sums\nsets.CIFAR100(top)\ndel top"),
    ),
    "torchvision.datasets.FakeData": (
        (
            FOLDERS + "s = sets.FakeData(8, (3, 4, 5), num_classes=1, transform=T.ToTensor())\n"
            "r = len(s), s[3][0].shape, s[0][0].dtype, s[2][1]\n"
            "q = bool((s[5][0] == s[5][0]).all()), bool((s[5][0] == s[6][0]).all())\ndel top"
        ),
        (FOLDERS + "s = sets.FakeData(2, (1, 4, 5), 1, target_transform=str)\ns[2]\ndel top"),
    ),
}
