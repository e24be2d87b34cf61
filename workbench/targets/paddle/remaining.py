"""Refusals for names without a rule: parts of refused names, and torch's internals."""

from __future__ import annotations

import re

from workbench.rules.outcome import Refusal
from workbench.rules.rule import Rule
from workbench.upstream.facts import load

_LAZY = ("it is internal to torch's lazy layers", ("`nn.LazyLinear` and the other lazy layers"))
# Prefixes of names, each with the reason and the alternative; the longest prefix counts.
_FAMILIES: dict[str, tuple[str, str | None]] = {
    "torch.fx": ("Paddle does not trace Python code into torch's graphs", "paddle.jit.to_static"),
    "torch.ao": ("Paddle has its own quantization toolkit", "paddle.quantization"),
    "torch.quantization": ("Paddle has its own quantization toolkit", "paddle.quantization"),
    "torch.nn.quantized": ("Paddle has its own quantization toolkit", "paddle.nn.quant"),
    "torch.nn.quantizable": ("Paddle has its own quantization toolkit", "paddle.nn.quant"),
    "torch.nn.qat": ("Paddle has its own quantization toolkit", "paddle.quantization.QAT"),
    "torch.nn.intrinsic": ("Paddle fuses layers automatically", None),
    "torch.export": ("Paddle exports with input specifications", "paddle.jit.save"),
    "torch.package": ("Paddle does not save code together with weights", "paddle.jit.save"),
    "torch.library": (
        "Paddle has another interface to register operators from C++ and Python",
        "paddle.utils.cpp_extension, paddle.static.py_func",
    ),
    "torch.monitor": ("Paddle has no event counters of this kind", None),
    "torch.xpu": ("XPU means another device in Paddle", "paddle.device"),
    "torch.mtia": ("Paddle has no such device", None),
    "torch.mps": ("Paddle does not run on Apple's GPUs", None),
    "torch.accelerator": (
        ("Paddle has no generic accelerator: it names each kind of device"),
        "paddle.device",
    ),
    "torch.utils.tensorboard": (
        "this writer accepts only torch's tensors and modules",
        "visualdl.LogWriter, or tensorboardX.SummaryWriter",
    ),
    "torch.utils.benchmark": ("it times torch's own code", "timeit, paddle.utils.benchmark"),
    "torch.utils.cpp_extension": (
        "Paddle has another interface for operators in C++",
        "paddle.utils.cpp_extension",
    ),
    "torch.utils.collect_env": ("it reports on torch's installation", "paddle.utils.run_check()"),
    "torch.utils.mobile_optimizer": ("Paddle Lite prepares models for phones", None),
    "torch.utils.bundled_inputs": ("Paddle does not save inputs with a model", None),
    "torch.utils.flop_counter": (
        ("it counts operations of torch"),
        "paddle.flops(layer, input_size)",
    ),
    "torch.utils.module_tracker": ("it records calls of torch's modules", None),
    "torch.utils.throughput_benchmark": ("it times TorchScript", None),
    "torch.utils.model_dump": ("it reads torch's files", None),
    "torch.utils.show_pickle": ("it reads torch's files", None),
    "torch.utils.jit": ("Paddle has no TorchScript", None),
    "torch.utils.mkldnn": ("Paddle selects oneDNN itself", None),
    "torch.profiler": ("Paddle's profiler has another interface", "paddle.profiler.Profiler"),
    "torch.onnx.symbolic_helper": ("it extends torch's exporter", "paddle.onnx.export"),
    "torch.onnx.ONNXProgram": ("it is the result of torch's exporter", "paddle.onnx.export"),
    "torch.distributed.fsdp": (
        "Paddle has another interface for sharding",
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
    "torch.distributed.algorithms": ("Paddle has no communication hooks", None),
    "torch.distributed.optim": (
        ("Paddle has another interface for sharding"),
        "paddle.distributed.fleet",
    ),
    "torch.distributed.launcher": ("Paddle's launcher differs", "paddle.distributed.launch"),
    "torch.distributed.autograd": ("Paddle has no autograd across processes", None),
    "torch.distributed.nn": ("Paddle has no differentiable collectives with this interface", None),
    "torch.autograd.profiler_util": ("Paddle's profiler differs", "paddle.profiler.Profiler"),
    "torch.autograd.profiler_legacy": ("Paddle's profiler differs", "paddle.profiler.Profiler"),
    "torch.autograd.forward_ad": (
        "Paddle has no forward-mode derivatives",
        "paddle.incubate.autograd.jvp",
    ),
    "torch.autograd.gradcheck": (
        ("Paddle has no function that checks gradients"),
        ("compare with finite differences"),
    ),
    "torch.cuda.gds": ("Paddle cannot read files directly into GPU memory", None),
    "torch.cuda.tunable": ("Paddle tunes its kernels itself", None),
    "torch.cuda.jiterator": ("Paddle cannot compile kernels from strings", None),
    "torch.cuda.nvtx": (
        ("Paddle has another interface to mark ranges"),
        "paddle.profiler.RecordEvent",
    ),
    "torch.utils.data.datapipes": ("Paddle has no data pipes", "datasets and iterables"),
    "torch.utils.data": ("Paddle's data loading has no counterpart", "datasets and iterables"),
    "torch.utils.checkpoint": (
        "Paddle can recompute only whole functions",
        "paddle.distributed.fleet.utils.recompute",
    ),
    "torch.utils.ThroughputBenchmark": ("it times TorchScript", None),
    "torch.utils.backcompat": ("these warnings are about older versions of torch", None),
    "torch.utils.file_baton": ("it locks builds of torch's extensions", None),
    "torch.utils.weak": ("these are internal collections of torch", "weakref"),
    "torch.utils.serialization": ("it configures torch's file format", "paddle.save"),
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
    "torch.amp": ("Paddle's mixed precision has no counterpart", "paddle.amp.auto_cast"),
    "torch.backends": ("Paddle has no such setting", "paddle.set_flags"),
    "torch.jit": ("Paddle has no TorchScript", "paddle.jit.to_static"),
    "torch.compiler": ("the converted code is not compiled", "paddle.jit.to_static"),
    "torch.onnx": ("Paddle has another exporter", "paddle.onnx.export"),
    "torch.hub": ("it loads code or weights for torch", "paddle.hub"),
    "torch.func.": ("Paddle has no such transformation", None),
    "torch.testing": ("Paddle has no such test utility", "numpy.testing"),
    "torch.optim": ("the converted optimizers have no counterpart", None),
    "torch.distributions": (
        ("the converted distributions have no counterpart"),
        "paddle.distribution",
    ),
    **dict.fromkeys(
        [f"torch.distributed.{kind}Store" for kind in ("", "TCP", "File", "Hash", "Prefix")],
        (
            "Paddle does not expose the store through which its processes connect",
            "torch.distributed.init_process_group without `store`",
        ),
    ),
    "torch.distributed.ProcessGroup": (
        "Paddle has another class for process groups",
        "the group that torch.distributed.new_group returns",
    ),
    "torch.distributed.Work": (
        "Paddle has another class for asynchronous operations",
        "the task's wait() and is_completed()",
    ),
    "torch.distributed.ReduceOp": (
        "Paddle can reduce only by sum, product, minimum, maximum and average",
        "paddle.distributed.all_gather, then the operation on its result",
    ),
    "torch.distributed.init_device_mesh": (
        "Paddle builds a mesh from the ranks of its processes",
        "paddle.distributed.ProcessMesh",
    ),
    "torch.distributed.device_mesh": (
        "Paddle builds a mesh from the ranks of its processes",
        "paddle.distributed.ProcessMesh",
    ),
    "torch.distributed.DeviceMesh": (
        "Paddle builds a mesh from the ranks of its processes",
        "paddle.distributed.ProcessMesh",
    ),
    "torch.distributed": (
        "paddle.distributed has no counterpart",
        "another function of paddle.distributed, or remove it",
    ),
    "torch.multiprocessing": (
        "Paddle passes tensors between processes in another way",
        "multiprocessing, paddle.distributed.spawn",
    ),
    "torch.serialization": ("Paddle has its own file format", "paddle.save, paddle.load"),
    "torch.nn.cpp.": ("Paddle has no C++ modules of torch", "the module written in Python"),
    "torch.nn.functional.ScalingType.": ("Paddle has no such kernel", "a plain matrix product"),
    "torch.nn.functional.SwizzleType.": ("Paddle has no such kernel", "a plain matrix product"),
    "torch.nn.LinearCrossEntropyLoss.options": ("Paddle has no such kernel", "remove it"),
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
    "torch.nn.utils.weight_norm.": ("it is an internal hook of torch", "`nn.utils.weight_norm`"),
    "torch.nn.utils.spectral_norm.": (
        ("it is an internal hook of torch"),
        "`nn.utils.spectral_norm`",
    ),
    "torch.nn.CrossMapLRN2d.": (
        "torch keeps it only for compatibility with old code",
        "`nn.LocalResponseNorm`",
    ),
    "torch.nn.RNNBase.check_": ("it is an internal check of arguments", "remove it"),
    "torch.nn.RNNBase.get_expected_hidden_size": (
        "it is an internal check of arguments",
        "remove it",
    ),
    "torch.nn.RNNBase.permute_hidden": ("it is internal to torch", "remove it"),
    "torch.nn.LSTM.check_forward_args": ("it is an internal check of arguments", "remove it"),
    "torch.nn.LSTM.get_expected_cell_size": (("it is an internal check of arguments"), "remove it"),
    "torch.nn.LSTM.permute_hidden": ("it is internal to torch", "remove it"),
    "torch.nn.MultiheadAttention.merge_masks": (
        "it is internal to torch",
        "pass both masks to the layer",
    ),
    "torch.nn.SyncBatchNorm.": (
        "statistics across processes are not tested against torch's",
        "`paddle.nn.SyncBatchNorm.convert_sync_batchnorm`",
    ),
    "torch.nn.init._": ("it is internal to torch", "the functions of `torch.nn.init`"),
    "torch.return_types": (
        "converted functions return another named tuple",
        "isinstance(result, tuple)",
    ),
    "torch.masked": (
        "Paddle has no masked tensors",
        "torch.where, with a value for masked elements that does not change the result",
    ),
    "torch.nested": ("Paddle has no nested tensors", "a padded tensor with a mask"),
    "torch.overrides": ("Paddle's functions cannot be overridden by classes", None),
    "torch.storage": (
        "Paddle cannot allocate memory without a tensor",
        "a tensor, whose storage() can be read",
    ),
    "torch.types": ("it is a type of torch, for annotations", "paddle.Tensor, int, float"),
    "torch.quasirandom": ("Paddle has no quasi-random numbers", "scipy.stats.qmc.Sobol"),
    "torch.version": ("it describes the build of torch", "paddle.version"),
    "torch.sparse": (
        "Paddle's sparse tensors, COO and CSR, have no such operation",
        "paddle.sparse",
    ),
    "torch.nn.parallel": (
        "Paddle uses one process for each device",
        "paddle.DataParallel, paddle.distributed",
    ),
    "torch.nn.utils.rnn": ("Paddle has no packed sequences like torch's", None),
    "torch.utils.dlpack": ("Paddle's DLPack functions do not use this enumeration", None),
    "torch.utils.hooks": ("it is internal to torch's hooks", "the handle's `remove()`"),
    "torch.utils": ("it is internal to torch", None),
    "torch._dynamo": ("the converted code is not compiled", "paddle.jit.to_static"),
    "torch._C": ("it is internal to torch", None),
    "torch.Script": ("Paddle has no TorchScript", "paddle.jit.to_static"),
    "torch.Lite": ("Paddle has no TorchScript", "paddle.jit.to_static"),
    "torch.sparse_": (
        "Paddle has only COO and CSR sparse tensors, made by separate functions",
        "torch.sparse_coo_tensor, torch.sparse_csr_tensor",
    ),
    "torch.cond": ("it is for code that torch exports as a graph", "paddle.static.nn.cond"),
    "torch.while_loop": (
        ("it is for code that torch exports as a graph"),
        "paddle.static.nn.while_loop",
    ),
    "torch.Stream": ("Paddle has streams only on a GPU", "paddle.device.cuda.Stream"),
    "torch.Event": ("Paddle has events only on a GPU", "paddle.device.cuda.Event"),
    "torch.nn": ("this part of torch.nn is not supported yet", None),
    "torch": ("it is internal to torch", None),
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
