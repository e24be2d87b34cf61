"""The members of torchvision's datasets."""

from __future__ import annotations

from workbench.upstream.cases.preludes import IMAGES, KEPT

_FILES = (
    IMAGES + KEPT + "import os, tempfile\nimport torchvision.datasets as sets\n"
    "top = tempfile.mkdtemp()\n"
    "for name in ('cat/b.png', 'cat/a.PNG', 'ant/x/c.bmp', 'ant/z.txt'):\n"
    "    os.makedirs(os.path.dirname(f'{top}/{name}'), exist_ok=True)\n"
    "    gray.save(f'{top}/{name}', format='png')\n"
)
_BYTES = (
    IMAGES + KEPT + "import os, tempfile, struct\nimport torchvision.datasets as sets\n"
    "top = tempfile.mkdtemp()\nfor name in ('MNIST', 'FashionMNIST'):\n"
    "    raw = f'{top}/{name}/raw'\n    os.makedirs(raw)\n"
    "    for part, count in (('train', 3), ('t10k', 2)):\n"
    "        pixels = np.arange(count * 12, dtype='uint8')\n"
    "        with open(f'{raw}/{part}-images-idx3-ubyte', 'wb') as file:\n"
    "            file.write(struct.pack('>iiii', 2051, count, 3, 4) + "
    "pixels.tobytes())\n"
    "        with open(f'{raw}/{part}-labels-idx1-ubyte', 'wb') as file:\n"
    "            file.write(struct.pack('>ii', 2049, count) + bytes(range(count)))\n"
    "del raw, file\n"
)

CASES: dict[str, tuple[str, ...]] = {
    "torchvision.datasets.ImageFolder.imgs": (
        (
            _FILES
            + "s = sets.ImageFolder(top)\nr = [(os.path.relpath(p, top), k) for p, k in s.imgs]\n"
            "del top"
        ),
    ),
    "torchvision.datasets.DatasetFolder.__getitem__": (
        (
            _FILES + "s = sets.DatasetFolder(top, os.path.basename, ('.txt', '.png'))\n"
            "r = s.__getitem__(1)[1]\ndel top"
        ),
    ),
    "torchvision.datasets.DatasetFolder.class_to_idx": (
        (
            _FILES + "s = sets.DatasetFolder(top, os.path.basename, ('.txt', '.png'))\n"
            "r = s.class_to_idx\ndel top"
        ),
    ),
    "torchvision.datasets.DatasetFolder.classes": (
        (
            _FILES
            + "s = sets.DatasetFolder(top, os.path.basename, ('.txt', '.png'))\nr = s.classes\n"
            "del top"
        ),
    ),
    "torchvision.datasets.DatasetFolder.extensions": (
        (
            _FILES + "s = sets.DatasetFolder(top, os.path.basename, ('.txt', '.png'))\n"
            "r = s.extensions\ndel top"
        ),
    ),
    "torchvision.datasets.DatasetFolder.loader": (
        (
            _FILES
            + "s = sets.DatasetFolder(top, os.path.basename, ('.txt', '.png'))\nr = s.loader\n"
            "del top"
        ),
    ),
    "torchvision.datasets.DatasetFolder.samples": (
        (
            _FILES + "s = sets.DatasetFolder(top, os.path.basename, ('.txt', '.png'))\n"
            "r = [(os.path.relpath(p, top), k) for p, k in s.samples]\ndel top"
        ),
    ),
    "torchvision.datasets.DatasetFolder.targets": (
        (
            _FILES
            + "s = sets.DatasetFolder(top, os.path.basename, ('.txt', '.png'))\nr = s.targets\n"
            "del top"
        ),
    ),
    "torchvision.datasets.MNIST.__getitem__": (
        (_BYTES + "s = sets.MNIST(top)\nr = s.__getitem__(1)[1]\ndel top"),
    ),
    "torchvision.datasets.MNIST.class_to_idx": (
        (_BYTES + "s = sets.MNIST(top)\nr = s.class_to_idx\ndel top"),
    ),
    "torchvision.datasets.MNIST.classes": (
        (_BYTES + "s = sets.MNIST(top)\nr = s.classes\ndel top"),
    ),
    "torchvision.datasets.MNIST.download": (
        (_BYTES + "s = sets.MNIST(top)\nr = s.download\ndel top"),
    ),
    "torchvision.datasets.MNIST.raw_folder": (
        (_BYTES + "s = sets.MNIST(top)\nr = os.path.relpath(s.raw_folder, top)\ndel top"),
    ),
    "torchvision.datasets.MNIST.train": ((_BYTES + "s = sets.MNIST(top)\nr = s.train\ndel top"),),
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
            _FILES
            + "s = sets.FakeData(8, (3, 4, 5), num_classes=1)\nr = s.__getitem__(1)[1]\ndel top"
        ),
    ),
    "torchvision.datasets.FakeData.image_size": (
        (_FILES + "s = sets.FakeData(8, (3, 4, 5), num_classes=1)\nr = s.image_size\ndel top"),
    ),
    "torchvision.datasets.FakeData.num_classes": (
        (_FILES + "s = sets.FakeData(8, (3, 4, 5), num_classes=1)\nr = s.num_classes\ndel top"),
    ),
    "torchvision.datasets.FakeData.random_offset": (
        (_FILES + "s = sets.FakeData(8, (3, 4, 5), num_classes=1)\nr = s.random_offset\ndel top"),
    ),
    "torchvision.datasets.FakeData.size": (
        (_FILES + "s = sets.FakeData(8, (3, 4, 5), num_classes=1)\nr = s.size\ndel top"),
    ),
}
