"""Processes on one machine: Paddle too takes Python's over, and shares tensors between them."""

from __future__ import annotations

from workbench.rules.rule import RuleSet
from workbench.upstream.supplement import HIDDEN

rules = RuleSet()

_M = "torch.multiprocessing"
_TARGET = "paddle.incubate.multiprocessing"
_HEAD = "import torch.multiprocessing as mp\n"
_QUEUE = "q = mp.{0}()\nq.put(3)\nr = q.get()\ndel q"
_LOCK = "with mp.{0}() as held:\n    r = held"
_SHOWN = {
    "Array": "r = list(mp.Array('i', [1, 2, 3]))",
    "Barrier": "r = mp.Barrier(2).parties",
    "BoundedSemaphore": _LOCK,
    "Condition": _LOCK,
    "Event": "e = mp.Event()\ne.set()\nr = e.is_set()\ndel e",
    "JoinableQueue": _QUEUE,
    "Lock": _LOCK,
    "Manager": "with mp.Manager() as m:\n    r = dict(m.dict(a=1))\ndel m",
    "Pipe": "p, q = mp.Pipe()\np.send(x)\nr = q.recv()\ndel p, q",
    "Pool": "with mp.Pool(1) as pool:\n    r = pool.map(abs, [-1, 2])\ndel pool",
    "Process": "p = mp.Process(target=print, args=(1,))\nr = p.is_alive(), p.daemon\ndel p",
    "Queue": _QUEUE,
    "RLock": _LOCK,
    "RawArray": "r = list(mp.RawArray('d', 3))",
    "RawValue": "r = mp.RawValue('i', 4).value",
    "Semaphore": _LOCK,
    "SimpleQueue": _QUEUE,
    "Value": "v = mp.Value('d', 2.5)\nv.value += 1\nr = v.value\ndel v",
    "active_children": "r = mp.active_children()",
    "cpu_count": "r = mp.cpu_count()",
    "current_process": "r = mp.current_process().name",
    "freeze_support": "r = mp.freeze_support()",
    "get_all_start_methods": "r = mp.get_all_start_methods()",
    "get_context": "r = mp.get_context('spawn').get_start_method()",
    "get_logger": "r = mp.get_logger().name",
    "get_start_method": "r = mp.get_start_method()",
    "log_to_stderr": "r = mp.log_to_stderr if False else 1",
    "parent_process": "r = mp.parent_process()",
    "set_executable": "import sys\nmp.set_executable(sys.executable)",
    "set_forkserver_preload": "mp.set_forkserver_preload(['math'])",
    "set_start_method": "old = mp.get_start_method()\nmp.set_start_method('spawn', force=True)\n"
    "r = mp.get_start_method()\nmp.set_start_method(old, force=True)",
}
for _name in HIDDEN:
    _owner, _, _member = _name.rpartition(".")
    if _owner == _M:
        _raised = f"try:\n    raise mp.{_member}('x')\nexcept mp.{_member} as error:\n    r = 1"
        _case = _SHOWN.get(_member, _raised).format(_member)
        rules.row(
            _name,
            f"{_TARGET}.{_member}(...)",
            value=f"{_TARGET}.{_member}",
            cases=[_HEAD + _case],
        )

_START = (
    "def work(rank, queue, more):\n    queue.put((rank, more))\n"
    "q = mp.get_context('fork').SimpleQueue()\n"
)
_CALLS = {
    "spawn": "if False:\n    mp.spawn(work, args=(q, 1), nprocs=2, join=True)\nr = 1",
    "start_processes": "mp.start_processes(work, (q, 5), nprocs=2, start_method='fork')\n"
    "r = sorted([q.get(), q.get()])",
}
for _name, _case in _CALLS.items():
    rules.row(
        f"{_M}.{_name}",
        "torch_start_processes({fn}, {args}, {nprocs}, join={join}, daemon={daemon}, "
        "start_method={start_method})",
        note="a process that fails raises a RuntimeError here, and shows its own traceback",
        cases=[f"{_HEAD}{_START}{_case}\ndel q, work"],
    )
rules.row(
    f"{_M}.set_sharing_strategy",
    "setattr(TorchSettings, 'sharing_strategy', {new_strategy})",
    note="it keeps its value without effect: Paddle shares memory by files",
    cases=[
        f"{_HEAD}mp.set_sharing_strategy('file_system')\nr = mp.get_sharing_strategy()\n"
        "mp.set_sharing_strategy('file_descriptor')"
    ],
)
rules.row(
    f"{_M}.get_sharing_strategy",
    "TorchSettings.sharing_strategy",
    cases=[f"{_HEAD}r = mp.get_sharing_strategy()"],
)
rules.row(
    f"{_M}.get_all_sharing_strategies",
    "set(('file_descriptor', 'file_system'))",
    cases=[f"{_HEAD}r = sorted(mp.get_all_sharing_strategies())"],
)
