"""Processes on one machine: Paddle too adopts Python's functions and shares tensors."""

from __future__ import annotations

from workbench.upstream.cases.alike import alike

_HEAD = "import torch.multiprocessing as mp\n"
_START = (
    "def work(rank, queue, more):\n    queue.put((rank, more))\n"
    "q = mp.get_context('fork').SimpleQueue()\n"
)

CASES: dict[str, tuple[str, ...]] = {
    "torch.multiprocessing.Array": ((_HEAD + "r = list(mp.Array('i', [1, 2, 3]))"),),
    **alike(
        "torch.multiprocessing",
        "AuthenticationError BufferTooShort ProcessError TimeoutError",
        (_HEAD + "try:\n    raise mp.{name}('x')\nexcept mp.{name} as error:\n    r = 1"),
    ),
    "torch.multiprocessing.Barrier": ((_HEAD + "r = mp.Barrier(2).parties"),),
    **alike(
        "torch.multiprocessing",
        "BoundedSemaphore Condition Lock RLock Semaphore",
        (_HEAD + "with mp.{name}() as held:\n    r = held"),
    ),
    "torch.multiprocessing.Event": ((_HEAD + "e = mp.Event()\ne.set()\nr = e.is_set()\ndel e"),),
    **alike(
        "torch.multiprocessing",
        "JoinableQueue Queue SimpleQueue",
        (_HEAD + "q = mp.{name}()\nq.put(3)\nr = q.get()\ndel q"),
    ),
    "torch.multiprocessing.Manager": (
        (_HEAD + "with mp.Manager() as m:\n    r = dict(m.dict(a=1))\ndel m"),
    ),
    "torch.multiprocessing.Pipe": (
        (_HEAD + "p, q = mp.Pipe()\np.send(x)\nr = q.recv()\ndel p, q"),
    ),
    "torch.multiprocessing.Pool": (
        (_HEAD + "with mp.Pool(1) as pool:\n    r = pool.map(abs, [-1, 2])\ndel pool"),
    ),
    "torch.multiprocessing.Process": (
        (_HEAD + "p = mp.Process(target=print, args=(1,))\nr = p.is_alive(), p.daemon\ndel p"),
    ),
    "torch.multiprocessing.RawArray": ((_HEAD + "r = list(mp.RawArray('d', 3))"),),
    "torch.multiprocessing.RawValue": ((_HEAD + "r = mp.RawValue('i', 4).value"),),
    "torch.multiprocessing.Value": (
        (_HEAD + "v = mp.Value('d', 2.5)\nv.value += 1\nr = v.value\ndel v"),
    ),
    **alike(
        "torch.multiprocessing",
        "active_children cpu_count freeze_support get_all_start_methods "
        "get_start_method parent_process get_sharing_strategy",
        (_HEAD + "r = mp.{name}()"),
    ),
    "torch.multiprocessing.current_process": ((_HEAD + "r = mp.current_process().name"),),
    "torch.multiprocessing.get_context": (
        (_HEAD + "r = mp.get_context('spawn').get_start_method()"),
    ),
    "torch.multiprocessing.get_logger": ((_HEAD + "r = mp.get_logger().name"),),
    "torch.multiprocessing.log_to_stderr": ((_HEAD + "r = mp.log_to_stderr if False else 1"),),
    "torch.multiprocessing.set_executable": (
        (_HEAD + "import sys\nmp.set_executable(sys.executable)"),
    ),
    "torch.multiprocessing.set_forkserver_preload": (
        (_HEAD + "mp.set_forkserver_preload(['math'])"),
    ),
    "torch.multiprocessing.set_start_method": (
        (
            _HEAD + "old = mp.get_start_method()\nmp.set_start_method('spawn', force=True)\n"
            "r = mp.get_start_method()\nmp.set_start_method(old, force=True)"
        ),
    ),
    "torch.multiprocessing.spawn": (
        (
            _HEAD
            + _START
            + "if False:\n    mp.spawn(work, args=(q, 1), nprocs=2, join=True)\nr = 1\n"
            "del q, work"
        ),
    ),
    "torch.multiprocessing.start_processes": (
        (
            _HEAD + _START + "mp.start_processes(work, (q, 5), nprocs=2, start_method='fork')\n"
            "r = sorted([q.get(), q.get()])\ndel q, work"
        ),
    ),
    "torch.multiprocessing.set_sharing_strategy": (
        (
            _HEAD + "mp.set_sharing_strategy('file_system')\nr = mp.get_sharing_strategy()\n"
            "mp.set_sharing_strategy('file_descriptor')"
        ),
    ),
    "torch.multiprocessing.get_all_sharing_strategies": (
        (_HEAD + "r = sorted(mp.get_all_sharing_strategies())"),
    ),
}
