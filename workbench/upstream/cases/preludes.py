"""Common first lines of cases: layers with weights, images, networks."""

from __future__ import annotations

# Layers: both sides get the same weights.
SEED = """\
def _seed(layer):
    given = {}
    for name, value in layer.state_dict().items():
        array = np.asarray(value)
        drawn = np.cos(np.arange(array.size) * 0.7 + len(name)).reshape(array.shape)
        drawn = np.abs(drawn) + 0.1 if "var" in name else drawn
        given[name] = torch.tensor(drawn.astype(array.dtype))
    layer.load_state_dict(given)
    return layer
"""

# Images, for torchvision.
IMAGES = """\
import torchvision.transforms as T
from PIL import Image
array = np.random.default_rng(1).integers(0, 256, (9, 11, 3)).astype("uint8")
pil, gray = Image.fromarray(array), Image.fromarray(array[:, :, 0].copy())
bytes3 = torch.tensor(array[:8, :7].transpose(2, 0, 1).copy())
"""
# Comparison of Pillow images by their pixels.
KEPT = "def seen(each):\n    return each.mode, each.size, np.asarray(each).tolist()\n"
FUNCTIONAL = f"{IMAGES}import torchvision.transforms.functional as TF\n{KEPT}"

# Networks of torchvision with the same weights on both sides, since torch initialises at random.
FILLED = """\
import torchvision
from torchvision import models
def filled(net):
    net.eval()
    with torch.no_grad():
        for k, (name, each) in enumerate(sorted(net.named_parameters())):
            wave = torch.cos((torch.arange(each.numel()) % 997).float() * 0.7 + k)
            scale = 1 / max(each[0].numel(), 1) ** 0.5 if each.dim() > 1 else 0.5
            each.copy_((wave * scale).reshape(each.shape))
    return net
"""
# A folder of images, one sub-folder per class.
FOLDERS = (
    IMAGES + KEPT + "import os, tempfile\nimport torchvision.datasets as sets\n"
    "top = tempfile.mkdtemp()\n"
    "for name in ('cat/b.png', 'cat/a.PNG', 'ant/x/c.bmp', 'ant/z.txt'):\n"
    "    os.makedirs(os.path.dirname(f'{top}/{name}'), exist_ok=True)\n"
    "    gray.save(f'{top}/{name}', format='png')\n"
)
# The files of MNIST, in their own format.
MNIST = (
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
# A weight and a bias for three channels.
VECTORS = "wt, bs = x[0, :3], x[1, :3]\n"
# Statistics of three channels.
RUNNING = "mean, var = torch.tensor([0.1, 0.2, 0.3]), torch.tensor([1.0, 2.0, 3.0])\n"
# Log-probabilities, targets and lengths of three sequences, for the CTC loss.
SPEECH = (
    "v = torch.tensor(np.cos(np.arange(60.0)).reshape(5, 3, "
    "4).astype('float32')).log_softmax(2)\n"
    "t = torch.tensor([[1, 2, 0], [3, 3, 1], [2, 0, 0]])\n"
    "il, tl = [5, 5, 4], [2, 2, 1]\n"
)
# An optimizer with two groups.
OPTIMIZER = (
    "q = nn.Parameter(torch.ones(2))\nv = nn.Parameter(torch.ones(3))\n"
    "o = torch.optim.SGD([{'params': [q]}, {'params': [v], 'lr': 0.3}], "
    "lr=0.1, momentum=0.5)\n"
)
# Twenty steps of a schedule `s` of that optimizer.
RATES = (
    "\nrates = []\nfor k in range(20):\n    o.step()\n"
    "    rates.append((s.get_last_lr(), [g['lr'] for g in o.param_groups], "
    "o.param_groups[1]['momentum']))\n    s.step()\nd = s.state_dict()"
)
# Properties of a distribution `d` of one dimension, and of `v`.
MEASURED = (
    "\n"
    "r = d.mean, d.mode, d.variance, d.stddev, d.log_prob(v), d.entropy(), "
    "d.cdf(v), d.icdf(v), d.sample((4,)).shape, d.sample().dtype, "
    "d.sample().requires_grad, d.rsample((4, 3)).shape\n"
    "shape = tuple(d.batch_shape), tuple(d.event_shape)"
)
# Two values between zero and one.
POINT = "v = torch.tensor([0.2, 0.7])\n"
# A small copy of CIFAR 10 in a folder `top`, and the class `Small` that reads it.
CIFAR10 = (
    "import hashlib, os, pickle, tempfile\nimport torchvision.datasets as sets\n"
    "import torchvision.transforms as T\ntop = tempfile.mkdtemp()\nsums = {}\n"
    'def put(name, **what):\n    with open(f"{top}/cifar/{name}", "wb") as file:\n'
    "        pickle.dump(what, file, protocol=2)\n"
    '    with open(f"{top}/cifar/{name}", "rb") as file:\n'
    "        sums[name] = hashlib.md5(file.read()).hexdigest()\n"
    'os.mkdir(f"{top}/cifar")\n'
    'rows = np.arange(4 * 3072).reshape(4, 3072).astype("uint8")\n'
    'put("one", data=rows[:2], labels=[1, 0])\n'
    'put("two", data=rows[2:3], labels=[2])\nput("last", data=rows[3:], labels=[1])\n'
    'put("names", label_names=["cat", "dog", "ant"])\nclass Small(sets.CIFAR10):\n'
    '    base_folder = "cifar"\n'
    '    train_list = [["one", sums["one"]], ["two", sums["two"]]]\n'
    '    test_list = [["last", sums["last"]]]\n'
    '    meta = {"filename": "names", "key": "label_names", "md5": sums["names"]}\n'
)
CIFAR100 = (
    CIFAR10.replace("CIFAR10", "CIFAR100")
    .replace("labels=", "fine_labels=")
    .replace("label_names", "fine_label_names")
)
