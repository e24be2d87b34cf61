"""Whole families without an equivalent: why, and what a person would use instead."""

from __future__ import annotations

from workbench.rules.rule import RuleSet
from workbench.targets.paddle.rules import (
    amp,
    autograd,
    backends,
    compile,
    cuda,
    data,
    distributed,
    distributions,
    distributions_constraints,
    distributions_transforms,
    func,
    lr_scheduler,
    misc_hooks,
    optim,
    optim_more,
    profiler,
    saving,
    tensor_constructors,
    testing,
)
from workbench.upstream.facts import load

rules = RuleSet()

# Families by the start of their names: the reason, and the way to go.
_FAMILIES: dict[str, tuple[str, str | None]] = {
    "torch.fx": ("Paddle traces no Python into torch's graphs", "paddle.jit.to_static"),
    "torch.ao": ("Paddle quantizes by a toolkit of its own", "paddle.quantization"),
    "torch.quantization": ("Paddle quantizes by a toolkit of its own", "paddle.quantization"),
    "torch.nn.quantized": ("Paddle quantizes by a toolkit of its own", "paddle.nn.quant"),
    "torch.nn.quantizable": ("Paddle quantizes by a toolkit of its own", "paddle.nn.quant"),
    "torch.nn.qat": ("Paddle quantizes by a toolkit of its own", "paddle.quantization.QAT"),
    "torch.nn.intrinsic": ("Paddle fuses layers by itself", None),
    "torch.export": ("Paddle exports with input specifications", "paddle.jit.save"),
    "torch.package": ("Paddle packs no code with weights", "paddle.jit.save"),
    "torch.library": (
        "Paddle registers operators from C++ and from Python in its own way",
        "paddle.utils.cpp_extension, paddle.static.py_func",
    ),
    "torch.monitor": ("Paddle has no counters and events", None),
    "torch.xpu": ("Paddle's XPU is another device than torch's", "paddle.device"),
    "torch.mtia": ("Paddle has no such device", None),
    "torch.mps": ("Paddle does not run on Apple's GPUs", None),
    "torch.accelerator": ("Paddle names its devices one by one", "paddle.device"),
    "torch.utils.tensorboard": (
        "the writer is written for torch",
        "visualdl.LogWriter, or tensorboardX.SummaryWriter",
    ),
    "torch.utils.benchmark": ("it times torch's own code", "timeit, paddle.utils.benchmark"),
    "torch.utils.cpp_extension": (
        "operators in C++ are written against another interface",
        "paddle.utils.cpp_extension",
    ),
    "torch.utils.collect_env": ("it reports on torch's installation", "paddle.utils.run_check()"),
    "torch.utils.mobile_optimizer": ("Paddle Lite prepares models for phones", None),
    "torch.utils.bundled_inputs": ("Paddle keeps no inputs with a model", None),
    "torch.utils.flop_counter": ("it counts torch's operators", "paddle.flops(layer, input_size)"),
    "torch.utils.module_tracker": ("it follows torch's modules", None),
    "torch.utils.throughput_benchmark": ("it times TorchScript", None),
    "torch.utils.model_dump": ("it reads torch's files", None),
    "torch.utils.show_pickle": ("it reads torch's files", None),
    "torch.utils.jit": ("Paddle has no TorchScript", None),
    "torch.utils.mkldnn": ("Paddle uses oneDNN by itself", None),
    "torch.profiler": ("Paddle's profiler has another interface", "paddle.profiler.Profiler"),
    "torch.onnx.symbolic_helper": ("it extends torch's exporter", "paddle.onnx.export"),
    "torch.onnx.ONNXProgram": ("it is what torch's exporter makes", "paddle.onnx.export"),
    "torch.distributed.fsdp": (
        "Paddle shards in its own way",
        "paddle.distributed.sharding.group_sharded_parallel",
    ),
    "torch.distributed.tensor": (
        "Paddle's sharded tensors differ",
        "paddle.distributed.shard_tensor",
    ),
    "torch.distributed.rpc": ("Paddle's calls between processes differ", "paddle.distributed.rpc"),
    "torch.distributed.elastic": ("Paddle's launcher differs", "paddle.distributed.launch"),
    "torch.distributed.checkpoint": (
        "Paddle's distributed checkpoints differ",
        "paddle.distributed.save_state_dict",
    ),
    "torch.distributed.pipelining": (
        "Paddle's pipelines differ",
        "paddle.distributed.fleet.meta_parallel.PipelineLayer",
    ),
    "torch.distributed.algorithms": ("Paddle has no such hooks", None),
    "torch.distributed.optim": ("Paddle shards in its own way", "paddle.distributed.fleet"),
    "torch.distributed.launcher": ("Paddle's launcher differs", "paddle.distributed.launch"),
    "torch.distributed.autograd": ("Paddle has no autograd across processes", None),
    "torch.distributed.nn": ("Paddle has no differentiable collectives of this form", None),
    "torch.futures": ("Paddle has no futures", "concurrent.futures"),
    "torch.autograd.profiler_util": ("Paddle's profiler differs", "paddle.profiler.Profiler"),
    "torch.autograd.profiler_legacy": ("Paddle's profiler differs", "paddle.profiler.Profiler"),
    "torch.autograd.forward_ad": (
        "Paddle has no forward-mode derivatives",
        "paddle.incubate.autograd.jvp",
    ),
    "torch.autograd.gradcheck": ("Paddle has no check of gradients", "finite differences"),
    "torch.cuda.gds": ("Paddle reads no files into GPUs directly", None),
    "torch.cuda.tunable": ("Paddle tunes by itself", None),
    "torch.cuda.jiterator": ("Paddle compiles no kernels from strings", None),
    "torch.cuda.nvtx": ("Paddle marks ranges in its own way", "paddle.profiler.RecordEvent"),
    "torch.utils.data.datapipes": ("Paddle has no data pipes", "datasets and iterables"),
    "torch.utils.data": ("Paddle's data loading has no such part", "datasets and iterables"),
    "torch.utils.checkpoint": (
        "Paddle recomputes whole functions",
        "paddle.distributed.fleet.utils.recompute",
    ),
    "torch.utils.ThroughputBenchmark": ("it times TorchScript", None),
    "torch.utils.backcompat": ("these are warnings of old torch", None),
    "torch.utils.file_baton": ("it guards torch's builds", None),
    "torch.utils.weak": ("these are torch's own collections", "weakref"),
    "torch.utils.serialization": ("it configures torch's format", "paddle.save"),
    "torch.utils.cmake_prefix_path": ("it is for building against torch", "paddle.sysconfig"),
    "torch.utils.get_cpp_backtrace": ("Paddle shows its own backtraces", None),
    "torch.utils.rename_privateuse1_backend": ("Paddle's custom devices are plug-ins", None),
    "torch.utils.generate_methods_for_privateuse1_backend": (
        "Paddle's custom devices are plug-ins",
        None,
    ),
    "torch.autograd": ("Paddle shows no such part of its graph", "paddle.autograd.PyLayer"),
    "torch.cuda": ("Paddle offers no such view of a GPU", "paddle.device.cuda"),
    "torch.cpu": ("Paddle has no streams on a CPU", None),
    "torch.amp": ("Paddle's mixed precision has no such part", "paddle.amp.auto_cast"),
    "torch.backends": ("Paddle has no such setting", "paddle.set_flags"),
    "torch.jit": ("Paddle has no TorchScript", "paddle.jit.to_static"),
    "torch.compiler": ("nothing is compiled", "paddle.jit.to_static"),
    "torch.onnx": ("Paddle's exporter is another", "paddle.onnx.export"),
    "torch.hub": ("it fetches what is written for torch", "paddle.hub"),
    "torch.func": ("Paddle has no such transformation", None),
    "torch.testing": ("Paddle has no such help for tests", "numpy.testing"),
    "torch.optim": ("the optimizers here have no such part", None),
    "torch.distributions": ("the distributions here have no such part", "paddle.distribution"),
    "torch.distributed": ("Paddle's processes work in another way", "paddle.distributed"),
    "torch.multiprocessing": (
        "tensors go between processes in another way",
        "multiprocessing, paddle.distributed.spawn",
    ),
    "torch.serialization": ("Paddle has a format of its own", "paddle.save, paddle.load"),
}  # fmt: skip
# What the other files have rules for.
_RULED = frozenset(
    rule.name
    for module in (
        amp, autograd, backends, compile, cuda, data, distributed, distributions,
        distributions_constraints, distributions_transforms, func, lr_scheduler, optim, optim_more, profiler, saving, testing,
        misc_hooks, tensor_constructors,
    )
    for rule in module.rules.rules
)  # fmt: skip


def _family(name: str) -> str | None:
    """The family that a name is in, by its longest start."""
    while name:
        if name in _FAMILIES:
            return name
        name = name.rpartition(".")[0]
    return None


def _inherited(name: str) -> bool:
    """True for a member of a base class that has, or may have, a rule, which holds here too."""
    owner, _, member = name.rpartition(".")
    for base in load().bases(owner):
        above = load().canonical(f"{base}.{member}")
        known = above in _RULED or (above in load().names and _family(above) is None)
        if known or _inherited(f"{base}.{member}"):
            return True
    return False


for _name in sorted(load().names - _RULED):
    _found = _family(_name)
    if _found is not None and not _inherited(_name):
        _reason, _instead = _FAMILIES[_found]
        rules.refuse(_name, reason=_reason, instead=_instead)
