"""Snippets of torch code in many shapes of Python: what the target `convert` mutates."""

from __future__ import annotations

HEADS = (
    "import torch\nfrom torch import nn\nimport torch.nn.functional as F\n",
    '"""Doc."""\n\nfrom __future__ import annotations\n\nimport os\n\nimport torch\n'
    "import torch.nn as nn\nimport torch.nn.functional as F\n",
    "#!/usr/bin/env python3\n# -*- coding: utf-8 -*-\nimport torch as t, torch\n"
    "from torch import *\n"
    "from torch import nn\nfrom torch.nn import functional as F\n",
    "try:\n    import torch\n    from torch import nn\nexcept ImportError:\n    torch = nn = None\n"
    "import torch.nn.functional as F\n",
    "import numpy as np  # numbers\nimport torch; import torch.nn as nn\nfrom torch.nn import (\n"
    "    functional as F,  # all of it\n    Linear,\n)\n",
    "import torch.nn as nn\nimport torch, torch.nn.functional as F\n\x0c\n"
    "DEVICE = torch.device('cpu')\n",
)

SNIPPETS = (
    '''\
class Net(nn.Module):
    """A small one."""

    scale: torch.Tensor

    def __init__(self, width=8, *, bias: bool = True):
        super().__init__()
        self.fc = nn.Linear(3, width, bias=bias)  # first
        self.norm = nn.BatchNorm1d(width)
        self.register_buffer("scale", torch.ones(width))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = F.relu(self.fc(x))
        return self.norm(x).view(x.size(0), -1) * self.scale
''',
    """\
def train(model, loader, epochs=3):
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
    for epoch in range(epochs):
        for images, labels in loader:
            optimizer.zero_grad()
            loss = F.cross_entropy(model(images), labels)
            loss.backward()
            nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
        else:
            print(f"epoch {epoch}: {loss.item():.3f}")
""",
    """\
@torch.no_grad()
def evaluate(model, loader, *args, **options):
    model.eval()
    total = correct = 0
    with torch.no_grad(), open("log.txt") as log:
        for x, y in loader:
            if (n := y.numel()) == 0: continue
            correct += (model(x).argmax(dim=1) == y).sum().item()
            total += n; log.flush()
    return correct / max(total, 1)
""",
    """\
x = torch.randn(2, 3, requires_grad=True)
y = x.permute(1, 0).contiguous().max(dim=1)[0]
print(f"{x.sum()!r:>{10}} {{{y.shape}}} {torch.abs(x)=}", f'{x["a"]}', rf"\\d{x.mean()}")
values, indices = torch.topk(x, k=2, dim=-1)
""",
    """\
match batch:
    case torch.Tensor() as x if x.dim() == 2:
        out = x.unsqueeze(0)
    case {"images": images, **rest}:
        out = torch.cat([images, *rest.values()], dim=0)
    case [a, b, *_] | (a, b):
        out = torch.stack((a, b))
    case _:
        out = None
""",
    """\
total = torch.zeros(1) \\
    + torch.ones(1) \\
    .mul(2)
assert total.item() == 2, \\
    "no"
if True: total = torch.add(total, total, alpha=2); del total
""",
    """\
größe = torch.tensor([1.0, 2.0])
σ, π_ = größe.sigmoid(), torch.pi
名前 = {"ключ": größe.to("cuda:0", non_blocking=True), "😀": torch.float32}
""",
    """\
# a comment before
out = torch.where(  # what
    x > 0,  # where

    x,
    # else
    torch.zeros_like(x),
)  # after
# a comment at the end
""",
    """\
async def stream(queue):
    async with queue as q:
        async for item in q:
            yield torch.as_tensor(await item).float().div_(255)
    return
""",
    """\
pad = lambda v, n=2, *rest, **more: F.pad(v, (n, n), mode="reflect")
rows = [torch.relu(r) for r in xs if r.dim() for _ in range(2)]
table = {k: v.detach().cpu().numpy() for k, v in state.items()}
gen = (r.clone() for r in rows)
first, *others = torch.split(x, [1, 2], 0)
""",
    """\
try:
    state = torch.load("net.pt", map_location="cpu")
except (FileNotFoundError, RuntimeError) as error:
    raise ValueError("nothing") from error
else:
    model.load_state_dict(state, strict=False)
finally:
    torch.cuda.empty_cache()
""",
    """\
mask[..., :n, None] = -torch.inf
x[mask.bool()] += torch.rand_like(x)[0]
x @= w.t()
x **= 2
x.data.mul_(0.5)
x.grad = None
grid = torch.arange(0, 10, 2)[None, :, None].expand(2, -1, 3)
""",
    """\
class Attention(nn.Module):
    def forward(self, q, k, v, mask: "torch.Tensor | None" = None):
        w = torch.einsum("bqd,bkd->bqk", q, k) / q.shape[-1] ** 0.5
        if mask is not None:
            w = w.masked_fill(mask == 0, float("-inf"))
        return torch.bmm(F.softmax(w, dim=-1), v).transpose(1, 2).reshape(q.size(0), -1)
""",
    """\
net = nn.Sequential(nn.Conv2d(3, 8, kernel_size=3, padding=1), nn.ReLU(inplace=True),
                    nn.MaxPool2d(2), nn.Flatten(), nn.Dropout(p=0.5))
loss_fn = nn.CrossEntropyLoss(weight=None, ignore_index=-100, reduction="mean")
scheduler = torch.optim.lr_scheduler.StepLR(optimizer, step_size=30, gamma=0.1)
""",
    """\
def typed(x: torch.Tensor, y: "torch.LongTensor" = None, *, z: int | torch.Tensor = 0):
    global counter
    nonlocal_ = isinstance(x, torch.Tensor) and x.dtype is torch.float16
    x: torch.Tensor = x.type(torch.float64) if nonlocal_ else x.half()
    return x.to(dtype=torch.bfloat16), x.device.type, x.is_cuda
""",
    """\
handle = torch.cuda.CUDAGraph()
z = torch.ops.mine.op(x)  # torchferry: ignore
w = torch.no_such_name(x)  # torchferry: ignore[TF201]
x.register_hook(lambda g: g.clamp(min=0, max=1))
""",
    """\
import torchvision.transforms as T
from torch.utils.data import DataLoader, Dataset
class Data(Dataset):
    def __getitem__(self, i): return T.ToTensor()(self.images[i]), torch.tensor(i).long()
    def __len__(self): return len(self.images)
loader = DataLoader(Data(), batch_size=4, shuffle=True, num_workers=0, pin_memory=True)
""",
    """\
text = '''torch.stack([x]) \\
import torch
''' + "torch.abs(x)" 'é' b"torch"
def f(x):
\tif x is None:
\t\treturn torch.empty(0)
\treturn x.squeeze(-1).tolist()
""",
    """\
deep = torch.add(torch.mul(torch.sub(torch.div(torch.abs(torch.neg(((((x)))))), 2), 3), 4), 5)
chain = x.view(2, 3).t().contiguous().view(-1).float().sum().sqrt().log().exp().item()
cond = torch.ones(1) if not (a and b or c) else torch.zeros(1) if a < b <= c else None
""",
    """\
torch.manual_seed(0)
torch.save({"model": model.state_dict(), "step": 3}, path)
if torch.cuda.is_available(): model = model.cuda()
device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model.to(device); torch.set_grad_enabled(False)
""",
    """\
class Function(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x.clamp_min(0)

    @staticmethod
    def backward(ctx, grad):
        x, = ctx.saved_tensors
        return grad * (x > 0).type_as(grad)
""",
    """\
from functools import partial
act = partial(F.leaky_relu, negative_slope=0.2)
layers = [nn.Linear(*size, **extra) for size in zip(sizes, sizes[1:])]
norm = torch.linalg.norm(x, ord=2, dim=(0, 1), keepdim=True)
q, r = torch.linalg.qr(x)
print(torch.allclose(q @ r, x), torch.equal(x, y), x.eq(y).all())
""",
)

# Pieces that stand where an expression does, in the place of another.
EXPRESSIONS = (
    "x",
    "torch.relu(x)",
    "x.size()",
    "(yield)",
    "(d := x.max(1))",
    "lambda: torch.ones(2)",
    "[*xs]",
    "{**kw}",
    "x[..., None]",
    "not x",
    "await x",
    "torch.float32",
    "nn.ReLU",
    "...",
    "f'{torch.abs(x)}'",
    "-x ** 2",
    "x if y else torch.zeros(1)",
    "(x,)",
    "torch",
    "nn.Module",
    "torch.stack([x for x in xs])",
    "10 ** 4000",
    "0x_ff",
    "1_0.e-5j",
    "'''a\nb'''",
    "b'\\x00'",
    "x.view(-1)",
    "self.w.data",
    "x.T @ w",
    "torch.no_grad()",
    "x.requires_grad_(True)",
    "torch.max(x, dim=0, keepdim=True)[1]",
    "super().forward(x)",
    "print",
    "x.shape[0] // 2",
)

# Pieces that are thrown in anywhere.
TOKENS = (
    "(",
    ")",
    "[",
    "]",
    "{",
    "}",
    "'",
    '"',
    '"""',
    "#",
    "\\\n",
    "\n",
    "\r",
    "\r\n",
    "\t",
    "\x0c",
    "\x0b",
    "\x00",
    "\x1a",
    "\ufeff",
    "\u2028",
    "\u00a0",
    "\u200b",
    "é",
    "😀",
    "名",
    "e\u0301",
    "ﬁ",
    "\ud800",
    "torch.",
    ".torch",
    "import torch\n",
    "# torchferry: ignore\n",
    "%%time\n",
    "!pip install torch\n",
    "lambda ",
    ":=",
    "->",
    "**",
    "*",
    "@",
    ";",
    ":",
    ",",
    "=",
    "f'{",
    "}'",
    "async ",
    "await ",
    "yield ",
    "return ",
    "global torch\n",
    "del x\n",
    "class A:\n",
    "pass\n",
    "    ",
    "print ",
    "exec ",
    "`x`",
    "<>",
    "0777",
    "1__0",
    "# -*- coding: latin-1 -*-\n",
    "# coding: no-such-codec\n",
    "from __future__ import annotations\n",
    "type X = int\n",
)
