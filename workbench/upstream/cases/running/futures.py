"""Futures, and calls that return them."""

from __future__ import annotations

_FUNCTION = "def f(t, k=2):\n    return t * k\n"
_OWN = "u = torch.futures.Future()\n"

CASES: dict[str, tuple[str, ...]] = {
    "torch.jit.fork": (
        _FUNCTION + "u = torch.jit.fork(f, x)\nr = torch.jit.wait(u)\ndel u",
        _FUNCTION + "u = torch.jit.fork(f, x, k=3)\nr = u.wait(), u.value(), u.done()\ndel u",
        "l = nn.ReLU()\nus = [torch.jit.fork(l, one) for one in x]\n"
        "r = [torch.jit.wait(u) for u in us]\ndel us",
    ),
    "torch.jit.wait": (_FUNCTION + "r = torch.jit.wait(torch.jit.fork(f, t=x))",),
    "torch.fork": (_FUNCTION + "u = torch.fork(f, x)\nr = torch.wait(u)\ndel u",),
    "torch.wait": (_FUNCTION + "r = torch.wait(torch.fork(f, x))",),
    "torch.jit.Future": (
        _FUNCTION + "us: list[torch.jit.Future[torch.Tensor]] = [torch.jit.fork(f, x)]\n"
        "r = us[0].wait()\ndel us",
    ),
    "torch.Future": (_OWN + "u.set_result(x)\nr = isinstance(u, torch.Future)\ndel u",),
    "torch.Future.set_result": (_OWN + "u.set_result(x + 1)\nr = u.wait()\ndel u",),
    "torch.Future.value": (_OWN + "u.set_result([x, 2])\nr = u.value()\ndel u",),
    "torch.Future.wait": (_OWN + "u.set_result(None)\nr = u.wait()\ndel u",),
    "torch.Future.done": (_OWN + "r = u.done()\ndel u",),
    "torch.Future.then": (
        _OWN + "v = u.then(lambda one: one.wait() + 1)\nu.set_result(x)\nr = v.wait()\ndel u, v",
        _OWN + "u.set_result(0)\nv = u.then(lambda one: 1 / one.value())\n"
        "try:\n    v.wait()\nexcept RuntimeError as e:\n    r = 'ZeroDivisionError' in str(e)\n"
        "del u, v",
    ),
    "torch.Future.add_done_callback": (
        _OWN + "r = []\nu.add_done_callback(lambda one: r.append(one.value()))\n"
        "u.set_result(x)\ndel u",
    ),
    "torch.jit.Future.set_exception": (
        _OWN + "u.set_exception(ValueError('no'))\n"
        "try:\n    u.wait()\nexcept ValueError as e:\n    r = str(e)\ndel u",
    ),
    "torch.futures.wait_all": (
        _OWN + "u.set_result(x)\nr = torch.futures.wait_all([u, u])\ndel u",
    ),
    "torch.futures.collect_all": (
        _OWN + "u.set_result(x)\nv = torch.futures.collect_all([u])\nr = v.wait()[0].wait()\n"
        "del u, v",
    ),
}
