"""Refusals for names without a rule in `rules/`: parts of refused names, and torch's internals."""

from __future__ import annotations

import re

from workbench.rules.outcome import Refusal
from workbench.rules.rule import Rule
from workbench.upstream.facts import load

_LAZY = ("it belongs to the inside of torch's lazy layers", "`nn.LazyLinear` and its sisters")
# Prefixes of names, each with the reason and the alternative; the longest prefix counts.
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
    "torch.autograd": ("Paddle does not expose this part of its graph", "paddle.autograd.PyLayer"),
    "torch.cuda": ("Paddle has no counterpart of this GPU function", "paddle.device.cuda"),
    "torch.cpu": ("Paddle has no streams on a CPU", None),
    "torch.amp": ("Paddle's mixed precision has no such part", "paddle.amp.auto_cast"),
    "torch.backends": ("Paddle has no such setting", "paddle.set_flags"),
    "torch.jit": ("Paddle has no TorchScript", "paddle.jit.to_static"),
    "torch.compiler": ("nothing is compiled", "paddle.jit.to_static"),
    "torch.onnx": ("Paddle's exporter is another", "paddle.onnx.export"),
    "torch.hub": ("it fetches what is written for torch", "paddle.hub"),
    "torch.func.": ("Paddle has no such transformation", None),
    "torch.testing": ("Paddle has no such help for tests", "numpy.testing"),
    "torch.optim": ("the optimizers here have no such part", None),
    "torch.distributions": ("the distributions here have no such part", "paddle.distribution"),
    **dict.fromkeys(
        [f"torch.distributed.{kind}Store" for kind in ("", "TCP", "File", "Hash", "Prefix")],
        (
            "Paddle's processes find each other without a store that code could hold",
            "torch.distributed.init_process_group without `store`",
        ),
    ),
    "torch.distributed.ProcessGroup": (
        "Paddle's groups are objects of another class",
        "the group that torch.distributed.new_group returns",
    ),
    "torch.distributed.Work": (
        "Paddle's operations return tasks of another class",
        "the task's wait() and is_completed()",
    ),
    "torch.distributed.ReduceOp": (
        "Paddle reduces by sum, product, minimum, maximum and average alone",
        "paddle.distributed.all_gather, and the operation on what was gathered",
    ),
    "torch.distributed.init_device_mesh": (
        "Paddle's meshes are made of the processes' numbers",
        "paddle.distributed.ProcessMesh",
    ),
    "torch.distributed.device_mesh": (
        "Paddle's meshes are made of the processes' numbers",
        "paddle.distributed.ProcessMesh",
    ),
    "torch.distributed.DeviceMesh": (
        "Paddle's meshes are made of the processes' numbers",
        "paddle.distributed.ProcessMesh",
    ),
    "torch.distributed": (
        "Paddle has no such part among its processes",
        "paddle.distributed, or leave it out",
    ),
    "torch.multiprocessing": (
        "tensors go between processes in another way",
        "multiprocessing, paddle.distributed.spawn",
    ),
    "torch.serialization": ("Paddle has a format of its own", "paddle.save, paddle.load"),
    "torch.nn.cpp.": ("Paddle has no C++ modules of torch", "the module written in Python"),
    "torch.nn.functional.ScalingType.": ("Paddle has no such kernel", "a plain matrix product"),
    "torch.nn.functional.SwizzleType.": ("Paddle has no such kernel", "a plain matrix product"),
    "torch.nn.LinearCrossEntropyLoss.options": ("Paddle has no such kernel", "leave it out"),
    "torch.nn.LinearCrossEntropyOptions.": ("Paddle has no such kernel", "a layer and a loss"),
    "torch.nn.modules.lazy.LazyModuleMixin.": _LAZY,
    "torch.nn.modules.conv._LazyConvXdMixin": _LAZY,
    "torch.nn.modules.batchnorm._LazyNormBase": _LAZY,
    "torch.nn.Uninitialized": _LAZY,
    "torch.nn.parameter.UninitializedTensorMixin": _LAZY,
    "torch.nn.utils.parametrize.ParametrizationList.": (
        "Paddle has no parametrizations",
        "a forward pre-hook that computes the weight",
    ),
    "torch.nn.utils.weight_norm.": ("it is torch's own hook", "`nn.utils.weight_norm`"),
    "torch.nn.utils.spectral_norm.": ("it is torch's own hook", "`nn.utils.spectral_norm`"),
    "torch.nn.CrossMapLRN2d.": (
        "torch keeps it only for compatibility with old code",
        "`nn.LocalResponseNorm`",
    ),
    "torch.nn.RNNBase.check_": ("it checks torch's own arguments", "leave it out"),
    "torch.nn.RNNBase.get_expected_hidden_size": (
        "it checks torch's own arguments",
        "leave it out",
    ),
    "torch.nn.RNNBase.permute_hidden": ("it belongs to the inside of torch", "leave it out"),
    "torch.nn.LSTM.check_forward_args": ("it checks torch's own arguments", "leave it out"),
    "torch.nn.LSTM.get_expected_cell_size": ("it checks torch's own arguments", "leave it out"),
    "torch.nn.LSTM.permute_hidden": ("it belongs to the inside of torch", "leave it out"),
    "torch.nn.MultiheadAttention.merge_masks": (
        "it belongs to the inside of torch",
        "pass both masks to the layer",
    ),
    "torch.nn.SyncBatchNorm.": (
        "statistics across processes are not proven to be torch's",
        "`paddle.nn.SyncBatchNorm.convert_sync_batchnorm`",
    ),
    "torch.nn.init._": ("it belongs to the inside of torch", "the functions of `torch.nn.init`"),
    "torch.return_types": (
        "the functions here return named tuples of their own",
        "isinstance(result, tuple)",
    ),
    "torch.masked": (
        "Paddle has no masked tensors",
        "torch.where with a value that leaves the result as it is",
    ),
    "torch.nested": ("Paddle has no nested tensors", "a padded tensor with a mask"),
    "torch.overrides": ("Paddle's functions cannot be overridden by classes", None),
    "torch.storage": (
        "Paddle cannot allocate memory without a tensor",
        "a tensor, whose storage() can be read",
    ),
    "torch.types": ("it is there for annotations of torch", "paddle.Tensor, int, float"),
    "torch.quasirandom": ("Paddle draws no quasi-random numbers", "scipy.stats.qmc.Sobol"),
    "torch.version": ("it tells how torch was built", "paddle.version"),
    "torch.sparse": (
        "Paddle's sparse tensors, COO and CSR, have no such operation",
        "paddle.sparse",
    ),
    "torch.nn.parallel": (
        "Paddle spreads work over processes, one for each device",
        "paddle.DataParallel, paddle.distributed",
    ),
    "torch.nn.utils.rnn": ("Paddle has no packed sequences of torch's kind", None),
    "torch.utils.dlpack": ("Paddle exchanges tensors without such an enumeration", None),
    "torch.utils.hooks": ("it belongs to the inside of torch's hooks", "the handle's `remove()`"),
    "torch.utils": ("it belongs to the inside of torch", None),
    "torch._dynamo": ("nothing is compiled", "paddle.jit.to_static"),
    "torch._C": ("it belongs to the inside of torch", None),
    "torch.Script": ("Paddle has no TorchScript", "paddle.jit.to_static"),
    "torch.Lite": ("Paddle has no TorchScript", "paddle.jit.to_static"),
    "torch.sparse_": (
        "Paddle's sparse tensors are COO and CSR, made by functions of their own",
        "torch.sparse_coo_tensor, torch.sparse_csr_tensor",
    ),
    "torch.cond": ("it is for graphs that torch exports", "paddle.static.nn.cond"),
    "torch.while_loop": ("it is for graphs that torch exports", "paddle.static.nn.while_loop"),
    "torch.fork": ("Paddle has no futures", "concurrent.futures"),
    "torch.wait": ("Paddle has no futures", "concurrent.futures"),
    "torch.Future": ("Paddle has no futures", "concurrent.futures"),
    "torch.Stream": ("Paddle's streams are those of a GPU", "paddle.device.cuda.Stream"),
    "torch.Event": ("Paddle's events are those of a GPU", "paddle.device.cuda.Event"),
    "torch.nn": ("nothing is written for this part of it yet", None),
    "torch": ("it belongs to the inside of torch", None),
}


_START = re.compile("|".join(map(re.escape, sorted(_FAMILIES, key=len, reverse=True))))
# Modules for which the reason would be uninformative have no refusal.
_WIDE = ("torch", "torch.nn", "torch.utils")


def refusal(name: str, owner: Rule | None) -> Refusal | None:
    """Return the refusal of the class that a torch name belongs to, else that of its family."""
    if owner is not None and owner.refusal is not None:
        return owner.refusal
    found = _START.match(name)
    assert found is not None
    start = found[0]
    if start in _WIDE and load().is_module(name):
        return None
    return Refusal(*_FAMILIES[start])
