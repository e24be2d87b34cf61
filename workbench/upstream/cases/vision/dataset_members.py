"""The members of torchvision's datasets."""

from __future__ import annotations

from workbench.upstream.cases.preludes import FOLDERS, MNIST

CASES: dict[str, tuple[str, ...]] = {
    "torchvision.datasets.ImageFolder.imgs": (
        (
            FOLDERS
            + "s = sets.ImageFolder(top)\nr = [(os.path.relpath(p, top), k) for p, k in s.imgs]\n"
            "del top"
        ),
    ),
    "torchvision.datasets.DatasetFolder.__getitem__": (
        (
            FOLDERS + "s = sets.DatasetFolder(top, os.path.basename, ('.txt', '.png'))\n"
            "r = s.__getitem__(1)[1]\ndel top"
        ),
    ),
    "torchvision.datasets.DatasetFolder.class_to_idx": (
        (
            FOLDERS + "s = sets.DatasetFolder(top, os.path.basename, ('.txt', '.png'))\n"
            "r = s.class_to_idx\ndel top"
        ),
    ),
    "torchvision.datasets.DatasetFolder.classes": (
        (
            FOLDERS
            + "s = sets.DatasetFolder(top, os.path.basename, ('.txt', '.png'))\nr = s.classes\n"
            "del top"
        ),
    ),
    "torchvision.datasets.DatasetFolder.extensions": (
        (
            FOLDERS + "s = sets.DatasetFolder(top, os.path.basename, ('.txt', '.png'))\n"
            "r = s.extensions\ndel top"
        ),
    ),
    "torchvision.datasets.DatasetFolder.loader": (
        (
            FOLDERS
            + "s = sets.DatasetFolder(top, os.path.basename, ('.txt', '.png'))\nr = s.loader\n"
            "del top"
        ),
    ),
    "torchvision.datasets.DatasetFolder.samples": (
        (
            FOLDERS + "s = sets.DatasetFolder(top, os.path.basename, ('.txt', '.png'))\n"
            "r = [(os.path.relpath(p, top), k) for p, k in s.samples]\ndel top"
        ),
    ),
    "torchvision.datasets.DatasetFolder.targets": (
        (
            FOLDERS
            + "s = sets.DatasetFolder(top, os.path.basename, ('.txt', '.png'))\nr = s.targets\n"
            "del top"
        ),
    ),
    "torchvision.datasets.MNIST.__getitem__": (
        (MNIST + "s = sets.MNIST(top)\nr = s.__getitem__(1)[1]\ndel top"),
    ),
    "torchvision.datasets.MNIST.class_to_idx": (
        (MNIST + "s = sets.MNIST(top)\nr = s.class_to_idx\ndel top"),
    ),
    "torchvision.datasets.MNIST.classes": (
        (MNIST + "s = sets.MNIST(top)\nr = s.classes\ndel top"),
    ),
    "torchvision.datasets.MNIST.download": (
        (MNIST + "s = sets.MNIST(top)\nr = s.download\ndel top"),
    ),
    "torchvision.datasets.MNIST.raw_folder": (
        (MNIST + "s = sets.MNIST(top)\nr = os.path.relpath(s.raw_folder, top)\ndel top"),
    ),
    "torchvision.datasets.MNIST.train": ((MNIST + "s = sets.MNIST(top)\nr = s.train\ndel top"),),
    "torchvision.datasets.CIFAR10.__getitem__": (
        (
            "import hashlib, os, pickle, tempfile\nimport torchvision.datasets as sets\n"
            "import torchvision.transforms as T\ntop = tempfile.mkdtemp()\nsums = {}\n"
            'def put(name, **what):\n    with open(f"{top}/cifar/{name}", "wb") as file:\n'
            "        pickle.dump(what, file, protocol=2)\n"
            '    with open(f"{top}/cifar/{name}", "rb") as file:\n'
            "        sums[name] = hashlib.md5(file.read()).hexdigest()\n"
            'os.mkdir(f"{top}/cifar")\n'
            'rows = np.arange(4 * 3072).reshape(4, 3072).astype("uint8")\n'
            'put("one", data=rows[:2], labels=[1, 0])\nput("two", data=rows[2:3], labels=[2])\n'
            'put("last", data=rows[3:], labels=[1])\n'
            'put("names", label_names=["cat", "dog", "ant"])\nclass Small(sets.CIFAR10):\n'
            '    base_folder = "cifar"\n'
            '    train_list = [["one", sums["one"]], ["two", sums["two"]]]\n'
            '    test_list = [["last", sums["last"]]]\n'
            '    meta = {"filename": "names", "key": "label_names", "md5": sums["names"]}\n'
            "s = Small(top)\nr = s.__getitem__(1)[1]\ndel top"
        ),
    ),
    "torchvision.datasets.CIFAR10.base_folder": (
        (
            "import hashlib, os, pickle, tempfile\nimport torchvision.datasets as sets\n"
            "import torchvision.transforms as T\ntop = tempfile.mkdtemp()\nsums = {}\n"
            'def put(name, **what):\n    with open(f"{top}/cifar/{name}", "wb") as file:\n'
            "        pickle.dump(what, file, protocol=2)\n"
            '    with open(f"{top}/cifar/{name}", "rb") as file:\n'
            "        sums[name] = hashlib.md5(file.read()).hexdigest()\n"
            'os.mkdir(f"{top}/cifar")\n'
            'rows = np.arange(4 * 3072).reshape(4, 3072).astype("uint8")\n'
            'put("one", data=rows[:2], labels=[1, 0])\nput("two", data=rows[2:3], labels=[2])\n'
            'put("last", data=rows[3:], labels=[1])\n'
            'put("names", label_names=["cat", "dog", "ant"])\nclass Small(sets.CIFAR10):\n'
            '    base_folder = "cifar"\n'
            '    train_list = [["one", sums["one"]], ["two", sums["two"]]]\n'
            '    test_list = [["last", sums["last"]]]\n'
            '    meta = {"filename": "names", "key": "label_names", "md5": sums["names"]}\n'
            "s = Small(top)\nr = s.base_folder\ndel top"
        ),
    ),
    "torchvision.datasets.CIFAR10.data": (
        (
            "import hashlib, os, pickle, tempfile\nimport torchvision.datasets as sets\n"
            "import torchvision.transforms as T\ntop = tempfile.mkdtemp()\nsums = {}\n"
            'def put(name, **what):\n    with open(f"{top}/cifar/{name}", "wb") as file:\n'
            "        pickle.dump(what, file, protocol=2)\n"
            '    with open(f"{top}/cifar/{name}", "rb") as file:\n'
            "        sums[name] = hashlib.md5(file.read()).hexdigest()\n"
            'os.mkdir(f"{top}/cifar")\n'
            'rows = np.arange(4 * 3072).reshape(4, 3072).astype("uint8")\n'
            'put("one", data=rows[:2], labels=[1, 0])\nput("two", data=rows[2:3], labels=[2])\n'
            'put("last", data=rows[3:], labels=[1])\n'
            'put("names", label_names=["cat", "dog", "ant"])\nclass Small(sets.CIFAR10):\n'
            '    base_folder = "cifar"\n'
            '    train_list = [["one", sums["one"]], ["two", sums["two"]]]\n'
            '    test_list = [["last", sums["last"]]]\n'
            '    meta = {"filename": "names", "key": "label_names", "md5": sums["names"]}\n'
            "s = Small(top)\nr = s.data\ndel top"
        ),
    ),
    "torchvision.datasets.CIFAR10.download": (
        (
            "import hashlib, os, pickle, tempfile\nimport torchvision.datasets as sets\n"
            "import torchvision.transforms as T\ntop = tempfile.mkdtemp()\nsums = {}\n"
            'def put(name, **what):\n    with open(f"{top}/cifar/{name}", "wb") as file:\n'
            "        pickle.dump(what, file, protocol=2)\n"
            '    with open(f"{top}/cifar/{name}", "rb") as file:\n'
            "        sums[name] = hashlib.md5(file.read()).hexdigest()\n"
            'os.mkdir(f"{top}/cifar")\n'
            'rows = np.arange(4 * 3072).reshape(4, 3072).astype("uint8")\n'
            'put("one", data=rows[:2], labels=[1, 0])\nput("two", data=rows[2:3], labels=[2])\n'
            'put("last", data=rows[3:], labels=[1])\n'
            'put("names", label_names=["cat", "dog", "ant"])\nclass Small(sets.CIFAR10):\n'
            '    base_folder = "cifar"\n'
            '    train_list = [["one", sums["one"]], ["two", sums["two"]]]\n'
            '    test_list = [["last", sums["last"]]]\n'
            '    meta = {"filename": "names", "key": "label_names", "md5": sums["names"]}\n'
            "s = Small(top)\nr = s.download\ndel top"
        ),
    ),
    "torchvision.datasets.CIFAR10.filename": (
        (
            "import hashlib, os, pickle, tempfile\nimport torchvision.datasets as sets\n"
            "import torchvision.transforms as T\ntop = tempfile.mkdtemp()\nsums = {}\n"
            'def put(name, **what):\n    with open(f"{top}/cifar/{name}", "wb") as file:\n'
            "        pickle.dump(what, file, protocol=2)\n"
            '    with open(f"{top}/cifar/{name}", "rb") as file:\n'
            "        sums[name] = hashlib.md5(file.read()).hexdigest()\n"
            'os.mkdir(f"{top}/cifar")\n'
            'rows = np.arange(4 * 3072).reshape(4, 3072).astype("uint8")\n'
            'put("one", data=rows[:2], labels=[1, 0])\nput("two", data=rows[2:3], labels=[2])\n'
            'put("last", data=rows[3:], labels=[1])\n'
            'put("names", label_names=["cat", "dog", "ant"])\nclass Small(sets.CIFAR10):\n'
            '    base_folder = "cifar"\n'
            '    train_list = [["one", sums["one"]], ["two", sums["two"]]]\n'
            '    test_list = [["last", sums["last"]]]\n'
            '    meta = {"filename": "names", "key": "label_names", "md5": sums["names"]}\n'
            "s = Small(top)\nr = s.filename\ndel top"
        ),
    ),
    "torchvision.datasets.CIFAR10.targets": (
        (
            "import hashlib, os, pickle, tempfile\nimport torchvision.datasets as sets\n"
            "import torchvision.transforms as T\ntop = tempfile.mkdtemp()\nsums = {}\n"
            'def put(name, **what):\n    with open(f"{top}/cifar/{name}", "wb") as file:\n'
            "        pickle.dump(what, file, protocol=2)\n"
            '    with open(f"{top}/cifar/{name}", "rb") as file:\n'
            "        sums[name] = hashlib.md5(file.read()).hexdigest()\n"
            'os.mkdir(f"{top}/cifar")\n'
            'rows = np.arange(4 * 3072).reshape(4, 3072).astype("uint8")\n'
            'put("one", data=rows[:2], labels=[1, 0])\nput("two", data=rows[2:3], labels=[2])\n'
            'put("last", data=rows[3:], labels=[1])\n'
            'put("names", label_names=["cat", "dog", "ant"])\nclass Small(sets.CIFAR10):\n'
            '    base_folder = "cifar"\n'
            '    train_list = [["one", sums["one"]], ["two", sums["two"]]]\n'
            '    test_list = [["last", sums["last"]]]\n'
            '    meta = {"filename": "names", "key": "label_names", "md5": sums["names"]}\n'
            "s = Small(top)\nr = s.targets\ndel top"
        ),
    ),
    "torchvision.datasets.CIFAR10.tgz_md5": (
        (
            "import hashlib, os, pickle, tempfile\nimport torchvision.datasets as sets\n"
            "import torchvision.transforms as T\ntop = tempfile.mkdtemp()\nsums = {}\n"
            'def put(name, **what):\n    with open(f"{top}/cifar/{name}", "wb") as file:\n'
            "        pickle.dump(what, file, protocol=2)\n"
            '    with open(f"{top}/cifar/{name}", "rb") as file:\n'
            "        sums[name] = hashlib.md5(file.read()).hexdigest()\n"
            'os.mkdir(f"{top}/cifar")\n'
            'rows = np.arange(4 * 3072).reshape(4, 3072).astype("uint8")\n'
            'put("one", data=rows[:2], labels=[1, 0])\nput("two", data=rows[2:3], labels=[2])\n'
            'put("last", data=rows[3:], labels=[1])\n'
            'put("names", label_names=["cat", "dog", "ant"])\nclass Small(sets.CIFAR10):\n'
            '    base_folder = "cifar"\n'
            '    train_list = [["one", sums["one"]], ["two", sums["two"]]]\n'
            '    test_list = [["last", sums["last"]]]\n'
            '    meta = {"filename": "names", "key": "label_names", "md5": sums["names"]}\n'
            "s = Small(top)\nr = s.tgz_md5\ndel top"
        ),
    ),
    "torchvision.datasets.CIFAR10.train": (
        (
            "import hashlib, os, pickle, tempfile\nimport torchvision.datasets as sets\n"
            "import torchvision.transforms as T\ntop = tempfile.mkdtemp()\nsums = {}\n"
            'def put(name, **what):\n    with open(f"{top}/cifar/{name}", "wb") as file:\n'
            "        pickle.dump(what, file, protocol=2)\n"
            '    with open(f"{top}/cifar/{name}", "rb") as file:\n'
            "        sums[name] = hashlib.md5(file.read()).hexdigest()\n"
            'os.mkdir(f"{top}/cifar")\n'
            'rows = np.arange(4 * 3072).reshape(4, 3072).astype("uint8")\n'
            'put("one", data=rows[:2], labels=[1, 0])\nput("two", data=rows[2:3], labels=[2])\n'
            'put("last", data=rows[3:], labels=[1])\n'
            'put("names", label_names=["cat", "dog", "ant"])\nclass Small(sets.CIFAR10):\n'
            '    base_folder = "cifar"\n'
            '    train_list = [["one", sums["one"]], ["two", sums["two"]]]\n'
            '    test_list = [["last", sums["last"]]]\n'
            '    meta = {"filename": "names", "key": "label_names", "md5": sums["names"]}\n'
            "s = Small(top)\nr = s.train\ndel top"
        ),
    ),
    "torchvision.datasets.CIFAR10.url": (
        (
            "import hashlib, os, pickle, tempfile\nimport torchvision.datasets as sets\n"
            "import torchvision.transforms as T\ntop = tempfile.mkdtemp()\nsums = {}\n"
            'def put(name, **what):\n    with open(f"{top}/cifar/{name}", "wb") as file:\n'
            "        pickle.dump(what, file, protocol=2)\n"
            '    with open(f"{top}/cifar/{name}", "rb") as file:\n'
            "        sums[name] = hashlib.md5(file.read()).hexdigest()\n"
            'os.mkdir(f"{top}/cifar")\n'
            'rows = np.arange(4 * 3072).reshape(4, 3072).astype("uint8")\n'
            'put("one", data=rows[:2], labels=[1, 0])\nput("two", data=rows[2:3], labels=[2])\n'
            'put("last", data=rows[3:], labels=[1])\n'
            'put("names", label_names=["cat", "dog", "ant"])\nclass Small(sets.CIFAR10):\n'
            '    base_folder = "cifar"\n'
            '    train_list = [["one", sums["one"]], ["two", sums["two"]]]\n'
            '    test_list = [["last", sums["last"]]]\n'
            '    meta = {"filename": "names", "key": "label_names", "md5": sums["names"]}\n'
            "s = Small(top)\nr = s.url\ndel top"
        ),
    ),
    "torchvision.datasets.FakeData.__getitem__": (
        (
            FOLDERS
            + "s = sets.FakeData(8, (3, 4, 5), num_classes=1)\nr = s.__getitem__(1)[1]\ndel top"
        ),
    ),
    "torchvision.datasets.FakeData.image_size": (
        (FOLDERS + "s = sets.FakeData(8, (3, 4, 5), num_classes=1)\nr = s.image_size\ndel top"),
    ),
    "torchvision.datasets.FakeData.num_classes": (
        (FOLDERS + "s = sets.FakeData(8, (3, 4, 5), num_classes=1)\nr = s.num_classes\ndel top"),
    ),
    "torchvision.datasets.FakeData.random_offset": (
        (FOLDERS + "s = sets.FakeData(8, (3, 4, 5), num_classes=1)\nr = s.random_offset\ndel top"),
    ),
    "torchvision.datasets.FakeData.size": (
        (FOLDERS + "s = sets.FakeData(8, (3, 4, 5), num_classes=1)\nr = s.size\ndel top"),
    ),
}
